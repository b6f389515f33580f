// Ranks by sorting what a window holds, and other algorithms of the library.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

// The median of 3x3 by exchanges.
void median_by_exchanges(const uint8_t* src, uint8_t* dst, int width, int height) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            uint8_t v[9];
            int k = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) v[k++] = src[(y + j) * width + x + i];
            for (int i = 0; i < 5; i++)
                for (int j = i + 1; j < 9; j++)
                    if (v[j] < v[i]) {
                        uint8_t t = v[i];
                        v[i] = v[j];
                        v[j] = t;
                    }
            dst[y * width + x] = v[4];
        }
}

// The same by the library.
void median_by_sort(const uint8_t* src, uint8_t* dst, int width, int height) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            uint8_t v[9];
            int k = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) v[k++] = src[(y + j) * width + x + i];
            std::sort(v, v + 9);
            dst[y * width + x] = v[4];
        }
}

// Only the median is put in its place.
void median_by_nth(const uint16_t* src, uint16_t* dst, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            uint16_t v[5] = {src[y * stride + x], src[y * stride + x - 1], src[y * stride + x + 1],
                             src[(y - 1) * stride + x], src[(y + 1) * stride + x]};
            std::nth_element(v, v + 2, v + 5);
            dst[y * stride + x] = v[2];
        }
}

// Bubbles rise in a row of five.
void median_of_row(const int16_t* src, int16_t* dst, int n) {
    for (int x = 2; x < n - 2; x++) {
        int v[5];
        for (int k = 0; k < 5; k++) v[k] = src[x + k - 2];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4 - i; j++)
                if (v[j] > v[j + 1]) std::swap(v[j], v[j + 1]);
        dst[x] = (int16_t)v[2];
    }
}

// The mean without the extremes.
void trimmed_mean(const uint8_t* src, uint8_t* dst, int n) {
    for (int x = 2; x < n - 2; x++) {
        int v[5];
        for (int k = 0; k < 5; k++) v[k] = src[x + k - 2];
        std::sort(v, v + 5);
        dst[x] = (uint8_t)((v[1] + v[2] + v[3]) / 3);
    }
}

// Rows turned round, each in its own memory.
void mirror_rows(uint32_t* image, int width, int height, int stride) {
    for (int y = 0; y < height; y++) std::reverse(image + y * stride, image + y * stride + width);
}

// The mean of each row.
void row_means(const uint8_t* src, double* means, int width, int height) {
    for (int y = 0; y < height; y++)
        means[y] = std::accumulate(src + y * width, src + y * width + width, 0) / (double)width;
}

// A table of square steps.
void ramp_of_steps(int* table, int n, int first) {
    std::iota(table, table + n, first);
}
