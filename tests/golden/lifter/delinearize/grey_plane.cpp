#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    uint8_t* grey = new uint8_t[w * h];
    for (int i = 0; i < w * h; i++) grey[i] = (s[3 * i] + s[3 * i + 1] + s[3 * i + 2]) / 3;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) d[y * w + x] = grey[y * w + (w - 1 - x)];
    delete[] grey;
}
