/* Loops that ask for a mode, or for a channel, in each iteration; modes that are none end the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_REACHED()  \
    do {               \
        wrong_mode(0); \
    } while (0)

static void wrong_mode(int line) {
    (void)line;
    abort();
}

/* Pixels of three or four channels, of which the first three are clipped. */
void clip_colours(float *d, const float *s, long n, int has_alpha, int channels, float most) {
    while (n--) {
        d[0] = s[0] > most ? most : s[0];
        d[1] = s[1] > most ? most : s[1];
        d[2] = s[2] > most ? most : s[2];
        if (has_alpha) d[3] = s[3];
        s += channels;
        d += channels;
    }
}

/* A mode that is asked for with each element. */
void by_mode_in_loop(uint8_t *d, const uint8_t *s, int n, int mode) {
    for (int i = 0; i < n; i++) {
        switch (mode) {
            case 0: d[i] = s[i]; break;
            case 1: d[i] = 255 - s[i]; break;
            case 2: d[i] = s[i] / 2; break;
            default: NOT_REACHED();
        }
    }
}

/* Differences to the right and downwards, none at the ends. */
void gradients(float *gx, float *gy, const float *s, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int i = x + y * width;
            if (x == width - 1)
                gx[i] = 0;
            else
                gx[i] = s[i + 1] - s[i];
            if (y == height - 1)
                gy[i] = 0;
            else
                gy[i] = s[i + width] - s[i];
        }
    }
}

/* A helper that reports an error where it is given no table: what it does then is left to the original. */
static float log_of(int value, const float *table) {
    if (!table) {
        perror("no table");
        return 0.0f;
    }
    if (value < 0x100)
        return table[value];
    return 8.0f + table[value >> 8];
}

void logarithms(
    uint8_t *to, const uint8_t *from, int w, int h, int to_stride, int from_stride, const float *table, float factor
) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            to[y * to_stride + x] = (uint8_t)(factor * log_of(from[y * from_stride + x], table) + 0.5f);
}
