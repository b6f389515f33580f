/* Memory that one line allocates for several instances of a template. */
#include <cstdint>
#include <cstdlib>

static void* Allocate(size_t size) {
    void* result = malloc(size);
    return result;
}

template <int step> void Smooth(const uint8_t* src, uint8_t* dst, size_t n) {
    uint16_t* sums = (uint16_t*)Allocate(2 * n);
    for (size_t i = 0; i < n; i++) sums[i] = src[i] * step;
    for (size_t i = 0; i < n; i++) dst[i] = sums[i] >> 3;
    free(sums);
}

void Choose(const uint8_t* src, uint8_t* dst, size_t n, int step) {
    switch (step) {
    case 1: Smooth<1>(src, dst, n); break;
    case 2: Smooth<2>(src, dst, n); break;
    case 3: Smooth<3>(src, dst, n); break;
    default: Smooth<4>(src, dst, n);
    }
}

void Both(const uint8_t* src, float* dst, size_t n) {
    uint16_t* a = (uint16_t*)Allocate(2 * n); float* b = (float*)Allocate(4 * n);
    for (size_t i = 0; i < n; i++) { a[i] = src[i] * 3; b[i] = src[i] * 0.5f; }
    for (size_t i = 0; i < n; i++) dst[i] = b[i] + a[i];
    free(a);
    free(b);
}
