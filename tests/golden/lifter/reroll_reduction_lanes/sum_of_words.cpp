#include <emmintrin.h>

int f(const int* s, int n) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i < n; i += 4) sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}
