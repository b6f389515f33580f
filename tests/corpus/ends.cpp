#include <stdint.h>
#include <stddef.h>
void raise_all(uint16_t* first, uint16_t* last, const uint16_t* src) {
    for (; first != last; ++first, ++src) *first = *first > *src ? *first : *src;
}
void subtracted(const float* from, const float* to, float* out) {
    ptrdiff_t n = to - from;
    for (ptrdiff_t i = 0; i < n; i++) out[i] = from[i] * 2.0f;
}
void backwards(uint8_t* begin, uint8_t* end) {
    while (end > begin) { --end; *end = 255 - *end; }
}
int both(uint8_t* a, uint8_t* b) {
    if (!b) return -1;
    for (; a < b; ++a) *a = 7;
    return 1;
}
