#include <cstdint>
#include <cassert>
void Twice(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) dst[i] = src[i] * 2;
}
void Invert(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
}
int Sum(const uint8_t* p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    return s;
}
