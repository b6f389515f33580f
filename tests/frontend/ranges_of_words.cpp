// Ranges of words of which other statements see the bytes: they are so many elements, not so many bytes.
#include <algorithm>
#include <cstdint>
#include <numeric>

static inline void in_bytes(uint32_t *out, const uint32_t *in, int n) {
    for (int i = 0; i < 4 * n; i++) ((uint8_t *)out)[i] = ((const uint8_t *)in)[i] + 1;
}

void copied(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    else std::copy(in, in + n, out);
}

void copied_later(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    else if (n > 3) std::copy(in + 3, in + n, out + 1);
}

void filled(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    else std::fill(out, out + n, in[0]);
}

uint32_t added(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    return mode ? 0 : std::accumulate(in, in + n, 5u);
}

void turned(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    else std::reverse(out, out + n);
}

void counted(uint32_t *out, const uint32_t *in, int n, int mode) {
    if (mode) in_bytes(out, in, n);
    else std::iota(out, out + n, 7u);
}
