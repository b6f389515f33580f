// Arithmetic of 32 and 64 bits that the source keeps from overflowing by guards, and unsigned arithmetic that wraps.
#include <climits>
#include <cstdint>

void add_saturating(int* out, const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) {
        if (b[i] > 0 && a[i] > INT_MAX - b[i]) out[i] = INT_MAX;
        else if (b[i] < 0 && a[i] < INT_MIN - b[i]) out[i] = INT_MIN;
        else out[i] = a[i] + b[i];
    }
}

void distance_of_ints(uint32_t* out, const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > b[i] ? (uint32_t)a[i] - (uint32_t)b[i] : (uint32_t)b[i] - (uint32_t)a[i];
}

void absolute_of_ints(int* out, const int* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] == INT_MIN ? INT_MAX : a[i] < 0 ? -a[i] : a[i];
}

void divide_signed(int* out, const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = b[i] == 0 ? -1 : (b[i] == -1 ? 7 : a[i] / b[i]);
}

void remainder_signed(int* out, const int16_t* a, const int16_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = b[i] == 0 ? 0 : a[i] % b[i];
}

void average_wide(int* out, const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (int)(((int64_t)a[i] + b[i]) >> 1);
}

void grows_if_small(int* out, const int* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] < 1000000000 && a[i] > -1000000000 ? a[i] * 2 + 1 : a[i];
}
