/* What the functions of `test_lane_sums.py` are made of. */
#include <cassert>
#include <cstdint>
#include <cstddef>
#include <smmintrin.h>
typedef __m128i R;
static R load(const uint8_t* p) { return _mm_loadu_si128((const R*)p); }
static R sad(R a, R b) { return _mm_sad_epu8(a, b); }
static R madd(R a) { return _mm_madd_epi16(_mm_cvtepu8_epi16(a), _mm_cvtepu8_epi16(a)); }
static R upper(R t, size_t n) {
    if (n & 8) t = _mm_slli_si128(t, 8);
    if (n & 4) t = _mm_slli_si128(t, 4);
    if (n & 2) t = _mm_slli_si128(t, 2);
    if (n & 1) t = _mm_slli_si128(t, 1);
    return t;
}
static int64_t of(R s) { int64_t t[2]; _mm_storeu_si128((R*)t, s); return t[0] + t[1]; }
static R wide(R s) {
    R z = _mm_setzero_si128();
    return _mm_add_epi64(_mm_unpacklo_epi32(s, z), _mm_unpackhi_epi32(s, z));
}
