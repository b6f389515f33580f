// Code in the style of old image-processing libraries.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <algorithm>
#include <numeric>
#include <vector>
typedef unsigned char BYTE; typedef unsigned int DWORD; typedef BYTE *PBYTE;
#define PIX(p, x, y, s) ((p)[(y) * (s) + (x)])
#define RGB_TO_Y(r,g,b) (((66*(r)+129*(g)+25*(b)+128)>>8)+16)
#define CLIP(v) ((v) & ~255 ? (-(v)) >> 31 : (v))
#define for_each(i, n) for (int i = 0; i < (n); ++i)
static const BYTE bayer[4][4] = { 0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5 };
template <typename T, int N> struct Box { static T sum(const T* p) { T s = 0; for (int i = 0; i < N; i++) s += p[i]; return s; } };
template <typename Op> static void apply(const BYTE* s, BYTE* d, int n, Op op) { for (int i = 0; i < n; i++) d[i] = op(s[i]); }

void rgb2y(const BYTE* rgb, BYTE* y, int w, int h) {
  for_each(j, h) for_each(i, w) { const BYTE* p = rgb + 3 * (j * w + i); y[j * w + i] = RGB_TO_Y(p[0], p[1], p[2]); }
}
void sobel(PBYTE in, PBYTE out, int w, int h) {
  int gx, gy; register int x, y;
  for (y = 1; y < h - 1; y++) { for (x = 1; x < w - 1; x++) {
    gx = PIX(in, x + 1, y - 1, w) - PIX(in, x - 1, y - 1, w) + 2 * (PIX(in, x + 1, y, w) - PIX(in, x - 1, y, w));
    gy = in[(y+1)*w+x] - in[(y-1)*w+x];
    int m = (int)sqrt((double)(gx * gx + gy * gy));
    if (m > 255) m = 255;
    out[y * w + x] = (BYTE)m; } }
}
void dither(const BYTE* in, BYTE* out, int w, int h) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) out[y*w+x] = in[y*w+x] > bayer[y & 3][x & 3] * 16 ? 255 : 0; }
void gamma_lut(const BYTE* in, BYTE* out, int n, float g) {
  BYTE lut[256];
  for (int i = 0; i < 256; i++) lut[i] = (BYTE)(powf(i / 255.0f, g) * 255.0f + 0.5f);
  while (n-- > 0) *out++ = lut[*in++];
}
void lam(const BYTE* in, BYTE* out, int n, int k) { apply(in, out, n, [k](BYTE v) { return (BYTE)(v * k >> 4); }); apply(out, out, n, [=](BYTE v) -> BYTE { return v + 1; }); }
int box(const int* p) { return Box<int, 5>::sum(p) + Box<int, 2>::sum(p + 1); }
int accum(const int* p, int n) { return std::accumulate(p, p + n, 0); }
void median3(const BYTE* in, BYTE* out, int w) { for (int x = 1; x < w - 1; x++) { BYTE a = in[x-1], b = in[x], c = in[x+1]; if (a > b) std::swap(a, b); if (b > c) std::swap(b, c); if (a > b) std::swap(a, b); out[x] = b; } }
void unrolled(const BYTE* s, BYTE* d, int n) { int i; for (i = 0; i + 4 <= n; i += 4) { d[i] = s[i] >> 1; d[i+1] = s[i+1] >> 1; d[i+2] = s[i+2] >> 1; d[i+3] = s[i+3] >> 1; } for (; i < n; i++) d[i] = s[i] >> 1; }
void duff(const BYTE* s, BYTE* d, int n) { switch (n & 3) { case 3: *d++ = *s++; case 2: *d++ = *s++; case 1: *d++ = *s++; case 0:; } n >>= 2; while (n--) { *d++ = *s++; *d++ = *s++; *d++ = *s++; *d++ = *s++; } }
void alpha(DWORD* dst, const DWORD* src, int n, BYTE a) { if (n <= 0) return; do { DWORD s = *src++, d = *dst; DWORD rb = (((s & 0xff00ff) * a + (d & 0xff00ff) * (255 - a)) >> 8) & 0xff00ff; *dst++ = rb | (d & 0xff00); } while (--n); }
void hblur(const float* __restrict__ in, float* __restrict__ out, size_t w, size_t h, float sigma) {
  sigma = fminf(fabsf(sigma), 1.5f) + 0.1f; const int r = (int)ceilf(3 * sigma); float* k = new float[2 * r + 1]; float sum = 0.f;
  for (int i = -r; i <= r; ++i) sum += k[i + r] = expf(-i * i / (2 * sigma * sigma));
  for (int i = 0; i < 2 * r + 1; i++) k[i] /= sum;
  for (size_t y = 0; y < h; ++y) for (size_t x = 0; x < w; ++x) { float acc = 0; for (int i = -r; i <= r; i++) { long xx = (long)x + i; if (xx < 0) xx = 0; if (xx >= (long)w) xx = w - 1; acc += in[y * w + xx] * k[i + r]; } out[y * w + x] = acc; }
  delete[] k;
}
void integral(const BYTE* in, unsigned* out, int w, int h) { std::vector<unsigned> row(w, 0u); for (int y = 0; y < h; y++) { unsigned s = 0; for (int x = 0; x < w; x++) { s += in[y*w+x]; row[x] += s; out[y*w+x] = row[x]; } } }
bool flip(BYTE* p, int w, int h) { if (p == NULL || w <= 0) return false; for (int y = 0; y < h / 2; y++) { BYTE *a = p + y * w, *b = p + (h - 1 - y) * w; for (int x = 0; x < w; x++) { BYTE t = a[x]; a[x] = b[x]; b[x] = t; } } return true; }
void reverse(int16_t* p, int n) { int16_t *a = p, *b = p + n - 1; while (a < b) { int16_t t = *a; *a++ = *b; *b-- = t; } }
void lines(const BYTE* src, BYTE* dst, int w, int h, int stride) { const BYTE *prev = src, *cur = src + stride, *next = cur + stride; for (int y = 1; y < h - 1; y++) { for (int x = 0; x < w; x++) dst[x] = (prev[x] + 2 * cur[x] + next[x] + 2) / 4; prev = cur; cur = next; next += stride; dst += stride; } }
void clipm(const int* s, BYTE* d, int n) { for (int i = 0; i < n; i++) d[i] = CLIP(s[i]); }
void nested_ret(const BYTE* in, int* out, int n) { auto find = [&](int v) { for (int i = 0; i < n; i++) if (in[i] == v) return i; return -1; }; out[0] = find(3); }
void bsort(BYTE* p) { for (int i = 0; i < 8; i++) for (int j = i + 1; j < 9; j++) if (p[j] < p[i]) { p[i] ^= p[j]; p[j] ^= p[i]; p[i] ^= p[j]; } }
void arr2(BYTE img[][16], int h) { for (int y = 0; y < h; y++) for (int x = 0; x < 16; x++) img[y][x] = 255 - img[y][x]; }
