/* What the functions of `test_register_rows.py` are made of. */
#include <cstddef>
#include <cstdint>
#include <smmintrin.h>
typedef __m128i R;
static R load(const uint8_t* p) { return _mm_loadu_si128((const R*)p); }
static void store(uint8_t* p, R v) { _mm_storeu_si128((R*)p, v); }
static R shifted(R t, size_t n) {
    if (n & 8) t = _mm_slli_si128(t, 8);
    if (n & 4) t = _mm_slli_si128(t, 4);
    if (n & 2) t = _mm_slli_si128(t, 2);
    if (n & 1) t = _mm_slli_si128(t, 1);
    return t;
}
