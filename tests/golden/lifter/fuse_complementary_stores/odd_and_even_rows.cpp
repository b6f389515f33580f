#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        if (y & 1)
            for (int x = 0; x < w; x++) d[y * w + x] = s[y * w + x] / 2;
        else
            for (int x = 0; x < w; x++) d[y * w + x] = s[y * w + x] / 3;
    }
}
