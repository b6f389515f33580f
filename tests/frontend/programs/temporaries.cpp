#include <cstdint>
#include <cassert>
typedef uint8_t u8;
void blur2(u8 *d, const u8 *s, int w, int h) {
    u8 row[4098];
    assert(w <= 4096);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w + 2; x++) row[x] = (s[y * (w + 4) + x] * 3 + s[y * (w + 4) + x + 1]) / 4;
        for (int x = 0; x < w; x++) d[y * w + x] = (row[x] + row[x + 1] + row[x + 2]) / 3;
    }
}
void columns(u8 *p, int w, int h) {
    for (int x = 0; x < w; x++) {
        int sum = 0;
        for (int y = 0; y < h; y++) sum += p[y * w + x];
        for (int y = 0; y < h; y++) p[y * w + x] = p[y * w + x] - sum / h;
    }
}
void wide(u8 *p, const u8 *q, int w, int h) {
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) p[y * w + x] = p[y * w + w - 1 - x] / 2 + q[x];
}
