// SIMD registers in every place where a value can be.
#include <tmmintrin.h>
#include <stdint.h>
#include <string.h>

static const __m128i K_BIAS = {0x0004000400040004LL, 0x0004000400040004LL};

static inline void add_to(__m128i& sum, const __m128i& v) { sum = _mm_add_epi16(sum, v); }

static inline __m128i pick(int which, __m128i a, __m128i b) {
    if (which > 0) return a;
    return _mm_sub_epi16(b, K_BIAS);
}

static inline void split(__m128i v, __m128i halves[2]) {
    halves[0] = _mm_unpacklo_epi8(v, _mm_setzero_si128());
    halves[1] = _mm_unpackhi_epi8(v, _mm_setzero_si128());
}

template <int shift> static inline __m128i scaled(__m128i v) { return _mm_srli_epi16(v, shift); }

void by_reference(const uint16_t a[8], const uint16_t b[8], uint16_t out[8]) {
    __m128i sum = _mm_setzero_si128();
    add_to(sum, _mm_loadu_si128((const __m128i*)a));
    add_to(sum, _mm_loadu_si128((const __m128i*)b));
    _mm_storeu_si128((__m128i*)out, sum);
}

void chosen(int which, const uint16_t a[8], const uint16_t b[8], uint16_t out[8]) {
    __m128i x = _mm_loadu_si128((const __m128i*)a), y = _mm_loadu_si128((const __m128i*)b);
    __m128i v = pick(which, x, y);
    v = which == 3 ? _mm_add_epi16(v, x) : v;
    _mm_storeu_si128((__m128i*)out, v);
}

void swapped_lanes(uint8_t bytes[16]) {
    __m128i v = _mm_loadu_si128((__m128i*)bytes);
    v = _mm_or_si128(_mm_slli_epi16(v, 8), _mm_srli_epi16(v, 8));
    v = _mm_shuffle_epi32(v, _MM_SHUFFLE(0, 1, 2, 3));
    _mm_storeu_si128((__m128i*)bytes, v);
}

void halves_in_array(const uint8_t in[16], uint8_t out[16], int n) {
    __m128i h[2];
    split(_mm_loadu_si128((const __m128i*)in), h);
    for (int i = 0; i < n; i++) h[i & 1] = _mm_add_epi16(h[i & 1], h[(i + 1) & 1]);
    __m128i r = _mm_packus_epi16(scaled<1>(h[0]), scaled<3>(h[1]));
    _mm_storeu_si128((__m128i*)out, r);
}

int carried(const uint8_t in[96], int n) {
    __m128i total = _mm_setzero_si128(), zero = _mm_setzero_si128();
    for (int i = 0; i + 8 <= n; i += 8) {
        __m128i w = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(in + i)), zero);
        total = _mm_add_epi32(total, _mm_madd_epi16(w, w));
    }
    total = _mm_add_epi32(total, _mm_srli_si128(total, 8));
    total = _mm_add_epi32(total, _mm_srli_si128(total, 4));
    return _mm_cvtsi128_si32(total);
}

void masked_floats(const float a[4], const float b[4], float out[4]) {
    __m128 x = _mm_loadu_ps(a), y = _mm_loadu_ps(b);
    __m128 m = _mm_cmplt_ps(x, y);
    _mm_storeu_ps(out, _mm_or_ps(_mm_and_ps(m, y), _mm_andnot_ps(m, _mm_sqrt_ps(x))));
}

void rotated(uint8_t bytes[48]) {
    __m128i rows[3];
    for (int i = 0; i < 3; i++) rows[i] = _mm_loadu_si128((const __m128i*)bytes + i);
    __m128i first = rows[0];
    rows[0] = rows[1];
    rows[1] = rows[2];
    rows[2] = first;
    for (int i = 0; i < 3; i++) _mm_storeu_si128((__m128i*)bytes + i, rows[i]);
}

void uninitialised_first(const int32_t a[4], int which, int32_t out[4]) {
    __m128i v;
    if (which & 1)
        v = _mm_loadu_si128((const __m128i*)a);
    else
        v = _mm_set_epi32(which, 2, 3, 4);
    _mm_storeu_si128((__m128i*)out, _mm_add_epi32(v, v));
}

__attribute__((target("ssse3"))) static __m128i shuffled(__m128i v, __m128i k[2][2], int at) { return at ? _mm_shuffle_epi8(v, k[1][0]) : _mm_shuffle_epi8(v, k[0][1]); }

__attribute__((target("ssse3"))) void controls_in_an_array(uint8_t bytes[64], int n) {
    __m128i k[2][2];
    k[0][1] = _mm_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
    k[1][0] = _mm_set1_epi8(3);
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i*)bytes + i);
        _mm_storeu_si128((__m128i*)bytes + i, shuffled(v, k, i == (n & 3)));
    }
}

void constant_until_the_next(uint8_t bytes[64]) {
    __m128i k[2] = {_mm_set1_epi8(1), _mm_set1_epi8(2)};
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i*)bytes + i);
        _mm_storeu_si128((__m128i*)bytes + i, _mm_add_epi8(v, _mm_add_epi8(k[0], k[1])));
        k[0] = _mm_add_epi8(k[0], k[1]);
    }
}

union Bits128 {
    __m128 f;
    __m128i i;
};

void union_of_registers(const float* a, int32_t out[8]) {
    Bits128 v, w;
    v.f = _mm_loadu_ps(a);
    w = v;
    v.i = _mm_xor_si128(v.i, _mm_set1_epi32((int)0x80000000));
    w.f = _mm_mul_ps(w.f, v.f);
    _mm_storeu_si128((__m128i*)out, v.i);
    _mm_storeu_si128((__m128i*)out + 1, w.i);
}

__attribute__((target("ssse3"))) void looked_up(uint8_t bytes[64], int n) {
    const __m128i bits = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), low = _mm_set1_epi8(15);
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i*)bytes + i);
        __m128i a = _mm_shuffle_epi8(bits, _mm_and_si128(v, low));
        __m128i b = _mm_shuffle_epi8(bits, i == (n & 3) ? v : _mm_and_si128(_mm_srli_epi16(v, 4), low));
        _mm_storeu_si128((__m128i*)bytes + i, _mm_add_epi8(a, b));
    }
}

typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(16)));

void scalars_on_the_left(uint8_t bytes[64], int n) {
    uint8_t k = (uint8_t)n;
    for (int i = 0; i < 2; i++) {
        Bytes v;
        Shorts w;
        memcpy(&v, bytes + 16 * i, sizeof v);
        memcpy(&w, bytes + 32 + 16 * i, sizeof w);
        v = (3 << (v & 3)) - v + (k - v) * 5 + (7 / ((v & 3) + 1)) + (Bytes)(9 > v);
        w = (1000 - w) / ((w & 15) + 1) + (-300 >> (w & 7));
        memcpy(bytes + 16 * i, &v, sizeof v);
        memcpy(bytes + 32 + 16 * i, &w, sizeof w);
    }
}
