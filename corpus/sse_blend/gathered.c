/* Colour conversions with AVX2: tables gathered by registers, vectors by the names that GCC's headers give them. */
#pragma GCC target("avx2")
#include <immintrin.h>
#include <stdint.h>

void linear_of_bytes(float *dst, const uint8_t *src, const float *table, long samples) {
    long i = 0;
    for (; i + 8 <= samples; i += 8) {
        __m256i v = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(src + i)));
        _mm256_storeu_ps(dst + i, (__v8sf)_mm256_i32gather_ps(table, v, 4));
    }
    for (; i < samples; i++) dst[i] = table[src[i]];
    _mm_empty();
}

void gathered_rows(int32_t *dst, const int32_t *src, const int32_t *at, int n) {
    for (int i = 0; i < n / 8 * 8; i += 8) {
        __m256i place = _mm256_loadu_si256((const __m256i *)(at + i));
        _mm256_storeu_si256((__m256i *)(dst + i), _mm256_i32gather_epi32(src, place, 4));
    }
}

void every_second_gathered(int32_t *dst, const int32_t *src, int n) {
    for (int i = 0; i < n / 4 * 4; i += 4) {
        __m128i place = _mm_add_epi32(_mm_set1_epi32(i), _mm_set_epi32(3, 2, 1, 0));
        _mm_storeu_si128((__m128i *)(dst + i), _mm_i32gather_epi32(src, place, 8));
    }
}

static inline __v4sf scaled(__v4sf x, float by) { return x * (__v4sf){by, by, by, by}; }

void gained(float *dst, const float *src, float gain, int pixels) {
    for (int i = 0; i < pixels; i++) {
        __v4sf x = _mm_loadu_ps(src + 4 * i);
        _mm_storeu_ps(dst + 4 * i, _mm_add_ps(scaled(x, gain), (__v4sf){0, 0, 0, 1}));
    }
}
