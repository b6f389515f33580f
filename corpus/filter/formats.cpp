// Pixel formats of cameras, screens and films: 565, 4444, 10 bits, YUYV, UYVY, NV12, planar, in both directions.
#include <stdint.h>
#include <string.h>

#define CLAMP_BYTE(v) ((uint8_t)((v) < 0 ? 0 : (v) > 255 ? 255 : (v)))

static inline uint8_t luma(int r, int g, int b) { return (uint8_t)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16); }
static inline uint8_t cb(int r, int g, int b) { return (uint8_t)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128); }
static inline uint8_t cr(int r, int g, int b) { return (uint8_t)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128); }

static inline void yuv_pixel(uint8_t *rgb, int y, int u, int v) {
    const int c = 298 * (y - 16) + 128, d = u - 128, e = v - 128;
    rgb[0] = CLAMP_BYTE((c + 409 * e) >> 8);
    rgb[1] = CLAMP_BYTE((c - 100 * d - 208 * e) >> 8);
    rgb[2] = CLAMP_BYTE((c + 516 * d) >> 8);
}

// RGB 565 to RGB: fields widened by their own top bits.
void rgb565_to_rgb24(uint8_t *dst, const uint16_t *src, int n) {
    for (int i = 0; i < n; i++) {
        const unsigned p = src[i];
        const unsigned r = p >> 11, g = (p >> 5) & 63, b = p & 31;
        *dst++ = (uint8_t)(r << 3 | r >> 2);
        *dst++ = (uint8_t)(g << 2 | g >> 4);
        *dst++ = (uint8_t)(b << 3 | b >> 2);
    }
}

// RGB to RGB 565: fields shifted together, rows of two strides.
void rgb24_to_rgb565(uint16_t *dst, int dst_stride, const uint8_t *src, int src_stride, int width, int height) {
    for (int y = 0; y < height; y++) {
        const uint8_t *p = src + y * src_stride;
        for (int x = 0; x < width; x++, p += 3)
            dst[y * dst_stride + x] = (uint16_t)((p[0] >> 3) << 11 | (p[1] >> 2) << 5 | p[2] >> 3);
    }
}

// ARGB 1555 to ARGB 8888: words of 16 to words of 32 bits.
void argb1555_to_argb8888(uint32_t *dst, const uint16_t *src, int n) {
    while (n-- > 0) {
        uint32_t p = *src++;
        uint32_t a = p & 0x8000 ? 0xff000000u : 0;
        uint32_t r = (p >> 10) & 31, g = (p >> 5) & 31, b = p & 31;
        *dst++ = a | (r << 3 | r >> 2) << 16 | (g << 3 | g >> 2) << 8 | (b << 3 | b >> 2);
    }
}

// ARGB 4444 to bytes: nibbles doubled by a multiplication with 17.
void argb4444_to_rgba(uint8_t *dst, const uint16_t *src, int n) {
    for (int i = 0; i < n; i++) {
        dst[4 * i + 0] = (uint8_t)(((src[i] >> 8) & 15) * 17);
        dst[4 * i + 1] = (uint8_t)(((src[i] >> 4) & 15) * 17);
        dst[4 * i + 2] = (uint8_t)((src[i] & 15) * 17);
        dst[4 * i + 3] = (uint8_t)((src[i] >> 12) * 17);
    }
}

// Bytes to ARGB 4444: read as little-endian bytes, written as two bytes.
void rgba_to_argb4444(uint8_t *dst, const uint8_t *src, int n) {
    for (int i = 0; i < n; i++, dst += 2, src += 4) {
        dst[0] = (uint8_t)((src[1] & 0xf0) | src[2] >> 4);
        dst[1] = (uint8_t)((src[3] & 0xf0) | src[0] >> 4);
    }
}

// Ten bits packed in words to three planes of 16 bits: fields by shifts.
void unpack_x2r10g10b10(uint16_t *r, uint16_t *g, uint16_t *b, const uint32_t *src, int n) {
    for (int i = 0; i < n; i++) {
        r[i] = (uint16_t)((src[i] >> 20) & 1023);
        g[i] = (uint16_t)((src[i] >> 10) & 1023);
        b[i] = (uint16_t)(src[i] & 1023);
    }
}

// Three planes to words of ten bits a channel: values cut to their range first.
void pack_x2r10g10b10(uint32_t *dst, const uint16_t *r, const uint16_t *g, const uint16_t *b, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t red = r[i] > 1023 ? 1023 : r[i], green = g[i] > 1023 ? 1023 : g[i], blue = b[i] > 1023 ? 1023 : b[i];
        dst[i] = 3u << 30 | red << 20 | green << 10 | blue;
    }
}

// Ten bits packed tightly, four pixels in five bytes: a body of groups.
void unpack_raw10(uint16_t *dst, const uint8_t *src, int groups) {
    for (int i = 0; i < groups; i++) {
        const int low = src[5 * i + 4];
        dst[4 * i] = (uint16_t)(src[5 * i] << 2 | (low & 3));
        dst[4 * i + 1] = (uint16_t)(src[5 * i + 1] << 2 | (low >> 2 & 3));
        dst[4 * i + 2] = (uint16_t)(src[5 * i + 2] << 2 | (low >> 4 & 3));
        dst[4 * i + 3] = (uint16_t)(src[5 * i + 3] << 2 | (low >> 6 & 3));
    }
}

// Twelve bits packed tightly, two pixels in three bytes: pointers advanced by groups.
void unpack_raw12(uint16_t *dst, const uint8_t *src, int pairs) {
    while (pairs--) {
        dst[0] = (uint16_t)(src[0] << 4 | (src[2] & 15));
        dst[1] = (uint16_t)(src[1] << 4 | src[2] >> 4);
        dst += 2;
        src += 3;
    }
}

// YUYV to RGB: two pixels share their chroma, rows of two strides.
void yuyv_to_rgb(uint8_t *rgb, int rgb_stride, const uint8_t *yuyv, int yuyv_stride, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width / 2; x++) {
            const uint8_t *p = yuyv + y * yuyv_stride + 4 * x;
            uint8_t *d = rgb + y * rgb_stride + 6 * x;
            yuv_pixel(d, p[0], p[1], p[3]);
            yuv_pixel(d + 3, p[2], p[1], p[3]);
        }
    }
}

// UYVY to three planes: one walking source, three walking destinations.
void uyvy_to_planes(uint8_t *y, uint8_t *u, uint8_t *v, const uint8_t *uyvy, int pairs) {
    for (int i = 0; i < pairs; i++) {
        *u++ = uyvy[0];
        *y++ = uyvy[1];
        *v++ = uyvy[2];
        *y++ = uyvy[3];
        uyvy += 4;
    }
}

// RGB to YUYV: the chroma of two pixels averaged.
void rgb_to_yuyv(uint8_t *yuyv, const uint8_t *rgb, int pairs) {
    for (int i = 0; i < pairs; i++, yuyv += 4, rgb += 6) {
        const int r = (rgb[0] + rgb[3] + 1) >> 1, g = (rgb[1] + rgb[4] + 1) >> 1, b = (rgb[2] + rgb[5] + 1) >> 1;
        yuyv[0] = luma(rgb[0], rgb[1], rgb[2]);
        yuyv[1] = cb(r, g, b);
        yuyv[2] = luma(rgb[3], rgb[4], rgb[5]);
        yuyv[3] = cr(r, g, b);
    }
}

// NV12 to NV21: the two chroma bytes change places, luma is copied.
void nv12_to_nv21(uint8_t *dst, const uint8_t *src, int width, int height) {
    const int luma_size = width * height;
    memcpy(dst, src, luma_size);
    for (int i = 0; i < luma_size / 2; i += 2) {
        dst[luma_size + i] = src[luma_size + i + 1];
        dst[luma_size + i + 1] = src[luma_size + i];
    }
}

// Planar 4:2:0 to RGB: chroma addressed by halved coordinates.
void i420_to_rgb(uint8_t *rgb, const uint8_t *y, const uint8_t *u, const uint8_t *v, int width, int height, int stride,
                 int chroma_stride, int rgb_stride) {
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            yuv_pixel(rgb + j * rgb_stride + 3 * i, y[j * stride + i], u[(j / 2) * chroma_stride + i / 2],
                      v[(j / 2) * chroma_stride + i / 2]);
}

// RGB to the chroma planes of 4:2:0: four pixels averaged, even sizes.
void rgb_to_chroma420(uint8_t *u, uint8_t *v, const uint8_t *rgb, int width, int height, int rgb_stride, int stride) {
    for (int j = 0; j < height / 2; j++) {
        for (int i = 0; i < width / 2; i++) {
            const uint8_t *p = rgb + 2 * j * rgb_stride + 6 * i;
            const uint8_t *q = p + rgb_stride;
            int r = (p[0] + p[3] + q[0] + q[3] + 2) >> 2;
            int g = (p[1] + p[4] + q[1] + q[4] + 2) >> 2;
            int b = (p[2] + p[5] + q[2] + q[5] + 2) >> 2;
            u[j * stride + i] = cb(r, g, b);
            v[j * stride + i] = cr(r, g, b);
        }
    }
}

// 4:2:2 planes to 4:4:4: chroma repeated along rows.
void upsample_chroma422(uint8_t *dst, const uint8_t *src, int chroma_width, int height, int dst_stride, int src_stride) {
    for (int y = 0; y < height; y++) {
        uint8_t *d = dst + y * dst_stride;
        const uint8_t *s = src + y * src_stride;
        for (int x = 0; x < chroma_width; x++) {
            *d++ = *s;
            *d++ = *s++;
        }
    }
}

// Grey to RGBA words: one byte repeated by a multiplication.
void grey_to_argb(uint32_t *dst, const uint8_t *grey, int n) {
    for (int i = 0; i < n; i++) dst[i] = 0xff000000u | grey[i] * 0x010101u;
}

// Big-endian words: bytes exchanged in place.
void swap_bytes16(uint16_t *p, int n) {
    for (int i = 0; i < n; i++) p[i] = (uint16_t)(p[i] << 8 | p[i] >> 8);
}

// CMYK to RGB: products with what black leaves.
void cmyk_to_rgb(uint8_t *rgb, const uint8_t *cmyk, int n) {
    for (int i = 0; i < n; i++) {
        const int k = 255 - cmyk[4 * i + 3];
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (uint8_t)((255 - cmyk[4 * i + c]) * k / 255);
    }
}

// RGB to hue, saturation and value: branches on the largest channel, guarded divisions.
void rgb_to_hsv(uint8_t *hsv, const uint8_t *rgb, int n) {
    for (int i = 0; i < n; i++, hsv += 3, rgb += 3) {
        const int r = rgb[0], g = rgb[1], b = rgb[2];
        int high = r > g ? r : g, low = r < g ? r : g;
        if (b > high) high = b;
        if (b < low) low = b;
        const int delta = high - low;
        int h = 0, s = 0;
        if (high > 0) s = delta * 255 / high;
        if (delta > 0) {
            if (high == r)
                h = 43 * (g - b) / delta;
            else if (high == g)
                h = 85 + 43 * (b - r) / delta;
            else
                h = 171 + 43 * (r - g) / delta;
        }
        hsv[0] = (uint8_t)h;
        hsv[1] = (uint8_t)s;
        hsv[2] = (uint8_t)high;
    }
}

// Sixteen colours to levels of grey, and black for what is no colour.
static const uint8_t kGreyOfColour[16] = {0, 29, 150, 179, 76, 105, 226, 255, 64, 20, 99, 120, 51, 71, 190, 160};

void grey_of_colours(uint8_t *dst, const uint8_t *src, int width, int height, int stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t c = src[y * stride + x];
            dst[y * width + x] = c < sizeof(kGreyOfColour) ? kGreyOfColour[c] : 0;
        }
}

// Floats and their bits through pointers: half floats of a scaled row, and the reciprocal root by a famous number.
typedef uint32_t __attribute__((__may_alias__)) FloatBits;
typedef float __attribute__((__may_alias__)) BitsOfFloat;

void ScaleToHalf(const uint16_t* src, uint16_t* dst, float scale, int width) {
    const float factor = 1.9259299444e-34f * scale;
    for (int x = 0; x < width; ++x) {
        float value = src[x] * factor;
        dst[x] = (uint16_t)((*(const FloatBits*)&value) >> 13);
    }
}

void ReciprocalRoots(const uint16_t* src, float* dst, int width) {
    for (int x = 0; x < width; ++x) {
        float value = src[x] + 1.0f;
        uint32_t bits = 0x5f3759df - ((*(const FloatBits*)&value) >> 1);
        float root = *(const BitsOfFloat*)&bits;
        dst[x] = root * (1.5f - 0.5f * value * root * root);
    }
}
