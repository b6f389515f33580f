// Windows that are cut to the image: what lies outside is left out, not repeated.
#include <algorithm>
#include <cstddef>
#include <cstdint>

// The mean of those of 3x3 pixels that there are.
void mean_of_present(uint8_t* out, const uint8_t* in, int width, int height) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int sum = 0, count = 0;
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const int yy = y + dy, xx = x + dx;
                    if (yy < 0 || yy >= height || xx < 0 || xx >= width) continue;
                    sum += in[yy * width + xx];
                    ++count;
                }
            }
            out[y * width + x] = (uint8_t)(sum / count);
        }
    }
}

// The same with bounds of loops.
void mean_in_bounds(uint8_t* out, const uint8_t* in, int width, int height) {
    for (int y = 0; y < height; ++y) {
        const int top = std::max(y - 1, 0), bottom = std::min(y + 1, height - 1);
        for (int x = 0; x < width; ++x) {
            const int left = std::max(x - 1, 0), right = std::min(x + 1, width - 1);
            int sum = 0, count = 0;
            for (int j = top; j <= bottom; ++j)
                for (int i = left; i <= right; ++i) {
                    sum += in[j * width + i];
                    ++count;
                }
            out[y * width + x] = (uint8_t)(sum / count);
        }
    }
}

// A tent whose weights are those of the pixels that there are.
static const int kTent[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

void tent_of_present(uint8_t* out, const uint8_t* in, int width, int height) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int sum = 0, weights = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width) {
                        sum += kTent[dy + 1][dx + 1] * in[(y + dy) * width + x + dx];
                        weights += kTent[dy + 1][dx + 1];
                    }
            out[y * width + x] = (uint8_t)((sum + weights / 2) / weights);
        }
}

// The mean of the pixel and its four neighbours, where there are.
void cross_of_present(uint8_t* out, const uint8_t* in, int width, int height, int stride) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const uint8_t* p = in + y * stride + x;
            int sum = *p, count = 1;
            if (x > 0) { sum += p[-1]; ++count; }
            if (x < width - 1) { sum += p[1]; ++count; }
            if (y > 0) { sum += p[-stride]; ++count; }
            if (y < height - 1) { sum += p[stride]; ++count; }
            out[y * stride + x] = (uint8_t)(sum / count);
        }
}

// The smallest of five in a row, by a loop with clamped ends.
void erode_row(uint8_t* out, const uint8_t* in, int count) {
    for (int x = 0; x < count; ++x) {
        uint8_t least = 255;
        for (int i = std::max(0, x - 2); i <= std::min(count - 1, x + 2); ++i) least = std::min(least, in[i]);
        out[x] = least;
    }
}

// How many of a pixel's eight neighbours are brighter than it is.
void rank_among_neighbours(uint8_t* out, const uint8_t* in, int width, int height) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int brighter = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width) continue;
                    if (in[(y + dy) * width + x + dx] > in[y * width + x]) ++brighter;
                }
            out[y * width + x] = (uint8_t)brighter;
        }
}

// The mean of the neighbours that are about as bright.
void sigma_filter(uint8_t* out, const uint8_t* in, int width, int height, int range) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int centre = in[y * width + x];
            int sum = 0, count = 1;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    const int yy = y + dy, xx = x + dx;
                    if (yy < 0 || xx < 0 || yy >= height || xx >= width) continue;
                    const int value = in[yy * width + xx], apart = value - centre;
                    if (apart <= range && -apart <= range) {
                        sum += value;
                        ++count;
                    }
                }
            out[y * width + x] = (uint8_t)(sum / count);
        }
}

// The mean of what a window of the caller's radius finds.
void mean_of_radius(const uint8_t* src, uint8_t* dst, int n, int radius) {
    for (int x = 0; x < n; x++) {
        int sum = 0, count = 0;
        for (int i = std::max(0, x - radius); i <= std::min(n - 1, x + radius); i++) {
            sum += src[i];
            count++;
        }
        dst[x] = (uint8_t)(sum / count);
    }
}

// The largest within a square of the caller's radius.
void dilate_radius(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int width, int height, int radius) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int top = y > radius ? y - radius : 0, bottom = std::min(height, y + radius + 1);
            int left = x > radius ? x - radius : 0, right = std::min(width, x + radius + 1);
            uint8_t most = 0;
            for (int j = top; j < bottom; j++)
                for (int i = left; i < right; i++) most = std::max(most, src[j * srcStride + i]);
            dst[y * dstStride + x] = most;
        }
}

// The mean of each block; the last ones are smaller.
void block_averages(const uint8_t* src, uint8_t* means, int width, int height, int block) {
    int across = (width + block - 1) / block, down = (height + block - 1) / block;
    for (int v = 0; v < down; v++)
        for (int u = 0; u < across; u++) {
            int sum = 0, count = 0;
            for (int y = v * block; y < std::min(v * block + block, height); y++)
                for (int x = u * block; x < std::min(u * block + block, width); x++) {
                    sum += src[y * width + x];
                    count++;
                }
            means[v * across + u] = (uint8_t)(sum / count);
        }
}
