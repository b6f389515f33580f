// Interleaved pixels in several passes: channels blurred, sharpened by what all of them say, and halved, through buffers.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <vector>

void tent_rgb(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height * 3);
    for (int y = 0; y < height; y++)
        for (int x = 1; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint8_t* p = src + (y * width + x) * 3 + c;
                rows[(y * width + x) * 3 + c] = p[-3] + 2 * p[0] + p[3];
            }
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                const uint16_t* p = &rows[(y * width + x) * 3 + c];
                dst[(y * width + x) * 3 + c] = (p[-3 * width] + 2 * p[0] + p[3 * width] + 8) >> 4;
            }
}

void tent_rgba_clamped(uint8_t* dst, const uint8_t* src, int width, int height) {
    assert(width >= 1 && height >= 1);
    std::vector<uint16_t> rows(width * height * 4);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t *left = src + (y * width + std::max(x - 1, 0)) * 4, *here = src + (y * width + x) * 4,
                          *right = src + (y * width + std::min(x + 1, width - 1)) * 4;
            for (int c = 0; c < 4; c++) rows[(y * width + x) * 4 + c] = left[c] + 2 * here[c] + right[c];
        }
    for (int y = 0; y < height; y++) {
        int above = std::max(y - 1, 0), below = std::min(y + 1, height - 1);
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++)
                dst[(y * width + x) * 4 + c] = (rows[(above * width + x) * 4 + c] + 2 * rows[(y * width + x) * 4 + c] +
                                                rows[(below * width + x) * 4 + c] + 8) >> 4;
    }
}

void sharpen_by_luma(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<uint16_t> luma(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t* p = src + y * stride + 3 * x;
            luma[y * width + x] = 77 * p[0] + 150 * p[1] + 29 * p[2];
        }
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += luma[(y + j) * width + x + i];
            int detail = (9 * luma[y * width + x] - sum) / 2304;
            for (int c = 0; c < 3; c++) {
                int v = src[y * stride + 3 * x + c] + detail;
                dst[y * stride + 3 * x + c] = v < 0 ? 0 : v > 255 ? 255 : v;
            }
        }
}

void edges_of_bgr(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint8_t> grey(width * height);
    for (int i = 0; i < width * height; i++) grey[i] = (29 * src[3 * i] + 150 * src[3 * i + 1] + 77 * src[3 * i + 2]) >> 8;
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const uint8_t *p = &grey[y * width + x], *above = p - width, *below = p + width;
            int across = above[1] + 2 * p[1] + below[1] - above[-1] - 2 * p[-1] - below[-1];
            int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
            dst[y * width + x] = std::min(std::abs(across) + std::abs(down), 255);
        }
}

void halve_rgba(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint16_t> rows(width * height * 8);
    for (int y = 0; y < 2 * height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++) {
                const uint8_t* p = src + (y * 2 * width + 2 * x) * 4 + c;
                rows[(y * width + x) * 4 + c] = p[0] + p[4];
            }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 4; c++)
                dst[(y * width + x) * 4 + c] =
                    (rows[(2 * y * width + x) * 4 + c] + rows[((2 * y + 1) * width + x) * 4 + c] + 2) >> 2;
}

// Colours, not brightness, smoothed along rows.
void smooth_colours(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<int16_t> colours(2 * width);
    for (int y = 0; y < height; y++, src += stride, dst += stride) {
        for (int x = 0; x < width; x++) {
            int green = src[3 * x + 1];
            colours[2 * x] = src[3 * x] - green;
            colours[2 * x + 1] = src[3 * x + 2] - green;
        }
        for (int x = 2; x < width - 2; x++) {
            int red = 0, blue = 0;
            for (int k = -2; k <= 2; k++) {
                red += colours[2 * (x + k)];
                blue += colours[2 * (x + k) + 1];
            }
            int green = src[3 * x + 1];
            dst[3 * x] = std::clamp(green + red / 5, 0, 255);
            dst[3 * x + 1] = green;
            dst[3 * x + 2] = std::clamp(green + blue / 5, 0, 255);
        }
    }
}

// Bright pixels shine on their neighbours; alpha is kept.
void glow_rgba(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int threshold) {
    std::vector<uint8_t> bright(width * height * 3);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t* p = src + y * stride + 4 * x;
            bool is_bright = p[0] + p[1] + p[2] > threshold;
            for (int c = 0; c < 3; c++) bright[(y * width + x) * 3 + c] = is_bright ? p[c] : 0;
        }
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            for (int c = 0; c < 3; c++) {
                int sum = 0;
                for (int j = -1; j <= 1; j++)
                    for (int i = -1; i <= 1; i++) sum += bright[((y + j) * width + x + i) * 3 + c];
                dst[y * stride + 4 * x + c] = std::min(src[y * stride + 4 * x + c] + sum / 18, 255);
            }
            dst[y * stride + 4 * x + 3] = src[y * stride + 4 * x + 3];
        }
}
