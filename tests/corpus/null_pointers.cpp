#include <cstddef>
#include <cstdint>
extern "C" void split(const uint8_t* uv, size_t uvStride, size_t width, size_t height,
                      uint8_t* u, size_t uStride, uint8_t* v, size_t vStride) {
    if (u && v) {
        for (size_t y = 0; y < height; ++y, uv += uvStride, u += uStride, v += vStride)
            for (size_t x = 0; x < width; ++x) { u[x] = uv[2 * x]; v[x] = uv[2 * x + 1]; }
    } else if (u) {
        for (size_t y = 0; y < height; ++y, uv += uvStride, u += uStride)
            for (size_t x = 0; x < width; ++x) u[x] = uv[2 * x];
    }
}
