/* A last pixel of the last row that is another one than the last of the other rows; tests define the two values. */
#include <cstdint>

static void row(uint8_t* d, const uint8_t* s, int w, int last) {
    for (int x = last; x < w; x++, d += 2, s++) {
        d[0] = s[0];
        d[1] = s[1] + IN_ROWS;
    }
    if (last) {
        d[0] = s[0];
        d[1] = IN_CORNER;
    }
}

void corners(uint8_t* d, const uint8_t* s, int w, int h, int from, int to) {
    for (int y = 0; y < h - 1; y++) row(d + y * to, s + y * from, w, 0);
    row(d + (h - 1) * to, s + (h - 1) * from, w, 1);
}
