// Linear light in floats: planar and interleaved, straight and premultiplied alpha, by people who came from film.
#include <algorithm>
#include <cmath>
#include <cstddef>

static inline float clamp01(float v) { return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v; }
static inline float mixf(float a, float b, float t) { return a * (1.0f - t) + b * t; }

// Over of premultiplied RGBA: four channels by hand.
void over_premultiplied(float* dst, const float* src, size_t n) {
    for (size_t i = 0; i < 4 * n; i += 4) {
        const float k = 1.0f - src[i + 3];
        dst[i + 0] = src[i + 0] + dst[i + 0] * k;
        dst[i + 1] = src[i + 1] + dst[i + 1] * k;
        dst[i + 2] = src[i + 2] + dst[i + 2] * k;
        dst[i + 3] = src[i + 3] + dst[i + 3] * k;
    }
}

// Over of straight RGBA: a division by the resulting alpha where there is any.
void over_straight(float* dst, const float* src, size_t n) {
    for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
        const float sa = src[3], da = dst[3] * (1.0f - sa), a = sa + da;
        if (a > 0.0f) {
            for (int c = 0; c < 3; c++) dst[c] = (src[c] * sa + dst[c] * da) / a;
        }
        dst[3] = a;
    }
}

// In: colours times the other layer's alpha, a loop over four channels.
void in_premultiplied(float* dst, const float* src, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const float a = src[4 * i + 3];
        for (int c = 0; c < 4; c++) dst[4 * i + c] *= a;
    }
}

// Screen: rows of a plane with a stride in floats.
void screen_float(float* dst, const float* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int i = y * stride + x;
            dst[i] = 1.0f - (1.0f - dst[i]) * (1.0f - src[i]);
        }
}

// Overlay: a branch on the lower layer.
void overlay_float(float* dst, const float* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float d = dst[x], s = src[x];
            if (d < 0.5f)
                d = 2.0f * d * s;
            else
                d = 1.0f - 2.0f * (1.0f - d) * (1.0f - s);
            dst[x] = d;
        }
        dst += stride;
        src += stride;
    }
}

// Soft light by a square root: std::sqrt under a branch.
void soft_light_sqrt(float* dst, const float* src, int n) {
    for (int i = 0; i < n; i++) {
        const float a = dst[i], b = src[i];
        if (b <= 0.5f)
            dst[i] = a - (1.0f - 2.0f * b) * a * (1.0f - a);
        else
            dst[i] = a + (2.0f * b - 1.0f) * (std::sqrt(a) - a);
    }
}

// Soft light by polynomials: no branch, one formula.
void soft_light_pegtop(float* dst, const float* src, int n) {
    int i = 0;
    while (i < n) {
        const float a = dst[i], b = src[i];
        dst[i++] = (1.0f - 2.0f * b) * a * a + 2.0f * b * a;
    }
}

// Multiply through a mask: three pointers with their own strides.
void multiply_masked_float(float* dst, int dstStride, const float* src, int srcStride, const float* mask, int maskStride,
                           int width, int height) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) dst[x] = mixf(dst[x], dst[x] * src[x], mask[x]);
        dst += dstStride, src += srcStride, mask += maskStride;
    }
}

// Lighten with an opacity: std::max of floats.
void lighten_float(float* dst, const float* src, float opacity, int n) {
    for (int i = 0; i < n; ++i) dst[i] = mixf(dst[i], std::max(dst[i], src[i]), opacity);
}

// Difference of doubles: std::fabs.
void difference_double(double* dst, const double* src, int n) {
    for (int i = 0; i < n; ++i) dst[i] = std::fabs(dst[i] - src[i]);
}

// Divide: a guarded float division, clamped.
void divide_float(float* dst, const float* src, int n) {
    for (int i = 0; i < n; ++i) dst[i] = src[i] > 1e-6f ? clamp01(dst[i] / src[i]) : 1.0f;
}

// Exposure addition: stops are turned into a factor outside the loop.
void add_exposed(float* dst, const float* src, int stops, int n) {
    float gain = 1.0f;
    if (stops > 0)
        gain = (float)(1 << (stops & 15));
    for (int i = 0; i < n; ++i) dst[i] += src[i] * gain;
}

// Premultiplied to straight: the inverse of alpha once a pixel.
void unpremultiply_float(float* rgba, int n) {
    for (; n > 0; --n, rgba += 4) {
        if (rgba[3] == 0.0f)
            continue;
        float inverse = 1.0f / rgba[3];
        rgba[0] *= inverse;
        rgba[1] *= inverse;
        rgba[2] *= inverse;
    }
}

// Three planes at once: colours of a plane apart, one mask for all.
void over_planar(float* r, float* g, float* b, const float* sr, const float* sg, const float* sb, const float* alpha, int n) {
    for (int i = 0; i < n; ++i) {
        const float a = alpha[i], k = 1.0f - a;
        r[i] = r[i] * k + sr[i] * a;
        g[i] = g[i] * k + sg[i] * a;
        b[i] = b[i] * k + sb[i] * a;
    }
}
