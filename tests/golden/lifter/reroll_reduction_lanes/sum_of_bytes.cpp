#include <emmintrin.h>
#include <cstdint>

int f(const uint8_t* s, int n) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i < n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i*)(s + i));
        sum = _mm_add_epi32(sum, _mm_sad_epu8(v, _mm_setzero_si128()));
    }
    return _mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, 8));
}
