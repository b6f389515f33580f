// Functions that the two packages do not share.
#include <cmath>
#include <cstdint>

void math_remainder(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = fmodf(a[i], b[i]);
}

void math_cube_root(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = cbrtf(a[i]) + hypotf(a[i], 2.0f);
}

void math_absolute(double* out, const double* a, int n) {
    for (int i = 0; i < n; i++) out[i] = fabs(a[i]) + sqrt(fabs(a[i]));
}

void math_round(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = roundf(a[i]) - rintf(a[i]);
}

void math_fused_double(double* out, const double* a, const double* b, int n) {
    for (int i = 0; i < n; i++) out[i] = fma(a[i], b[i], -0.0);
}
