// Parameters of all kinds, in values and in the choice of a path.
#include <cmath>
#include <cstdint>

void scalar_float(float* out, const float* a, int n, float gain, float bias) {
    for (int i = 0; i < n; i++) out[i] = a[i] * gain + bias;
}

void scalar_double(double* out, const double* a, int n, double gain) {
    for (int i = 0; i < n; i++) out[i] = a[i] / gain - a[i] * gain;
}

void scalar_modes(uint8_t* out, const uint8_t* a, int n, int mode) {
    if (mode % 3 == -1) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(255 - a[i]);
    } else if (mode / 4 == -2) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] >> 1);
    } else {
        for (int i = 0; i < n; i++) out[i] = a[i];
    }
}

void scalar_unsigned(uint8_t* out, const uint8_t* a, int n, unsigned k) {
    if (k - 1u > 10u) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] ^ 255);
    } else {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] + k);
    }
}

void scalar_narrowed(uint8_t* out, const uint8_t* a, int n, int k) {
    if ((signed char)k < 0) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] | 128);
    } else {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] & 127);
    }
}

void scalar_threshold(uint8_t* out, const float* a, int n, float t) {
    if (t >= 0.0f) {
        for (int i = 0; i < n; i++) out[i] = a[i] >= t ? 255 : 0;
    } else {
        for (int i = 0; i < n; i++) out[i] = a[i] <= -t ? 255 : 0;
    }
}
