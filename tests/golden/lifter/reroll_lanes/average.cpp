#include <emmintrin.h>
#include <cstdint>

void f(uint8_t* d, const uint8_t* a, const uint8_t* b, int n) {
    for (int i = 0; i < n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i*)(a + i));
        __m128i y = _mm_loadu_si128((const __m128i*)(b + i));
        _mm_storeu_si128((__m128i*)(d + i), _mm_avg_epu8(x, y));
    }
}
