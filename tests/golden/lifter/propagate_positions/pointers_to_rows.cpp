#include <cstdint>

void f(const uint8_t* s, int pitch, uint8_t* d, int w, int h, int n) {
    const uint8_t* rows[16];
    for (int y = 0; y < h; ++y, s += pitch, d += w) {
        for (int k = 0; k < n; ++k) rows[k] = s + 2 * k * pitch;
        for (int x = 0; x < w; ++x) {
            int most = 0;
            for (int k = 0; k < n; ++k) most = rows[k][x] > most ? rows[k][x] : most;
            d[x] = most;
        }
    }
}
