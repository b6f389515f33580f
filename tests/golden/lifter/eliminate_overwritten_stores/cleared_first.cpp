#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) d[i] = 0;
    for (int i = 0; i < n; i++) d[i] = s[i] / 2;
}
