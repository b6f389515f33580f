// Tables, and tables whose index is computed.
#include <cmath>
#include <cstdint>

static const float weights[4] = {-0.0f, INFINITY, 0.5f, 1e-40f};
static const uint64_t masks[4] = {0xFFFFFFFFFFFFFFFFull, 1ull << 63, 0, 255};
static const int16_t steps[8] = {-32768, 32767, 0, -1, 1, 100, -100, 5};

void table_float(float* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = weights[a[i] & 3];
}

void table_masks(uint64_t* out, const uint64_t* a, const uint8_t* k, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] & masks[k[i] & 3];
}

void table_steps(int* out, const int* a, int n) {
    for (int i = 0; i < n; i++) out[i] = steps[(a[i] >> 29) & 7] * 3 + (a[i] & 15);
}

void table_lut(uint8_t* out, const uint8_t* a, const uint8_t* lut, int n) {
    for (int i = 0; i < n; i++) out[i] = lut[(uint8_t)(a[i] * 7 + 13)];
}

void table_float_index(uint8_t* out, const float* a, const uint8_t* lut, int n) {
    for (int i = 0; i < n; i++) {
        float v = a[i] * 255.0f;
        int k = v > 0.0f ? (v < 255.0f ? (int)v : 255) : 0;
        out[i] = lut[k];
    }
}
