#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    int* t = new int[w * h];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) t[y * w + x] = s[y * w + x] * 2 + y;
    for (int i = 0; i < w * h; i++) d[i] = (uint8_t)(t[i] / 3);
    delete[] t;
}
