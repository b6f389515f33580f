// A raw photograph to RGB: hot pixels, demosaic along the smaller difference, colour matrix, tone curve, sharpening.
// Green-red and blue-green rows alternate; the raw image has a margin of four pixels on each side.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

const int kMargin = 4;

int mean(int a, int b) { return (a + b + 1) >> 1; }

int fix_hot(const uint16_t *p, int pitch) {
    int most = std::max(std::max((int)p[-2], (int)p[2]), std::max((int)p[-2 * pitch], (int)p[2 * pitch]));
    return std::min((int)p[0], most);
}

// Green at a red or blue site.
int green_at(const int16_t *p, int pitch) {
    int across = std::abs(p[-1] - p[1]), down = std::abs(p[-pitch] - p[pitch]);
    return across < down ? mean(p[-1], p[1]) : mean(p[-pitch], p[pitch]);
}

uint8_t to_byte(int v) { return (uint8_t)std::min(std::max(v, 0), 255); }

}  // namespace

// raw: (height + 8) rows of width + 8; rgb: interleaved; width and height are even.
void camera_pipe(uint8_t *rgb, const uint16_t *raw, int width, int height, const uint8_t curve[1024]) {
    if (width < 2 || height < 2 || width % 2 != 0 || height % 2 != 0) return;
    const int pitch = width + 2 * kMargin, clean_w = width + 4, clean_h = height + 4;
    std::vector<int16_t> clean((size_t)clean_w * clean_h);
    for (int y = 0; y < clean_h; y++)
        for (int x = 0; x < clean_w; x++)
            clean[y * clean_w + x] = (int16_t)fix_hot(raw + (y + 2) * pitch + x + 2, pitch);
    std::vector<int16_t> linear((size_t)width * height * 3);
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const int16_t *p = &clean[(2 * y + 2) * clean_w + 2 * x + 2];  // green on a red row
            int16_t *q = &linear[(2 * y * width + 2 * x) * 3];
            int16_t *low = q + 3 * width;
            q[0] = (int16_t)mean(p[-1], p[1]);
            q[1] = p[0];
            q[2] = (int16_t)mean(p[-clean_w], p[clean_w]);
            q[3] = p[1];
            q[4] = (int16_t)green_at(p + 1, clean_w);
            q[5] = (int16_t)mean(mean(p[-clean_w], p[2 - clean_w]), mean(p[clean_w], p[clean_w + 2]));
            low[0] = (int16_t)mean(mean(p[-1], p[1]), mean(p[2 * clean_w - 1], p[2 * clean_w + 1]));
            low[1] = (int16_t)green_at(p + clean_w, clean_w);
            low[2] = p[clean_w];
            low[3] = (int16_t)mean(p[1], p[2 * clean_w + 1]);
            low[4] = p[clean_w + 1];
            low[5] = (int16_t)mean(p[clean_w], p[clean_w + 2]);
        }
    std::vector<uint8_t> toned((size_t)width * height * 3);
    for (int i = 0; i < width * height; i++) {
        int r = linear[3 * i], g = linear[3 * i + 1], b = linear[3 * i + 2];
        int red = (435 * r - 141 * g - 38 * b) / 256 - 8;
        int green = (-77 * r + 415 * g - 82 * b) / 256 - 6;
        int blue = (-5 * r - 184 * g + 445 * b) / 256 - 9;
        toned[3 * i] = curve[std::min(std::max(red, 0), 1023)];
        toned[3 * i + 1] = curve[std::min(std::max(green, 0), 1023)];
        toned[3 * i + 2] = curve[std::min(std::max(blue, 0), 1023)];
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) {
                int left = std::max(x - 1, 0), right = std::min(x + 1, width - 1);
                int up = std::max(y - 1, 0), low = std::min(y + 1, height - 1);
                int here = toned[(y * width + x) * 3 + c];
                int around = toned[(y * width + left) * 3 + c] + toned[(y * width + right) * 3 + c] +
                             toned[(up * width + x) * 3 + c] + toned[(low * width + x) * 3 + c];
                rgb[(y * width + x) * 3 + c] = to_byte(here + ((4 * here - around) >> 3));
            }
}
