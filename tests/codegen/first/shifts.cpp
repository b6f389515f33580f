// Shifts: literal left operands, amounts from memory, signed values, amounts that a condition holds in range.
#include <cstdint>

void shift_one_unsigned(uint32_t* out, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) out[i] = 1u << (s[i] & 31);
}

void shift_one_wide(uint64_t* out, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint64_t)1 << (s[i] & 63);
}

void shift_right_signed(int* out, const int* a, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] >> (s[i] & 31);
}

void shift_guarded(uint32_t* out, const uint32_t* a, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) out[i] = s[i] < 32 ? a[i] << s[i] : 0u;
}

void shift_mask_below(uint16_t* out, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint16_t)((1u << (s[i] % 17)) - 1u);
}

void shift_high_half(uint32_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (0x80000000u >> (a[i] & 7)) | (a[i] >> 3);
}
