// Passes over an image that go on from what they have just written, with the borders told apart by conditions.
#include <algorithm>
#include <cstddef>
#include <cstdint>

// The sum of a row and the table's row above, which the first row lacks.
void summed_area(const uint8_t* src, uint32_t* table, int width, int height) {
    for (int y = 0; y < height; y++) {
        uint32_t row = 0;
        for (int x = 0; x < width; x++) {
            row += src[y * width + x];
            table[y * width + x] = row + (y > 0 ? table[(y - 1) * width + x] : 0);
        }
    }
}

// Left, above, less above left: each neighbour where there is one.
void summed_squares(const uint8_t* src, ptrdiff_t srcStride, int64_t* table, ptrdiff_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) {
            int64_t value = src[x] * src[x];
            if (x)
                value += table[(ptrdiff_t)x - 1];
            if (y)
                value += table[(ptrdiff_t)x - stride];
            if (x && y)
                value -= table[(ptrdiff_t)x - stride - 1];
            table[x] = value;
        }
        src += srcStride;
        table += stride;
    }
}

// City-block distances in two passes over the image, each of which looks at two neighbours.
void city_block(const uint8_t* mask, uint16_t* distance, int w, int h) {
    for (int i = 0; i < w * h; i++)
        distance[i] = mask[i] ? 0 : 0x7fff;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint16_t& d = distance[y * w + x];
            if (x > 0)
                d = std::min<uint16_t>(d, distance[y * w + x - 1] + 1);
            if (y > 0)
                d = std::min<uint16_t>(d, distance[(y - 1) * w + x] + 1);
        }
    for (int y = h - 1; y >= 0; y--)
        for (int x = w - 1; x >= 0; x--) {
            uint16_t& d = distance[y * w + x];
            if (x + 1 < w)
                d = std::min<uint16_t>(d, distance[y * w + x + 1] + 1);
            if (y + 1 < h)
                d = std::min<uint16_t>(d, distance[(y + 1) * w + x] + 1);
        }
}

// Chamfer 3-4, forwards: four neighbours of which some are outside.
void chamfer_forward(int* d, int cols, int rows, int step) {
    for (int r = 0; r < rows; r++) {
        int* p = d + r * step;
        for (int c = 0; c < cols; c++) {
            int best = p[c];
            if (c > 0 && p[c - 1] + 3 < best) best = p[c - 1] + 3;
            if (r > 0) {
                if (p[c - step] + 3 < best) best = p[c - step] + 3;
                if (c > 0 && p[c - step - 1] + 4 < best) best = p[c - step - 1] + 4;
                if (c < cols - 1 && p[c - step + 1] + 4 < best) best = p[c - step + 1] + 4;
            }
            p[c] = best;
        }
    }
}

// PNG's filter Average undone in place: the mean of the pixels to the left and above, where there are any.
void unfilter_average(uint8_t* image, int width, int height, int stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int left = x > 0 ? image[y * stride + x - 1] : 0;
            int above = y > 0 ? image[(y - 1) * stride + x] : 0;
            image[y * stride + x] += (left + above) / 2;
        }
}

// The best sum of a path from the top, with the three pixels above (seam carving).
void seam_energy(const uint8_t* cost, uint32_t* total, int w, int h) {
    for (int x = 0; x < w; x++) total[x] = cost[x];
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint32_t best = total[(y - 1) * w + x];
            if (x > 0) best = std::min(best, total[(y - 1) * w + x - 1]);
            if (x < w - 1) best = std::min(best, total[(y - 1) * w + x + 1]);
            total[y * w + x] = cost[y * w + x] + best;
        }
}

// Holes of one pixel in a mask filled on the way, from what has been filled before.
void spread_mask(uint8_t* mask, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (!mask[y * w + x] && ((x > 0 && mask[y * w + x - 1]) || (y > 0 && mask[(y - 1) * w + x])))
                mask[y * w + x] = 255;
}

// A recursive filter of third order there and back, its taps in a loop (Young and van Vliet).
void recursive_gauss(double* line, const float* src, const double* taps, int n) {
    for (int i = 3; i < n; i++) {
        line[i] = taps[0] * src[i];
        for (int j = 1; j < 4; j++) line[i] += taps[j] * line[i - j];
    }
    for (int i = n - 4; i >= 0; i--) {
        line[i] *= taps[0];
        for (int j = 1; j < 4; j++) line[i] += taps[j] * line[i + j];
    }
}
