#include <stdlib.h>
#include <stdio.h>
typedef struct { int w, h; unsigned char *data; } Image;
Image *inverted(const unsigned char *src, int w, int h) {
    Image *im = malloc(sizeof *im);
    int x, y;
    if (!im) return NULL;
    im->data = malloc(w * h);
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++) im->data[y * w + x] = 255 - src[y * w + x];
    for (y = 0; y < h; y++) {
        printf("row %d\n", y);
        for (x = 0; x < w; x++) im->data[y * w + x] += 3;
    }
    return im;
}
void whole(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] ^= 1;
}
