// Hand-unrolled loops of people who did not trust their compilers: by two, by four, by eight, Duff's way, with tails.
#include <stddef.h>
#include <stdint.h>

#define SAT(v) ((v) > 255 ? 255 : (v))
#define POS(v) ((v) < 0 ? 0 : (v))

static int mul8(int a, int b) {
    int c = a * b + 128;
    return (c + (c >> 8)) >> 8;
}

// Multiply by two: a body of two and an if for the last.
void multiply_by_two(uint8_t *dst, const uint8_t *src, int n) {
    int i;
    for (i = 0; i + 1 < n; i += 2) {
        dst[i] = mul8(dst[i], src[i]);
        dst[i + 1] = mul8(dst[i + 1], src[i + 1]);
    }
    if (i < n) dst[i] = mul8(dst[i], src[i]);
}

// Screen by four: a masked count, walking pointers, the rest by a while.
void screen_by_four(uint8_t *dst, const uint8_t *src, unsigned n) {
    unsigned fours = n >> 2, rest = n & 3;
    while (fours--) {
        dst[0] = 255 - mul8(255 - dst[0], 255 - src[0]);
        dst[1] = 255 - mul8(255 - dst[1], 255 - src[1]);
        dst[2] = 255 - mul8(255 - dst[2], 255 - src[2]);
        dst[3] = 255 - mul8(255 - dst[3], 255 - src[3]);
        dst += 4;
        src += 4;
    }
    while (rest--) {
        *dst = 255 - mul8(255 - *dst, 255 - *src);
        dst++;
        src++;
    }
}

// Addition by eight: a macro repeated eight times, a plain tail.
void add_by_eight(uint8_t *dst, const uint8_t *a, const uint8_t *b, int n) {
#define ONE(k) { int s = a[i + k] + b[i + k]; dst[i + k] = SAT(s); }
    int i = 0;
    for (; i <= n - 8; i += 8) {
        ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
    }
    for (; i < n; ++i) ONE(0)
#undef ONE
}

// Subtraction by four with loads first: all reads of a group before its writes.
void subtract_loads_first(uint8_t *dst, const uint8_t *src, int n) {
    int i = 0;
    for (; i < (n & ~3); i += 4) {
        int a0 = dst[i], a1 = dst[i + 1], a2 = dst[i + 2], a3 = dst[i + 3];
        int b0 = src[i], b1 = src[i + 1], b2 = src[i + 2], b3 = src[i + 3];
        dst[i] = POS(a0 - b0);
        dst[i + 1] = POS(a1 - b1);
        dst[i + 2] = POS(a2 - b2);
        dst[i + 3] = POS(a3 - b3);
    }
    for (; i < n; i++) {
        int v = dst[i] - src[i];
        dst[i] = POS(v);
    }
}

// Difference by Duff's device without its jumps: the remainder comes first.
void difference_rest_first(uint8_t *dst, const uint8_t *src, int n) {
    int i = 0, rest = n & 3;
    for (; i < rest; i++) dst[i] = dst[i] > src[i] ? dst[i] - src[i] : src[i] - dst[i];
    for (; i < n; i += 4) {
        dst[i] = dst[i] > src[i] ? dst[i] - src[i] : src[i] - dst[i];
        dst[i + 1] = dst[i + 1] > src[i + 1] ? dst[i + 1] - src[i + 1] : src[i + 1] - dst[i + 1];
        dst[i + 2] = dst[i + 2] > src[i + 2] ? dst[i + 2] - src[i + 2] : src[i + 2] - dst[i + 2];
        dst[i + 3] = dst[i + 3] > src[i + 3] ? dst[i + 3] - src[i + 3] : src[i + 3] - dst[i + 3];
    }
}

// Darken of rows by two: a width rounded down, rows of a stride.
void darken_rows_by_two(uint8_t *dst, const uint8_t *src, int width, int height, int stride) {
    int even = width - (width & 1);
    for (int y = 0; y < height; y++) {
        uint8_t *d = dst + (ptrdiff_t)y * stride;
        const uint8_t *s = src + (ptrdiff_t)y * stride;
        int x;
        for (x = 0; x < even; x += 2) {
            if (s[x] < d[x]) d[x] = s[x];
            if (s[x + 1] < d[x + 1]) d[x + 1] = s[x + 1];
        }
        if (width & 1) {
            if (s[x] < d[x]) d[x] = s[x];
        }
    }
}

// Means of floats by four: four lanes in local variables.
void mean_floats_by_four(float *dst, const float *src, int n) {
    int blocks = n / 4;
    for (int b = 0; b < blocks; b++) {
        float *d = dst + 4 * b;
        const float *s = src + 4 * b;
        float v0 = d[0] + s[0], v1 = d[1] + s[1], v2 = d[2] + s[2], v3 = d[3] + s[3];
        d[0] = 0.5f * v0;
        d[1] = 0.5f * v1;
        d[2] = 0.5f * v2;
        d[3] = 0.5f * v3;
    }
    for (int i = 4 * blocks; i < n; i++) dst[i] = 0.5f * (dst[i] + src[i]);
}

// Alpha blend of RGBA by two pixels: eight stores an iteration, one pixel left.
void over_rgba_by_two(uint8_t *dst, const uint8_t *src, int pixels) {
    for (; pixels >= 2; pixels -= 2, dst += 8, src += 8) {
        int a = src[3], b = src[7];
        dst[0] = mul8(src[0], a) + mul8(dst[0], 255 - a);
        dst[1] = mul8(src[1], a) + mul8(dst[1], 255 - a);
        dst[2] = mul8(src[2], a) + mul8(dst[2], 255 - a);
        dst[3] = 255;
        dst[4] = mul8(src[4], b) + mul8(dst[4], 255 - b);
        dst[5] = mul8(src[5], b) + mul8(dst[5], 255 - b);
        dst[6] = mul8(src[6], b) + mul8(dst[6], 255 - b);
        dst[7] = 255;
    }
    if (pixels == 1) {
        int a = src[3];
        dst[0] = mul8(src[0], a) + mul8(dst[0], 255 - a);
        dst[1] = mul8(src[1], a) + mul8(dst[1], 255 - a);
        dst[2] = mul8(src[2], a) + mul8(dst[2], 255 - a);
        dst[3] = 255;
    }
}

// Words of four bytes at a time: an average in a 32-bit word, single bytes at the end.
void mean_words_of_four(uint8_t *dst, const uint8_t *src, int n) {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        uint32_t a = *(const uint32_t *)(dst + i), b = *(const uint32_t *)(src + i);
        *(uint32_t *)(dst + i) = (a & b) + (((a ^ b) & 0xfefefefeu) >> 1);
    }
    for (; i < n; i++) dst[i] = (uint8_t)((dst[i] + src[i]) >> 1);
}

// Two accumulating layers by four, backwards: descending groups, ascending tail.
void add_backwards_by_four(uint16_t *dst, const uint16_t *src, int n) {
    int i = n;
    while (i >= 4) {
        i -= 4;
        dst[i + 3] += src[i + 3];
        dst[i + 2] += src[i + 2];
        dst[i + 1] += src[i + 1];
        dst[i] += src[i];
    }
    while (i-- > 0) dst[i] += src[i];
}

// Duff's device: a switch into the middle of a loop.
void exclusion_duff(uint8_t *dst, const uint8_t *src, int n) {
    if (n <= 0) return;
    int rounds = (n + 3) / 4;
    switch (n & 3) {
    case 0: do { *dst = (uint8_t)(*dst + *src - 2 * mul8(*dst, *src)); dst++; src++;
    case 3:      *dst = (uint8_t)(*dst + *src - 2 * mul8(*dst, *src)); dst++; src++;
    case 2:      *dst = (uint8_t)(*dst + *src - 2 * mul8(*dst, *src)); dst++; src++;
    case 1:      *dst = (uint8_t)(*dst + *src - 2 * mul8(*dst, *src)); dst++; src++;
            } while (--rounds > 0);
    }
}
