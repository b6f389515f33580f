// Histograms, sums and what is computed from them.
#include <cstdint>
#include <cstdlib>
#include <cstring>

void Histogram(uint32_t* hist, const uint8_t* src, int width, int height, int stride) {
    memset(hist, 0, 256 * sizeof(uint32_t));
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) hist[src[x]]++;
        src += stride;
    }
}

void EqualizeHistogram(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    int hist[256] = {0};
    uint8_t lut[256];
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) hist[src[y * stride + x]]++;
    int total = width * height + (width * height == 0);
    int sum = 0;
    for (int i = 0; i < 256; ++i) {
        sum += hist[i];
        lut[i] = (uint8_t)((int64_t)sum * 255 / total);
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) dst[y * stride + x] = lut[src[y * stride + x]];
}

void RowSums(int* sums, const uint8_t* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        int s = 0;
        for (int x = 0; x < width; ++x) s += src[y * stride + x];
        sums[y] = s;
    }
}

void ColumnSums(int* sums, const uint8_t* src, int width, int height, int stride) {
    for (int x = 0; x < width; ++x) sums[x] = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) sums[x] += src[y * stride + x];
}

int SumAbsDifference(const uint8_t* a, const uint8_t* b, int width, int height, int stride) {
    int sad = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) sad += abs(a[x] - b[x]);
        a += stride;
        b += stride;
    }
    return sad;
}

int64_t SumSquareDifference(const uint8_t* a, const uint8_t* b, int n) {
    int64_t total = 0;
    for (int i = 0; i < n; ++i) {
        int d = a[i] - b[i];
        total += d * d;
    }
    return total;
}

void MinMax(int* lowest, int* highest, const uint8_t* src, int width, int height, int stride) {
    int lo = 255, hi = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int v = src[y * stride + x];
            if (v < lo) lo = v;
            if (v > hi) hi = v;
        }
    *lowest = lo;
    *highest = hi;
}

unsigned CountAbove(const uint8_t* src, int level, int n) {
    unsigned count = 0;
    for (int i = 0; i < n; ++i)
        if (src[i] > level) ++count;
    return count;
}

float MaxFloat(const float* src, int n) {
    float best = 0.0f;
    for (int i = 0; i < n; ++i)
        if (src[i] > best) best = src[i];
    return best;
}

void PrefixSum(uint32_t* out, const uint16_t* in, int n) {
    uint32_t sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        out[i] = sum;
    }
}

// How much each row differs from the next one; nothing follows the last.
void row_changes(uint32_t* changes, const uint8_t* src, size_t width, size_t height, size_t stride) {
    changes[height - 1] = 0;
    for (size_t y = 0; y + 1 < height; ++y) {
        const uint8_t *row = src + y * stride, *next = row + stride;
        uint32_t total = 0;
        for (size_t x = 0; x < width; ++x) total += row[x] < next[x] ? next[x] - row[x] : row[x] - next[x];
        changes[y] = total;
    }
}

// Each value spread over the stamp around it, which lies below and to the right; columns two at a time.
void spread(float* sums, size_t sumStride, const float* src, size_t width, size_t height, size_t stride,
            const float* stamp) {
    for (size_t y = 0; y < height; ++y)
        for (size_t v = 0; v < 3; ++v)
            for (size_t u = 0; u < 2; ++u) {
                float* to = sums + (y + v) * sumStride + u;
                const float* from = src + y * stride;
                size_t x = 0;
                for (; x + 2 <= width; x += 2) {
                    to[x] += from[x] * stamp[2 * v + u];
                    to[x + 1] += from[x + 1] * stamp[2 * v + u];
                }
                for (; x < width; ++x) to[x] += from[x] * stamp[2 * v + u];
            }
}
