// Rows kept in a buffer from one row of the image to the next.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <vector>

void tent_of_rows(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::vector<int> rows(3 * width);
    int *above = rows.data(), *here = above + width, *below = here + width;
    for (int x = 1; x < width - 1; x++) {
        above[x] = src[x - 1] + 2 * src[x] + src[x + 1];
        here[x] = src[stride + x - 1] + 2 * src[stride + x] + src[stride + x + 1];
    }
    for (int y = 1; y < height - 1; y++) {
        const uint8_t* line = src + (y + 1) * stride;
        for (int x = 1; x < width - 1; x++) below[x] = line[x - 1] + 2 * line[x] + line[x + 1];
        for (int x = 1; x < width - 1; x++)
            dst[y * stride + x] = static_cast<uint8_t>((above[x] + 2 * here[x] + below[x] + 8) >> 4);
        int* free_row = above;
        above = here;
        here = below;
        below = free_row;
    }
}

void average_with_above(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    uint8_t* last = static_cast<uint8_t*>(malloc(width));
    for (int x = 0; x < width; x++) last[x] = src[x];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint8_t v = src[y * stride + x];
            dst[y * stride + x] = static_cast<uint8_t>((last[x] + v + 1) >> 1);
            last[x] = v;
        }
    }
    free(last);
}

void blend_of_two_rows(uint16_t* dst, const uint16_t* src, int width, int height) {
    std::vector<int> buffer(2 * width);
    int *previous = &buffer[0], *current = previous + width;
    for (int x = 0; x < width; x++) previous[x] = src[x] * 3;
    for (int y = 1; y < height; y++) {
        for (int x = 0; x < width; x++) current[x] = src[y * width + x] * 3;
        for (int x = 0; x < width; x++)
            dst[y * width + x] = static_cast<uint16_t>((previous[x] + current[x] + 3) / 6);
        std::swap(previous, current);
    }
}

void laplace_through_ring(int16_t* dst, const uint8_t* src, int width, int height, int stride) {
    int rows[4][2048];
    for (int r = 0; r < 2; r++)
        for (int x = 0; x < width - 1; x++) rows[r][x] = src[r * stride + x] + src[r * stride + x + 1];
    for (int y = 1; y < height - 1; y++) {
        const uint8_t* next = src + (y + 1) * stride;
        for (int x = 0; x < width - 1; x++) rows[(y + 1) & 3][x] = next[x] + next[x + 1];
        for (int x = 1; x < width - 2; x++)
            dst[y * stride + x] = static_cast<int16_t>(4 * rows[y & 3][x] - rows[y & 3][x - 1] - rows[y & 3][x + 1] -
                                                       rows[(y - 1) & 3][x] - rows[(y + 1) & 3][x]);
    }
}

namespace {
struct KeptRows {
    int *first, *second;
    explicit KeptRows(size_t width) : memory(static_cast<int*>(malloc(2 * width * sizeof(int)))) {
        first = memory;
        second = first + width;
    }
    ~KeptRows() { free(memory); }

private:
    int* memory;
};

inline int quarter(const uint8_t* row, size_t left, size_t x, size_t right) {
    return row[left] + 2 * row[x] + row[right];
}
}  // namespace

void reduce_with_memory(uint8_t* dst, const uint8_t* src, size_t columns, size_t rows, size_t dst_stride,
                        size_t src_stride) {
    assert(columns >= 1);
    KeptRows kept(columns);
    kept.first[0] = quarter(src, 0, 0, 1);
    for (size_t x = 1; x < columns; x++) kept.first[x] = quarter(src, 2 * x - 1, 2 * x, 2 * x + 1);
    for (size_t y = 0; y < rows; y++) {
        const uint8_t* even = src + 2 * y * src_stride;
        const uint8_t* odd = even + src_stride;
        uint8_t* out = dst + y * dst_stride;
        int here = quarter(even, 0, 0, 1);
        kept.second[0] = quarter(odd, 0, 0, 1);
        out[0] = static_cast<uint8_t>((kept.first[0] + 2 * here + kept.second[0] + 8) >> 4);
        kept.first[0] = kept.second[0];
        for (size_t x = 1; x < columns; x++) {
            here = quarter(even, 2 * x - 1, 2 * x, 2 * x + 1);
            int below = quarter(odd, 2 * x - 1, 2 * x, 2 * x + 1);
            out[x] = static_cast<uint8_t>((kept.first[x] + 2 * here + below + 8) >> 4);
            kept.first[x] = below;
        }
    }
}

void box_of_columns(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int radius) {
    std::vector<int> sums(width, 0);
    for (int y = 0; y < radius; y++)
        for (int x = 0; x < width; x++) sums[x] += src[y * stride + x];
    for (int y = 0; y < height; y++) {
        if (y + radius < height)
            for (int x = 0; x < width; x++) sums[x] += src[(y + radius) * stride + x];
        if (y - radius - 1 >= 0)
            for (int x = 0; x < width; x++) sums[x] -= src[(y - radius - 1) * stride + x];
        for (int x = 0; x < width; x++) dst[y * stride + x] = static_cast<uint8_t>(sums[x] / (2 * radius + 1));
    }
}

void adaptive_threshold(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int radius, int bias) {
    assert(radius >= 1 && width > radius && height > radius);
    const int length = width + 2 * (radius + 1);
    std::vector<int> buffer(2 * length);
    int *sums = buffer.data() + radius + 1, *counts = sums + length;
    for (int y = 0; y < radius; y++)
        for (int x = 0; x < width; x++) {
            sums[x] += src[y * stride + x];
            counts[x]++;
        }
    for (int y = 0; y < height; y++) {
        if (y < height - radius)
            for (int x = 0; x < width; x++) {
                sums[x] += src[(y + radius) * stride + x];
                counts[x]++;
            }
        if (y > radius)
            for (int x = 0; x < width; x++) {
                sums[x] -= src[(y - radius - 1) * stride + x];
                counts[x]--;
            }
        int sum = 0, count = 0;
        for (int x = 0; x < radius; x++) {
            sum += sums[x];
            count += counts[x];
        }
        for (int x = 0; x < width; x++) {
            sum += sums[x + radius] - sums[x - radius - 1];
            count += counts[x + radius] - counts[x - radius - 1];
            dst[y * stride + x] = (src[y * stride + x] + bias) * count > sum ? 255 : 0;
        }
    }
}

void ring_with_margins(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    const int pitch = width + 2;
    uint8_t* ring = static_cast<uint8_t*>(calloc(3 * pitch, 1));
    for (int x = 0; x < width; x++) ring[x + 1] = src[x];
    for (int y = 0; y < height - 1; y++) {
        uint8_t* next = ring + (y + 1) % 3 * pitch;
        for (int x = 0; x < width; x++) next[x + 1] = src[(y + 1) * stride + x];
        const uint8_t *row = ring + y % 3 * pitch, *above = ring + (y + 2) % 3 * pitch;
        for (int x = 0; x < width; x++) {
            uint8_t across = std::max(row[x], std::max(row[x + 1], row[x + 2]));
            dst[y * stride + x] = std::max(across, std::max(above[x + 1], next[x + 1]));
        }
    }
    free(ring);
}

void fading_trail(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    int* trail = new int[width]();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            trail[x] = trail[x] * 3 / 4 + src[y * stride + x];
            dst[y * stride + x] = static_cast<uint8_t>(std::min(trail[x] / 4, 255));
        }
    delete[] trail;
}

void motion_of_rows(int16_t* dst, const uint8_t* src, int width, int height, int stride) {
    int16_t* smoothed = new int16_t[width];
    int16_t* before = new int16_t[width];
    for (int x = 0; x < width; x++) before[x] = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            smoothed[x] = static_cast<int16_t>(src[y * stride + x] + src[y * stride + x + 1]);
        for (int x = 0; x < width; x++) dst[y * width + x] = static_cast<int16_t>(smoothed[x] - before[x]);
        int16_t* t = smoothed;
        smoothed = before;
        before = t;
    }
    delete[] smoothed;
    delete[] before;
}

void largest_of_three_rows(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    uint8_t rows[3][1024];
    int slot = 0;
    for (int x = 0; x < width; x++) rows[1][x] = rows[2][x] = src[x];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) rows[slot][x] = src[y * stride + x];
        const uint8_t *above = rows[(slot + 2) % 3], *top = rows[(slot + 1) % 3];
        for (int x = 0; x < width; x++) dst[y * stride + x] = std::max(std::max(top[x], above[x]), rows[slot][x]);
        if (++slot == 3) slot = 0;
    }
}
