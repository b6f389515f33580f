/* Memory: structures, unions, copies, overlaps, temporaries. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint8_t r, g, b, a; } Pixel;
typedef struct { float x, y; } Point;
typedef struct { uint8_t *data; int width, height, stride; } Image;
typedef struct __attribute__((packed)) { uint8_t tag; uint16_t value; } Packed;
typedef union { uint32_t word; uint8_t bytes[4]; } Word;

void swapped(Pixel *p, int n) { for (int i = 0; i < n; i++) { uint8_t t = p[i].r; p[i].r = p[i].b; p[i].b = t; } }
void grey(uint8_t *d, const Pixel *p, int n) { for (int i = 0; i < n; i++) d[i] = (p[i].r * 77 + p[i].g * 150 + p[i].b * 29) >> 8; }
void copied_pixels(Pixel *d, const Pixel *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void only_alpha(Pixel *d, const Pixel *s, int n) { for (int i = 0; i < n; i++) { d[i] = s[i]; d[i].a = 255; } }
void points(Point *d, const Point *s, int n, float k) { for (int i = 0; i < n; i++) { d[i].x = s[i].x * k; d[i].y = s[i].y - k; } }
void image_invert(Image *im) { for (int y = 0; y < im->height; y++) for (int x = 0; x < im->width; x++) im->data[y * im->stride + x] = 255 - im->data[y * im->stride + x]; }
void image_by_value(Image d, const Image s) { for (int y = 0; y < d.height; y++) for (int x = 0; x < d.width; x++) d.data[y * d.stride + x] = s.data[y * s.stride + x] / 2; }
void packed(uint16_t *d, const Packed *p, int n) { for (int i = 0; i < n; i++) d[i] = p[i].tag ? p[i].value : 0; }
void bytes_of_words(uint8_t *d, const uint32_t *s, int n) { for (int i = 0; i < n; i++) { Word w; w.word = s[i]; d[i] = w.bytes[2]; } }
void words_of_bytes(uint32_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { uint32_t v; memcpy(&v, s + 4 * i, 4); d[i] = v + 1; } }
void cast_words(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) ((uint32_t *)d)[i] = ~((const uint32_t *)s)[i]; }
void big_endian(uint16_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[2 * i] << 8 | s[2 * i + 1]; }
void copied_rows(uint8_t *d, const uint8_t *s, int w, int h, int ds, int ss) { for (int y = 0; y < h; y++) memcpy(d + y * ds, s + y * ss, w); }
void cleared(uint8_t *d, int n) { memset(d, 0, n); }
void filled(uint8_t *d, int n, int v) { memset(d, v, n); }
void moved_up(uint8_t *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i + 1]; }
void moved_down(uint8_t *p, int n) { for (int i = n; i > 0; i--) p[i] = p[i - 1]; }
void smeared(uint8_t *p, int n) { for (int i = 1; i < n; i++) p[i] = p[i - 1]; }
void summed_in_place(int *p, int n) { for (int i = 1; i < n; i++) p[i] += p[i - 1]; }
void blurred_in_place(uint8_t *p, int n) { for (int i = 0; i < n - 1; i++) p[i] = (p[i] + p[i + 1]) >> 1; }
void same_or_other(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + s[i] / 2; }
void ahead(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i + 1] + 1; }
void behind(uint8_t *d, const uint8_t *s, int n) { for (int i = 1; i < n; i++) d[i] = s[i - 1] + 1; }
void two_outputs(uint8_t *a, uint8_t *b, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { a[i] = s[i] + 1; b[i] = s[i] - 1; } }
void output_read_back(uint8_t *a, uint8_t *b, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { a[i] = s[i] + 1; b[i] = a[i] * 2; } }
void restricted(uint8_t *restrict d, const uint8_t *restrict s, int n) { for (int i = 0; i < n; i++) d[i] = s[n - 1 - i]; }
void local_rows(uint8_t *d, const uint8_t *s, int w, int h) {
    int sums[64];
    if (w > 64) return;
    for (int x = 0; x < w; x++) sums[x] = 0;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { sums[x] += s[y * w + x]; d[y * w + x] = sums[x] / (y + 1); }
}
void allocated(uint8_t *d, const uint8_t *s, int n) {
    uint8_t *t = malloc(n + 2);
    for (int i = 0; i < n + 2; i++) t[i] = i == 0 ? s[0] : i == n + 1 ? s[n - 1] : s[i - 1];
    for (int i = 0; i < n; i++) d[i] = (t[i] + 2 * t[i + 1] + t[i + 2]) >> 2;
    free(t);
}
void histogram(int *h, const uint8_t *s, int n) { for (int i = 0; i < 256; i++) h[i] = 0; for (int i = 0; i < n; i++) h[s[i]]++; }
void histogram_more(int *h, const uint8_t *s, int n) { for (int i = 0; i < n; i++) h[s[i] >> 3] += 2; }
void through_table(uint8_t *d, const uint8_t *s, const uint8_t *table, int n) { for (int i = 0; i < n; i++) d[i] = table[s[i]]; }
void own_table(uint8_t *d, const uint8_t *s, int n) { static const uint8_t t[8] = {3, 1, 4, 1, 5, 9, 2, 6}; for (int i = 0; i < n; i++) d[i] = t[s[i] & 7]; }
void made_table(uint8_t *d, const uint8_t *s, int n, int gain) { uint8_t t[256]; for (int k = 0; k < 256; k++) t[k] = k * gain >> 4; for (int i = 0; i < n; i++) d[i] = t[s[i]]; }
void matrix(float *d, const float *a, const float *b, int n) { if (n > 40) return; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float v = 0; for (int k = 0; k < n; k++) v += a[i * n + k] * b[k * n + j]; d[i * n + j] = v; } }
void transposed(uint8_t *d, const uint8_t *s, int w, int h) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[x * h + y] = s[y * w + x]; }
void two_dimensional(int n, uint8_t d[n][16], uint8_t s[n][16]) { for (int y = 0; y < n; y++) for (int x = 0; x < 16; x++) d[y][x] = s[y][15 - x]; }
void fixed_rows(uint8_t d[][8], const uint8_t s[][8], int n) { for (int y = 0; y < n; y++) for (int x = 0; x < 8; x++) d[y][x] = s[y][x] + y; }
int dot(const int16_t *a, const int16_t *b, int n) { int v = 0; for (int i = 0; i < n; i++) v += a[i] * b[i]; return v; }
uint8_t wrapped_checksum(const uint8_t *s, int n) { uint8_t v = 0; for (int i = 0; i < n; i++) v += s[i]; return v; }
int64_t energy(const int *s, int n) { int64_t v = 0; for (int i = 0; i < n; i++) v += (int64_t)s[i] * s[i]; return v; }
unsigned folded(const uint8_t *s, int n) { unsigned v = 0; for (int i = 0; i < n; i++) v ^= s[i] << (i & 7); return v; }
