/* Loops over registers that are made before them. */
#include <emmintrin.h>

long of_constants(const int *p, int n) {
    const __m128i zero = _mm_setzero_si128(), twice = _mm_set1_epi32(n * 2);
    __m128i ahead = _mm_sub_epi32(zero, twice);
    int held[4];
    long sum = 0;
    for (int i = 0; i + 4 <= n; i += 4) {
        __m128i v = _mm_add_epi32(_mm_loadu_si128((const __m128i *)(p + i)), ahead);
        _mm_storeu_si128((__m128i *)held, _mm_xor_si128(v, zero));
        sum = sum * 3 + held[0] + held[1] + held[2] + held[3];
    }
    return sum;
}

long of_a_sum(const int *p, int n) {
    __m128i total = _mm_setzero_si128(), step = _mm_set1_epi32(n);
    int held[4];
    for (int i = 0; i + 4 <= n; i += 4) total = _mm_add_epi32(total, _mm_loadu_si128((const __m128i *)(p + i)));
    n += 3;
    for (int i = 0; i < 3; i++) total = _mm_add_epi32(total, step);
    _mm_storeu_si128((__m128i *)held, total);
    return held[0] + 7L * held[1] + 11L * held[2] + 13L * held[3] + n;
}
