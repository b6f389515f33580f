/* Loops that a number chooses, by its bits and by functions of the C library; kinds of floats as math.h tells them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static float magnitude(float f) {
    union {
        float f;
        uint32_t u;
    } v;
    v.f = f;
    v.u &= 0x7fffffff;
    return v.f;
}

/* Pixels of any number of channels times a mask, and times a strength that is not almost one. */
void fade_by_mask(float *d, const float *s, const float *mask, long n, int channels, float strength) {
    if (magnitude(strength - 1.0f) <= 1e-5f) {
        while (n--) {
            for (int c = 0; c < channels; c++) d[c] = s[c] * *mask;
            s += channels;
            d += channels;
            mask++;
        }
    } else {
        while (n--) {
            float v = *mask * strength;
            for (int c = 0; c < channels; c++) d[c] = s[c] * v;
            s += channels;
            d += channels;
            mask++;
        }
    }
}

/* A gamma that is a square or a root where its logarithm says so. */
void gamma_by_kind(float *d, const float *s, int n, float gamma) {
    float octaves = log2f(gamma);
    if (octaves > 0.75f) {
        for (int i = 0; i < n; i++) d[i] = s[i] * s[i];
    } else if (octaves < -0.75f) {
        for (int i = 0; i < n; i++) d[i] = sqrtf(s[i]);
    } else {
        for (int i = 0; i < n; i++) d[i] = s[i];
    }
}

/* Rows from the left or from the right as an angle points, by its sign and its remainder of a turn. */
void wiped_by_angle(uint8_t *d, const uint8_t *s, int n, float angle) {
    if (copysignf(1.0f, angle) > 0 && fmodf(fabsf(angle), 6.2831853f) < 3.1415927f) {
        for (int i = 0; i < n; i++) d[i] = s[i] >> 1;
    } else {
        for (int i = 0; i < n; i++) d[i] = 255 - (s[i] >> 1);
    }
}

/* Masks with few channels add, those with many keep the greatest. */
void merged_by_mask(uint8_t *d, const uint8_t *s, int n, uint32_t mask) {
    if (__builtin_popcount(mask) <= 2) {
        for (int i = 0; i < n; i++) d[i] = (uint8_t)(d[i] + s[i]);
    } else {
        for (int i = 0; i < n; i++) d[i] = d[i] > s[i] ? d[i] : s[i];
    }
}

/* What is no number, or too large for one, becomes the background. */
void finite_or_background(float *d, const float *s, int n, float background) {
    for (int i = 0; i < n; i++) d[i] = isfinite(s[i]) ? s[i] : background;
}

/* A bit for each kind of number. */
void kinds_of_numbers(uint8_t *d, const double *s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = (uint8_t)(isnan(s[i]) | (isinf(s[i]) != 0) << 1 | isnormal(s[i]) << 2 | isunordered(s[i], d[i]) << 3);
    }
}

/* The greater one, where they can be compared. */
void greater_if_ordered(float *d, const float *s, int n) {
    for (int i = 0; i < n; i++) {
        if (isgreater(s[i], d[i])) d[i] = s[i];
    }
}
