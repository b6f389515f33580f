/* Tables of which a drop-in measures what they hold. */
#include <stdint.h>
/* As libraries have them. */
#define noinline __attribute__((noinline))
#define always_inline __attribute__((always_inline))
#define target __attribute__((target))
#define aligned __attribute__((aligned))

void remap(uint8_t *dst, const uint8_t *src, const int *place, int n) {
    for (int i = 0; i < n; i++) dst[i] = src[place[i]];
}
void remap_rows(uint8_t *dst, int pitch, const uint8_t *src, int src_pitch, const int16_t *at, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) dst[y * pitch + x] = src[at[2 * (y * w + x) + 1] * src_pitch + at[2 * (y * w + x)]];
}
void windows(uint8_t *dst, const uint8_t *src, const int *bounds, int n, int h, int pitch) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0, first = bounds[2 * x], count = bounds[2 * x + 1];
            for (int k = 0; k < count; k++) sum += src[y * pitch + first + k];
            dst[y * n + x] = sum;
        }
}
void scatter(uint16_t *dst, const uint16_t *src, const int64_t *place, int n) {
    for (int i = 0; i < n; i++) dst[place[i]] = src[i];
}
int votes(int *bins, const uint32_t *labels, int n) {
    int first = n > 0 ? (int)labels[0] : -1;
    for (int i = 0; i < n; i++) bins[labels[i]]++;
    return first;
}
