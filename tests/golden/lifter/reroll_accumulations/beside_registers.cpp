#include <emmintrin.h>

void f(int* d, int* e, const int* s, int n, int m) {
    for (int j = 0; j < m; j++) {
        int i = 0;
        for (; i + 4 <= n; i += 4) {
            d[i + j] += s[i];
            d[i + 1 + j] += s[i + 1];
            d[i + 2 + j] += s[i + 2];
            d[i + 3 + j] += s[i + 3];
        }
        for (; i < n; i++) d[i + j] += s[i];
    }
    __m128i v = _mm_loadu_si128((const __m128i*)s);
    _mm_storeu_si128((__m128i*)e, _mm_add_epi32(v, v));
}
