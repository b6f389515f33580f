/* Signs, promotions and widths: what C does where the eye expects something else. */
#include <limits.h>
#include <stdint.h>

void char_shift(char *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] >> 2; }
void char_less(uint8_t *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < 100; }
void mixed_less(uint8_t *d, const int *s, const unsigned *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < t[i]; }
void minus_one(uint8_t *d, const unsigned *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] > -1; }
void short_product(int *d, const uint16_t *s, const uint16_t *t, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] >> 1) * (t[i] >> 1); }
void narrow_sum(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = (uint8_t)(s[i] + 200) / 2; }
void wide_sum(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] + 200) / 2; }
void complement(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = ~s[i] >> 1; }
void negated(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = -s[i] >> 1; }
void negative_rest(int8_t *d, const int8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] % 7; }
void negative_quotient(int8_t *d, const int8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] / 4; }
void negative_shift(int8_t *d, const int8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] >> 2; }
void unsigned_average(uint32_t *d, const uint32_t *s, const uint32_t *t, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] + t[i]) >> 1; }
void long_average(uint32_t *d, const uint32_t *s, const uint32_t *t, int n) { for (int i = 0; i < n; i++) d[i] = ((uint64_t)s[i] + t[i]) >> 1; }
void unsigned_difference(uint32_t *d, const uint8_t *s, const uint8_t *t, int n) { for (int i = 0; i < n; i++) d[i] = (uint32_t)s[i] - t[i]; }
void difference_of_bytes(int *d, const uint8_t *s, const uint8_t *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] - t[i]; }
void absolute(uint8_t *d, const uint8_t *s, const uint8_t *t, int n) { for (int i = 0; i < n; i++) { int v = s[i] - t[i]; d[i] = v < 0 ? -v : v; } }
void guarded_add(int *d, const int *s, const int *t, int n) {
    for (int i = 0; i < n; i++) {
        if (t[i] > 0 && s[i] > INT_MAX - t[i]) d[i] = INT_MAX;
        else if (t[i] < 0 && s[i] < INT_MIN - t[i]) d[i] = INT_MIN;
        else d[i] = s[i] + t[i];
    }
}
void wrapped_add(int *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = (int)((unsigned)s[i] + 0x7fffffffu); }
void bit_fields(uint8_t *d, const uint16_t *s, int n) {
    for (int i = 0; i < n; i++) {
        int r = s[i] >> 11, g = (s[i] >> 5) & 63, b = s[i] & 31;
        d[3 * i] = (r << 3) | (r >> 2);
        d[3 * i + 1] = (g << 2) | (g >> 4);
        d[3 * i + 2] = (b << 3) | (b >> 2);
    }
}
void sign_extended(int *d, const uint16_t *s, int n) { for (int i = 0; i < n; i++) d[i] = (int)((uint32_t)(s[i] & 0xfff) << 20) >> 20; }
void bool_sum(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] > 10) + (s[i] > 20) - !s[i]; }
void to_bool(_Bool *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void to_bool_byte(uint8_t *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = (uint8_t)s[i]; }
void enumerated(uint8_t *d, const uint8_t *s, int n, int mode) {
    enum { KEEP = 3, INVERT = 5, HALF };
    for (int i = 0; i < n; i++) d[i] = mode == KEEP ? s[i] : mode == INVERT ? 255 - s[i] : mode == HALF ? s[i] / 2 : 0;
}
void compound(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { d[i] = s[i]; d[i] *= 3; d[i] >>= 1; d[i] -= 7; } }
void compound_signed(int8_t *d, const int8_t *s, int n) { for (int i = 0; i < n; i++) { d[i] = s[i]; d[i] *= 3; d[i] /= 2; d[i] %= 50; } }
void shift_by_data(uint32_t *d, const uint32_t *s, const uint8_t *t, int n) { for (int i = 0; i < n; i++) d[i] = s[i] << (t[i] & 31); }
void rotate(uint32_t *d, const uint32_t *s, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] << 7) | (s[i] >> 25); }
void high_product(uint16_t *d, const uint16_t *s, const uint16_t *t, int n) { for (int i = 0; i < n; i++) d[i] = ((uint32_t)s[i] * t[i]) >> 16; }
void fixed_point(int16_t *d, const int16_t *s, int n, int gain) { for (int i = 0; i < n; i++) d[i] = (s[i] * (gain & 0x3fff) + 8192) >> 14; }
void division_by_255(uint8_t *d, const uint8_t *s, const uint8_t *t, int n) { for (int i = 0; i < n; i++) { int v = s[i] * t[i] + 128; d[i] = (v + (v >> 8)) >> 8; } }
void divided_by_data(int *d, const int *s, const int *t, int n) { for (int i = 0; i < n; i++) d[i] = t[i] > 0 ? s[i] / t[i] : 0; }
void least(int *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] == INT_MIN ? INT_MAX : s[i] < 0 ? -s[i] : s[i]; }
