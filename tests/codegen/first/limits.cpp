// min, max and select beside constants that the type of the other operand holds and Halide's literal rule does not.
#include <algorithm>
#include <cstdint>

void limit_unsigned(uint32_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = std::min(1023u, a[i]);
}

void limit_unsigned_above(uint32_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = std::max(3000000000u, a[i]) - 7u;
}

void limit_short(uint16_t* out, const uint16_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = std::min((uint16_t)40000, a[i]);
}

void limit_long(int64_t* out, const int64_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = std::max((int64_t)-5000000000LL, std::min(a[i], (int64_t)5000000000LL));
}

void limit_compare(uint8_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > 4000000000u ? 200 : a[i] < 77u ? 1 : 0;
}
