#include <cstdint>
#include <cstring>

void f(uint8_t* d, const uint8_t* s, int w, int h, int stride) {
    for (int y = 0; y < h; y++) {
        uint8_t* q = d + y * stride;
        const uint8_t* p = s + y * stride * 2;
        for (int x = 0; x < w; x++, q += 3, p += 4) memcpy(q, p, 4);
    }
}
