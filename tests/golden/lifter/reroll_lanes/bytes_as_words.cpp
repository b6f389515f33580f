#include <emmintrin.h>
#include <cstdint>

void f(uint16_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i += 8) {
        __m128i v = _mm_loadl_epi64((const __m128i*)(s + i));
        __m128i w = _mm_unpacklo_epi8(v, _mm_setzero_si128());
        _mm_storeu_si128((__m128i*)(d + i), _mm_mullo_epi16(w, w));
    }
}
