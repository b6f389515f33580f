// Results that are added up where they are stored: a start, a loop that adds, and what is done with the sum.

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <vector>

void correlate(float* dst, const float* signal, const float* kernel, int n, int taps) {
    for (int i = 0; i < n; i++) {
        dst[i] = 0.0f;
        for (int k = 0; k < taps; k++) dst[i] += signal[i + k] * kernel[k];
    }
}

void block_means(float* means, const uint8_t* src, int columns, int rows, int stride) {
    for (int by = 0; by < rows; by++) {
        for (int bx = 0; bx < columns; bx++) {
            float* mean = means + by * columns + bx;
            *mean = 0;
            for (int y = 0; y < 8; y++) {
                const uint8_t* line = src + (by * 8 + y) * stride + bx * 8;
                for (int x = 0; x < 8; x++) *mean += line[x];
            }
            *mean *= 1.0f / 64;
        }
    }
}

void row_profile(uint32_t* total, uint8_t* mean, const uint8_t* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        total[y] = 0;
        for (int x = 0; x < width; x++) total[y] += src[y * stride + x];
        mean[y] = static_cast<uint8_t>(total[y] / width);
    }
}

void row_histograms(uint32_t* bins, const uint8_t* src, int width, int height) {
    for (int y = 0; y < height; y++, bins += 64, src += width) {
        for (int b = 0; b < 64; b++) bins[b] = 0;
        for (int x = 0; x < width; x++) bins[src[x] >> 2]++;
    }
}

void row_moments(int64_t* moments, const uint8_t* src, int width, int height) {
    for (int y = 0; y < height; y++) {
        int64_t* m = &moments[3 * y];
        m[0] = m[1] = m[2] = 0;
        for (int x = 0; x < width; x++) {
            m[0] += src[y * width + x];
            m[1] += static_cast<int64_t>(src[y * width + x]) * x;
            m[2] += static_cast<int64_t>(src[y * width + x]) * x * x;
        }
    }
}

void brightest_of_rows(uint16_t* peak, const uint16_t* src, int width, int height) {
    for (int y = 0; y < height; y++) {
        peak[y] = src[y * width];
        for (int x = 1; x < width; x++)
            if (src[y * width + x] > peak[y]) peak[y] = src[y * width + x];
    }
}

void smooth_both_ways(float* dst, const float* src, int width, int height, float keep) {
    for (int y = 0; y < height; y++) {
        float* d = dst + y * width;
        const float* s = src + y * width;
        d[0] = s[0];
        for (int x = 1; x < width; x++) d[x] = s[x] + keep * (d[x - 1] - s[x]);
        for (int x = width - 2; x >= 0; x--) d[x] = d[x] + keep * (d[x + 1] - d[x]);
    }
}

void integral_with_frame(uint32_t* sum, const uint8_t* src, int width, int height) {
    const int pitch = width + 1;
    for (int x = 0; x <= width; x++) sum[x] = 0;
    for (int y = 1; y <= height; y++) {
        uint32_t row = 0;
        sum[y * pitch] = 0;
        for (int x = 1; x <= width; x++) {
            row += src[(y - 1) * width + x - 1];
            sum[y * pitch + x] = sum[(y - 1) * pitch + x] + row;
        }
    }
}

void fade_into_mirror(uint8_t* dst, const uint8_t* src, int width, int height) {
    std::vector<uint8_t> dim(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dim[y * width + x] = src[y * width + x] / 4;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            dst[y * width + x] =
                static_cast<uint8_t>(src[y * width + x] - src[y * width + x] / 4 + dim[y * width + width - 1 - x]);
}

// Four sums beside each other, and what is left added to the first of them.
static float dot(const float* a, const float* b, int count) {
    float sums[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        sums[0] += a[i] * b[i];
        sums[1] += a[i + 1] * b[i + 1];
        sums[2] += a[i + 2] * b[i + 2];
        sums[3] += a[i + 3] * b[i + 3];
    }
    for (; i < count; i++) sums[0] += a[i] * b[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// How an image agrees with another one that is moved by up to two rows and columns.
void correlate_shifts(float* scores, const float* image, int image_stride, const float* other, int other_stride,
                      int width, int height) {
    for (int y = 0; y < height; y++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                scores[dy * 3 + dx] += dot(image + (y + dy) * image_stride + dx, other + y * other_stride, width);
}

// Sums of differences to the neighbours, of the pixels that a mask marks.
void masked_differences(uint64_t sums[3], const uint8_t* a, int a_stride, const uint8_t* b, int b_stride,
                        const uint8_t* mask, int mask_stride, int width, int height) {
    for (int i = 0; i < 3; i++) sums[i] = 0;
    a += 1;
    b += 1;
    mask += 1;
    for (int y = 0; y < height; y++, a += a_stride, b += b_stride, mask += mask_stride) {
        unsigned row[3] = {0, 0, 0};
        for (int x = 0; x < width - 2; x++) {
            if (!mask[x]) continue;
            int v = a[x];
            row[0] += v > b[x - 1] ? v - b[x - 1] : b[x - 1] - v;
            row[1] += v > b[x] ? v - b[x] : b[x] - v;
            row[2] += v > b[x + 1] ? v - b[x + 1] : b[x + 1] - v;
        }
        for (int i = 0; i < 3; i++) sums[i] += row[i];
    }
}

uint64_t total_in_blocks(const uint8_t* src, size_t count) {
    uint64_t total = 0;
    for (size_t start = 0; start < count; start += 256) {
        uint16_t part = 0;
        size_t end = start + 256 < count ? start + 256 : count;
        for (size_t i = start; i < end; i++) part += src[i];
        total += part;
    }
    return total;
}

uint32_t total_with_flush(const uint8_t* src, size_t count) {
    const __m128i zero = _mm_setzero_si128(), ones = _mm_set1_epi16(1);
    const size_t whole = count & ~(size_t)15, block = 64 * 16;
    __m128i total = zero;
    for (size_t k = 0; k <= whole / block; k++) {
        __m128i part = zero;
        size_t end = (k + 1) * block < whole ? (k + 1) * block : whole;
        for (size_t i = k * block; i < end; i += 16) {
            __m128i v = _mm_loadu_si128((const __m128i*)(src + i));
            part = _mm_add_epi16(part, _mm_add_epi16(_mm_unpacklo_epi8(v, zero), _mm_unpackhi_epi8(v, zero)));
        }
        total = _mm_add_epi32(total, _mm_madd_epi16(part, ones));
    }
    uint32_t lanes[4];
    _mm_storeu_si128((__m128i*)lanes, total);
    uint32_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    for (size_t i = whole; i < count; i++) sum += src[i];
    return sum;
}
