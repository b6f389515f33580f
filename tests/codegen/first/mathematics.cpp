// The C library's functions.
#include <cmath>
#include <cstdint>

// Which of two zeros fmax gives, C leaves open.
void math_fmax(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = fabsf(fmaxf(a[i], b[i])) + fabsf(fminf(a[i], 3.0f));
}

void math_fma(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = fmaf(a[i], b[i], 0.25f);
}

void math_copysign(double* out, const double* a, const double* b, int n) {
    for (int i = 0; i < n; i++) out[i] = copysign(a[i], b[i]);
}

void math_floor(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = floorf(a[i]) + fabsf(ceilf(a[i])) + truncf(a[i]);
}
