// Gradients, edges, Bayer mosaics, one-bit images and dithers.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define ABS(v) ((v) < 0 ? -(v) : (v))
#define AT(p, x, y) ((p)[(y) * stride + (x)])

typedef unsigned char Pixel;
struct Kernel3 { int w[3][3]; int shift; };

// Prewitt's gradient: sums of three by a macro, clamped.
void prewitt(Pixel* dst, const Pixel* src, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int h = AT(src, x + 1, y - 1) + AT(src, x + 1, y) + AT(src, x + 1, y + 1) - AT(src, x - 1, y - 1) -
                    AT(src, x - 1, y) - AT(src, x - 1, y + 1);
            int v = AT(src, x - 1, y + 1) + AT(src, x, y + 1) + AT(src, x + 1, y + 1) - AT(src, x - 1, y - 1) -
                    AT(src, x, y - 1) - AT(src, x + 1, y - 1);
            int m = (ABS(h) + ABS(v)) >> 1;
            AT(dst, x, y) = (Pixel)(m > 255 ? 255 : m);
        }
}

// Roberts' cross: two diagonal differences, the larger of them.
void roberts(Pixel* dst, const Pixel* src, int width, int height, int stride) {
    for (int y = 0; y < height - 1; y++) {
        for (int x = 0; x < width - 1; x++) {
            const int a = abs(AT(src, x, y) - AT(src, x + 1, y + 1));
            const int b = abs(AT(src, x + 1, y) - AT(src, x, y + 1));
            AT(dst, x, y) = (Pixel)(a > b ? a : b);
        }
    }
}

// Scharr's derivative to signed words: rows of three pointers.
void scharr_x(int16_t* dst, const Pixel* src, int width, int height, int stride) {
    const Pixel *a = src, *b = src + stride, *c = src + 2 * stride;
    for (int y = 1; y < height - 1; y++, a += stride, b += stride, c += stride)
        for (int x = 1; x < width - 1; x++)
            dst[y * width + x] = (int16_t)(3 * (a[x + 1] - a[x - 1]) + 10 * (b[x + 1] - b[x - 1]) + 3 * (c[x + 1] - c[x - 1]));
}

// Zero crossings of signed words: signs of neighbours compared.
void zero_crossings(Pixel* dst, const int16_t* src, int width, int height) {
    for (int y = 0; y < height - 1; y++)
        for (int x = 0; x < width - 1; x++) {
            const int here = src[y * width + x] < 0;
            const int right = src[y * width + x + 1] < 0, below = src[(y + 1) * width + x] < 0;
            dst[y * width + x] = here != right || here != below ? 255 : 0;
        }
}

// Any kernel of three by three in a structure: weights and a shift.
void convolve3(Pixel* dst, const Pixel* src, const Kernel3* kernel, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) sum += kernel->w[j][i] * AT(src, x + i - 1, y + j - 1);
            sum >>= kernel->shift & 15;
            AT(dst, x, y) = (Pixel)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
        }
}

// Hysteresis without its propagation: three levels by two thresholds.
void two_thresholds(Pixel* dst, const int16_t* gradient, int n, int low, int high) {
    int i = -1;
    while (++i < n) {
        int g = gradient[i];
        if (g < 0) g = -g;
        dst[i] = g >= high ? 255 : (g >= low ? 128 : 0);
    }
}

// Bayer RGGB to RGB of half the size: a block of four to one pixel.
void bayer_half(Pixel* rgb, const Pixel* raw, int width, int height, int stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const Pixel* p = raw + 2 * y * stride + 2 * x;
            *rgb++ = p[0];
            *rgb++ = (Pixel)((p[1] + p[stride] + 1) >> 1);
            *rgb++ = p[stride + 1];
        }
}

// Bayer green everywhere: neighbours where the mosaic has no green.
void bayer_green(Pixel* dst, const Pixel* raw, int width, int height, int stride) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            if ((x + y) & 1)
                AT(dst, x, y) = AT(raw, x, y);
            else
                AT(dst, x, y) = (Pixel)((AT(raw, x - 1, y) + AT(raw, x + 1, y) + AT(raw, x, y - 1) + AT(raw, x, y + 1)) >> 2);
        }
}

// Bayer demosaicing by blocks of two by two: bilinear, four pixels an iteration.
void bayer_bilinear(Pixel* rgb, const Pixel* raw, int width, int height, int stride) {
    for (int y = 2; y < height - 2; y += 2) {
        for (int x = 2; x < width - 2; x += 2) {
            const Pixel* p = raw + y * stride + x;
            Pixel* a = rgb + 3 * (y * width + x);
            Pixel* b = a + 3 * width;
            a[0] = p[0];
            a[1] = (Pixel)((p[-1] + p[1] + p[-stride] + p[stride]) >> 2);
            a[2] = (Pixel)((p[-stride - 1] + p[-stride + 1] + p[stride - 1] + p[stride + 1]) >> 2);
            a[3] = (Pixel)((p[0] + p[2]) >> 1);
            a[4] = p[1];
            a[5] = (Pixel)((p[1 - stride] + p[1 + stride]) >> 1);
            b[0] = (Pixel)((p[0] + p[2 * stride]) >> 1);
            b[1] = p[stride];
            b[2] = (Pixel)((p[stride - 1] + p[stride + 1]) >> 1);
            b[3] = (Pixel)((p[0] + p[2] + p[2 * stride] + p[2 * stride + 2]) >> 2);
            b[4] = (Pixel)((p[stride] + p[stride + 2] + p[1] + p[2 * stride + 1]) >> 2);
            b[5] = p[stride + 1];
        }
    }
}

// One bit a pixel to bytes: a shift by the column's remainder.
void bits_to_bytes(Pixel* dst, const Pixel* bits, int width, int height, int dst_stride, int bits_stride) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            dst[y * dst_stride + x] = (bits[y * bits_stride + (x >> 3)] >> (7 - (x & 7))) & 1 ? 255 : 0;
}

// Bytes to one bit a pixel: eight pixels gathered by a loop.
void bytes_to_bits(Pixel* bits, const Pixel* src, int bytes, int level) {
    for (int i = 0; i < bytes; i++) {
        int v = 0;
        for (int k = 0; k < 8; k++) v = v << 1 | (src[8 * i + k] > level);
        bits[i] = (Pixel)v;
    }
}

// Two pixels a byte to bytes: nibbles by shifts and masks.
void nibbles_to_bytes(Pixel* dst, const Pixel* src, int pairs, const Pixel* palette) {
    for (int i = 0; i < pairs; i++) {
        dst[2 * i] = palette[src[i] >> 4];
        dst[2 * i + 1] = palette[src[i] & 15];
    }
}

// A palette of RGB: three look-ups for each index.
void palette_to_rgb(Pixel* rgb, const Pixel* indices, const Pixel* palette, int n) {
    for (int i = 0; i < n; i++) {
        const Pixel* p = palette + 3 * indices[i];
        rgb[3 * i] = p[0];
        rgb[3 * i + 1] = p[1];
        rgb[3 * i + 2] = p[2];
    }
}

// An ordered dither to one of two levels: a matrix of four by four in a flat table.
void ordered_dither(Pixel* dst, const Pixel* src, int width, int height, int stride) {
    static const Pixel kMatrix[16] = {15, 135, 45, 165, 195, 75, 225, 105, 60, 180, 30, 150, 240, 120, 210, 90};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) AT(dst, x, y) = AT(src, x, y) > kMatrix[(y & 3) * 4 + (x & 3)] ? 255 : 0;
}

// Reversal of the bits of bytes: three exchanges by masks.
void reverse_bits(Pixel* p, int n) {
    for (Pixel* end = p + n; p != end; p++) {
        unsigned v = *p;
        v = (v >> 4 | v << 4) & 0xff;
        v = (v & 0xcc) >> 2 | (v & 0x33) << 2;
        v = (v & 0xaa) >> 1 | (v & 0x55) << 1;
        *p = (Pixel)v;
    }
}

// Differences along rows and back is lossless: the predictor of a compressor.
void predict_left(Pixel* dst, const Pixel* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        dst[y * stride] = src[y * stride];
        for (int x = 1; x < width; x++) dst[y * stride + x] = (Pixel)(src[y * stride + x] - src[y * stride + x - 1]);
    }
}

// The Paeth predictor: the nearest of three neighbours.
void predict_paeth(Pixel* dst, const Pixel* row, const Pixel* above, int n) {
    for (int i = 1; i < n; i++) {
        const int a = row[i - 1], b = above[i], c = above[i - 1];
        const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
        const int best = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
        dst[i] = (Pixel)(row[i] - best);
    }
}

// Differences to the neighbours of one label's pixels only: row pointers held at the frame, first and last column apart.
static inline int spread(const Pixel* up, const Pixel* here, const Pixel* down, size_t left, size_t x, size_t right) {
    const int across = abs(here[right] - here[left]), along = abs(down[x] - up[x]);
    return across + along + abs(down[right] - up[left]);
}

void label_outline(const Pixel* src, size_t pitch, const Pixel* labels, size_t labelPitch, Pixel label, int16_t* dst,
                   size_t dstPitch, size_t width, size_t height) {
    for (size_t y = 0; y < height; ++y, labels += labelPitch, dst += dstPitch) {
        const Pixel* here = src + y * pitch;
        const Pixel* up = y == 0 ? here : here - pitch;
        const Pixel* down = y + 1 == height ? here : here + pitch;
        dst[0] = labels[0] != label ? -1 : spread(up, here, down, 0, 0, 1);
        for (size_t x = 1; x < width - 1; ++x) dst[x] = labels[x] != label ? -1 : spread(up, here, down, x - 1, x, x + 1);
        dst[width - 1] = labels[width - 1] != label ? -1 : spread(up, here, down, width - 2, width - 1, width - 1);
    }
}

static inline void smooth_edge(Pixel* q, int step, int alpha, int beta) {
    const int p1 = q[-2 * step], p0 = q[-step], q0 = q[0], q1 = q[step];
    if (abs(p0 - q0) < alpha && abs(p1 - p0) < beta && abs(q1 - q0) < beta) {
        if (abs(p1 - q0) < beta) q[-2 * step] = (Pixel)((p1 + p0 + 1) >> 1);
        q[-step] = (Pixel)((2 * p1 + p0 + q1 + 2) >> 2);
        q[0] = (Pixel)((2 * q1 + q0 + p1 + 2) >> 2);
    }
}

// Deblocking: pixels on either side of a vertical edge, two left of it and one right of it in place, one more read.
void deblock_columns(Pixel* edge, int stride, int alpha, int beta) {
    for (int y = 0; y < 16; y++, edge += stride) smooth_edge(edge, 1, alpha, beta);
}

// The same across a horizontal edge, in two halves.
void deblock_rows(Pixel* edge, int stride, int alpha, int beta) {
    for (int half = 0; half < 2; half++)
        for (int x = 0; x < 8; x++, edge++) smooth_edge(edge, stride, alpha, beta);
}
