// Blends of two layers of bytes, as image libraries of the 2000s have them: SSE2 bodies of sixteen pixels, scalar tails.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <emmintrin.h>

namespace {

inline __m128i MulDiv255(__m128i a, __m128i b) {
    const __m128i t = _mm_add_epi16(_mm_mullo_epi16(a, b), _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(t, _mm_srli_epi16(t, 8)), 8);
}

inline uint8_t MulDiv255(int a, int b) {
    int t = a * b + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

inline __m128i MultiplyPixels(__m128i a, __m128i b) {
    const __m128i zero = _mm_setzero_si128();
    __m128i lo = MulDiv255(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero));
    __m128i hi = MulDiv255(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero));
    return _mm_packus_epi16(lo, hi);
}

template <bool align> inline __m128i Load(const __m128i* p);
template <> inline __m128i Load<false>(const __m128i* p) { return _mm_loadu_si128(p); }
template <> inline __m128i Load<true>(const __m128i* p) { return _mm_load_si128(p); }

template <bool align> inline void Store(__m128i* p, __m128i a) {
    if (align)
        _mm_store_si128(p, a);
    else
        _mm_storeu_si128(p, a);
}

inline bool Aligned(const void* p, ptrdiff_t stride) { return (((size_t)p | (size_t)stride) & 15) == 0; }

}  // namespace

void SseMultiplyBlend(uint8_t* dst, const uint8_t* src, int rows, int cols, int stride) {
    for (int y = 0; y < rows; y++) {
        uint8_t* d = dst + y * stride;
        const uint8_t* s = src + y * stride;
        int x = 0;
        for (; x + 16 <= cols; x += 16) {
            __m128i a = _mm_loadu_si128((const __m128i*)(d + x));
            __m128i b = _mm_loadu_si128((const __m128i*)(s + x));
            _mm_storeu_si128((__m128i*)(d + x), MultiplyPixels(a, b));
        }
        for (; x < cols; x++) d[x] = MulDiv255(d[x], s[x]);
    }
}

void SseScreenBlend(uint8_t* dst, const uint8_t* src, int n) {
    const __m128i ones = _mm_set1_epi8(-1);
    const __m128i* s = (const __m128i*)src;
    __m128i* d = (__m128i*)dst;
    int blocks = n / 16;
    for (int i = 0; i < blocks; i++) {
        __m128i a = _mm_xor_si128(_mm_loadu_si128(d + i), ones);
        __m128i b = _mm_xor_si128(_mm_loadu_si128(s + i), ones);
        _mm_storeu_si128(d + i, _mm_xor_si128(MultiplyPixels(a, b), ones));
    }
    for (int i = blocks * 16; i < n; i++) dst[i] = 255 - MulDiv255(255 - dst[i], 255 - src[i]);
}

// Two registers an iteration.
void SseDarkenBlend(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n) {
    size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m128i a0 = _mm_loadu_si128((const __m128i*)(a + i)), a1 = _mm_loadu_si128((const __m128i*)(a + i + 16));
        __m128i b0 = _mm_loadu_si128((const __m128i*)(b + i)), b1 = _mm_loadu_si128((const __m128i*)(b + i + 16));
        _mm_storeu_si128((__m128i*)(dst + i), _mm_min_epu8(a0, b0));
        _mm_storeu_si128((__m128i*)(dst + i + 16), _mm_min_epu8(a1, b1));
    }
    for (; i < n; i++) dst[i] = b[i] < a[i] ? b[i] : a[i];
}

template <bool align> void LightenRows(uint8_t* dst, const uint8_t* src, int rows, int cols, int stride) {
    int full = cols & ~15;
    for (int y = 0; y < rows; y++) {
        int x = 0;
        for (; x < full; x += 16) {
            const __m128i a = Load<align>((__m128i*)(src + x));
            const __m128i b = Load<align>((__m128i*)(dst + x));
            Store<align>((__m128i*)(dst + x), _mm_max_epu8(a, b));
        }
        for (; x < cols; x++)
            if (src[x] > dst[x]) dst[x] = src[x];
        src += stride;
        dst += stride;
    }
}

void SseLightenBlend(uint8_t* dst, const uint8_t* src, int rows, int cols, int stride) {
    if (Aligned(dst, stride) && Aligned(src, stride))
        LightenRows<true>(dst, src, rows, cols, stride);
    else
        LightenRows<false>(dst, src, rows, cols, stride);
}

// The tail overlaps the last full register; narrow images go another way.
void SseLinearDodge(uint8_t* dst, const uint8_t* a, const uint8_t* b, int rows, int cols, int stride) {
    if (cols < 16) {
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < cols; x++) {
                int sum = a[y * stride + x] + b[y * stride + x];
                dst[y * stride + x] = (uint8_t)(sum > 255 ? 255 : sum);
            }
        return;
    }
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < (cols & ~15); x += 16) {
            __m128i sum = _mm_adds_epu8(_mm_loadu_si128((__m128i*)(a + x)), _mm_loadu_si128((__m128i*)(b + x)));
            _mm_storeu_si128((__m128i*)(dst + x), sum);
        }
        if (cols & 15) {
            int x = cols - 16;
            __m128i sum = _mm_adds_epu8(_mm_loadu_si128((__m128i*)(a + x)), _mm_loadu_si128((__m128i*)(b + x)));
            _mm_storeu_si128((__m128i*)(dst + x), sum);
        }
        a += stride;
        b += stride;
        dst += stride;
    }
}

void SseDifferenceBlend(uint8_t* dst, const uint8_t* src, int n) {
    int i = 0;
    for (; i <= n - 16; i += 16) {
        __m128i a = _mm_loadu_si128((__m128i*)&dst[i]), b = _mm_loadu_si128((__m128i*)&src[i]);
        _mm_storeu_si128((__m128i*)&dst[i], _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a)));
    }
    for (; i < n; i++) dst[i] = (uint8_t)abs(dst[i] - src[i]);
}

// Bytes compare as signed in SSE2: the sign bit is flipped first.
void SseThreshold(uint8_t* dst, const uint8_t* src, int rows, int cols, int stride, uint8_t level, uint8_t low,
                  uint8_t high) {
    const __m128i flip = _mm_set1_epi8((char)0x80);
    const __m128i limit = _mm_xor_si128(_mm_set1_epi8((char)level), flip);
    const __m128i below = _mm_set1_epi8((char)low), above = _mm_set1_epi8((char)high);
    for (int y = 0; y < rows; ++y, src += stride, dst += stride) {
        int x = 0;
        for (; x <= cols - 16; x += 16) {
            __m128i v = _mm_xor_si128(_mm_loadu_si128((const __m128i*)(src + x)), flip);
            __m128i mask = _mm_cmpgt_epi8(v, limit);
            v = _mm_or_si128(_mm_and_si128(mask, above), _mm_andnot_si128(mask, below));
            _mm_storeu_si128((__m128i*)(dst + x), v);
        }
        for (; x < cols; ++x) dst[x] = src[x] > level ? high : low;
    }
}

void SseAverage(uint8_t* dst, const uint8_t* a, const uint8_t* b, int n) {
    while (n >= 16) {
        __m128i v = _mm_avg_epu8(_mm_loadu_si128((const __m128i*)a), _mm_loadu_si128((const __m128i*)b));
        _mm_storeu_si128((__m128i*)dst, v);
        a += 16;
        b += 16;
        dst += 16;
        n -= 16;
    }
    while (n-- > 0) *dst++ = (uint8_t)((*a++ + *b++ + 1) / 2);
}
