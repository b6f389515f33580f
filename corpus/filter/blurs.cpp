// Blurs as they were written from 1995 to 2010: windows, separable passes, running sums, ring buffers of rows.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned char byte;

static inline int at_edge(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

// Box of five columns: a row at a time, the window written out.
void box5_row(byte* dst, const byte* src, int n) {
    for (int x = 2; x < n - 2; x++) dst[x] = (byte)((src[x - 2] + src[x - 1] + src[x] + src[x + 1] + src[x + 2]) / 5);
}

// Box of a radius along rows: a loop over the window, no running sum.
void box_row_radius(byte* dst, const byte* src, int width, int height, int stride, int radius) {
    const int size = 2 * radius + 1;
    for (int y = 0; y < height; y++) {
        for (int x = radius; x < width - radius; x++) {
            int sum = 0;
            for (int k = -radius; k <= radius; k++) sum += src[y * stride + x + k];
            dst[y * stride + x] = (byte)(sum / size);
        }
    }
}

// Box of a radius by a running sum: one value enters and one leaves the window.
void box_running_row(byte* dst, const byte* src, int n, int radius) {
    const int size = 2 * radius + 1;
    int sum = 0;
    for (int k = 0; k < size; k++) sum += src[k];
    for (int x = radius; x < n - radius - 1; x++) {
        dst[x] = (byte)(sum / size);
        sum += src[x + radius + 1] - src[x - radius];
    }
}

// Box of three rows by column sums: a row of sums kept up to date.
void box3_column_sums(byte* dst, const byte* src, int width, int height, int stride) {
    int* sums = new int[width];
    for (int x = 0; x < width; x++) sums[x] = src[x] + src[stride + x] + src[2 * stride + x];
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) dst[y * stride + x] = (byte)((sums[x - 1] + sums[x] + sums[x + 1]) / 9);
        if (y + 2 < height)
            for (int x = 0; x < width; x++) sums[x] += src[(y + 2) * stride + x] - src[(y - 1) * stride + x];
    }
    delete[] sums;
}

// Gaussian of three taps in two passes: a temporary of words, borders left out.
void gauss3_separable(byte* dst, const byte* src, int width, int height, int stride) {
    uint16_t* temp = (uint16_t*)malloc(width * height * sizeof(uint16_t));
    if (!temp) return;
    for (int y = 0; y < height; y++)
        for (int x = 1; x < width - 1; x++)
            temp[y * width + x] = src[y * stride + x - 1] + 2 * src[y * stride + x] + src[y * stride + x + 1];
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            dst[y * stride + x] =
                (byte)((temp[(y - 1) * width + x] + 2 * temp[y * width + x] + temp[(y + 1) * width + x] + 8) >> 4);
    free(temp);
}

// Gaussian of three by three through a row of sums: one row of a temporary, filled for each row.
void gauss3_row_buffer(byte* dst, const byte* src, int width, int height, int stride) {
    std::vector<int> row(width);
    for (int y = 1; y < height - 1; y++) {
        const byte* p = src + y * stride;
        for (int x = 0; x < width; x++) row[x] = p[x - stride] + 2 * p[x] + p[x + stride];
        for (int x = 1; x < width - 1; x++) dst[y * stride + x] = (byte)((row[x - 1] + 2 * row[x] + row[x + 1]) >> 4);
    }
}

// Gaussian of three by three with a ring of three rows: indices modulo three.
void gauss3_ring(byte* dst, const byte* src, int width, int height, int stride) {
    int* ring = new int[3 * width];
    for (int y = 0; y < height; y++) {
        int* row = ring + (y % 3) * width;
        for (int x = 1; x < width - 1; x++) row[x] = src[y * stride + x - 1] + 2 * src[y * stride + x] + src[y * stride + x + 1];
        if (y >= 2) {
            const int* a = ring + ((y - 2) % 3) * width;
            const int* b = ring + ((y - 1) % 3) * width;
            for (int x = 1; x < width - 1; x++) dst[(y - 1) * stride + x] = (byte)((a[x] + 2 * b[x] + row[x] + 8) >> 4);
        }
    }
    delete[] ring;
}

// Gaussian of five taps down columns: clamped rows through five pointers.
void gauss5_columns(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        const byte* m2 = src + at_edge(y - 2, height) * stride;
        const byte* m1 = src + at_edge(y - 1, height) * stride;
        const byte* p0 = src + y * stride;
        const byte* p1 = src + at_edge(y + 1, height) * stride;
        const byte* p2 = src + at_edge(y + 2, height) * stride;
        for (int x = 0; x < width; x++) dst[y * stride + x] = (byte)((m2[x] + 4 * m1[x] + 6 * p0[x] + 4 * p1[x] + p2[x] + 8) >> 4);
    }
}

// Tent of floats with wrapped borders: indices brought back by the image's width.
void tent_wrapped(float* dst, const float* src, int n) {
    for (int i = 0; i < n; i++) {
        const int left = i == 0 ? n - 1 : i - 1;
        const int right = i == n - 1 ? 0 : i + 1;
        dst[i] = 0.25f * src[left] + 0.5f * src[i] + 0.25f * src[right];
    }
}

// Box of two by two floats: the average with the neighbours to the right and below.
void box2_float(float* dst, const float* src, int width, int height) {
    for (int y = 0; y < height - 1; y++) {
        const float* p = src + y * width;
        const float* q = p + width;
        float* d = dst + y * width;
        for (int x = 0; x < width - 1; x++, p++, q++) *d++ = 0.25f * (p[0] + p[1] + q[0] + q[1]);
    }
}

// Blur of RGB in place along rows: the previous pixel kept in three variables.
void smear_rgb(byte* rgb, int n) {
    int r = 0, g = 0, b = 0;
    for (int i = 0; i < n; i++) {
        r = (r * 3 + rgb[3 * i]) >> 2;
        g = (g * 3 + rgb[3 * i + 1]) >> 2;
        b = (b * 3 + rgb[3 * i + 2]) >> 2;
        rgb[3 * i] = (byte)r;
        rgb[3 * i + 1] = (byte)g;
        rgb[3 * i + 2] = (byte)b;
    }
}

// Motion blur along the diagonal: taps at growing rows and columns.
void motion_diagonal(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 0; y < height - 4; y++)
        for (int x = 0; x < width - 4; x++) {
            int sum = 0;
            for (int k = 0; k < 5; k++) sum += src[(y + k) * stride + x + k];
            dst[y * stride + x] = (byte)(sum / 5);
        }
}

// Gaussian by the caller's table of weights: a separable pass, 16.16 fixed point.
void weighted_row(byte* dst, const byte* src, const int* weights, int taps, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int sum = 1 << 15;
            for (int k = 0; k < taps; ++k) sum += weights[k] * src[y * stride + x + k];
            dst[y * stride + x] = (byte)(sum >> 16);
        }
    }
}

// Two passes of a box in place: a temporary plane written and read back.
void box_twice(byte* image, int width, int height) {
    byte* temp = new byte[width * height];
    for (int y = 0; y < height; y++)
        for (int x = 1; x < width - 1; x++)
            temp[y * width + x] = (byte)((image[y * width + x - 1] + image[y * width + x] + image[y * width + x + 1]) / 3);
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            image[y * width + x] =
                (byte)((temp[(y - 1) * width + x] + temp[y * width + x] + temp[(y + 1) * width + x]) / 3);
    delete[] temp;
}

// Sharpening by a constant kernel in a table: nine weights in an array of three by three.
void sharpen_table(byte* dst, const byte* src, int width, int height, int stride) {
    static const int kernel[3][3] = {{0, -1, 0}, {-1, 8, -1}, {0, -1, 0}};
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) sum += kernel[j][i] * src[(y + j - 1) * stride + x + i - 1];
            sum /= 4;
            dst[y * stride + x] = (byte)std::min(std::max(sum, 0), 255);
        }
}

// Emboss: two opposite neighbours and a bias.
void emboss(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++) {
        const byte* up = src + (y - 1) * stride + 1;
        const byte* down = src + (y + 1) * stride + 1;
        byte* out = dst + y * stride + 1;
        for (int n = width - 2; n > 0; n--, up++, down++) {
            int v = 128 + up[-1] - down[1];
            *out++ = (byte)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
    }
}
