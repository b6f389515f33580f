// Zeros with a sign, NaN, and floats that decide or become integers.
#include <cmath>
#include <cstdint>

void float_plus_zero(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] + 0.0f;
}

void float_negated(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = -a[i];
}

void float_self_difference(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] - a[i];
}

void float_is_nan(uint8_t* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] != a[i] ? 1 : 0;
}

void float_to_byte(uint8_t* out, const float* a, int n) {
    for (int i = 0; i < n; i++) {
        float v = a[i] / 3.0f * 255.0f + 0.5f;
        out[i] = v < 0.0f ? 0 : v > 255.0f ? 255 : v >= 0.0f ? (uint8_t)v : 3;
    }
}

void float_product_sum_test(int* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] * b[i] + 0.1f > b[i] / 7.0f ? 1 : 0;
}

void float_negative_zero(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > 0.0f ? a[i] : -0.0f;
}

void float_infinity(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > 1.0f ? INFINITY : a[i];
}

void float_times_zero(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] * 0.0f;
}

void float_less_select(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] < b[i] ? a[i] : b[i];
}
