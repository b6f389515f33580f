// One entry for all modes: enumerations, switches inside and outside of loops, tables of functions, goto cleanup.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum { MODE_NORMAL, MODE_MULTIPLY, MODE_SCREEN, MODE_DARKEN, MODE_LIGHTEN, MODE_ADD } Mode;
typedef enum { STATUS_OK = 0, STATUS_BAD_POINTER = -1, STATUS_BAD_SIZE = -2, STATUS_NO_MEMORY = -3 } Status;

static uint8_t div255(unsigned v) { return (uint8_t)((v + 128 + ((v + 128) >> 8)) >> 8); }

static uint8_t one_pixel(Mode mode, uint8_t below, uint8_t above) {
    switch (mode) {
        case MODE_MULTIPLY: return div255(below * above);
        case MODE_SCREEN: return 255 - div255((255 - below) * (255 - above));
        case MODE_DARKEN: return below < above ? below : above;
        case MODE_LIGHTEN: return below > above ? below : above;
        case MODE_ADD: return below + above > 255 ? 255 : below + above;
        default: return above;
    }
}

// Any of six modes: a switch inside a function called for each pixel.
void blend_by_mode(Mode mode, uint8_t *dst, const uint8_t *src, int n) {
    int i;
    for (i = 0; i < n; i++) dst[i] = one_pixel(mode, dst[i], src[i]);
}

// Two modes chosen by an argument: a switch around loops over rows.
Status blend_rows_by_mode(int mode, uint8_t *dst, int dst_stride, const uint8_t *src, int src_stride, int width, int height) {
    if (!dst || !src) return STATUS_BAD_POINTER;
    if (width < 0 || height < 0) return STATUS_BAD_SIZE;
    switch (mode) {
        case MODE_DARKEN:
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) {
                    uint8_t s = src[y * src_stride + x];
                    if (s < dst[y * dst_stride + x]) dst[y * dst_stride + x] = s;
                }
            break;
        case MODE_LIGHTEN:
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) {
                    uint8_t s = src[y * src_stride + x];
                    if (s > dst[y * dst_stride + x]) dst[y * dst_stride + x] = s;
                }
            break;
        default:
            return STATUS_BAD_SIZE;
    }
    return STATUS_OK;
}

typedef uint8_t (*PixelOp)(uint8_t, uint8_t);
static uint8_t op_difference(uint8_t a, uint8_t b) { return a > b ? a - b : b - a; }
static uint8_t op_exclusion(uint8_t a, uint8_t b) { return a + b - 2 * div255(a * b); }
static uint8_t op_negation(uint8_t a, uint8_t b) { return 255 - abs(255 - a - b); }
static const PixelOp kOps[] = {op_difference, op_exclusion, op_negation};

// A mode from a table of functions: the index is a constant at the call.
void blend_exclusion_from_table(uint8_t *dst, const uint8_t *src, int n) {
    PixelOp op = kOps[1];
    for (int i = 0; i < n; i++) dst[i] = op(dst[i], src[i]);
}

// A mode from a table of functions by the caller's number: a call through a variable pointer.
void blend_from_table(int which, uint8_t *dst, const uint8_t *src, int n) {
    if (which < 0 || which > 2) return;
    PixelOp op = kOps[which];
    for (int i = 0; i < n; i++) dst[i] = op(dst[i], src[i]);
}

// Checks first, then the work, cleanup at the end: goto out of checks.
int multiply_with_cleanup(uint8_t *dst, const uint8_t *src, const uint8_t *mask, int width, int height, int stride) {
    int status = STATUS_OK;
    if (dst == NULL || src == NULL) {
        status = STATUS_BAD_POINTER;
        goto done;
    }
    if (width <= 0 || height <= 0) {
        status = STATUS_BAD_SIZE;
        goto done;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int i = y * stride + x;
            if (mask[i]) dst[i] = div255(dst[i] * src[i]);
        }
    }
done:
    return status;
}

// A temporary row: malloc, goto on failure, free at the end.
int screen_through_row(uint8_t *dst, const uint8_t *src, int width, int height, int stride) {
    int status = STATUS_OK;
    uint8_t *row = NULL;
    if (width <= 0 || height <= 0) goto out;
    row = (uint8_t *)malloc(width);
    if (!row) {
        status = STATUS_NO_MEMORY;
        goto out;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) row[x] = 255 - src[y * stride + x];
        for (int x = 0; x < width; x++) dst[y * stride + x] = 255 - div255((255 - dst[y * stride + x]) * row[x]);
    }
out:
    free(row);
    return status;
}

// Flags in a word: each bit switches a step of the same loop.
void blend_by_flags(uint8_t *dst, const uint8_t *src, int n, unsigned flags) {
    for (int i = 0; i < n; i++) {
        int v = src[i];
        if (flags & 1) v = 255 - v;
        if (flags & 2) v = div255(v * dst[i]);
        if (flags & 4) v = (v + dst[i]) >> 1;
        dst[i] = (uint8_t)v;
    }
}

// The depth as an argument: bytes or words behind a void pointer.
void invert_any_depth(void *pixels, int count, int depth) {
    if (depth == 8) {
        uint8_t *p = (uint8_t *)pixels;
        for (int i = 0; i < count; i++) p[i] = 255 - p[i];
    } else if (depth == 16) {
        uint16_t *p = (uint16_t *)pixels;
        for (int i = 0; i < count; i++) p[i] = 65535 - p[i];
    }
}

// A number of channels as an argument: a loop of unknown length inside.
void average_channels(uint8_t *dst, const uint8_t *src, int pixels, int channels) {
    for (int i = 0; i < pixels; i++)
        for (int c = 0; c < channels; c++) dst[i * channels + c] = (dst[i * channels + c] + src[i * channels + c] + 1) / 2;
}

// A number of channels with alpha last: all but the last are blended.
void over_channels(uint8_t *dst, const uint8_t *src, int pixels, int channels) {
    for (int i = 0; i < pixels; i++) {
        const int alpha = src[i * channels + channels - 1];
        for (int c = 0; c < channels - 1; c++) {
            int k = i * channels + c;
            dst[k] = div255(dst[k] * (255 - alpha) + src[k] * alpha);
        }
    }
}

// Contiguous rows as one: the width multiplied by the height where strides allow.
void add_contiguous(uint8_t *dst, int dst_stride, const uint8_t *src, int src_stride, int width, int height) {
    if (dst_stride == width && src_stride == width) {
        width *= height;
        height = 1;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int v = dst[x] + src[x];
            dst[x] = v > 255 ? 255 : v;
        }
        dst += dst_stride;
        src += src_stride;
    }
}

// Bottom-up bitmaps: a negative height starts at the last row.
void over_bottom_up(uint8_t *dst, const uint8_t *src, int width, int height, int pitch, uint8_t alpha) {
    if (height < 0) {
        height = -height;
        dst += (height - 1) * pitch;
        pitch = -pitch;
        src += (height - 1) * -pitch;
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            dst[y * pitch + x] = div255(dst[y * pitch + x] * (255 - alpha) + src[y * pitch + x] * alpha);
}

// Rows rounded up to four bytes: the stride is computed from the width.
void dib_multiply(uint8_t *dst, const uint8_t *src, int width, int height) {
    int stride = (width * 3 + 3) & ~3;
    for (int y = 0; y < height; y++) {
        uint8_t *d = dst + y * stride;
        const uint8_t *s = src + y * stride;
        for (int x = 0; x < width * 3; x++) d[x] = div255(d[x] * s[x]);
    }
}
