// GNU's vectors: operators on registers, lanes by number, loads and stores through memcpy and through pointers.
#include <cstdint>
#include <cstring>

namespace {

typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef int16_t Shorts __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16), aligned(4)));

inline Bytes load(const uint8_t *p) {
    Bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}

inline void store(uint8_t *p, Bytes v) { memcpy(p, &v, sizeof v); }

struct Pair {
    Bytes part[2];
};

inline Pair sorted(Bytes a, Bytes b) {
    Bytes less = (Bytes)(a < b);
    Pair out = {{(a & less) | (b & ~less), (b & less) | (a & ~less)}};
    return out;
}

}  // namespace

void average_by_bits(const uint8_t *a, const uint8_t *b, uint8_t *out, int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        Bytes x = load(a + i), y = load(b + i);
        store(out + i, (x | y) - ((x ^ y) >> 1));
    }
    for (; i < count; i++) out[i] = (uint8_t)((a[i] + b[i] + 1) / 2);
}

void sort_three(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *middle, int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        Pair p = sorted(load(a + i), load(b + i));
        Pair q = sorted(p.part[1], load(c + i));
        store(middle + i, sorted(p.part[0], q.part[0]).part[1]);
    }
    for (; i < count; i++) {
        uint8_t low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        uint8_t next = high < c[i] ? high : c[i];
        middle[i] = low < next ? next : low;
    }
}

void gain_and_offset(const float *in, float *out, int count, float gain, float offset) {
    Floats by = {gain, gain, gain, gain};
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        Floats v = *(const Floats *)(in + i);
        v *= by;
        *(Floats *)(out + i) = v + offset;
    }
    for (; i < count; i++) out[i] = in[i] * gain + offset;
}

void soft_threshold(const int16_t *in, int16_t *out, int count, int16_t limit) {
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        Shorts v;
        memcpy(&v, in + i, 16);
        Shorts lower = v - limit, upper = v + limit;
        Shorts kept = (lower & (v > limit)) | (upper & (v < (int16_t)-limit));
        memcpy(out + i, &kept, 16);
    }
    for (; i < count; i++) out[i] = in[i] > limit ? in[i] - limit : in[i] < (int16_t)-limit ? in[i] + limit : 0;
}
