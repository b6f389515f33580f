// Each function is compiled with g++, run on random inputs and compared with the interpreted lifted function.
#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define GNU_MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)
#define N 16
enum { SHIFT = 3, ROUND = 1 << (SHIFT - 1) };
enum class Mode : uint8_t { A = 1, B = 200 };
constexpr int kTap = 5;
static const float kGauss[3][3] = {{1, 2, 1}, {2, 4}, {1.5f, 2, 1}};
const int kDx[] = {-1, 0, 1, 0}, kDy[4] = {0, 1};
constexpr double kScale = 1.0 / 255;
static const uint8_t kLut[8] = {250, 251, 1 + 2, 'a', 0x7f};

extern "C" {

void post_increment_copy(const uint8_t *src, uint8_t *dst, int n) {
  for (int i = 0; i < n; i++) *dst++ = *src++ + 1;
}
void while_decrement(const int16_t *a, int16_t *b, unsigned n) {
  while (n--) *b++ = -*a++;
}
void index_increment(const uint8_t *a, uint8_t *b, int n) {
  int i = 0, j = 0;
  while (i < n) b[i++] = a[j++] ^ 0x55;
}
int index_after_right(int *a, int n) {
  int i = n & 7;
  a[i] = i++;
  a[i++] = i;
  a[++i] = i--;
  i = i++ + 3;
  return i;
}
int nested_assign(int *a, int x, int y) {
  int p, q = 0;
  p = q = x;
  a[0] = a[1] = p + y;
  a[(p = 3)] = q;
  x += y -= 2;
  return p + q + x * 3 + y;
}
int comma(int x, int y) {
  int z = (x++, y += x, x * y);
  for (int i = 0, j = 10; i < j; i++, j--) z += i * j;
  return z;
}
int logical_effects(int x, int y) {
  int n = 0;
  if (x > 0 && n++ == 0 && y > 0) n += 10;
  if (x < 5 || (n += 3) > 4) n ^= 1;
  bool b = !(x && y) || n--;
  return n * 2 + b;
}
int conditional_effects(int x, int y) {
  int n = 5;
  int z = x > y ? n++ : --n;
  z += (x & 1) ? (y & 1 ? n += 2 : n -= 3) : n;
  x > 0 ? n++ : (n += 7);
  return z * 100 + n;
}
int guarded_read(const int *a, int n, int i) {
  i &= 31;
  return i < n && a[i] > 3 ? a[i] : -1;
}
int do_while(int x) {
  int n = 0;
  unsigned u = x;
  do {
    n++;
    if (n == 3) continue;
    u >>= 1;
  } while (u != 0 && n < 40);
  return n;
}
int do_zero(int a, int b) {
  SWAP(a, b);
  if (a > b) SWAP(a, b);
  return a - 2 * b;
}
int break_continue(const uint8_t *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (p[i] == 0) continue;
    if (p[i] > 250) break;
    for (int j = i;; j++) {
      if (j >= n) break;
      if (p[j] & 1) continue;
      s += p[j];
    }
  }
  return s;
}
int missing_parts(int n) {
  int i = 0, s = 0;
  for (;;) {
    if (i >= n) break;
    s += i;
    i++;
  }
  for (; s > 10;) s -= 7;
  for (i = 3;; i++)
    if (i > n) return s + i;
}
int switch_plain(int x) {
  int r = 1;
  switch (x & 7) {
    case 0:
    case 1: r = 10; break;
    case 2: { r += 5; break; }
    case 3: r = 7;
    case 4: r++; break;
    default: r = -1; break;
    case 6: if (x > 64) break; r = 99;
  }
  return r;
}
int switch_return(unsigned char c) {
  switch (c) {
    case 'a': return 1;
    case 'b' ... 'f': return 2;
    case (int)Mode::B: return 3;
  }
  for (int i = 0; i < 5; i++) {
    switch (c & 3) { case 1: continue; case 2: return i; }
    c++;
  }
  return c;
}
int goto_forward(const uint8_t *p, int n) {
  int r = 0;
  if (!p || n < 0) goto fail;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 3; j++) {
      if (p[i] == 7 + j) goto found;
      if (p[i] > 250) goto fail;
    }
    r += p[i];
  }
  r = -r;
  goto end;
found:
  r += 1000;
end:
  return r;
fail:
  return -1;
}
int shadowing(int x) {
  int y = 1;
  { int x = 5; y += x; { int x = 7; y += x; } y += x; }
  for (int y = 0; y < 3; y++) x += y;
  return x + y;
}
int small_types(uint8_t a, int8_t b, uint16_t c, short d, bool e, char f) {
  a += 200; b -= 100; c *= c; d = d << 3; e += f; f /= 3;
  a++; --b; c--; ++d;
  a >>= 1; b ^= a; c %= 7;
  e |= a > 3;
  return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13;
}
unsigned compound_mixed(int i, unsigned u, float f, double d, int64_t l) {
  i += 2.7f; u += -1; u *= i & 15; f += i & 255; d -= f; l <<= 3;
  i = i / 3 + i % 3; u = u / 3 - u % 7;
  i >>= 2; i |= u & 7; u ^= l;
  f /= 3; f -= 0.1; d *= 0.5f; i *= 1.5;
  return u + i + (int)(f / 1000) + (int)(l >> 40) + (d > f);
}
float float_math(float x, float y) {
  float a = std::sqrt(std::fabs(x)) + sqrtf(fabsf(y));
  a += std::floor(x / 3) - std::ceil(y) + std::round(x * 0.01f) + std::trunc(y) + rintf(x);
  a += std::abs(x) + std::min(x, y) - std::max(x, y) + std::clamp(x, -1.0f, 1.0f);
  a += (float)std::pow(2.0, 3) + std::exp(x * 1e-9f) + lroundf(x * 1e-6f);
  return -a;
}
double double_math(double x, int n) {
  double r = x < 0 ? -x : x;
  return std::sqrt(r) + std::log(r + 1) + std::abs(n) + std::pow(r + 1, 0.5) + std::fmod(x, 3) + std::hypot(x, 2.0) + (std::isnan(x) ? 1 : 0) + 0x1.8p3 + 1e-3 + kScale;
}
int int_library(int x, int y, uint8_t a, uint8_t b) {
  unsigned ux = x;
  return std::min(x, y) + std::max<int>(a, y) * 3 + std::clamp(x, -10, 300) + std::abs(x) + abs(y) + std::min(a, b)
    + MIN(x, y) + CLAMP(x, 0, 255) + GNU_MAX(x, y) + (int)std::max({x, y, 3}) + (ux > 5u) + (int)std::min<size_t>(a, sizeof(int));
}
int constants(int x) {
  const int w = 3 * kTap;
  static const int table[2][2] = {{1, 2}, {3}};
  static constexpr int kOther = kTap * 2 + SHIFT;
  return x * w + kOther + ROUND + N + kLut[x & 7] + kDx[x & 3] + kDy[x & 3] + table[x & 1][(x >> 1) & 1] + (int)kGauss[x & 1][1]
    + INT_MAX / 2 + std::numeric_limits<uint8_t>::max() + UINT8_MAX + (int)Mode::B + 'z' + true + (int)sizeof(table) + (int)(x == -1u);
}
void local_arrays(const int *a, int *b, int n) {
  int t[N] = {1, 2, 3}, u[2][3] = {{1}, {4, 5, 6}};
  float k[3] = {0.5f, 1, -2};
  for (int i = 0; i < n && i < N; i++) t[i] += a[i];
  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) b[i * 3 + j] = u[i][j] + (int)k[j] + t[j];
  int m[4];
  for (int &v : m) v = n;
  for (int v : t) m[v & 3] += v;
  b[6] = m[0] + m[3];
  b[7] = sizeof t / sizeof t[0];
}
void heap(const uint8_t *p, int *out, int n) {
  int *h = new int[256]();
  uint16_t *q = (uint16_t *)malloc(n * sizeof(uint16_t) + 2);
  float *z = static_cast<float *>(calloc(n + 1, sizeof(float)));
  if (!q || z == NULL) return;
  for (int i = 0; i < n; ++i) { h[p[i]]++; q[i] = p[i] * 3; z[i] += q[i]; }
  for (int i = 0; i < 256; i++) out[i] = h[i];
  if (n > 0) out[0] += (int)z[n - 1];
  free(q); free(z); delete[] h;
}
void vectors(const uint8_t *p, uint8_t *out, int n) {
  std::vector<int> sums(n + 1);
  std::vector<uint8_t> filled(16, 7);
  std::array<int, 4> arr = {1, 2, 3};
  for (int i = 0; i < n; i++) sums[i + 1] = sums[i] + p[i];
  int *d = sums.data();
  for (size_t i = 0; i < sums.size(); i++) out[i] = d[i] + filled[i & 15] + arr[i & 3];
  for (auto v : sums) out[0] += v;
  std::fill(sums.begin(), sums.end(), 3);
  out[1] = sums[n] + filled.back();
}
void memory_functions(const uint8_t *a, uint8_t *b, int16_t *c, int n) {
  memset(b, 0x11, n);
  memcpy(b + 4, a + 2, n * sizeof(uint8_t));
  memset(c, 0, n * sizeof(*c));
  memset(c + n, 0xff, 4);
  std::fill(c + n + 2, c + n + 6, (int16_t)-5);
  std::fill_n(b + 60, 3, a[0]);
  std::copy(a, a + n, b + 100);
  std::copy(a, a + n, c + 40);
}
void rows(const uint8_t *src, uint8_t *dst, int w, int h, int stride) {
  for (int y = 0; y < h; y++) {
    const uint8_t *s = src + y * stride;
    uint8_t *d = dst + y * stride;
    const uint8_t *end = s + w;
    while (s < end) { *d = 255 - *s; ++s; d++; }
  }
}
void advancing(const uint8_t *src, uint8_t *dst, int w, int h, int stride) {
  for (int y = 0; y < h; y++, src += stride, dst += stride)
    for (int x = 0; x < w; x++) dst[x] = (src[x] + src[x + 1] + 1) >> 1;
}
int64_t pointer_arithmetic(const float *p, float *q, int n) {
  const float *e = p + n, *s = p;
  float *t = &q[2];
  *(t + 1) = *(1 + p);
  t[-1] = 4[p];
  *t-- += 2;
  *--e > 0 ? *t = 1 : *t = 2;
  p += 3; p -= 1; --p;
  q[10] = *p;
  return (e - s) * 10 + (p == s) + (p > s) + (p != e) + (t - q);
}
int reassigned(const int *a, const int *b, int n) {
  const int *p = a;
  int s = p[0];
  p = b;
  s += p[1] * 3;
  p = &a[n & 3];
  return s + *p;
}
void two_dimensional(const uint8_t (*in)[8], uint8_t out[4][8], int n) {
  for (int y = 0; y < 4; y++) {
    const uint8_t *row = in[y];
    for (int x = 0; x < 8; x++) out[y][x] = row[x] + in[y][7 - x] + (*(in + 1))[x] + n;
  }
}
int null_checks(const int *a, int n) {
  if (a == nullptr || n <= 0) return -1;
  if (!a) return -2;
  const int *best = NULL;
  for (int i = 0; i < n; i++) best = a + i;
  return *best + (a ? 1 : 0);
}
bool boolean(int x, float f, bool b) {
  bool r = x;
  r = r && f;
  b = b != r;
  if (x == 3) b = !b;
  return b ^ (x > 2) ? f > 1 : x;
}
unsigned char conversions(double d, float f, int64_t l, uint32_t u) {
  uint8_t a = (uint8_t)(int)(d / 1e7);
  int8_t b = l;
  uint16_t c = static_cast<uint16_t>(u);
  float g = l, h = u;
  double i = f;
  int64_t j = (int64_t)(f / 1e22f);
  uint64_t k = (uint64_t)std::fabs(d);
  return a + b + c + (int)(g / 1e15f) + (int)(h / 1e6f) + (i > g) + j + k;
}
unsigned shifts(int x, unsigned u, int64_t l, unsigned s) {
  s &= 31;
  return (x << s) + (x >> s) + (u << s) + (u >> s) + (unsigned)(l >> (s + 7)) + (unsigned)((uint64_t)l >> s) + (1u << s) + ((uint8_t)x << 3) + (~x & 0xf0);
}
int division(int a, int b, unsigned c, int64_t d) {
  if (b == 0) b = 7;
  if (b == -1) b = 3;
  return a / b + a % b * 3 + (int)(c / 7) + (int)(c % 10) + (int)(d / 1000 % 77) - a / 4 + a % 8;
}
}  // extern "C"

// Calls.
static inline uint8_t clamp8(int v) {
  if (v < 0) return 0;
  if (v > 255) v = 255;
  return v;
}
template <class T> inline T mymax(T a, T b) { return a < b ? b : a; }
template <class T> const T &refmin(const T &a, const T &b) { return b < a ? b : a; }
template <int K, typename T> static void add_k(T *p, int n) { for (int i = 0; i < n; i++) p[i] += K; }
static const uint8_t *row_of(const uint8_t *p, int y, int stride) { return p + y * stride; }
static int sum_row(const uint8_t *p, int w) {
  int s = 0;
  while (w-- > 0) s += *p++;
  return s;
}
static void min_max(const uint8_t *p, int n, int &lo, int *hi) {
  lo = 255; *hi = 0;
  for (int i = 0; i < n; i++) {
    if (p[i] < lo) lo = p[i];
    if (p[i] > *hi) *hi = p[i];
  }
}
static int find(const uint8_t *p, int n, int v) {
  for (int i = 0; i < n; i++) {
    if (p[i] == v) return i;
    for (int j = 0; j < 2; j++) if (p[i] == 255 - j) return -2 - j;
  }
  return -1;
}
static bool check(const uint8_t *p, int w, int h) {
  if (!p) return false;
  if (w < 0 || h < 0) { return false; }
  return w * h > 0;
}
static int early(int *a, int n) {
  if (n > 3) { if (a[0] > 0) return 1; a[1]++; }
  if (n > 5) return 2;
  a[2] += 5;
  return a[2];
}
static uint8_t &pixel(uint8_t *p, int stride, int x, int y) { return p[y * stride + x]; }
static int weigh(int a, int b, int c) { int s = a; if (b > c) s += b; else { s -= c; if (s < 0) s = 0; } return clamp8(s) + mymax(a, b); }
static void bump(int &x) { x++; }
static int twice(int &x) { x *= 2; return x; }

extern "C" {
void call_pure(const uint8_t *a, uint8_t *b, int n) {
  for (int i = 0; i < n; i++) b[i] = clamp8(a[i] * 3 - 200) + mymax<short>(a[i], 4) + weigh(a[i], n, i);
}
int call_templates(int *a, int n) {
  add_k<3>(a, n);
  int x = a[0];
  return mymax(a[0], n) + refmin(a[1], x) + (int)mymax(2.5, 1.0 * n);
}
void call_rows(const uint8_t *src, uint8_t *dst, int w, int h, int stride) {
  for (int y = 0; y < h; y++) {
    const uint8_t *r = row_of(src, y, stride);
    pixel(dst, stride, 0, y) = sum_row(r, w);
    pixel(dst, stride, 1, y) += r[1];
  }
}
int call_references(const uint8_t *p, int n) {
  int lo, hi;
  min_max(p, n, lo, &hi);
  bump(lo); bump(lo);
  std::swap(lo, hi);
  int t = twice(hi);
  return lo * 1000 + hi + t;
}
int call_search(const uint8_t *p, int n, uint8_t v) {
  if (!check(p, n, 2)) return -7;
  return find(p, n, v) * 2 + 1;
}
int call_early(int *a, int n) { int x = early(a, n); return x + early(a + 3, n - 2) * 10; }
int call_lambda(const int *a, int n, int k) {
  int calls = 0;
  auto at = [&](int i) { calls++; return i < 0 || i >= n ? 0 : a[i]; };
  auto scale = [k](int v) { return v * k; };
  auto generic = [](auto v) { return v + v; };
  int r = scale(at(0));
  r += at(n);
  r += at(n - 1) + generic(3);
  return r + calls;
}
void out_references(const int *a, int &sum, int (&parts)[3]) {
  sum = 0;
  for (int i = 0; i < 3; i++) { sum += a[i]; parts[i] = sum; }
}
int order_of_calls(int x) {
  int a = x & 15;
  int b = twice(a); b += a;
  return b + a;
}
static int half(int x) { return x / 2; }
static int third(int x) { return x / 3; }
int pointers_to_functions(int n) {
  int (*f)(int) = half;
  int (*g)(int) = third;
  int r = f == half ? 1 : 2;
  if (f == g) r += 10;
  if (f != g) r += 100;
  if (!g) return r;
  return f(n) + g(n) * r;
}
void ping(const int *a, int *out, int n) {
  int cur[32], prev[32];
  for (int i = 0; i < 32; i++) { prev[i] = i; cur[i] = 0; }
  for (int r = 0; r < n; r++) {
    for (int i = 1; i < 31; i++) cur[i] = prev[i - 1] + a[i];
    std::memcpy(prev, cur, sizeof(prev));
  }
  for (int i = 0; i < 32; i++) out[i] = prev[i];
}
}

namespace {
int hidden(int x) { return x + 1; }
}
namespace image {
int visible(const uint8_t *__restrict p, int n) { return n > 0 ? hidden(p[0]) : 0; }
}
static int raised(int* p) { return ++*p; }
int operands_on_elements(int n) { int a[2] = {n, 1}; return raised(a) * 3 - raised(a + 1); }
static int corners(const uint8_t* p[2][2], int k) { return p[0][0][k] + 2 * p[0][1][k] + 3 * p[1][0][k] + 4 * p[1][1][k]; }
void matrix_of_pointers(uint8_t* d, const uint8_t* s, const uint8_t* t, int n) {
    const uint8_t* p[2][2] = {{s, t}};
    if (n > 3) p[0][1] = s + 1;
    else p[0][1] = s + 2;
    p[1][0] = t + 1;
    for (int k = 0; k < 1; k++) p[1][k + 1] = p[0][1];
    for (int i = 0; i < n; i++) {
        d[i] = corners(p, 0);
        for (int m = 0; m < 2; m++) p[0][m]++;
        p[1][0]++;
        p[1][1]++;
    }
}
