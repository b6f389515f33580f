// C++ as image libraries have it: rows at distances in bytes, memory of several types, indices that a choice keeps
// from wrapping, pointers that are one or the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

void doubled_rows(const void* from, ptrdiff_t from_bytes, void* to, ptrdiff_t to_bytes, unsigned wide, unsigned high) {
    for (unsigned y = 0; y < high; ++y) {
        auto s = (const float*)((const unsigned char*)from + (ptrdiff_t)y * from_bytes);
        auto d = (float*)((unsigned char*)to + (ptrdiff_t)y * to_bytes);
        for (unsigned x = 0; x < wide; ++x) d[x] = s[x] * 2.0f;
    }
}

void levels_of_bytes(uint8_t* to, const uint8_t* from, int n) {
    for (int i = 0; i < n; i++, from += 4) {
        float v;
        memcpy(&v, from, 4);
        to[i] = v > 1.0f ? 255 : v > 0.0f ? (uint8_t)(v * 255.0f) : 0;
    }
}

union Shade {
    float value;
    uint32_t bits;
};
void without_sign(Shade* to, const Shade* from, int n) {
    for (int i = 0; i < n; i++) to[i].bits = from[i].bits & 0x7fffffffu;
}

union Measured {
    struct { unsigned least, most; } whole;
    struct { float least, most; } real;
};
void measure(Measured* to, const uint8_t* from, int n) {
    unsigned most = 0;
    for (int i = 0; i < n; i++) most = std::max<unsigned>(most, from[i]);
    to->whole.most = most;
}

void from_row_above(const uint8_t* from, ptrdiff_t pitch, uint8_t* to, ptrdiff_t to_pitch, unsigned wide, unsigned high) {
    for (unsigned y = 0; y < high; ++y) {
        unsigned up = y == 0 ? 0 : y - 1;
        for (unsigned x = 0; x < wide; ++x) to[y * to_pitch + x] = from[up * pitch + x];
    }
}

void one_row_or_other(const uint8_t* first, const uint8_t* second, uint8_t* to, int n, int more, bool other) {
    const uint8_t* row = other ? second : first;
    for (int i = 0; i < n; i++) to[i] = row[i] + more;
}

void pad_to_left(uint8_t*& plane, const int32_t& stride) {
    uint8_t* row = plane;
    for (int y = 0; y < 16; y++) {
        for (int k = 0; k < 8; k++) row[-1 - k] = row[0];
        row += stride;
    }
}

template <class T> struct Twice { static T of(T v) { return v + v; } };
template <class T, template <class> class Op> struct RowOf : Op<T> {
    static void run(const T* s, T* d, int n) {
        for (int i = 0; i < n; i++) d[i] = RowOf::of(s[i]);
    }
};
void twice_words(const uint16_t* from, uint16_t* to, int n) { RowOf<uint16_t, Twice>::run(from, to, n); }

void twice_as_wide(const unsigned char* from, unsigned char* to, int n) {
    for (int i = 0; i < 2 * n; i++) {
        int a = i / 2, b = a + 1;
        if (b >= n) b = n - 1;
        to[i] = (unsigned char)((from[a] + from[b]) >> 1);
    }
}

void leading_zeros(const uint32_t* from, uint8_t* to, int n) {
    for (int i = 0; i < n; i++) to[i] = (uint8_t)(31 - __builtin_clz(from[i] | 1));
}
