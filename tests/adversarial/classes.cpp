// C++: templates, references, operators, lambdas, containers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

typedef uint8_t u8;
template <class T> T clamped(T v, T low, T high) { return v < low ? low : v > high ? high : v; }
template <int K> static int scaled(int v) { return v * K / 16; }
template <class T> struct Saturated {
    T value;
    Saturated(int v) : value(clamped<int>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())) {}
    operator T() const { return value; }
};
struct Rgb {
    u8 r, g, b;
    Rgb operator+(const Rgb& o) const { return {u8(std::min(r + o.r, 255)), u8(std::min(g + o.g, 255)), u8(std::min(b + o.b, 255))}; }
    Rgb& operator*=(int k) { r = r * k >> 4; g = g * k >> 4; b = b * k >> 4; return *this; }
    int luma() const { return (r + 2 * g + b) / 4; }
};
enum class Mode : u8 { Keep = 1, Invert = 4, Half };
constexpr int cube(int v) { return v * v * v; }
namespace deep { namespace deeper { constexpr int GAIN = 3; inline int more(int v, int by = GAIN) { return v + by; } } }
struct View {
    const u8* data; int w, h;
    int at(int x, int y) const { return data[std::clamp(y, 0, h - 1) * w + std::clamp(x, 0, w - 1)]; }
};

void saturated(u8* d, const int* s, int n) { for (int i = 0; i < n; i++) d[i] = Saturated<u8>(s[i]); }
void saturated_signed(int8_t* d, const int* s, int n) { for (int i = 0; i < n; i++) d[i] = Saturated<int8_t>(s[i]); }
void by_template(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) d[i] = scaled<5>(s[i]) + scaled<-3>(s[i]); }
void added_pixels(Rgb* d, const Rgb* s, int n) { for (int i = 0; i < n; i++) d[i] = d[i] + s[i]; }
void scaled_pixels(Rgb* d, int n, int k) { for (int i = 0; i < n; i++) d[i] *= k & 31; }
void lumas(u8* d, const Rgb* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i].luma(); }
void by_mode(u8* d, const u8* s, int n, Mode m) { for (int i = 0; i < n; i++) d[i] = m == Mode::Keep ? s[i] : m == Mode::Invert ? 255 - s[i] : m == Mode::Half ? s[i] / 2 : 7; }
void constant(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + cube(3); }
void defaulted(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) d[i] = deep::deeper::more(s[i]); }
void lambda(u8* d, const u8* s, int n, int k) { auto f = [k](int v) { return v > k ? v - k : 0; }; for (int i = 0; i < n; i++) d[i] = f(s[i]); }
void lambda_by_reference(u8* d, const u8* s, int n) { int sum = 0; auto f = [&](int v) { sum += v; return sum; }; for (int i = 0; i < n; i++) d[i] = f(s[i]); }
void least_of_three(u8* d, const u8* a, const u8* b, const u8* c, int n) { for (int i = 0; i < n; i++) d[i] = std::min({a[i], b[i], c[i]}); }
void median(u8* d, const u8* a, const u8* b, const u8* c, int n) { for (int i = 0; i < n; i++) d[i] = std::max(std::min(a[i], b[i]), std::min(std::max(a[i], b[i]), c[i])); }
void bordered(u8* d, const View& v) { for (int y = 0; y < v.h; y++) for (int x = 0; x < v.w; x++) d[y * v.w + x] = (v.at(x - 1, y) + v.at(x + 1, y) + v.at(x, y - 1) + v.at(x, y + 1)) / 4; }
void exchanged(u8* a, u8* b, int n) { for (int i = 0; i < n; i++) std::swap(a[i], b[i]); }
void copied(u8* d, const u8* s, int n) { std::copy(s, s + n, d); }
void filled(int* d, int n) { std::fill(d, d + n, 7); }
void array_of_taps(u8* d, const u8* s, int n) { const std::array<int, 3> k{1, 2, 1}; for (int i = 1; i < n - 1; i++) { int a = 0; for (int j = 0; j < 3; j++) a += k[j] * s[i + j - 1]; d[i] = a / 4; } }
void vector_of_rows(u8* d, const u8* s, int n) { std::vector<int> t(n + 1); t[0] = 0; for (int i = 0; i < n; i++) t[i + 1] = t[i] + s[i]; for (int i = 0; i < n; i++) d[i] = t[i + 1] >> 4; }
std::vector<int> made(const u8* s, int n) { std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = s[i] * 3; return v; }
void of_vector(std::vector<u8>& v) { for (auto& x : v) x = 255 - x; }
int sum_of_vector(const std::vector<u8>& v) { int a = 0; for (u8 x : v) a += x; return a; }
void references(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) { u8& out = d[i]; const u8& in = s[i]; out = in; out += 3; } }
void functional(u8* d, const int* s, int n) { for (int i = 0; i < n; i++) d[i] = u8(unsigned(s[i]) >> 3); }
void absolute(int* d, const int* s, const int* t, int n) { for (int i = 0; i < n; i++) d[i] = std::abs(s[i] / 2 - t[i] / 2); }
void float_max(float* d, const float* s, const float* t, int n) { for (int i = 0; i < n; i++) d[i] = std::max(s[i], t[i]); }
void float_max_turned(float* d, const float* s, const float* t, int n) { for (int i = 0; i < n; i++) d[i] = std::max(t[i], s[i]); }
void float_clamp(float* d, const float* s, int n) { for (int i = 0; i < n; i++) d[i] = std::clamp(s[i], -1.0f, 1.0f); }
void auto_width(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) { auto v = s[i] * 300; auto w = static_cast<uint16_t>(v); d[i] = w >> 8; } }
void structured(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) { auto [a, b] = std::pair<int, int>(s[i] >> 4, s[i] & 15); d[i] = b << 4 | a; } }
void initialised(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) if (int v = s[i] - 9; v > 0) d[i] = v; else d[i] = 1; }
bool any_above(const u8* s, int n, int k) { bool found = false; for (int i = 0; i < n; i++) found |= s[i] > k; return found; }
long long accumulated(const int* s, int n) { long long a = 0; for (int i = 0; i < n; i++) a += s[i]; return a; }
