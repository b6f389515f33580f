#include <cstdint>
#include <vector>
void Column(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (src[(y - 1) * stride + x] + src[y * stride + x] + src[(y + 1) * stride + x]) / 3;
}
void Separable(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) rows[y * width + x] = src[y * stride + x] + 2 * src[y * stride + x + 1];
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (rows[y * width + x] + rows[(y + 1) * width + x]) / 6;
}
void Tripled(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) rows[y * width + x] = 3 * src[y * stride + x];
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width; x++)
            dst[y * stride + x] = (rows[y * width + x] + rows[(y + 1) * width + x]) / 6;
}
