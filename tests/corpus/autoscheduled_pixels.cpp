#include <cstdint>
#include <vector>
void Rgb(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height * 3);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint8_t* p = src + (y * width + x) * 3 + 2 - c;
                rows[(y * width + x) * 3 + c] = p[0] + p[3];
            }
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint16_t* p = &rows[(y * width + x) * 3 + c];
                dst[(y * width + x) * 3 + c] = (p[0] + p[3 * width]) / 4;
            }
}
void Planes(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++) rows[y * width + x] = src[y * width + x] + src[y * width + x + 1];
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < height - 1; y++)
            for (int x = 0; x < width - 1; x++) {
                int i = (c * height + y) * width + x;
                dst[i] = (rows[y * width + x] + rows[(y + 1) * width + x] + src[i]) / 5;
            }
}
void Pixels(uint8_t* dst, const uint8_t* src, int channels, int width, int height) {
    std::vector<uint16_t> rows(width * height * channels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < channels; c++) {
                const uint8_t* p = src + (y * width + x) * channels + channels - 1 - c;
                rows[(y * width + x) * channels + c] = p[0] + p[channels];
            }
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width - 1; x++)
            for (int c = 0; c < channels; c++)
                dst[(y * width + x) * channels + c] =
                    (rows[(y * width + x) * channels + c] + rows[((y + 1) * width + x) * channels + c]) / 4;
}
