// Stencils, gradients and resampling.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

typedef unsigned char byte;

// 3x3 mean of the interior; the border is left as it is.
void Box3x3(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += src[(y + j) * stride + x + i];
            dst[y * stride + x] = sum / 9;
        }
    }
}

// Separable 5-tap Gaussian with replicated borders.
void Gaussian5x5(byte* dst, const byte* src, int width, int height, int stride) {
    static const int kernel[5] = {1, 4, 6, 4, 1};
    unsigned short* rows = new unsigned short[width * height];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int acc = 0;
            for (int k = -2; k <= 2; k++) {
                int xx = std::min(std::max(x + k, 0), width - 1);
                acc += kernel[k + 2] * src[y * stride + xx];
            }
            rows[y * width + x] = acc;
        }
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int acc = 0;
            for (int k = -2; k <= 2; k++) {
                int yy = std::min(std::max(y + k, 0), height - 1);
                acc += kernel[k + 2] * rows[yy * width + x];
            }
            dst[y * stride + x] = (acc + 128) >> 8;
        }
    }
    delete[] rows;
}

void Sobel(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++) {
        const byte* above = src + (y - 1) * stride;
        const byte* here = src + y * stride;
        const byte* below = src + (y + 1) * stride;
        byte* out = dst + y * stride;
        for (int x = 1; x < width - 1; x++) {
            int gx = above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) + below[x + 1] - below[x - 1];
            int gy = below[x - 1] - above[x - 1] + 2 * (below[x] - above[x]) + below[x + 1] - above[x + 1];
            int mag = abs(gx) + abs(gy);
            out[x] = mag > 255 ? 255 : mag;
        }
    }
}

// src + amount/16 * (src - blurred), over the interior.
void UnsharpMask(byte* dst, const byte* src, int amount, int width, int height, int stride) {
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 1; x < width - 1; ++x) {
            const byte* p = src + y * stride + x;
            int blurred = (p[-stride - 1] + 2 * p[-stride] + p[-stride + 1] + 2 * p[-1] + 4 * p[0] + 2 * p[1] +
                           p[stride - 1] + 2 * p[stride] + p[stride + 1] + 8) >> 4;
            int v = p[0] + (((p[0] - blurred) * amount) >> 4);
            dst[y * stride + x] = std::clamp(v, 0, 255);
        }
    }
}

void Blur1x3(byte* dst, const byte* src, int n) {
    for (int i = 1; i < n - 1; ++i) dst[i] = (src[i - 1] + src[i] + src[i + 1]) / 3;
}

void SmoothRowsEdge(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int left = x > 0 ? src[y * stride + x - 1] : src[y * stride + x];
            int right = x < width - 1 ? src[y * stride + x + 1] : src[y * stride + x];
            dst[y * stride + x] = (left + 2 * src[y * stride + x] + right + 2) >> 2;
        }
    }
}

// A filter with the caller's own kernel of odd size, fixed point with 8 fractional bits.
void Convolve(byte* dst, const byte* src, const short* kernel, int radius, int width, int height, int stride) {
    int size = 2 * radius + 1;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int acc = 128;
            for (int j = 0; j < size; ++j)
                for (int i = 0; i < size; ++i) acc += kernel[j * size + i] * src[(y + j) * stride + x + i];
            acc >>= 8;
            dst[y * stride + x] = acc < 0 ? 0 : acc > 255 ? 255 : acc;
        }
    }
}

void Downsample2x2(byte* dst, const byte* src, int width, int height, int dstStride, int srcStride) {
    for (int y = 0; y < height; ++y) {
        const byte* a = src + 2 * y * srcStride;
        const byte* b = a + srcStride;
        for (int x = 0; x < width; ++x) {
            dst[x] = (a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2;
        }
        dst += dstStride;
    }
}

void UpsampleNearest2x(byte* dst, const byte* src, int width, int height, int dstStride, int srcStride) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            byte v = src[y * srcStride + x];
            dst[2 * y * dstStride + 2 * x] = v;
            dst[2 * y * dstStride + 2 * x + 1] = v;
            dst[(2 * y + 1) * dstStride + 2 * x] = v;
            dst[(2 * y + 1) * dstStride + 2 * x + 1] = v;
        }
    }
}

void MirrorHorizontal(byte* dst, const byte* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) dst[y * stride + width - 1 - x] = src[y * stride + x];
}

void FlipVertical(byte* dst, const byte* src, int width, int height, int stride) {
    const byte* from = src + (height - 1) * stride;
    for (int y = 0; y < height; ++y) {
        memcpy(dst, from, width);
        dst += stride;
        from -= stride;
    }
}

void Transpose(byte* dst, const byte* src, int width, int height) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) dst[x * height + y] = src[y * width + x];
}

void Laplacian16(short* dst, const short* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; ++y)
        for (int x = 1; x < width - 1; ++x)
            dst[y * stride + x] = (short)(src[(y - 1) * stride + x] + src[(y + 1) * stride + x] + src[y * stride + x - 1] +
                                          src[y * stride + x + 1] - 4 * src[y * stride + x]);
}

void BlurFloat(float* dst, const float* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y)
        for (int x = 1; x < width - 1; ++x)
            dst[y * stride + x] = 0.25f * src[y * stride + x - 1] + 0.5f * src[y * stride + x] + 0.25f * src[y * stride + x + 1];
}

// The four neighbours' mean of the interior, in bands of rows that are worked on one after the other.
void CrossInBands(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int band) {
    if (band < 1) return;
    for (int first = 1; first < height - 1; first += band)
        for (int y = first; y < first + band && y < height - 1; ++y)
            for (int x = 1; x < width - 1; ++x) {
                const uint8_t* s = src + y * stride + x;
                dst[y * stride + x] = (uint8_t)((s[-stride] + s[stride] + s[-1] + s[1]) >> 2);
            }
}
