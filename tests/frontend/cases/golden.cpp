// Small functions whose lowering is written out in golden.txt.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

static inline uint8_t saturate(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }
static const int kernel[3] = {1, 2, 1};
constexpr int shift = 2;

void invert(const uint8_t *src, uint8_t *dst, int w, int h, int stride) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) dst[y * stride + x] = 255 - src[y * stride + x];
}
void blur3(const uint8_t *__restrict src, uint8_t *__restrict dst, int n) {
  for (int i = 1; i < n - 1; ++i) {
    int sum = 0;
    for (int k = -1; k <= 1; ++k) sum += kernel[k + 1] * src[i + k];
    dst[i] = saturate((sum + (1 << (shift - 1))) >> shift);
  }
}
void copy_bytes(uint8_t *dst, const uint8_t *src, size_t n) { while (n--) *dst++ = *src++; }
int guarded(const int *p, int i, int n) { return i < n && p[i] > 0 ? p[i] : 0; }
int early(const uint8_t *p, int n) {
  if (!p || n <= 0) return -1;
  return p[0];
}
void checked(float *p, int n) {
  assert(n > 0 && n % 4 == 0);
  for (int i = 0; i < n; i++) p[i] = std::sqrt(p[i]) * 0.5f;
}
int effects(int x) {
  int n = 0;
  int y = x > 0 ? n++ : --n;
  return y + n;
}
void small(uint8_t *p) {
  p[0] += 3;
  p[1]++;
  p[2] <<= 1;
  p[3] = -p[3];
}
int last_loop(unsigned u) {
  int n = 0;
  do { ++n; } while (u >>= 1);
  return n;
}
int histogram(const uint8_t *p, int n) {
  int *h = (int *)calloc(256, sizeof(int));
  for (int i = 0; i < n; i++) h[p[i]]++;
  int best = *std::max_element(h, h + 1);
  free(h);
  return best;
}
void rows(const uint8_t *src, uint8_t *dst, int w, int h, int stride) {
  for (int y = 0; y < h; y++, src += stride, dst += stride) {
    const uint8_t *s = src, *end = src + w;
    uint8_t *d = dst;
    while (s != end) *d++ = *s++;
  }
}
int pick(int mode) {
  switch (mode) {
    case 0:
    case 1: return 10;
    case 2: mode = 5;
    default: mode++; break;
  }
  return mode;
}
static int search(const int *p, int n, int v) {
  for (int i = 0; i < n; i++)
    if (p[i] == v) return i;
  return -1;
}
int find(const int *p, int n) { return search(p, n, 3) + 1; }
void cleared(int16_t *p, int n) { memset(p, 0, n * sizeof(int16_t)); }
void vector_sum(const int *p, int *out, int n) {
  std::vector<int> v(n + 1);
  for (int i = 0; i < n; i++) v[i + 1] = v[i] + p[i];
  *out = v[n];
}
float floats(float x, double y, int i) { return x * i + y / 2 - std::fabs(x) + std::min(x, 1.0f) + -x; }
unsigned mixed(int a, unsigned b, int8_t c, uint16_t d) { return a / 3 + b / 3 + a % 5 + (c << 4) + (d >> 2) + (b > a); }
