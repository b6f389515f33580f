#include <algorithm>
#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int n) {
    uint8_t t[64];
    for (int i = 0; i < n; i += 64) {
        int m = std::min(64, n - i);
        for (int x = 0; x < m; x++) t[x] = s[i + x] / 2;
        for (int x = 0; x < m; x++) d[i + x] = t[x] + 1;
    }
}
