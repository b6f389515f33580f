// Minimum, maximum, median and what belongs to them: morphology of bytes, words and bits, sorting networks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#define PIX_SORT(a, b) { if ((a) > (b)) { int t = (a); (a) = (b); (b) = t; } }

static inline void order(uint8_t& a, uint8_t& b) {
    const uint8_t low = std::min(a, b);
    b = std::max(a, b);
    a = low;
}

// Erosion by three by three: the smallest of nine by loops.
void Erode3x3(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; ++y)
        for (int x = 1; x < width - 1; ++x) {
            uint8_t best = 255;
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i) best = std::min(best, src[(y + j) * stride + x + i]);
            dst[y * stride + x] = best;
        }
}

// Dilation by a cross: five reads, comparisons by ifs.
void DilateCross(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++) {
        const uint8_t* p = src + y * stride + 1;
        for (int x = 1; x < width - 1; x++, p++) {
            uint8_t v = *p;
            if (p[-1] > v) v = p[-1];
            if (p[1] > v) v = p[1];
            if (p[-stride] > v) v = p[-stride];
            if (p[stride] > v) v = p[stride];
            dst[y * stride + x] = v;
        }
    }
}

// Dilation of a radius along rows: a window of the caller's size.
void DilateRow(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int radius) {
    for (int y = 0; y < height; y++)
        for (int x = radius; x < width - radius; x++) {
            uint8_t v = 0;
            for (int k = -radius; k <= radius; k++)
                if (src[y * stride + x + k] > v) v = src[y * stride + x + k];
            dst[y * stride + x] = v;
        }
}

// Median of three along a row: nested minimum and maximum.
void Median3Row(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 1; i < n - 1; ++i) {
        const int a = src[i - 1], b = src[i], c = src[i + 1];
        dst[i] = (uint8_t)std::max(std::min(a, b), std::min(std::max(a, b), c));
    }
}

// Median of five by a network over variables: exchanges by a macro.
void Median5Cross(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const uint8_t* s = src + y * stride + x;
            int p0 = s[-stride], p1 = s[-1], p2 = s[0], p3 = s[1], p4 = s[stride];
            PIX_SORT(p0, p1);
            PIX_SORT(p3, p4);
            PIX_SORT(p0, p3);
            PIX_SORT(p1, p4);
            PIX_SORT(p1, p2);
            PIX_SORT(p2, p3);
            PIX_SORT(p1, p2);
            dst[y * stride + x] = (uint8_t)p2;
        }
}

// Median of nine by a network over references: nineteen exchanges of an inline function.
void Median9(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            const uint8_t* a = src + (y - 1) * stride + x;
            const uint8_t* b = a + stride;
            const uint8_t* c = b + stride;
            uint8_t v0 = a[-1], v1 = a[0], v2 = a[1], v3 = b[-1], v4 = b[0], v5 = b[1], v6 = c[-1], v7 = c[0], v8 = c[1];
            order(v1, v2); order(v4, v5); order(v7, v8);
            order(v0, v1); order(v3, v4); order(v6, v7);
            order(v1, v2); order(v4, v5); order(v7, v8);
            order(v0, v3); order(v5, v8); order(v4, v7);
            order(v3, v6); order(v1, v4); order(v2, v5);
            order(v4, v7); order(v4, v2); order(v6, v4);
            order(v4, v2);
            dst[y * stride + x] = v4;
        }
    }
}

// Median of nine in an array: the window is copied to a local array and sorted by insertion.
void Median9Array(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int v[9], n = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) v[n++] = src[(y + j) * stride + x + i];
            for (int i = 0; i < 5; i++)
                for (int j = i + 1; j < 9; j++)
                    if (v[j] < v[i]) {
                        int t = v[i];
                        v[i] = v[j];
                        v[j] = t;
                    }
            dst[y * stride + x] = (uint8_t)v[4];
        }
}

// Opening of a row: erosion into a temporary, then dilation.
void OpenRow(uint8_t* dst, const uint8_t* src, int n) {
    uint8_t* eroded = new uint8_t[n];
    for (int i = 1; i < n - 1; i++) eroded[i] = std::min(src[i - 1], std::min(src[i], src[i + 1]));
    for (int i = 2; i < n - 2; i++) dst[i] = std::max(eroded[i - 1], std::max(eroded[i], eroded[i + 1]));
    delete[] eroded;
}

// Morphological gradient: largest less smallest of nine, words.
void MorphGradient16(uint16_t* dst, const uint16_t* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 1; x < width - 1; ++x) {
            int low = 65535, high = 0;
            for (int j = y - 1; j <= y + 1; ++j)
                for (int i = x - 1; i <= x + 1; ++i) {
                    const int v = src[j * stride + i];
                    if (v < low) low = v;
                    if (v > high) high = v;
                }
            dst[y * stride + x] = (uint16_t)(high - low);
        }
    }
}

// Erosion of one-bit images: words of 32 pixels, neighbours by shifts.
void ErodeBits(uint32_t* dst, const uint32_t* src, int words, int height) {
    for (int y = 1; y < height - 1; y++)
        for (int w = 1; w < words - 1; w++) {
            const uint32_t here = src[y * words + w];
            const uint32_t left = (here >> 1) | (src[y * words + w - 1] << 31);
            const uint32_t right = (here << 1) | (src[y * words + w + 1] >> 31);
            dst[y * words + w] = here & left & right & src[(y - 1) * words + w] & src[(y + 1) * words + w];
        }
}

// Despeckle: a pixel is kept within the range of its four neighbours.
void Despeckle(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 1; y + 1 < height; y++) {
        for (int x = 1; x + 1 < width; x++) {
            const int i = y * stride + x;
            int low = src[i - 1], high = src[i - 1];
            if (src[i + 1] < low) low = src[i + 1]; else if (src[i + 1] > high) high = src[i + 1];
            if (src[i - stride] < low) low = src[i - stride]; else if (src[i - stride] > high) high = src[i - stride];
            if (src[i + stride] < low) low = src[i + stride]; else if (src[i + stride] > high) high = src[i + stride];
            dst[i] = src[i] < low ? (uint8_t)low : src[i] > high ? (uint8_t)high : src[i];
        }
    }
}

// Sigma filter of three by three: the mean of those neighbours that differ little.
void Sigma3x3(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int limit) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const int centre = src[y * stride + x];
            int sum = 0, count = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    const int v = src[(y + j) * stride + x + i];
                    if (abs(v - centre) <= limit) {
                        sum += v;
                        count++;
                    }
                }
            dst[y * stride + x] = (uint8_t)(count > 0 ? sum / count : centre);
        }
}

// Bilateral of five columns: weights from a table by the difference, a division at the end.
void BilateralRow(uint8_t* dst, const uint8_t* src, const uint8_t* weights, int n) {
    for (int x = 2; x < n - 2; x++) {
        int sum = 0, total = 1;
        for (int k = -2; k <= 2; k++) {
            const int w = weights[abs(src[x + k] - src[x])];
            sum += w * src[x + k];
            total += w;
        }
        dst[x] = (uint8_t)(sum / total);
    }
}

// Local contrast: the pixel against the mean of its eight neighbours, thresholded.
void AdaptiveThreshold(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int bias) {
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 1; x < width - 1; ++x) {
            int sum = -src[y * stride + x];
            for (int j = -1; j < 2; ++j)
                for (int i = -1; i < 2; ++i) sum += src[(y + j) * stride + x + i];
            dst[y * stride + x] = (src[y * stride + x] - bias) * 8 > sum ? 255 : 0;
        }
    }
}
