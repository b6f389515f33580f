#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        if (y < 2)
            for (int x = 0; x < w; x++) d[y * w + x] = 0;
        else
            for (int x = 0; x < w; x++) d[y * w + x] = s[(y - 2) * w + x];
    }
}
