// Pixels of several channels, masks and floats, in the SSSE3, SSE4.1 and AVX2 styles.
#pragma GCC target("avx2")
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <immintrin.h>

// dst = (src * alpha + dst * (255 - alpha)) / 255, rounded, by the high halves of products.
void SseAlphaBlend(uint8_t* dst, const uint8_t* src, const uint8_t* alpha, int rows, int cols, int stride) {
    const __m128i zero = _mm_setzero_si128(), full = _mm_set1_epi16(255);
    const __m128i half = _mm_set1_epi16(128), reciprocal = _mm_set1_epi16(257);
    for (int y = 0; y < rows; y++) {
        int x = 0;
        for (; x + 8 <= cols; x += 8) {
            __m128i s = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(src + x)), zero);
            __m128i d = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(dst + x)), zero);
            __m128i a = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(alpha + x)), zero);
            __m128i t = _mm_add_epi16(_mm_mullo_epi16(s, a), _mm_mullo_epi16(d, _mm_sub_epi16(full, a)));
            t = _mm_mulhi_epu16(_mm_add_epi16(t, half), reciprocal);
            _mm_storel_epi64((__m128i*)(dst + x), _mm_packus_epi16(t, zero));
        }
        for (; x < cols; x++) {
            int t = src[x] * alpha[x] + dst[x] * (255 - alpha[x]) + 128;
            dst[x] = (uint8_t)(t * 257 >> 16);
        }
        dst += stride;
        src += stride;
        alpha += stride;
    }
}

// Weights of 7 bits: both products and their sum in one instruction.
void SseCrossFade(uint8_t* dst, const uint8_t* a, const uint8_t* b, int n, int weight) {
    if (weight < 0 || weight > 127) return;
    const __m128i weights = _mm_set1_epi16((short)(weight << 8 | (127 - weight)));
    const __m128i round = _mm_set1_epi16(64);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_lddqu_si128((const __m128i*)(a + i));
        __m128i y = _mm_lddqu_si128((const __m128i*)(b + i));
        __m128i lo = _mm_maddubs_epi16(_mm_unpacklo_epi8(x, y), weights);
        __m128i hi = _mm_maddubs_epi16(_mm_unpackhi_epi8(x, y), weights);
        lo = _mm_srai_epi16(_mm_add_epi16(lo, round), 7);
        hi = _mm_srai_epi16(_mm_add_epi16(hi, round), 7);
        _mm_storeu_si128((__m128i*)(dst + i), _mm_packus_epi16(lo, hi));
    }
    for (; i < n; i++) dst[i] = (uint8_t)((a[i] * (127 - weight) + b[i] * weight + 64) >> 7);
}

// Four pixels an iteration; alpha is spread over its pixel by a shuffle and kept by a blend.
void SsePremultiply(uint8_t* dst, const uint8_t* src, int pixels) {
    const __m128i spread_lo = _mm_setr_epi8(3, -1, 3, -1, 3, -1, 3, -1, 7, -1, 7, -1, 7, -1, 7, -1);
    const __m128i spread_hi = _mm_setr_epi8(11, -1, 11, -1, 11, -1, 11, -1, 15, -1, 15, -1, 15, -1, 15, -1);
    const __m128i keep = _mm_set1_epi32((int)0xFF000000), bias = _mm_set1_epi16(128);
    int i = 0;
    for (; i + 4 <= pixels; i += 4) {
        __m128i p = _mm_loadu_si128((const __m128i*)(src + 4 * i));
        __m128i lo = _mm_mullo_epi16(_mm_cvtepu8_epi16(p), _mm_shuffle_epi8(p, spread_lo));
        __m128i hi = _mm_mullo_epi16(_mm_unpackhi_epi8(p, _mm_setzero_si128()), _mm_shuffle_epi8(p, spread_hi));
        lo = _mm_add_epi16(lo, bias);
        hi = _mm_add_epi16(hi, bias);
        lo = _mm_srli_epi16(_mm_add_epi16(lo, _mm_srli_epi16(lo, 8)), 8);
        hi = _mm_srli_epi16(_mm_add_epi16(hi, _mm_srli_epi16(hi, 8)), 8);
        _mm_storeu_si128((__m128i*)(dst + 4 * i), _mm_blendv_epi8(_mm_packus_epi16(lo, hi), p, keep));
    }
    for (; i < pixels; i++) {
        int a = src[4 * i + 3];
        int b0 = src[4 * i] * a + 128, b1 = src[4 * i + 1] * a + 128, b2 = src[4 * i + 2] * a + 128;
        dst[4 * i] = (uint8_t)((b0 + (b0 >> 8)) >> 8);
        dst[4 * i + 1] = (uint8_t)((b1 + (b1 >> 8)) >> 8);
        dst[4 * i + 2] = (uint8_t)((b2 + (b2 >> 8)) >> 8);
        dst[4 * i + 3] = (uint8_t)a;
    }
}

void SseBgraToGrey(uint8_t* grey, const uint8_t* bgra, int width, int height, int greyStride, int bgraStride) {
    const __m128i weights = _mm_setr_epi16(1868, 9617, 4899, 0, 1868, 9617, 4899, 0);
    const __m128i zero = _mm_setzero_si128(), round = _mm_set1_epi32(1 << 13);
    for (int y = 0; y < height; y++) {
        int x = 0;
        for (; x + 4 <= width; x += 4) {
            const __m128i p = _mm_loadu_si128((const __m128i*)(bgra + 4 * x));
            __m128i lo = _mm_madd_epi16(_mm_unpacklo_epi8(p, zero), weights);
            __m128i hi = _mm_madd_epi16(_mm_unpackhi_epi8(p, zero), weights);
            __m128i v = _mm_srai_epi32(_mm_add_epi32(_mm_hadd_epi32(lo, hi), round), 14);
            v = _mm_packus_epi16(_mm_packs_epi32(v, zero), zero);
            _mm_storeu_si32(grey + x, v);
        }
        for (; x < width; x++) {
            const uint8_t* p = bgra + 4 * x;
            grey[x] = (uint8_t)((p[0] * 1868 + p[1] * 9617 + p[2] * 4899 + (1 << 13)) >> 14);
        }
        grey += greyStride;
        bgra += bgraStride;
    }
}

namespace {

inline void LoadPixels(const uint8_t* p, __m128i a[4]) {
    a[0] = _mm_loadu_si128((const __m128i*)p + 0);
    a[1] = _mm_loadu_si128((const __m128i*)p + 1);
    a[2] = _mm_loadu_si128((const __m128i*)p + 2);
    a[3] = _mm_loadu_si128((const __m128i*)p + 3);
}

// Green and a one in the odd halves, red and blue in the even ones.
inline __m128i GreyOfPixels(__m128i bgra) {
    const __m128i one = _mm_set1_epi32(1 << 16);
    const __m128i green = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(bgra, 8), _mm_set1_epi32(255)), one);
    const __m128i redBlue = _mm_and_si128(bgra, _mm_set1_epi16(255));
    const __m128i sum = _mm_add_epi32(_mm_madd_epi16(green, _mm_set1_epi32(8192 << 16 | 9617)),
                                      _mm_madd_epi16(redBlue, _mm_set1_epi32(4899 << 16 | 1868)));
    return _mm_srli_epi32(sum, 14);
}

}  // namespace

// Sixteen pixels in four registers.
void SseBgraToGrey16(uint8_t* grey, const uint8_t* bgra, int width, int height, int greyStride, int bgraStride) {
    const int full = width & ~15;
    __m128i a[4];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < full; x += 16) {
            LoadPixels(bgra + 4 * x, a);
            __m128i lo = _mm_packs_epi32(GreyOfPixels(a[0]), GreyOfPixels(a[1]));
            __m128i hi = _mm_packs_epi32(GreyOfPixels(a[2]), GreyOfPixels(a[3]));
            _mm_storeu_si128((__m128i*)(grey + x), _mm_packus_epi16(lo, hi));
        }
        for (int x = full; x < width; x++) {
            const uint8_t* p = bgra + 4 * x;
            grey[x] = (uint8_t)((p[0] * 1868 + p[1] * 9617 + p[2] * 4899 + 8192) >> 14);
        }
        grey += greyStride;
        bgra += bgraStride;
    }
}

// Only where the mask is set.
void SseMaskedCopy(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i d = _mm_loadu_si128((__m128i*)(dst + i)), s = _mm_loadu_si128((__m128i*)(src + i));
        __m128i off = _mm_cmpeq_epi8(_mm_loadu_si128((__m128i*)(mask + i)), _mm_setzero_si128());
        _mm_storeu_si128((__m128i*)(dst + i), _mm_blendv_epi8(s, d, off));
    }
    for (; i < n; i++)
        if (mask[i]) dst[i] = src[i];
}

void SseMultiplyFloat(float* dst, const float* src, const float* mask, int n, float opacity) {
    const __m128 scale = _mm_set1_ps(opacity), one = _mm_set1_ps(1.0f);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        __m128 d = _mm_loadu_ps(dst + i), s = _mm_loadu_ps(src + i);
        __m128 a = _mm_mul_ps(_mm_loadu_ps(mask + i), scale);
        __m128 blended = _mm_mul_ps(d, s);
        _mm_storeu_ps(dst + i, _mm_add_ps(_mm_mul_ps(blended, a), _mm_mul_ps(d, _mm_sub_ps(one, a))));
    }
    for (; i < n; i++) {
        float a = mask[i] * opacity;
        dst[i] = dst[i] * src[i] * a + dst[i] * (1.0f - a);
    }
}

// Negative values become zero and large ones one, by masks.
void SseClampFloat(float* image, int rows, int cols, int stride) {
    const __m128 zero = _mm_setzero_ps(), one = _mm_set1_ps(1.0f);
    for (int y = 0; y < rows; y++) {
        int x = 0;
        for (; x + 4 <= cols; x += 4) {
            __m128 v = _mm_loadu_ps(image + x);
            v = _mm_and_ps(v, _mm_cmpge_ps(v, zero));
            __m128 large = _mm_cmpgt_ps(v, one);
            v = _mm_or_ps(_mm_and_ps(large, one), _mm_andnot_ps(large, v));
            _mm_storeu_ps(image + x, v);
        }
        for (; x < cols; x++) {
            float v = image[x] >= 0.0f ? image[x] : 0.0f;
            image[x] = v > 1.0f ? 1.0f : v;
        }
        image += stride;
    }
}

void AvxMultiplyBlend(uint8_t* dst, const uint8_t* a, const uint8_t* b, int n) {
    const __m256i zero = _mm256_setzero_si256(), bias = _mm256_set1_epi16(128);
    int i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i*)(a + i)), y = _mm256_loadu_si256((const __m256i*)(b + i));
        __m256i lo = _mm256_mullo_epi16(_mm256_unpacklo_epi8(x, zero), _mm256_unpacklo_epi8(y, zero));
        __m256i hi = _mm256_mullo_epi16(_mm256_unpackhi_epi8(x, zero), _mm256_unpackhi_epi8(y, zero));
        lo = _mm256_add_epi16(lo, bias);
        hi = _mm256_add_epi16(hi, bias);
        lo = _mm256_srli_epi16(_mm256_add_epi16(lo, _mm256_srli_epi16(lo, 8)), 8);
        hi = _mm256_srli_epi16(_mm256_add_epi16(hi, _mm256_srli_epi16(hi, 8)), 8);
        _mm256_storeu_si256((__m256i*)(dst + i), _mm256_packus_epi16(lo, hi));
    }
    for (; i < n; i++) {
        int t = a[i] * b[i] + 128;
        dst[i] = (uint8_t)((t + (t >> 8)) >> 8);
    }
}

int SseSumAbsDifference(const uint8_t* a, const uint8_t* b, int n) {
    __m128i total = _mm_setzero_si128();
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i*)(a + i)), y = _mm_loadu_si128((const __m128i*)(b + i));
        total = _mm_add_epi32(total, _mm_sad_epu8(x, y));
    }
    int sum = _mm_cvtsi128_si32(total) + _mm_cvtsi128_si32(_mm_srli_si128(total, 8));
    for (; i < n; i++) sum += abs(a[i] - b[i]);
    return sum;
}
