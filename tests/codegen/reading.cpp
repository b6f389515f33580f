#include <cstdint>
static const int16_t steps[4] = {1, -7, 300, 5};
void Mixed(uint8_t* out, const uint8_t* above, const float* weights, int width, int height, unsigned gain) {
    if (above) {
        for (int y = 0; y < height; y++)
            for (int x = 1; x < width; x++)
                out[y * width + x] =
                    (uint8_t)((1u << (above[y * width + x - 1] & 7)) * gain + (weights[x] <= 0.5f ? 3 : 250));
    } else if (gain - 1u < 12u) {
        for (int i = 0; i < width; i++) out[i] = (uint8_t)(steps[i & 3] * i);
    }
}
void Count(int* counts, const uint8_t* a, int n) {
    for (int i = 0; i < 256; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) if (a[i] != 9) counts[a[i]] += 2;
}
