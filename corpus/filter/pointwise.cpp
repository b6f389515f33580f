// Colour conversion, look-up and arithmetic, pixel by pixel.
#include <cstddef>
#include <cstdint>

// BT.601 luma from packed RGB, by pointer bumping.
void RgbToGrey(uint8_t* grey, const uint8_t* rgb, int count) {
    while (count--) {
        *grey++ = (uint8_t)((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) >> 8);
        rgb += 3;
    }
}

void RgbToYuv601(uint8_t* y, uint8_t* u, uint8_t* v, const uint8_t* rgb, int width, int height, int rgbStride) {
    for (int j = 0; j < height; j++) {
        const uint8_t* p = rgb + j * rgbStride;
        for (int i = 0; i < width; i++, p += 3) {
            int r = p[0], g = p[1], b = p[2];
            *y++ = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
            *u++ = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
            *v++ = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
        }
    }
}

void YuvToRgb601(uint8_t* rgb, const uint8_t* y, const uint8_t* u, const uint8_t* v, int n) {
    for (int i = 0; i < n; i++) {
        int c = 298 * (y[i] - 16), d = u[i] - 128, e = v[i] - 128;
        int r = (c + 409 * e + 128) >> 8;
        int g = (c - 100 * d - 208 * e + 128) >> 8;
        int b = (c + 516 * d + 128) >> 8;
        rgb[3 * i] = r < 0 ? 0 : r > 255 ? 255 : r;
        rgb[3 * i + 1] = g < 0 ? 0 : g > 255 ? 255 : g;
        rgb[3 * i + 2] = b < 0 ? 0 : b > 255 ? 255 : b;
    }
}

void SwapRedBlue(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            dst[4 * x + 0] = src[4 * x + 2];
            dst[4 * x + 1] = src[4 * x + 1];
            dst[4 * x + 2] = src[4 * x + 0];
            dst[4 * x + 3] = src[4 * x + 3];
        }
        dst += stride;
        src += stride;
    }
}

void Threshold(uint8_t* dst, const uint8_t* src, int level, int rows, int cols, int dstStride, int srcStride) {
    if (rows <= 0 || cols <= 0) return;
    do {
        const uint8_t* s = src;
        uint8_t* d = dst;
        int n = cols;
        do {
            *d++ = *s++ > level ? 255 : 0;
        } while (--n);
        src += srcStride;
        dst += dstStride;
    } while (--rows);
}

void Invert(uint8_t* image, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) image[c] = ~image[c];
        image += stride;
    }
}

void GammaTable(uint8_t* dst, const uint8_t* src, const uint8_t* table, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) dst[r * stride + c] = table[src[r * stride + c]];
    }
}

static const uint8_t kQuantise[16] = {0, 0, 16, 16, 48, 48, 80, 96, 128, 128, 160, 176, 208, 208, 240, 255};

void Posterise(uint8_t* dst, const uint8_t* src, size_t n) {
    for (size_t i = 0; i < n; ++i) dst[i] = kQuantise[src[i] >> 4];
}

void BrightnessContrast(uint8_t* dst, const uint8_t* src, int brightness, int contrast, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
            int v = (((src[r * stride + c] - 128) * contrast) >> 7) + 128 + brightness;
            if (v < 0) v = 0;
            if (v > 255) v = 255;
            dst[r * stride + c] = (uint8_t)v;
        }
}

void ShiftLeftSaturate(uint16_t* dst, const uint16_t* src, int shift, int n) {
    for (int i = 0; i < n; ++i) {
        uint32_t v = (uint32_t)src[i] << (shift & 7);
        dst[i] = v > 65535u ? 65535 : (uint16_t)v;
    }
}

void Premultiply(uint8_t* dst, const uint8_t* src, int pixels) {
    for (int i = 0; i < pixels; ++i) {
        unsigned a = src[4 * i + 3];
        dst[4 * i] = (src[4 * i] * a + 127) / 255;
        dst[4 * i + 1] = (src[4 * i + 1] * a + 127) / 255;
        dst[4 * i + 2] = (src[4 * i + 2] * a + 127) / 255;
        dst[4 * i + 3] = a;
    }
}

void ByteToFloat(float* dst, const uint8_t* src, float scale, int n) {
    for (int i = 0; i < n; ++i) dst[i] = src[i] * scale;
}

void FloatToByte(uint8_t* dst, const float* src, int n) {
    for (int i = 0; i < n; ++i) {
        float v = src[i] * 255.0f + 0.5f;
        if (v < 0.0f) v = 0.0f;
        if (v > 255.0f) v = 255.0f;
        dst[i] = (uint8_t)v;
    }
}

void CopyPlane(uint8_t* dst, const uint8_t* src, int width, int height, int dstStride, int srcStride) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) dst[y * dstStride + x] = src[y * srcStride + x];
}

void FillRect(uint32_t* dst, uint32_t value, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) dst[x] = value;
        dst += stride;
    }
}

void AbsDifference16(uint16_t* dst, const int16_t* a, const int16_t* b, int n) {
    for (int i = 0; i < n; ++i) {
        int d = a[i] - b[i];
        dst[i] = (uint16_t)(d < 0 ? -d : d);
    }
}

// Planar to interleaved, and back.
void Interleave(uint8_t* dst, const uint8_t* r, const uint8_t* g, const uint8_t* b, int n) {
    for (int i = 0; i < n; ++i) {
        *dst++ = *r++;
        *dst++ = *g++;
        *dst++ = *b++;
    }
}

// Packed RGB in square tiles, whose size the caller chooses for the cache at hand.
void InvertCallerTiles(uint8_t* dst, const uint8_t* src, int width, int height, int dstStride, int srcStride, int tile) {
    if (tile <= 0) return;
    for (int ty = 0; ty < height; ty += tile)
        for (int tx = 0; tx < width; tx += tile) {
            const int bottom = ty + tile < height ? ty + tile : height;
            const int right = tx + tile < width ? tx + tile : width;
            for (int y = ty; y < bottom; y++)
                for (int x = tx; x < right; x++)
                    for (int c = 0; c < 3; c++) dst[y * dstStride + 3 * x + c] = 255 - src[y * srcStride + 3 * x + c];
        }
}
