/* Registers of 256 bits, which are passed otherwise by code that is compiled without AVX. */
#include <immintrin.h>
#include <stdint.h>

__attribute__((target("avx2"))) void add_passed(uint16_t *d, const uint16_t *s, int n, __m256i v) {
    for (int i = 0; i < n; i++) {
        __m256i sum = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)(s + 16 * i)), v);
        _mm256_storeu_si256((__m256i *)(d + 16 * i), sum);
    }
}
