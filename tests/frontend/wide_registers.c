/* Rows in registers of 512 bits, and masks. */
#include <immintrin.h>
#include <stdint.h>
void above_becomes_seven(uint8_t *d, const uint8_t *s, int n, int t) {
    for (int i = 0; i + 64 <= n; i += 64) {
        __m512i v = _mm512_loadu_si512(s + i);
        __mmask64 m = _mm512_cmpgt_epu8_mask(v, _mm512_set1_epi8((char)100));
        _mm512_storeu_si512(d + i, _mm512_mask_blend_epi8(m, v, _mm512_set1_epi8(7)));
    }
}
void products(uint16_t *d, const uint8_t *s, const uint8_t *r, int n) {
    for (int i = 0; i < n; i += 32) {
        __m512i a = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(s + i)));
        __m512i b = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(r + i)));
        _mm512_storeu_si512(d + i, _mm512_srli_epi16(_mm512_mullo_epi16(a, b), 2));
    }
}
long energy(const int16_t *s, int n) {
    __m512i acc = _mm512_setzero_si512();
    for (int i = 0; i + 32 <= n; i += 32) {
        __m512i a = _mm512_loadu_si512(s + i);
        acc = _mm512_add_epi32(acc, _mm512_madd_epi16(a, a));
    }
    return _mm512_reduce_add_epi32(acc);
}
void magnitudes(int32_t *d, const int32_t *s, int n) {
    for (int i = 0; i < n; i += 16) {
        __m512i a = _mm512_loadu_si512(s + i);
        __mmask16 k = _mm512_cmplt_epi32_mask(a, _mm512_setzero_si512());
        _mm512_storeu_si512(d + i, _mm512_mask_sub_epi32(a, k, _mm512_setzero_si512(), a));
    }
}
