// Numbers of 8 and 16 bits that wrap, and mixtures of signs.
#include <cstdint>
#include <cstdlib>

void narrow_wrap(int8_t* out, const int8_t* a, const int8_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (int8_t)((int8_t)(a[i] + b[i]) / 2);
}

void narrow_absolute(int8_t* out, const int8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (int8_t)abs(a[i]);
}

void narrow_mixed(uint32_t* out, const int16_t* a, const uint16_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint32_t)a[i] + b[i] > 70000u ? (uint32_t)a[i] : (uint32_t)(a[i] * b[i]);
}

void narrow_compare(uint8_t* out, const int* a, const uint32_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint32_t)a[i] < b[i] ? (a[i] < -5) : 2;
}

void narrow_shift(uint8_t* out, const uint8_t* a, int n, int s) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] << (s & 7) | a[i] >> (8 - (s & 7)));
}

void narrow_long(int64_t* out, const int64_t* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = b[i] > 0 && a[i] > INT64_MAX - b[i] ? INT64_MAX : b[i] < 0 && a[i] < INT64_MIN - b[i] ? INT64_MIN : a[i] + b[i];
}
