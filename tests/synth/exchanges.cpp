/* Elements exchanged in place. */
#include <cstdint>

void first_and_third(uint8_t* p, int n) {
    for (int i = 0; i < n; i++, p += 3) {
        uint8_t t = p[0];
        p[0] = p[2];
        p[2] = t;
    }
}

void both_pairs_of_four(uint16_t* p, int n) {
    for (int i = 0; i < n; i++) {
        uint16_t t = p[7 * i];
        p[7 * i] = p[7 * i + 3];
        p[7 * i + 3] = t;
        t = p[7 * i + 1];
        p[7 * i + 1] = p[7 * i + 2];
        p[7 * i + 2] = t;
    }
}

void row_reversed(float* p, int n) {
    for (int i = 0; i < n / 2; i++) {
        float t = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

void rows_reversed(uint8_t* p, int n, int h, int stride) {
    for (int y = 0; y < h; y++, p += stride)
        for (uint8_t *a = p, *b = p + n - 1; a < b; a++, b--) {
            uint8_t t = *a;
            *a = *b;
            *b = t;
        }
}

void image_upside_down(uint8_t* p, int n, int h) {
    for (int y = 0; y < h / 2; y++)
        for (int x = 0; x < n; x++) {
            uint8_t t = p[y * n + x];
            p[y * n + x] = p[(h - 1 - y) * n + x];
            p[(h - 1 - y) * n + x] = t;
        }
}

void each_pair_twice(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t t = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

void two_in_the_middle(uint8_t* p, int n) {
    for (int i = 0; i < n / 2 - 1; i++) {
        uint8_t t = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

void pixels_that_overlap(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t t = p[i];
        p[i] = p[i + 2];
        p[i + 2] = t;
    }
}

void below_the_diagonal(uint8_t* p, int n) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < y; x++) {
            uint8_t t = p[y * n + x];
            p[y * n + x] = p[x * n + y];
            p[x * n + y] = t;
        }
}

void image_turned_round(uint8_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) d[y * w + x] = s[(h - 1 - y) * w + w - 1 - x];
}
