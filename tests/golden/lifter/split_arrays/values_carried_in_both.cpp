#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[2 * w];
    int* b = a + w;
    for (int x = 0; x < w; x++) {
        a[x] = s[x];
        b[x] = s[w + x];
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            d[y * w + x] = (uint8_t)(a[x] ^ b[x]);
            a[x] = b[x];
            b[x] = s[y * w + x] | 1;
        }
    delete[] a;
}
