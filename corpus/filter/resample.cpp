// Other sizes: integer factors, fixed-point steps, nearest and linear, by rows and by columns.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

typedef uint8_t u8;

// Half the width: pairs averaged along rows, pointers advanced by two.
void halve_width(u8* dst, const u8* src, int dst_width, int height, int dst_stride, int src_stride) {
    for (int y = 0; y < height; ++y) {
        const u8* s = src + y * src_stride;
        u8* d = dst + y * dst_stride;
        for (int x = 0; x < dst_width; ++x, s += 2) *d++ = (u8)((s[0] + s[1] + 1) >> 1);
    }
}

// A third in both directions: nine pixels averaged by loops.
void third_of_both(u8* dst, const u8* src, int width, int height, int dst_stride, int src_stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 4;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) sum += src[(3 * y + j) * src_stride + 3 * x + i];
            dst[y * dst_stride + x] = (u8)(sum / 9);
        }
}

// An integer factor of the caller: a window of factor by factor.
void shrink_by_factor(u8* dst, const u8* src, int width, int height, int dst_stride, int src_stride, int factor) {
    if (factor <= 0) return;
    const int area = factor * factor;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int sum = area / 2;
            for (int j = 0; j < factor; j++)
                for (int i = 0; i < factor; i++) sum += src[(y * factor + j) * src_stride + x * factor + i];
            dst[y * dst_stride + x] = (u8)(sum / area);
        }
    }
}

// Every second pixel of every second row: words copied.
void decimate_words(uint32_t* dst, const uint32_t* src, int width, int height, int src_pitch) {
    for (int y = 0; y < height; y++, src += 2 * src_pitch)
        for (int x = 0; x < width; x++) *dst++ = src[2 * x];
}

// Nearest neighbour by 16.16 steps: a fraction that grows along the row.
void nearest_row(u8* dst, const u8* src, int n, unsigned step) {
    unsigned position = step >> 1;
    for (int i = 0; i < n; i++) {
        dst[i] = src[position >> 16];
        position += step;
    }
}

// Nearest neighbour by a division: source coordinates computed for each pixel.
void nearest_divided(u8* dst, const u8* src, int width, int height, int src_width, int src_height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * width + x] = src[(y * src_height / height) * src_width + x * src_width / width];
}

// Linear along a row by 16.16 steps: two neighbours and a fraction of eight bits.
void linear_row(u8* dst, const u8* src, int n, int step) {
    for (int i = 0; i < n; i++) {
        const int position = i * step, f = (position >> 8) & 255;
        const u8* p = src + (position >> 16);
        dst[i] = (u8)((p[0] * (256 - f) + p[1] * f) >> 8);
    }
}

// Linear between two rows: one fraction for the whole row.
void linear_rows(u8* dst, const u8* a, const u8* b, int n, int fraction) {
    if (fraction == 0) {
        for (int i = 0; i < n; i++) dst[i] = a[i];
        return;
    }
    if (fraction == 128) {
        for (int i = 0; i < n; i++) dst[i] = (u8)((a[i] + b[i] + 1) >> 1);
        return;
    }
    for (int i = 0; i < n; i++) dst[i] = (u8)((a[i] * (256 - fraction) + b[i] * fraction + 128) >> 8);
}

// Double the width by linear interpolation: every second pixel between its neighbours.
void double_width_linear(u8* dst, const u8* src, int n) {
    for (int i = 0; i < n - 1; i++) {
        dst[2 * i] = src[i];
        dst[2 * i + 1] = (u8)((src[i] + src[i + 1] + 1) >> 1);
    }
    if (n > 0) {
        dst[2 * n - 2] = src[n - 1];
        dst[2 * n - 1] = src[n - 1];
    }
}

// Double with weights of three quarters: two outputs for each pair of inputs.
void double_width_three_quarters(u8* dst, const u8* src, int n) {
    for (int i = 0; i < n - 1; i++) {
        *dst++ = (u8)((3 * src[i] + src[i + 1] + 2) >> 2);
        *dst++ = (u8)((src[i] + 3 * src[i + 1] + 2) >> 2);
    }
}

// An integer factor of repetition: blocks of factor by factor filled.
void enlarge_by_factor(u8* dst, const u8* src, int width, int height, int factor) {
    for (int y = 0; y < height * factor; y++)
        for (int x = 0; x < width * factor; x++) dst[y * width * factor + x] = src[(y / factor) * width + x / factor];
}

// A pyramid's level: five taps by five taps, every second pixel, float.
void pyramid_down_float(float* dst, const float* src, int width, int height, int src_stride) {
    static const float k[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++) sum += k[j] * k[i] * src[(2 * y + j) * src_stride + 2 * x + i];
            dst[y * width + x] = sum;
        }
}

// Twice both ways with weights of nine, three, three and one: two rows of the result in one pass over two of the source.
void double_row_pair(u8* out, int out_pitch, const u8* upper, int pitch, int width) {
    const u8* lower = upper + pitch;
    u8* second = out + out_pitch;
    for (int x = 0; x + 1 < width; x++) {
        const int a = upper[x], b = upper[x + 1], c = lower[x], d = lower[x + 1];
        out[2 * x] = (u8)((9 * a + 3 * b + 3 * c + d + 8) >> 4);
        out[2 * x + 1] = (u8)((3 * a + 9 * b + c + 3 * d + 8) >> 4);
        second[2 * x] = (u8)((3 * a + b + 9 * c + 3 * d + 8) >> 4);
        second[2 * x + 1] = (u8)((a + 3 * b + 3 * c + 9 * d + 8) >> 4);
    }
}

// Every pixel becomes a dithered block of two by two.
void enlarge_dithered(u8* out, int out_pitch, const u8* in, int pitch, int width, int height) {
    for (int y = 0; y < height; y++, in += pitch, out += 2 * out_pitch)
        for (int x = 0; x < width; x++) {
            const u8 v = in[x];
            u8* o = out + 2 * x;
            o[0] = v > 32 ? 255 : 0;
            o[1] = v > 160 ? 255 : 0;
            o[out_pitch] = v > 224 ? 255 : 0;
            o[out_pitch + 1] = v > 96 ? 255 : 0;
        }
}

// Half the size, of odd sizes too: the last row and the last column stand for the missing ones.
void halve_rounded_up(u8* dst, const u8* src, size_t width, size_t height, size_t stride) {
    const size_t even = width & ~(size_t)1, half = (width + 1) / 2;
    for (size_t y = 0; y < height; y += 2, src += 2 * stride, dst += half) {
        const u8 *upper = src, *lower = y + 1 == height ? src : src + stride;
        u8* d = dst;
        for (size_t x = 0; x < even; x += 2) *d++ = (u8)((upper[x] + upper[x + 1] + lower[x] + lower[x + 1] + 2) >> 2);
        if (even != width) *d = (u8)((upper[even] + lower[even] + 1) >> 1);
    }
}

// Nearest neighbour between sizes of any kind: products in 64 bits, rows of their own pitch.
void nearest_wide(u8* dst, const u8* src, int width, int height, int src_width, int src_height, int pitch) {
    for (int y = 0; y < height; y++) {
        const u8* row = src + (int64_t)y * src_height / height * pitch;
        for (int x = 0; x < width; x++) *dst++ = row[(int64_t)x * src_width / width];
    }
}

// A mosaic: each block of a size that is a parameter shows its first pixel.
void pixelate(u8* dst, const u8* src, int width, int height, int stride, int block) {
    if (block < 1) return;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * stride + x] = src[y / block * block * stride + x / block * block];
}

// A pattern repeated over the image.
void tile_pattern(u8* dst, const u8* pattern, int width, int height, int size) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * width + x] = pattern[(y % size) * size + x % size];
}

// A checkered board of cells of a size that is a parameter.
void checkered(u8* dst, int width, int height, int cell, u8 light, u8 dark) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * width + x] = ((x / cell + y / cell) & 1) ? dark : light;
}

// Bilinear between sizes of any kind: whole coordinates by quotients, weights by remainders.
void linear_divided(u8* dst, const u8* src, int width, int height, int src_width, int src_height) {
    for (int y = 0; y < height; y++) {
        const int sy = y * (src_height - 1) / height, fy = y * (src_height - 1) % height;
        for (int x = 0; x < width; x++) {
            const int sx = x * (src_width - 1) / width, fx = x * (src_width - 1) % width;
            const u8* p = src + sy * src_width + sx;
            const int upper = p[0] * (width - fx) + p[1] * fx;
            const int lower = p[src_width] * (width - fx) + p[src_width + 1] * fx;
            dst[y * width + x] = (u8)(((int64_t)upper * (height - fy) + (int64_t)lower * fy) / ((int64_t)width * height));
        }
    }
}

// Every so many-th row inverted: rows in between are left alone.
void thin_out(u8* plane, const u8* src, size_t width, size_t height, size_t pitch, size_t every) {
    for (size_t y = 0; y < height; y += every, plane += every * pitch, src += every * pitch)
        for (size_t x = 0; x < width; x++) plane[x] = (u8)(255 - src[x]);
}

// A contact print: one pixel of each cell, counted through.
void pick_cells(u8* dst, const u8* src, int n, int cell) {
    int count = 0;
    for (int i = 0; i < n; i += cell) dst[count++] = src[i];
}

// Pairs of pixels joined; a last one without a neighbour is halved, at the end that the caller gives.
void join_pairs(u8* dst, size_t half, size_t out_pitch, const u8* src, size_t width, size_t height, size_t pitch) {
    assert((width + 1) / 2 == half && height > 0);
    for (size_t y = 0; y < height; y++, dst += out_pitch, src += pitch) {
        for (size_t x = 0; x < width / 2; x++) dst[x] = (u8)((src[2 * x] + src[2 * x + 1] + 1) >> 1);
        if (width & 1) dst[half - 1] = (u8)(src[width - 1] >> 1);
    }
}
