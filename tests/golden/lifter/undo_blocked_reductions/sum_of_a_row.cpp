#include <algorithm>
#include <cstdint>

uint32_t f(const uint8_t* s, int n) {
    uint32_t sum = 0;
    for (int b = 0; b < n; b += 256) {
        uint16_t part = 0;
        for (int c = b; c < std::min(n, b + 256); c++) part += s[c];
        sum += part;
    }
    return sum;
}
