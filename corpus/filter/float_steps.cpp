// Resampling as it was first written down: coordinates are floating-point numbers, rounded or cut off.
#include <algorithm>
#include <cmath>
#include <cstdint>

// The nearest pixel by the ratio of the sizes; the last one where rounding leads beyond it.
void scale_nearest_float(const uint8_t* src, int srcWidth, int srcHeight, uint8_t* dst, int dstWidth, int dstHeight) {
    float xRatio = (float)srcWidth / dstWidth, yRatio = (float)srcHeight / dstHeight;
    for (int y = 0; y < dstHeight; y++)
        for (int x = 0; x < dstWidth; x++) {
            int sx = (int)(x * xRatio), sy = (int)(y * yRatio);
            if (sx >= srcWidth) sx = srcWidth - 1;
            if (sy >= srcHeight) sy = srcHeight - 1;
            dst[y * dstWidth + x] = src[sy * srcWidth + sx];
        }
}

// Bilinear; the neighbours to the right and below held to the image.
void scale_bilinear_float(const uint8_t* src, int w, int h, uint8_t* dst, int dw, int dh) {
    float rx = (float)w / dw, ry = (float)h / dh;
    for (int y = 0; y < dh; y++) {
        float fy = y * ry;
        int y0 = std::min((int)fy, h - 1), y1 = std::min(y0 + 1, h - 1);
        float wy = fy - y0;
        for (int x = 0; x < dw; x++) {
            float fx = x * rx;
            int x0 = std::min((int)fx, w - 1), x1 = std::min(x0 + 1, w - 1);
            float wx = fx - x0;
            float top = src[y0 * w + x0] * (1 - wx) + src[y0 * w + x1] * wx;
            float bottom = src[y1 * w + x0] * (1 - wx) + src[y1 * w + x1] * wx;
            dst[y * dw + x] = (uint8_t)(top * (1 - wy) + bottom * wy + 0.5f);
        }
    }
}

// The middle of a pixel by a factor in double, the coordinates held to the image.
void zoom_centre(const uint16_t* src, int w, int h, uint16_t* dst, int dw, int dh, double zoom) {
    for (int y = 0; y < dh; y++)
        for (int x = 0; x < dw; x++) {
            int sx = (int)std::floor((x - dw * 0.5) / zoom + w * 0.5);
            int sy = (int)std::floor((y - dh * 0.5) / zoom + h * 0.5);
            sx = sx < 0 ? 0 : sx > w - 1 ? w - 1 : sx;
            sy = sy < 0 ? 0 : sy > h - 1 ? h - 1 : sy;
            dst[y * dw + x] = src[sy * w + sx];
        }
}

// A row stretched, with weights of its two neighbours.
void stretch_row(const float* src, int n, float* dst, int m) {
    float step = (float)(n - 1) / (float)(m - 1);
    for (int i = 0; i < m; i++) {
        float at = i * step;
        int left = (int)at;
        float part = at - left;
        dst[i] = src[left] * (1.0f - part) + src[std::min(left + 1, n - 1)] * part;
    }
}

// A swirl: polar coordinates, held to the image.
void swirl(const uint8_t* src, uint8_t* dst, int w, int h, double strength) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double dx = x - w / 2, dy = y - h / 2;
            double radius = std::sqrt(dx * dx + dy * dy), angle = std::atan2(dy, dx) + radius * strength;
            int sx = std::max(0, std::min(w - 1, (int)(w / 2 + radius * std::cos(angle))));
            int sy = std::max(0, std::min(h - 1, (int)(h / 2 + radius * std::sin(angle))));
            dst[y * w + x] = src[sy * w + sx];
        }
}

// A remapping by two maps of coordinates, black outside.
void remap_nearest(const uint8_t* src, int sw, int sh, const float* mapX, const float* mapY, uint8_t* dst, int n) {
    for (int i = 0; i < n; i++) {
        int x = (int)(mapX[i] + 0.5f), y = (int)(mapY[i] + 0.5f);
        dst[i] = x >= 0 && y >= 0 && x < sw && y < sh ? src[y * sw + x] : 0;
    }
}
