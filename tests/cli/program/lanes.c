#include <emmintrin.h>
void add(unsigned char *d, const unsigned char *s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(d + i)), b = _mm_loadu_si128((const __m128i *)(s + i));
        _mm_storeu_si128((__m128i *)(d + i), _mm_adds_epu8(a, b));
    }
}
