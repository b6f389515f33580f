// Modes by the number of channels: what a condition says that it is, and what only the code is written for.
#include <emmintrin.h>
#include <stdint.h>

#include <utility>

// A body by blocks and a tail, under a mask, where there is one.
void accumulate(const float *src, double *dst, const uint8_t *mask, int len, int cn) {
    int x = 0;
    if (!mask) {
        int size = len * cn;
        for (; x <= size - 4; x += 4)
            for (int k = 0; k < 4; k++) dst[x + k] += src[x + k];
        for (; x < size; x++) dst[x] += src[x];
        return;
    }
    if (cn == 1) {
        for (; x <= len - 4; x += 4)
            for (int k = 0; k < 4; k++) dst[x + k] += mask[x + k] ? src[x + k] : 0.0f;
    } else if (cn == 3) {
        for (; x <= len - 4; x += 4)
            for (int k = 0; k < 4; k++) {
                float a = src[(x + k) * 3], b = src[(x + k) * 3 + 1], c = src[(x + k) * 3 + 2];
                dst[(x + k) * 3] += mask[x + k] ? a : 0.0f;
                dst[(x + k) * 3 + 1] += mask[x + k] ? b : 0.0f;
                dst[(x + k) * 3 + 2] += mask[x + k] ? c : 0.0f;
            }
    }
    src += x * cn;
    dst += x * cn;
    for (; x < len; x++, src += cn, dst += cn)
        if (mask[x])
            for (int k = 0; k < cn; k++) dst[k] += src[k];
}

// Written for three channels and four; called with others it would read what it should not.
struct Gray {
    int channels;
    short weights[3];
    void run(const uint8_t *src, uint8_t *dst, int n) const;
};

void Gray::run(const uint8_t *src, uint8_t *dst, int n) const {
    int i = 0, step = channels;
    const __m128i red = _mm_set1_epi16(weights[0]), green = _mm_set1_epi16(weights[1]), half = _mm_set1_epi16(64);
    for (; i <= n - 8; i += 8, src += 8 * step, dst += 8) {
        __m128i r, g;
        if (step == 3) {
            r = _mm_setr_epi16(src[0], src[3], src[6], src[9], src[12], src[15], src[18], src[21]);
            g = _mm_setr_epi16(src[1], src[4], src[7], src[10], src[13], src[16], src[19], src[22]);
        } else {
            r = _mm_setr_epi16(src[0], src[4], src[8], src[12], src[16], src[20], src[24], src[28]);
            g = _mm_setr_epi16(src[1], src[5], src[9], src[13], src[17], src[21], src[25], src[29]);
        }
        __m128i sum = _mm_add_epi16(_mm_add_epi16(_mm_mullo_epi16(r, red), _mm_mullo_epi16(g, green)), half);
        sum = _mm_and_si128(_mm_srli_epi16(sum, 7), _mm_set1_epi16(255));
        _mm_storel_epi64((__m128i *)dst, _mm_packus_epi16(sum, sum));
    }
    for (; i < n; i++, src += step, dst++)
        *dst = (uint8_t)((uint16_t)(src[0] * weights[0] + src[1] * weights[1] + 64) >> 7);
}

// Which of two registers is first is a mode.
struct Bytes {
    __m128i v;
    explicit Bytes(__m128i a) : v(a) {}
};

void difference(uint8_t *d, const uint8_t *s, const uint8_t *t, int n, int first) {
    for (int i = 0; i + 16 <= n; i += 16) {
        Bytes a(_mm_loadu_si128((const __m128i *)(s + i))), b(_mm_loadu_si128((const __m128i *)(t + i)));
        if (first == 2) std::swap(a, b);
        _mm_storeu_si128((__m128i *)(d + i), _mm_subs_epu8(a.v, b.v));
    }
}

struct Scale {
    int add;
    float by;
};

void scaled(float *d, const float *s, int n, int mode) {
    Scale p{1, 2.0f}, q{3, 5.0f};
    if (mode > 3) std::swap(p, q);
    for (int i = 0; i < n; i++) d[i] = s[i] * p.by + q.add;
}

// The first and the last channel change places, or do not.
void ordered(uint8_t *d, const uint8_t *s, int n, int first) {
    for (int i = 0; i < n; i++, s += 3, d += 3) {
        uint8_t r = s[0], g = s[1], b = s[2];
        d[first] = r;
        d[1] = g;
        d[first ^ 2] = b;
    }
}
