// Conversions that guards keep in range, and those that change signs and widths.
#include <cmath>
#include <cstdint>

void convert_guarded(int* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > -2147483648.0f && a[i] < 2147483648.0f ? (int)a[i] : 12345;
}

void convert_short(int16_t* out, const double* a, int n) {
    for (int i = 0; i < n; i++) {
        double v = a[i] * 0.5;
        if (!(v > -32768.0)) v = -32768.0;
        if (!(v < 32767.0)) v = 32767.0;
        out[i] = (int16_t)v;
    }
}

void convert_rounded(uint8_t* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] >= 0.0f && a[i] <= 255.0f ? (uint8_t)lrintf(a[i]) : 77;
}

void convert_unsigned(uint32_t* out, const double* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] >= 0.0 && a[i] < 4294967296.0 ? (uint32_t)a[i] : 0u;
}

void convert_long(float* out, const uint64_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (float)a[i] * 0.5f;
}

void convert_bool(uint8_t* out, const float* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (bool)a[i] != (bool)b[i];
}

void convert_bits(float* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (float)(a[i] & 0xFFFF) / 65535.0f - (float)(int)(a[i] >> 16);
}
