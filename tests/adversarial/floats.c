/* Floating point: order, zeros, NaN, conversions. */
#include <math.h>
#include <stdint.h>

void add_then_subtract(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + t[i] - t[i]; }
void grouped(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + (t[i] + 1e8f) - 1e8f; }
void times_zero(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] * 0.0f; }
void plus_zero(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + 0.0f; }
void minus_zero(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] - 0.0f; }
void zero_minus(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = 0.0f - s[i]; }
void negated(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = -s[i]; }
void difference_of_same(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] - s[i]; }
void quotient_of_same(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] / s[i]; }
void divided(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] / 3.0f; }
void by_reciprocal(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] * (1.0f / 3.0f); }
void in_double(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] / 3.0; }
void double_constant(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] * 0.1 + 0.2; }
void least_left(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < t[i] ? s[i] : t[i]; }
void least_right(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = t[i] < s[i] ? t[i] : s[i]; }
void least_or_equal(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] <= t[i] ? s[i] : t[i]; }
void not_greater(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = !(s[i] > t[i]) ? s[i] : t[i]; }
void clamped(float *d, const float *s, int n) { for (int i = 0; i < n; i++) { float v = s[i]; if (v < 0) v = 0; if (v > 1) v = 1; d[i] = v; } }
void clamped_nested(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] > 1 ? 1 : s[i] < 0 ? 0 : s[i]; }
void to_byte(uint8_t *d, const float *s, int n) { for (int i = 0; i < n; i++) { float v = s[i] * 255.0f + 0.5f; d[i] = v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; } }
void from_byte(float *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] / 255.0f; }
void from_int(float *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = (float)s[i] + 0.5f; }
void from_unsigned(float *d, const uint32_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void from_long(double *d, const int64_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void is_nan(uint8_t *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] != s[i]; }
void equal(uint8_t *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] == t[i]; }
void truth(uint8_t *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] ? 1 : 2; }
void sign(int *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] > 0) - (s[i] < 0); }
void magnitude(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < 0 ? -s[i] : s[i]; }
void magnitude_of_library(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = fabsf(s[i]); }
void rounded_down(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = floorf(s[i]); }
void rounded_up(double *d, const double *s, int n) { for (int i = 0; i < n; i++) d[i] = ceil(s[i]); }
void rounded_away(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = roundf(s[i]); }
void truncated(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = truncf(s[i]); }
void rooted(float *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = sqrtf(s[i]); }
void length(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = sqrtf(s[i] * s[i] + t[i] * t[i]); }
void length_in_double(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = sqrt(s[i] * s[i] + t[i] * t[i]); }
void fused(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = fmaf(s[i], t[i], d[i]); }
void copied_sign(float *d, const float *s, const float *t, int n) { for (int i = 0; i < n; i++) d[i] = copysignf(s[i], t[i]); }
float summed(const float *s, int n) { float a = 0; for (int i = 0; i < n; i++) a += s[i]; return a; }
double summed_in_double(const float *s, int n) { double a = 0; for (int i = 0; i < n; i++) a += s[i]; return a; }
float summed_from(const float *s, int n) { float a = -0.0f; for (int i = 0; i < n; i++) a += s[i]; return a; }
float summed_back(const float *s, int n) { float a = 0; for (int i = n - 1; i >= 0; i--) a += s[i]; return a; }
float product(const float *s, int n) { float a = 1; for (int i = 0; i < n; i++) a *= s[i]; return a; }
float greatest(const float *s, int n) { float m = -INFINITY; for (int i = 0; i < n; i++) if (s[i] > m) m = s[i]; return m; }
float least_of(const float *s, int n) { float m = INFINITY; for (int i = 0; i < n; i++) m = s[i] < m ? s[i] : m; return m; }
void window(float *d, const float *s, int n) { for (int i = 1; i < n - 1; i++) d[i] = 0.25f * s[i - 1] + 0.5f * s[i] + 0.25f * s[i + 1]; }
void mixed(float *d, const float *s, int n, float a) { for (int i = 0; i < n; i++) d[i] = a * s[i] + (1.0f - a) * d[i]; }
void ramp(float *d, int n, float start, float step) { for (int i = 0; i < n; i++) d[i] = start + i * step; }
void accumulated_ramp(float *d, int n, float start, float step) { float v = start; for (int i = 0; i < n; i++) { d[i] = v; v += step; } }
void recursive(float *d, const float *s, int n, float a) { float y = 0; for (int i = 0; i < n; i++) { y = a * y + s[i]; d[i] = y; } }
void compared_with_int(uint8_t *d, const float *s, const int *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < t[i]; }
void int_of_guarded(int *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] > -1000.0f && s[i] < 1000.0f ? (int)s[i] : 0; }
void scaled_by_sixth(float *d, int n, int k) { if (k == 6) for (int i = 0; i < n; i++) d[i] = d[i] * (k * 0.1f); else for (int i = 0; i < n; i++) d[i] = d[i] + k; }
