// Sums, extremes, histograms, scans, integral images, recursive filters: what is carried from pixel to pixel.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// An integral image with a row and a column of zeros: a sum along the row and the row above.
void integral_image(uint32_t* sums, const uint8_t* src, int width, int height, int stride) {
    const int pitch = width + 1;
    for (int x = 0; x <= width; x++) sums[x] = 0;
    for (int y = 0; y < height; y++) {
        uint32_t row = 0;
        sums[(y + 1) * pitch] = 0;
        for (int x = 0; x < width; x++) {
            row += src[y * stride + x];
            sums[(y + 1) * pitch + x + 1] = sums[y * pitch + x + 1] + row;
        }
    }
}

// A box from an integral image: four corners for each pixel.
void box_from_integral(uint8_t* dst, const uint32_t* sums, int width, int height, int pitch, int size) {
    const uint32_t area = size * size > 0 ? size * size : 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t total = sums[(y + size) * pitch + x + size] - sums[y * pitch + x + size] - sums[(y + size) * pitch + x] +
                             sums[y * pitch + x];
            dst[y * width + x] = (uint8_t)(total / area);
        }
}

// A histogram of luma from RGB: three bytes to one of 256 counts.
void luma_histogram(uint32_t* hist, const uint8_t* rgb, int n) {
    for (int i = 0; i < 256; i++) hist[i] = 0;
    for (int i = 0; i < n; i++) hist[(rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8]++;
}

// A histogram of 64 bins from words, counts kept: values shifted down.
void coarse_histogram16(int* hist, const uint16_t* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++, src += stride)
        for (int x = 0; x < width; x++) ++hist[src[x] >> 10];
}

// Three histograms at once: channels counted apart in one table.
void rgb_histograms(uint32_t* hist, const uint8_t* rgb, int n) {
    memset(hist, 0, 3 * 256 * sizeof(*hist));
    while (n-- > 0) {
        hist[*rgb++]++;
        hist[256 + *rgb++]++;
        hist[512 + *rgb++]++;
    }
}

// Levels from two points: a table computed first, then looked up.
void stretch_levels(uint8_t* image, int n, int low, int high) {
    uint8_t table[256];
    const int span = high > low ? high - low : 1;
    for (int i = 0; i < 256; i++) {
        int v = (i - low) * 255 / span;
        table[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
    for (int i = 0; i < n; i++) image[i] = table[image[i]];
}

// Mean of a plane: a sum of 64 bits and a division at the end.
int mean_of_plane(const uint8_t* src, int width, int height, int stride) {
    uint64_t sum = 0;
    const int count = width * height;
    if (count <= 0) return 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) sum += src[y * stride + x];
    return (int)(sum / count);
}

// Sum and sum of squares: two accumulators stored at the end.
void moments(const uint8_t* src, int n, uint64_t* sum, uint64_t* squares) {
    uint64_t s = 0, q = 0;
    for (int i = 0; i < n; i++) {
        s += src[i];
        q += (uint64_t)src[i] * src[i];
    }
    *sum = s;
    *squares = q;
}

// Sum of squares of floats: a recurrence in strict order.
float energy(const float* src, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += src[i] * src[i];
    return sum;
}

// Product of two planes as a dot product: 16 bits into 64.
int64_t correlate16(const int16_t* a, const int16_t* b, int n) {
    int64_t sum = 0;
    while (n > 0) {
        sum += *a++ * *b++;
        --n;
    }
    return sum;
}

// Whether two images are equal: a flag combined over all pixels.
bool equal_planes(const uint8_t* a, const uint8_t* b, int n) {
    bool same = true;
    for (int i = 0; i < n; i++) same &= a[i] == b[i];
    return same;
}

// Whether a row holds a value: a return out of the loop.
int find_value(const uint8_t* row, int n, uint8_t value) {
    for (int i = 0; i < n; i++)
        if (row[i] == value) return i;
    return -1;
}

// The largest difference of two planes: a running maximum.
int largest_difference(const uint8_t* a, const uint8_t* b, int width, int height, int stride) {
    int worst = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int d = abs(a[y * stride + x] - b[y * stride + x]);
            worst = d > worst ? d : worst;
        }
    }
    return worst;
}

// Count of set bits in a one-bit image: eight tests a byte by a loop.
int count_bits(const uint8_t* bits, int n) {
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) count += (bits[i] >> k) & 1;
    return count;
}

// A recursive low-pass along rows, forward only: state in fixed point.
void lowpass_rows(uint8_t* image, int width, int height, int stride, int weight) {
    for (int y = 0; y < height; y++) {
        int state = 0;
        for (int x = 0; x < width; x++) {
            state += ((image[y * stride + x] << 8) - state) * weight >> 8;
            image[y * stride + x] = (uint8_t)(state >> 8);
        }
    }
}

// A recursive low-pass forward and backward: two passes over a float row.
void lowpass_both_ways(float* row, int n, float a) {
    for (int i = 1; i < n; i++) row[i] = a * row[i] + (1.0f - a) * row[i - 1];
    for (int i = n - 2; i >= 0; i--) row[i] = a * row[i] + (1.0f - a) * row[i + 1];
}

// A recursive filter down columns: each row from the row above.
void lowpass_columns(float* image, int width, int height, float a) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] = a * image[y * width + x] + (1.0f - a) * image[(y - 1) * width + x];
}

// A recursive filter of second order: two former outputs.
void second_order(float* dst, const float* src, int n, float a, float b) {
    for (int i = 2; i < n; i++) dst[i] = src[i] + a * dst[i - 1] + b * dst[i - 2];
}

// Prefix sums down columns: a plane of sums in place.
void column_scan(uint32_t* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] += image[(y - 1) * width + x];
}

// Run lengths: the distance from the last set pixel to the left.
void distance_from_left(uint8_t* dst, const uint8_t* src, int n) {
    int d = 255;
    for (int i = 0; i < n; i++) {
        d = src[i] ? 0 : d < 255 ? d + 1 : 255;
        dst[i] = (uint8_t)d;
    }
}

// Error diffusion along a row: what thresholding loses goes to the next pixel.
void diffuse_row(uint8_t* dst, const uint8_t* src, int n) {
    int error = 0;
    for (int i = 0; i < n; i++) {
        const int v = src[i] + error;
        const int out = v > 127 ? 255 : 0;
        error = v - out;
        dst[i] = (uint8_t)out;
    }
}

// The profile of rows and of columns at once: two arrays of sums in one pass.
void profiles(int* rows, int* cols, const uint8_t* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++) rows[y] = 0;
    for (int x = 0; x < width; x++) cols[x] = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            rows[y] += src[y * stride + x];
            cols[x] += src[y * stride + x];
        }
}

// Root mean square: a square root of a float sum.
float root_mean_square(const float* src, int n) {
    float sum = 0.0f;
    if (n <= 0) return 0.0f;
    for (int i = 0; i < n; i++) sum += src[i] * src[i];
    return std::sqrt(sum / (float)n);
}
