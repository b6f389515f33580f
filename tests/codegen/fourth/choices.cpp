// The choice of a path by pointers and numbers.
#include <cstdint>

void choose_scale(uint8_t* out, const uint8_t* a, const float* scale, int n) {
    float s = scale ? *scale : 0.5f;
    for (int i = 0; i < n; i++) out[i] = a[i] * s >= 100.0f ? 255 : 0;
}

void choose_neighbours(uint8_t* out, const uint8_t* above, const uint8_t* below, const uint8_t* row, int n) {
    if (!above) above = row;
    if (!below) below = row;
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((above[i] + 2 * row[i] + below[i]) >> 2);
}

void choose_optional_output(uint8_t* out, uint8_t* mask, const uint8_t* a, int n, uint8_t level) {
    for (int i = 0; i < n; i++) out[i] = a[i] > level ? a[i] : 0;
    if (mask)
        for (int i = 0; i < n; i++) mask[i] = a[i] > level ? 255 : 0;
}

void choose_by_float(float* out, const float* a, int n, float gamma) {
    if (gamma == 1.0f || gamma != gamma) {
        for (int i = 0; i < n; i++) out[i] = a[i];
    } else if (gamma * 2.0f - 1.0f < 0.5f) {
        for (int i = 0; i < n; i++) out[i] = a[i] * a[i];
    } else {
        for (int i = 0; i < n; i++) out[i] = 1.0f - a[i];
    }
}

void choose_by_bits(uint16_t* out, const uint16_t* a, int n, uint8_t flags) {
    if ((flags & 3) == 1) {
        for (int i = 0; i < n; i++) out[i] = (uint16_t)~a[i];
    } else if (flags >> 6 || (uint8_t)(flags << 1) > 100) {
        for (int i = 0; i < n; i++) out[i] = (uint16_t)(a[i] >> 8 | a[i] << 8);
    } else {
        for (int i = 0; i < n; i++) out[i] = a[i];
    }
}

void choose_alpha(uint8_t* out, const uint8_t* a, const uint8_t* alpha, int n, int invert) {
    if (alpha != nullptr && invert) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] * (255 - alpha[i]) / 255);
    } else if (alpha != nullptr) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] * alpha[i] / 255);
    } else if (!invert) {
        for (int i = 0; i < n; i++) out[i] = a[i];
    }
}
