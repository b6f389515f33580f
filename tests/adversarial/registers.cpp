// flags: -mavx2
// SIMD intrinsics: signs, order, halves and ends.
#include <cstdint>
#include <immintrin.h>

void saturating(uint8_t* d, const uint8_t* s, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_adds_epu8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_set1_epi8((char)200)));
    for (; i < n; i++) d[i] = s[i] + 200 > 255 ? 255 : s[i] + 200;
}
void averaged(uint8_t* d, const uint8_t* s, const uint8_t* t, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_avg_epu8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
    for (; i < n; i++) d[i] = (s[i] + t[i] + 1) >> 1;
}
void wrong_tail(uint8_t* d, const uint8_t* s, const uint8_t* t, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_avg_epu8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
    for (; i < n; i++) d[i] = (s[i] + t[i]) >> 1;
}
void signed_compare(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_cmpgt_epi8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_set1_epi8(100)));
}
void float_minimum(float* d, const float* s, const float* t, int n) {
    for (int i = 0; i + 4 <= n; i += 4) _mm_storeu_ps(d + i, _mm_min_ps(_mm_loadu_ps(s + i), _mm_loadu_ps(t + i)));
}
void float_minimum_turned(float* d, const float* s, const float* t, int n) {
    for (int i = 0; i + 4 <= n; i += 4) _mm_storeu_ps(d + i, _mm_min_ps(_mm_loadu_ps(t + i), _mm_loadu_ps(s + i)));
}
void and_not(uint8_t* d, const uint8_t* s, const uint8_t* t, int n) {
    for (int i = 0; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_andnot_si128(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
}
void shuffled(uint8_t* d, const uint8_t* s, int n) {
    const __m128i order = _mm_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, -1);
    for (int i = 0; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_shuffle_epi8(_mm_loadu_si128((const __m128i*)(s + i)), order));
}
void halves(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i + 32 <= n; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i*)(s + i));
        _mm256_storeu_si256((__m256i*)(d + i), _mm256_unpacklo_epi8(v, _mm256_setzero_si256()));
    }
}
void packed(uint8_t* d, const int16_t* s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) _mm_storeu_si128((__m128i*)(d + i), _mm_packus_epi16(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(s + i + 8))));
}
void packed_across(uint8_t* d, const int16_t* s, int n) {
    for (int i = 0; i + 32 <= n; i += 32) _mm256_storeu_si256((__m256i*)(d + i), _mm256_packus_epi16(_mm256_loadu_si256((const __m256i*)(s + i)), _mm256_loadu_si256((const __m256i*)(s + i + 16))));
}
void multiplied(int16_t* d, const int16_t* s, const int16_t* t, int n) {
    for (int i = 0; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i*)(d + i), _mm_mulhrs_epi16(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
}
void pairs(int* d, const int16_t* s, const int16_t* t, int n) {
    for (int i = 0; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i*)(d + i / 2), _mm_madd_epi16(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
}
void shifted(uint16_t* d, const uint16_t* s, int n) {
    for (int i = 0; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i*)(d + i), _mm_srai_epi16(_mm_loadu_si128((const __m128i*)(s + i)), 3));
}
void shifted_far(uint16_t* d, const uint16_t* s, int n) {
    for (int i = 0; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i*)(d + i), _mm_slli_epi16(_mm_loadu_si128((const __m128i*)(s + i)), 17));
}
void converted(int* d, const float* s, int n) {
    for (int i = 0; i + 4 <= n; i += 4) _mm_storeu_si128((__m128i*)(d + i), _mm_cvtps_epi32(_mm_loadu_ps(s + i)));
}
void truncated(int* d, const float* s, int n) {
    for (int i = 0; i + 4 <= n; i += 4) _mm_storeu_si128((__m128i*)(d + i), _mm_cvttps_epi32(_mm_loadu_ps(s + i)));
}
int absolute_differences(const uint8_t* s, const uint8_t* t, int n) {
    __m128i sum = _mm_setzero_si128();
    int i = 0;
    for (; i + 16 <= n; i += 16) sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_loadu_si128((const __m128i*)(t + i))));
    int total = _mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4);
    for (; i < n; i++) total += s[i] > t[i] ? s[i] - t[i] : t[i] - s[i];
    return total;
}
void blended(uint8_t* d, const uint8_t* s, const uint8_t* m, int n) {
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i*)(d + i)), b = _mm_loadu_si128((const __m128i*)(s + i)), c = _mm_loadu_si128((const __m128i*)(m + i));
        _mm_storeu_si128((__m128i*)(d + i), _mm_blendv_epi8(a, b, c));
    }
}
void dot_product(float* d, const float* s, const float* t, int n) {
    for (int i = 0; i + 4 <= n; i += 4) _mm_storeu_ps(d + i, _mm_dp_ps(_mm_loadu_ps(s + i), _mm_loadu_ps(t + i), 0x71));
}
void horizontal(float* d, const float* s, int n) {
    for (int i = 0; i + 4 <= n; i += 4) { __m128 v = _mm_loadu_ps(s + i); v = _mm_hadd_ps(v, v); v = _mm_hadd_ps(v, v); d[i / 4] = _mm_cvtss_f32(v); }
}
