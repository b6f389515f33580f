// Pointers that may be null.
#include <cstdint>

void null_mask(uint8_t* out, const uint8_t* a, const uint8_t* mask, int n) {
    if (mask) {
        for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] & mask[i]);
    } else {
        for (int i = 0; i < n; i++) out[i] = a[i];
    }
}

void null_above(uint8_t* out, const uint8_t* above, const uint8_t* left, int n) {
    if (above == nullptr && left == nullptr) {
        for (int i = 0; i < n; i++) out[i] = 128;
    } else if (above == nullptr) {
        for (int i = 0; i < n; i++) out[i] = left[i];
    } else {
        for (int i = 0; i < n; i++) out[i] = above[i];
    }
}
