// Blend modes and conversions in SSE2 to SSE4.1, by authors who each have their own way with tails, masks and shifts.
#pragma GCC target("sse4.1")
#include <cstdint>
#include <cstdlib>
#include <smmintrin.h>

static inline __m128i LoadU(const void* p) { return _mm_loadu_si128((const __m128i*)p); }
static inline void StoreU(void* p, __m128i v) { _mm_storeu_si128((__m128i*)p, v); }
static inline uint8_t Saturated(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

// Subtraction with saturation: one register an iteration, an index.
void SseSubtract(uint8_t* dst, const uint8_t* src, int n) {
    int i = 0;
    for (; i <= n - 16; i += 16) StoreU(dst + i, _mm_subs_epu8(LoadU(dst + i), LoadU(src + i)));
    for (; i < n; i++) dst[i] = Saturated(dst[i] - src[i]);
}

// Linear burn: inverted addition, rows of a stride.
void SseLinearBurn(uint8_t* dst, const uint8_t* src, int rows, int cols, int stride) {
    const __m128i ones = _mm_set1_epi8(-1);
    for (int y = 0; y < rows; y++, dst += stride, src += stride) {
        int x = 0;
        for (; x + 16 <= cols; x += 16) {
            __m128i s = _mm_xor_si128(LoadU(src + x), ones);
            StoreU(dst + x, _mm_subs_epu8(LoadU(dst + x), s));
        }
        for (; x < cols; x++) dst[x] = Saturated(dst[x] + src[x] - 255);
    }
}

// Exclusion: products of 16 bits in two halves.
void SseExclusion(uint8_t* dst, const uint8_t* src, int n) {
    const __m128i zero = _mm_setzero_si128();
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i a = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(dst + i)), zero);
        __m128i b = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(src + i)), zero);
        __m128i p = _mm_srli_epi16(_mm_mullo_epi16(a, b), 7);
        __m128i v = _mm_sub_epi16(_mm_add_epi16(a, b), p);
        _mm_storel_epi64((__m128i*)(dst + i), _mm_packus_epi16(v, v));
    }
    for (; i < n; i++) dst[i] = Saturated(dst[i] + src[i] - (dst[i] * src[i] >> 7));
}

// Inversion in place: exclusive or with ones, pointers that run to an end.
void SseInvert(uint8_t* p, int n) {
    const __m128i ones = _mm_cmpeq_epi8(_mm_setzero_si128(), _mm_setzero_si128());
    uint8_t* end = p + n;
    for (; p + 16 <= end; p += 16) StoreU(p, _mm_xor_si128(LoadU(p), ones));
    for (; p < end; p++) *p = (uint8_t)~*p;
}

// Sum with saturation of 16 bits: eight words an iteration.
void SseAdd16(uint16_t* dst, const uint16_t* a, const uint16_t* b, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8) StoreU(dst + i, _mm_adds_epu16(LoadU(a + i), LoadU(b + i)));
    for (; i < n; i++) {
        int s = a[i] + b[i];
        dst[i] = (uint16_t)(s > 65535 ? 65535 : s);
    }
}

// Sum of signed words with saturation: both ends.
void SseAddSigned16(int16_t* dst, const int16_t* src, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8) StoreU(dst + i, _mm_adds_epi16(LoadU(dst + i), LoadU(src + i)));
    for (; i < n; i++) {
        int s = dst[i] + src[i];
        dst[i] = (int16_t)(s > 32767 ? 32767 : s < -32768 ? -32768 : s);
    }
}

// Larger of two planes of words: SSE4.1's unsigned maximum.
void SseLighten16(uint16_t* dst, const uint16_t* src, int n) {
    int i = 0;
    for (; i + 8 <= n; i += 8) StoreU(dst + i, _mm_max_epu16(LoadU(dst + i), LoadU(src + i)));
    for (; i < n; i++)
        if (src[i] > dst[i]) dst[i] = src[i];
}

// Half of the lower and half of the upper layer by words: shifts and masks of bytes.
void SseHalves(uint8_t* dst, const uint8_t* src, int n) {
    const __m128i mask = _mm_set1_epi8(0x7f);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = _mm_and_si128(_mm_srli_epi16(LoadU(dst + i), 1), mask);
        __m128i b = _mm_and_si128(_mm_srli_epi16(LoadU(src + i), 1), mask);
        StoreU(dst + i, _mm_add_epi8(a, b));
    }
    for (; i < n; i++) dst[i] = (uint8_t)((dst[i] >> 1) + (src[i] >> 1));
}

// Stamp through a mask of zeros and ones: and, andnot, or.
void SseStampMask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i m = LoadU(mask + i);
        StoreU(dst + i, _mm_or_si128(_mm_and_si128(m, LoadU(src + i)), _mm_andnot_si128(m, LoadU(dst + i))));
    }
    for (; i < n; i++) dst[i] = (uint8_t)((mask[i] & src[i]) | (~mask[i] & dst[i]));
}

// Constant opacity: a weight of eight bits, products in two halves.
void SseFade(uint8_t* dst, const uint8_t* src, int n, uint8_t opacity) {
    const __m128i zero = _mm_setzero_si128(), w = _mm_set1_epi16(opacity), rest = _mm_set1_epi16(256 - opacity);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = LoadU(dst + i), b = LoadU(src + i);
        __m128i lo = _mm_add_epi16(_mm_mullo_epi16(_mm_unpacklo_epi8(a, zero), rest), _mm_mullo_epi16(_mm_unpacklo_epi8(b, zero), w));
        __m128i hi = _mm_add_epi16(_mm_mullo_epi16(_mm_unpackhi_epi8(a, zero), rest), _mm_mullo_epi16(_mm_unpackhi_epi8(b, zero), w));
        StoreU(dst + i, _mm_packus_epi16(_mm_srli_epi16(lo, 8), _mm_srli_epi16(hi, 8)));
    }
    for (; i < n; i++) dst[i] = (uint8_t)((dst[i] * (256 - opacity) + src[i] * opacity) >> 8);
}

// Bytes to floats: widened twice, four stores an iteration.
void SseBytesToFloats(float* dst, const uint8_t* src, int n, float scale) {
    const __m128 s = _mm_set1_ps(scale);
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i v = _mm_loadl_epi64((const __m128i*)(src + i));
        _mm_storeu_ps(dst + i, _mm_mul_ps(_mm_cvtepi32_ps(_mm_cvtepu8_epi32(v)), s));
        _mm_storeu_ps(dst + i + 4, _mm_mul_ps(_mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(v, 4))), s));
    }
    for (; i < n; i++) dst[i] = (float)src[i] * scale;
}

// Screen of floats: aligned or not makes no difference.
void SseScreenFloat(float* dst, const float* src, int n) {
    const __m128 one = _mm_set1_ps(1.0f);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        __m128 p = _mm_mul_ps(_mm_sub_ps(one, _mm_loadu_ps(dst + i)), _mm_sub_ps(one, _mm_loadu_ps(src + i)));
        _mm_storeu_ps(dst + i, _mm_sub_ps(one, p));
    }
    for (; i < n; i++) dst[i] = 1.0f - (1.0f - dst[i]) * (1.0f - src[i]);
}

// Over of premultiplied floats: one pixel a register, alpha spread by a shuffle.
void SseOverFloat(float* dst, const float* src, int pixels) {
    const __m128 one = _mm_set1_ps(1.0f);
    for (int i = 0; i < pixels; i++, dst += 4, src += 4) {
        __m128 s = _mm_loadu_ps(src);
        __m128 k = _mm_sub_ps(one, _mm_shuffle_ps(s, s, _MM_SHUFFLE(3, 3, 3, 3)));
        _mm_storeu_ps(dst, _mm_add_ps(s, _mm_mul_ps(_mm_loadu_ps(dst), k)));
    }
}

// Exchange of red and blue: one byte shuffle for four pixels.
void SseSwapRedBlue(uint8_t* dst, const uint8_t* src, int pixels) {
    const __m128i order = _mm_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
    int i = 0;
    for (; i + 4 <= pixels; i += 4) StoreU(dst + 4 * i, _mm_shuffle_epi8(LoadU(src + 4 * i), order));
    for (; i < pixels; i++) {
        dst[4 * i] = src[4 * i + 2];
        dst[4 * i + 1] = src[4 * i + 1];
        dst[4 * i + 2] = src[4 * i];
        dst[4 * i + 3] = src[4 * i + 3];
    }
}

// Planes woven into pairs: two unpacks, two stores.
void SseInterleave2(uint8_t* dst, const uint8_t* u, const uint8_t* v, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = LoadU(u + i), b = LoadU(v + i);
        StoreU(dst + 2 * i, _mm_unpacklo_epi8(a, b));
        StoreU(dst + 2 * i + 16, _mm_unpackhi_epi8(a, b));
    }
    for (; i < n; i++) {
        dst[2 * i] = u[i];
        dst[2 * i + 1] = v[i];
    }
}

// Pairs taken apart: masks, shifts and packs.
void SseDeinterleave2(uint8_t* u, uint8_t* v, const uint8_t* src, int n) {
    const __m128i low = _mm_set1_epi16(255);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = LoadU(src + 2 * i), b = LoadU(src + 2 * i + 16);
        StoreU(u + i, _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low)));
        StoreU(v + i, _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
    }
    for (; i < n; i++) {
        u[i] = src[2 * i];
        v[i] = src[2 * i + 1];
    }
}

// Grain merge: differences of words packed with saturation.
void SseGrainMerge(uint8_t* dst, const uint8_t* src, int n) {
    const __m128i zero = _mm_setzero_si128(), middle = _mm_set1_epi16(128);
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = LoadU(dst + i), b = LoadU(src + i);
        __m128i lo = _mm_sub_epi16(_mm_add_epi16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero)), middle);
        __m128i hi = _mm_sub_epi16(_mm_add_epi16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero)), middle);
        StoreU(dst + i, _mm_packus_epi16(lo, hi));
    }
    for (; i < n; i++) dst[i] = Saturated(dst[i] + src[i] - 128);
}

// Fill through registers: a byte spread once, a tail of single bytes.
void SseFill(uint8_t* dst, uint8_t value, int rows, int cols, int stride) {
    const __m128i v = _mm_set1_epi8((char)value);
    for (int y = 0; y < rows; y++) {
        uint8_t* p = dst + y * stride;
        int left = cols;
        for (; left >= 16; left -= 16, p += 16) StoreU(p, v);
        while (left-- > 0) *p++ = value;
    }
}
