// Images that are put, turned and drawn onto others: what lies outside is left alone, or is a background.
#include <algorithm>
#include <cmath>
#include <cstdint>

// A sprite put somewhere, maybe partly or wholly outside.
void blit_clipped(uint8_t* dst, int dw, int dh, const uint8_t* src, int sw, int sh, int ox, int oy) {
    for (int y = 0; y < sh; y++) {
        int ty = y + oy;
        if (ty < 0 || ty >= dh)
            continue;
        for (int x = 0; x < sw; x++) {
            int tx = x + ox;
            if (tx < 0 || tx >= dw)
                continue;
            dst[ty * dw + tx] = src[y * sw + x];
        }
    }
}

// The same with a colour that is not put.
void blit_keyed(uint32_t* dst, int dstStride, int dw, int dh, const uint32_t* src, int srcStride, int sw, int sh, int left, int top, uint32_t key) {
    for (int y = 0; y < sh; y++)
        for (int x = 0; x < sw; x++) {
            int tx = x + left, ty = y + top;
            if (tx >= 0 && tx < dw && ty >= 0 && ty < dh) {
                uint32_t pixel = src[y * srcStride + x];
                if (pixel != key)
                    dst[ty * dstStride + tx] = pixel;
            }
        }
}

// A disc painted over an image.
void paint_disc(uint8_t* image, int width, int height, int stride, int cx, int cy, int radius, uint8_t value) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int dx = x - cx, dy = y - cy;
            if (dx * dx + dy * dy <= radius * radius)
                image[y * stride + x] = value;
        }
}

// A ring blended into an image, by its distance from the middle.
void glow_ring(uint8_t* image, int width, int height, float radius, float thickness) {
    float cx = (width - 1) * 0.5f, cy = (height - 1) * 0.5f;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float d = std::sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy)) - radius;
            if (d < thickness && d > -thickness)
                image[y * width + x] = (uint8_t)((image[y * width + x] + 255) / 2);
        }
}

// Turned about the middle; black where nothing comes from.
void turn_nearest(const uint8_t* src, uint8_t* dst, int w, int h, float angle) {
    float c = cosf(angle), s = sinf(angle), cx = w / 2.0f, cy = h / 2.0f;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int ix = (int)(c * (x - cx) - s * (y - cy) + cx), iy = (int)(s * (x - cx) + c * (y - cy) + cy);
            if (ix >= 0 && ix < w && iy >= 0 && iy < h)
                dst[y * w + x] = src[iy * w + ix];
            else
                dst[y * w + x] = 0;
        }
}

// An affine map in 16.16, over a background that stays.
void affine_over(const uint8_t* src, int sw, int sh, uint8_t* dst, int dw, int dh, int ax, int ay, int bx, int by, int tx, int ty) {
    for (int y = 0; y < dh; y++) {
        for (int x = 0; x < dw; x++) {
            int sx = (ax * x + bx * y + tx) >> 16;
            int sy = (ay * x + by * y + ty) >> 16;
            if (sx >= 0 && sx < sw && sy >= 0 && sy < sh)
                dst[y * dw + x] = src[sy * sw + sx];
        }
    }
}

// Counts in a histogram whose number of bins is the caller's.
void histogram_limited(const uint16_t* src, int n, uint32_t* bins, int count) {
    for (int i = 0; i < n; i++)
        if (src[i] < count)
            bins[src[i]]++;
}

// A look-up of displacements, with black outside.
void displaced(const uint8_t* src, const int8_t* dx, const int8_t* dy, uint8_t* dst, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sx = x + dx[y * w + x], sy = y + dy[y * w + x];
            dst[y * w + x] = sx < 0 || sx >= w || sy < 0 || sy >= h ? 0 : src[sy * w + sx];
        }
}

// A shear by whole pixels.
void shear_rows(const uint8_t* src, uint8_t* dst, int w, int h, int slope) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sx = x - ((y * slope) >> 8);
            dst[y * w + x] = sx >= 0 && sx < w ? src[y * w + sx] : 0;
        }
}

// A picture that is rolled round, by any distance.
void roll(const uint8_t* src, uint8_t* dst, int w, int h, int dx, int dy) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sx = (x + dx) % w;
            if (sx < 0) sx += w;
            dst[y * w + x] = src[(((y + dy) % h + h) % h) * w + sx];
        }
}
