#include <cstdint>

void f(uint32_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            d[y * w + x] = s[y * w + x];
            if (y > 0) d[y * w + x] += d[(y - 1) * w + x];
        }
}
