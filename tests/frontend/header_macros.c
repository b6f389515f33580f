#include <immintrin.h>

void transposed(float *d, const float *s) {
    __m128 a = _mm_loadu_ps(s), b = _mm_loadu_ps(s + 4), c = _mm_loadu_ps(s + 8), e = _mm_loadu_ps(s + 12);
    _MM_TRANSPOSE4_PS(a, b, c, e);
    _mm_storeu_ps(d, a); _mm_storeu_ps(d + 4, b); _mm_storeu_ps(d + 8, c); _mm_storeu_ps(d + 12, e);
}

/* Different, and neither of them a NaN. */
void different(float *d, const float *s, int n) {
    for (int i = 0; i + 8 <= n; i += 8) {
        __m256 a = _mm256_loadu_ps(s + i), b = _mm256_loadu_ps(d + i);
        _mm256_storeu_ps(d + i, _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_NEQ_OQ), a));
    }
    _mm256_zeroall();
}
