/* Loops whose first or last iteration has an arm of its own, which names its elements in its own words. */
#include <stdint.h>

void slope(float *to, const float *from, int w) {
    for (int x = 0; x < w; x++) {
        if (x == 0)
            to[0] = from[1] - from[0];
        else if (x == w - 1)
            to[w - 1] = from[w - 1] - from[w - 2];
        else
            to[x] = 0.5f * (from[x + 1] - from[x - 1]);
    }
}

void running_sum(uint32_t *to, const uint8_t *from, int n) {
    for (int i = 0; i < n; i++) {
        if (i == 0)
            to[0] = from[0];
        else
            to[i] = to[i - 1] + from[i];
    }
}

void sum_from_the_end(int32_t *to, const int16_t *from, int n) {
    for (int i = n - 1; i >= 0; i--) {
        if (i == n - 1)
            to[n - 1] = from[n - 1];
        else
            to[i] = to[i + 1] + from[i];
    }
}

/* Sums of squares of all that lies above and to the left. */
void squares_above(double *to, const uint8_t *from, int w, int h) {
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            const double square = (double)from[y * w + x] * from[y * w + x];
            if (y == 0 && x == 0)
                to[0] = square;
            else if (y == 0)
                to[x] = to[x - 1] + square;
            else if (x == 0)
                to[y * w] = to[(y - 1) * w] + square;
            else
                to[y * w + x] = to[y * w + x - 1] + to[(y - 1) * w + x] - to[(y - 1) * w + x - 1] + square;
        }
    }
}

void marked_column(uint8_t *to, const uint8_t *from, int w, int h, int column) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            if (x == column)
                to[y * w + column] = 255;
            else
                to[y * w + x] = from[y * w + x] / 2;
        }
}
