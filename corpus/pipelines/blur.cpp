// Two-stage 3x3 box blur of 16-bit images, the rows blurred into a buffer of their own first.

#include <cstddef>
#include <cstdint>
#include <vector>

void blur_two_stage(uint16_t *out, int out_pitch, const uint16_t *in, int in_pitch, int width, int height) {
    if (width < 1 || height < 1) return;
    std::vector<uint16_t> rows((size_t)width * (height + 2));
    for (int y = 0; y < height + 2; y++)
        for (int x = 0; x < width; x++) {
            const uint16_t *p = in + y * in_pitch + x;
            rows[y * width + x] = (uint16_t)((p[0] + p[1] + p[2]) / 3);
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint16_t *p = &rows[y * width + x];
            out[y * out_pitch + x] = (uint16_t)((p[0] + p[width] + p[2 * width]) / 3);
        }
}
