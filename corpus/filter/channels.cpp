// Interleaved rows: borders as wide as a pixel of any number of channels, frames left blank, mosaics, halves of words.
#include <cstdint>
#include <cstdlib>
#include <cstring>

typedef unsigned char Pixel;

// A tent of three by one over any number of channels: the first pixel, the inside and the last one by three loops.
void tent_channels(Pixel* dst, const Pixel* src, int width, int height, int channels, int stride) {
    const int row = width * channels;
    for (int y = 0; y < height; y++) {
        const Pixel* s = src + y * stride;
        Pixel* d = dst + y * stride;
        int i = 0;
        for (; i < channels; i++) d[i] = (Pixel)((3 * s[i] + s[i + channels] + 2) >> 2);
        for (; i < row - channels; i++) d[i] = (Pixel)((s[i - channels] + 2 * s[i] + s[i + channels] + 2) >> 2);
        for (; i < row; i++) d[i] = (Pixel)((s[i - channels] + 3 * s[i] + 2) >> 2);
    }
}

static int sum_of_nine(const Pixel* a, const Pixel* b, const Pixel* c, size_t l, size_t m, size_t r) {
    return a[l] + a[m] + a[r] + b[l] + b[m] + b[r] + c[l] + c[m] + c[r];
}

// A mean of nine over any number of channels: rows above and below replaced at the borders, columns in three loops.
void mean_channels(Pixel* dst, size_t dst_stride, const Pixel* src, size_t src_stride, size_t width, size_t height,
                   size_t channels) {
    const size_t row = width * channels;
    for (size_t y = 0; y < height; y++, dst += dst_stride) {
        const Pixel* middle = src + y * src_stride;
        const Pixel* above = y > 0 ? middle - src_stride : middle;
        const Pixel* below = y + 1 < height ? middle + src_stride : middle;
        size_t i = 0;
        for (; i < channels; i++) dst[i] = (Pixel)(sum_of_nine(above, middle, below, i, i, i + channels) / 9);
        for (; i < row - channels; i++)
            dst[i] = (Pixel)(sum_of_nine(above, middle, below, i - channels, i, i + channels) / 9);
        for (; i < row; i++) dst[i] = (Pixel)(sum_of_nine(above, middle, below, i - channels, i, i) / 9);
    }
}

// The larger of two differences, with a frame of zeros: rows by memset, columns by two stores.
void edges_framed(Pixel* dst, size_t dst_stride, const Pixel* src, size_t src_stride, size_t width, size_t height) {
    memset(dst, 0, width);
    for (size_t y = 1; y + 1 < height; y++) {
        const Pixel* s = src + y * src_stride;
        Pixel* d = dst + y * dst_stride;
        d[0] = 0;
        for (size_t x = 1; x + 1 < width; x++) {
            const int h = abs(s[x + 1] - s[x - 1]);
            const int v = abs(s[x + src_stride] - s[x - src_stride]);
            d[x] = (Pixel)(h > v ? h : v);
        }
        d[width - 1] = 0;
    }
    memset(dst + (height - 1) * dst_stride, 0, width);
}

static void mosaic_block(const Pixel* top, const Pixel* bottom, Pixel* even, Pixel* odd) {
    even[0] = top[2];
    even[1] = top[4];
    odd[0] = bottom[1];
    odd[1] = bottom[3];
}

// BGR to a Bayer mosaic: of each pixel of a block of two by two one channel.
void bgr_to_mosaic(Pixel* dst, int dst_stride, const Pixel* src, int src_stride, int width, int height) {
    for (int y = 0; y < height; y += 2, src += 2 * src_stride, dst += 2 * dst_stride)
        for (int x = 0; x < width; x += 2)
            mosaic_block(src + 3 * x, src + 3 * x + src_stride, dst + x, dst + x + dst_stride);
}

union Word {
    float real;
    uint32_t bits;
};

// Floats to their upper halves, rounded: the bits of a float through a union.
void floats_to_halves(uint16_t* dst, const float* src, int n) {
    for (int i = 0; i < n; i++) {
        Word w;
        w.real = src[i];
        dst[i] = (uint16_t)((w.bits + 0x7FFF + ((w.bits >> 16) & 1)) >> 16);
    }
}

// The largest of three along rows of any number of channels: both borders in one loop, at either end by a choice.
void widest_channels(Pixel* dst, const Pixel* src, size_t width, size_t height, size_t channels, size_t stride) {
    const size_t row = width * channels;
    for (size_t y = 0; y < height; y++, src += stride, dst += stride) {
        for (size_t i = 0; i < 2 * channels; i++) {
            const size_t here = i < channels ? i : row - 2 * channels + i;
            const size_t next = i < channels ? i + channels : row - 3 * channels + i;
            dst[here] = src[here] > src[next] ? src[here] : src[next];
        }
        for (size_t i = channels; i < row - channels; i++) {
            const Pixel sides = src[i - channels] > src[i + channels] ? src[i - channels] : src[i + channels];
            dst[i] = src[i] > sides ? src[i] : sides;
        }
    }
}

// A derivative along rows to words that the caller holds in bytes.
void derivative_in_bytes(uint8_t* dst, size_t dst_bytes, const Pixel* src, size_t stride, size_t width, size_t height) {
    int16_t* d = (int16_t*)dst;
    for (size_t y = 0; y < height; y++, d += dst_bytes / sizeof(int16_t), src += stride) {
        d[0] = (int16_t)(src[1] - src[0]);
        for (size_t x = 1; x + 1 < width; x++) d[x] = (int16_t)(src[x + 1] - src[x - 1]);
        d[width - 1] = (int16_t)(src[width - 1] - src[width - 2]);
    }
}

// A weighted sum of two rows of floats behind pointers of no type.
void mix_rows(void* dst, const void* a, const void* b, float weight, int n) {
    float* d = (float*)dst;
    const float *s = (const float*)a, *t = (const float*)b;
    for (int i = 0; i < n; i++) d[i] = s[i] + (t[i] - s[i]) * weight;
}

// Chroma pairs at half the width: two by two written out, a lone last one by a loop over both.
void halve_chroma(Pixel* dst, size_t dst_stride, const Pixel* src, size_t src_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        const Pixel* s = src + y * src_stride;
        Pixel* d = dst + y * dst_stride;
        for (size_t x = 0; x + 1 < width; x += 2, s += 4, d += 2) {
            d[0] = (Pixel)((s[0] + s[2] + 1) / 2);
            d[1] = (Pixel)((s[1] + s[3] + 1) / 2);
        }
        if (width % 2)
            for (int c = 0; c < 2; c++) d[c] = s[c];
    }
}
