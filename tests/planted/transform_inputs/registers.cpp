// Stores of lanes that may not become one store, or a sum of lanes that is not one sum.
#include <smmintrin.h>
#include <cstddef>
#include <cstdint>

// The next register is read after it was stored to.
void registers_in_place(uint8_t* d, int n) {
    for (int i = 0; i + 32 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i*)(d + i));
        __m128i y = _mm_loadu_si128((const __m128i*)(d + i + 1));
        _mm_storeu_si128((__m128i*)(d + i + 1), _mm_avg_epu8(x, y));
    }
}

// Every second byte is stored.
void every_second_byte(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i v = _mm_add_epi8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_set1_epi8(3));
        uint8_t t[16];
        _mm_storeu_si128((__m128i*)t, v);
        for (int k = 0; k < 8; k++) d[i + 2 * k] = t[2 * k];
    }
}

// Pixels of four channels.
void pixels(uint8_t* d, const uint8_t* s, int n) {
    __m128i gain = _mm_setr_epi8(1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0);
    for (int i = 0; i + 4 <= n; i += 4) {
        __m128i v = _mm_loadu_si128((const __m128i*)(s + 4 * i));
        _mm_storeu_si128((__m128i*)(d + 4 * i), _mm_adds_epu8(v, gain));
    }
}

// Reversed lanes.
void reversed(uint8_t* d, const uint8_t* s, int n) {
    __m128i order = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i*)(s + i));
        _mm_storeu_si128((__m128i*)(d + i), _mm_shuffle_epi8(v, order));
    }
}

// A blend that keeps what is there, masked at the row's end.
void masked(uint8_t* d, const uint8_t* s, int n, int m) {
    __m128i mask = _mm_cmplt_epi8(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm_set1_epi8(m));
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i old = _mm_loadu_si128((const __m128i*)(d + i));
        __m128i v = _mm_loadu_si128((const __m128i*)(s + i));
        _mm_storeu_si128((__m128i*)(d + i), _mm_blendv_epi8(old, v, mask));
    }
}

// One lane is read before the last addition.
int lanes_out_of_step(const int* s, int n) {
    __m128i sum = _mm_setzero_si128();
    int first = 0;
    for (int i = 0; i + 4 <= n; i += 4) {
        first = _mm_cvtsi128_si32(sum);
        sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
    }
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return first + lanes[1] + lanes[2] + lanes[3];
}

// Sums of 16 bits that wrap.
int lanes_that_wrap(const uint8_t* s, int n) {
    __m128i sum = _mm_setzero_si128(), zero = _mm_setzero_si128();
    for (int i = 0; i + 8 <= n; i += 8) {
        __m128i v = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(s + i)), zero);
        sum = _mm_add_epi16(sum, _mm_mullo_epi16(v, v));
    }
    sum = _mm_add_epi32(_mm_unpacklo_epi16(sum, zero), _mm_unpackhi_epi16(sum, zero));
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// A lane that begins with something.
int lanes_with_a_start(const int* s, int n) {
    __m128i sum = _mm_setr_epi32(7, 1, 0, 2);
    for (int i = 0; i + 4 <= n; i += 4) sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// Three lanes of four.
int three_lanes(const int* s, int n) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i + 4 <= n; i += 4) sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2];
}

// What is added is stored to in the loop.
int lanes_of_what_is_stored(int* s, int n) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i + 4 <= n; i += 4) {
        sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
        s[i + 4] = 5;
    }
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// Bytes with one between each two.
void bytes_apart(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i v = _mm_add_epi8(_mm_loadu_si128((const __m128i*)(s + i)), _mm_set1_epi8(3));
        uint8_t t[16];
        _mm_storeu_si128((__m128i*)t, v);
        d[i] = t[0];
        d[i + 2] = t[1];
        d[i + 4] = t[2];
        d[i + 6] = t[3];
        d[i + 8] = t[4];
        d[i + 10] = t[5];
        d[i + 12] = t[6];
        d[i + 14] = t[7];
    }
}

// One lane as it was before the second loop.
int lanes_at_two_times(const int* s, int n) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i + 4 <= n; i += 4) sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + i)));
    int first = _mm_cvtsi128_si32(sum);
    for (int i = 0; i + 4 <= n; i += 4) sum = _mm_add_epi32(sum, _mm_loadu_si128((const __m128i*)(s + n + i)));
    int lanes[4];
    _mm_storeu_si128((__m128i*)lanes, sum);
    return first + lanes[1] + lanes[2] + lanes[3];
}
