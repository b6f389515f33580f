#include <algorithm>
#include <cstdint>

void f(uint32_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        uint32_t sum = 0;
        for (int b = 0; b < w; b += 128) {
            uint32_t part = 0;
            for (int c = b; c < std::min(w, b + 128); c++) part += s[y * w + c] * s[y * w + c];
            sum += part;
        }
        d[y] = sum;
    }
}
