#include <stdint.h>
typedef struct { uint8_t *data; int w, h, stride; } image;
typedef struct { int first, last; } range;
void invert(image *im) {
    int x, y;
    for (y = 0; y < im->h; y++) for (x = 0; x < im->w; x++) im->data[y * im->stride + x] ^= 255;
}
void fill(image im, range r, int k) {
    int x, y;
    for (y = 0; y < im.h; y++) for (x = r.first; x < r.last; x++) im.data[y * im.stride + x] = k;
}
void plain(uint8_t *d, int n) { int i; for (i = 0; i < n; i++) d[i]++; }
