#include <algorithm>
#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    uint16_t t[32];
    for (int y = 0; y < h; y++)
        for (int i = 0; i < w; i += 32) {
            int m = std::min(32, w - i);
            for (int x = 0; x < m; x++) t[x] = s[y * w + i + x] * 3;
            for (int x = 0; x < m; x++) d[y * w + i + x] = t[x] >> 2;
        }
}
