// Histogram equalisation of the luma of a planar 8-bit image, the colour differences kept.

#include <algorithm>
#include <cstdint>
#include <cstring>

static uint8_t to_byte(float v) { return (uint8_t)std::min(std::max(v, 0.0f), 255.0f); }

void histogram_equalize(uint8_t *out, const uint8_t *in, int width, int height) {
    const int n = width * height;
    if (width < 1 || height < 1) return;
    int histogram[256], cumulated[256];
    memset(histogram, 0, sizeof histogram);
    for (int i = 0; i < n; i++) {
        int luma = (77 * in[i] + 150 * in[n + i] + 29 * in[2 * n + i]) >> 8;
        histogram[luma]++;
    }
    cumulated[0] = histogram[0];
    for (int i = 1; i < 256; i++) cumulated[i] = cumulated[i - 1] + histogram[i];
    for (int i = 0; i < n; i++) {
        int r = in[i], g = in[n + i], b = in[2 * n + i];
        int luma = (77 * r + 150 * g + 29 * b) >> 8;
        float equal = cumulated[luma] * (255.0f / n);
        out[i] = to_byte(equal + (r - luma) * 0.998f);
        out[n + i] = to_byte(equal + (g - luma) * 0.991f);
        out[2 * n + i] = to_byte(equal + (b - luma) * 0.995f);
    }
}
