/* Stores that reach beyond what they are for; tests define what stands in capitals. */
#include <cstdint>
#include <cstring>

#ifndef LAST
#define LAST int x = 0; x < w
#define SPOILED 7
#endif
#ifndef START
#define START 0
#define TAIL
#endif
#ifndef BOUND
#define BOUND 9u
#endif

/* A block of rows becomes columns of three bytes; the fourth byte of each is the next block's. */
void columns(uint8_t* d, const uint8_t* s, int w, int h, int stride, int above) {
    for (int y = 0; y < h - 1; y++) {
        for (int x = 0; x < w; x++) {
            uint8_t* q = d + x * stride + 3 * y;
            for (int c = 0; c < 3; c++) q[c] = s[(y * w + x) * 3 + c];
            q[3] = SPOILED;
        }
    }
    for (LAST; x++)
        for (int c = 0; c < 3; c++) d[x * stride + 3 * (h - 1) + c] = s[((h - 1) * w + x) * 3 + c];
}

/* A word of four bytes at every third: the fourth one of the last pixel stays, behind the row, unless TAIL is there. */
void words(uint8_t* d, const uint8_t* s, int w, int h, int stride, bool last) {
    for (int y = 0; y < h; y++) {
        uint8_t* q = d + y * stride;
        const uint8_t* p = s + y * stride * 2;
        for (int x = START; x < w; x++, q += 3, p += 4) memcpy(q, p, 4);
        TAIL
    }
}

/* a - b is at most 9 over the integers, where a <= b, and seldom so in unsigned arithmetic. */
void difference_that_wraps(uint8_t* d, const uint8_t* s, int n, unsigned a, unsigned b) {
    if (a > b) return;
    for (int i = 0; i < n; i++) memcpy(d + 3 * i, s + 4 * i, 4);
    if (a - b <= BOUND) d[3 * n] = 7;
}

/* a + b is more than 9 over the integers, where a is, and not where it wraps at 64 bits. */
void sum_of_sizes_that_wraps(uint8_t* d, const uint8_t* s, int n, size_t a, size_t b) {
    if (a < 10) return;
    for (int i = 0; i < n; i++) memcpy(d + 3 * i, s + 4 * i, 4);
    if (a + b > 9) d[3 * n] = 7;
}
