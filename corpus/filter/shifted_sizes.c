/* Codecs: sizes and places that are shifted by what a format or a block says. */

#include <stdint.h>

void copy_chroma(uint8_t *dst, int dst_stride, const uint8_t *src, int src_stride, int w, int h, int ss_x, int ss_y) {
    int cw = (w + ss_x) >> ss_x, ch = (h + ss_y) >> ss_y;
    for (int y = 0; y < ch; y++, dst += dst_stride, src += src_stride)
        for (int x = 0; x < cw; x++) dst[x] = src[x];
}

void upsample_nearest(uint8_t *dst, const uint8_t *src, int dst_stride, int src_stride, int w, int h, int sx, int sy) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) dst[y * dst_stride + x] = src[(y >> sy) * src_stride + (x >> sx)];
}

void luma_of_chroma(uint8_t *dst, const uint8_t *luma, int dst_stride, int stride, int w, int h, int sx, int sy) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) dst[y * dst_stride + x] = luma[(y << sy) * stride + (x << sx)];
}

void predict_dc(uint8_t *dst, int stride, const uint8_t *top, const uint8_t *left, int log2_size) {
    int n = 1 << log2_size, sum = n;
    for (int i = 0; i < n; i++) sum += top[i] + left[i];
    sum >>= log2_size + 1;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) dst[y * stride + x] = sum;
}

void predict_planar(uint8_t *dst, int stride, const uint8_t *top, const uint8_t *left, int log2_size) {
    int n = 1 << log2_size;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            dst[y * stride + x] = ((n - 1 - x) * left[y] + (x + 1) * top[n] + (n - 1 - y) * top[x] +
                                   (y + 1) * left[n] + n) >> (log2_size + 1);
}

void store_residual(int16_t *coefficients, const int16_t *residual, int stride, int log2_w, int log2_h) {
    for (int y = 0; y < (1 << log2_h); y++)
        for (int x = 0; x < (1 << log2_w); x++) coefficients[(y << log2_w) + x] = residual[y * stride + x] * 64;
}

void fill_subsampled(uint8_t *dst, int stride, int w, int h, unsigned sub) {
    int cw = (w + (1 << sub) - 1) >> sub, ch = -((-h) >> sub);
    for (int y = 0; y < ch; y++)
        for (int x = 0; x < cw; x++) dst[y * stride + x] = 128;
}
