// Turning, mirroring, moving, padding, cutting: pixels that only change places.
#include <cstddef>
#include <cstdint>
#include <cstring>

// A quarter turn to the right: rows become columns from the right.
void rotate90(uint8_t* dst, const uint8_t* src, int width, int height) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) dst[x * height + (height - 1 - y)] = src[y * width + x];
}

// A quarter turn to the left of words: strides of both images.
void rotate270_words(uint32_t* dst, int dst_pitch, const uint32_t* src, int src_pitch, int width, int height) {
    for (int y = 0; y < height; y++) {
        const uint32_t* s = src + y * src_pitch;
        uint32_t* d = dst + (width - 1) * dst_pitch + y;
        for (int x = 0; x < width; x++) {
            *d = *s++;
            d -= dst_pitch;
        }
    }
}

// Half a turn: a pointer that runs backwards over the whole image.
void rotate180(uint8_t* dst, const uint8_t* src, int width, int height) {
    uint8_t* d = dst + width * height;
    for (int i = 0; i < width * height; i++) *--d = src[i];
}

// Half a turn of RGB: pixels of three bytes from the end.
void rotate180_rgb(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) dst[3 * (n - 1 - i) + c] = src[3 * i + c];
}

// A transposition in blocks of eight by eight: whole blocks only.
void transpose_blocks(uint16_t* dst, const uint16_t* src, int blocks_wide, int blocks_high) {
    const int width = 8 * blocks_wide, height = 8 * blocks_high;
    for (int by = 0; by < blocks_high; by++)
        for (int bx = 0; bx < blocks_wide; bx++)
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++)
                    dst[(8 * bx + x) * height + 8 * by + y] = src[(8 * by + y) * width + 8 * bx + x];
}

// A transposition in ragged tiles: std::min without the library.
void transpose_tiled(uint8_t* dst, const uint8_t* src, int width, int height) {
    for (int ty = 0; ty < height; ty += 16)
        for (int tx = 0; tx < width; tx += 16)
            for (int y = ty; y < (ty + 16 < height ? ty + 16 : height); y++)
                for (int x = tx; x < (tx + 16 < width ? tx + 16 : width); x++) dst[x * height + y] = src[y * width + x];
}

// A mirror in place: two pixels exchanged from both ends.
void mirror_in_place(uint8_t* row, int n) {
    for (int i = 0; i < n / 2; i++) {
        const uint8_t t = row[i];
        row[i] = row[n - 1 - i];
        row[n - 1 - i] = t;
    }
}

// Upside down in place: rows exchanged through a third.
void flip_in_place(uint8_t* image, int width, int height, int stride) {
    for (int y = 0; y < height / 2; y++) {
        uint8_t* a = image + y * stride;
        uint8_t* b = image + (height - 1 - y) * stride;
        for (int x = 0; x < width; x++) {
            uint8_t t = a[x];
            a[x] = b[x];
            b[x] = t;
        }
    }
}

// A frame of constant colour around an image: four fills and a copy of rows.
void pad_constant(uint8_t* dst, const uint8_t* src, int width, int height, int border, uint8_t value) {
    const int stride = width + 2 * border;
    for (int y = 0; y < height + 2 * border; y++)
        for (int x = 0; x < stride; x++) {
            const int sy = y - border, sx = x - border;
            dst[y * stride + x] = sy >= 0 && sy < height && sx >= 0 && sx < width ? src[sy * width + sx] : value;
        }
}

// A frame of repeated edges: coordinates clamped into the image.
void pad_replicate(uint8_t* dst, const uint8_t* src, int width, int height, int border) {
    const int stride = width + 2 * border;
    for (int y = 0; y < height + 2 * border; y++) {
        int sy = y - border;
        if (sy < 0) sy = 0;
        if (sy > height - 1) sy = height - 1;
        for (int x = 0; x < stride; x++) {
            int sx = x - border;
            if (sx < 0) sx = 0;
            if (sx > width - 1) sx = width - 1;
            dst[y * stride + x] = src[sy * width + sx];
        }
    }
}

// Cropping: a window copied to an image of its own, rows by memcpy.
void crop_rows(uint8_t* dst, const uint8_t* src, int left, int top, int width, int height, int stride) {
    const uint8_t* p = src + top * stride + left;
    while (height > 0) {
        memcpy(dst, p, width);
        dst += width;
        p += stride;
        height--;
    }
}

// A shift of rows to the right with what falls out lost: a backward loop in place.
void shift_right_in_place(uint8_t* row, int n, uint8_t fill) {
    for (int i = n - 1; i > 0; i--) row[i] = row[i - 1];
    if (n > 0) row[0] = fill;
}

// A roll of columns: indices modulo the width.
void roll_columns(uint8_t* dst, const uint8_t* src, int width, int height, int offset) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * width + x] = src[y * width + (x + offset) % width];
}

// A mosaic: each block shows its first pixel.
void mosaic(uint8_t* dst, const uint8_t* src, int width, int height, int stride, int log2size) {
    const int mask = ~((1 << (log2size & 7)) - 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) dst[y * stride + x] = src[(y & mask) * stride + (x & mask)];
}

// Fields woven: even rows from one image, odd rows from the other.
void weave_fields(uint8_t* dst, const uint8_t* top, const uint8_t* bottom, int width, int field_height, int stride) {
    for (int y = 0; y < field_height; y++) {
        memcpy(dst + 2 * y * stride, top + y * stride, width);
        memcpy(dst + (2 * y + 1) * stride, bottom + y * stride, width);
    }
}

// Planes taken apart: four channels to four planes.
void split_rgba(const uint8_t* rgba, uint8_t* r, uint8_t* g, uint8_t* b, uint8_t* a, int n) {
    const uint8_t* end = rgba + 4 * n;
    for (const uint8_t* p = rgba; p < end; p += 4) {
        *r++ = p[0];
        *g++ = p[1];
        *b++ = p[2];
        *a++ = p[3];
    }
}

// A row of a tiled image: sixteen pixels of each tile, tiles one behind the other, the last one cut off.
void untile_row(uint8_t* out, const uint8_t* tiles, long tile_bytes, int width) {
    int x = 0;
    for (; x + 16 <= width; x += 16, tiles += tile_bytes) memcpy(out + x, tiles, 16);
    if (x < width) memcpy(out + x, tiles, (size_t)(width - x));
}

// A grey rectangle within a colour image, in place: rows run as one where they follow each other.
int grey_rectangle(uint8_t* image, int pitch, int left, int top, int width, int height) {
    if (!image || width <= 0 || height <= 0 || left < 0 || top < 0) return -1;
    uint8_t* row = image + top * pitch + left * 4;
    if (pitch == width * 4 && (long long)width * height < 1 << 28) {
        width *= height;
        height = 1;
        pitch = 0;
    }
    for (; height > 0; height--, row += pitch)
        for (int x = 0; x < width; x++) {
            uint8_t* p = row + 4 * x;
            p[0] = p[1] = p[2] = (uint8_t)((p[0] * 29 + p[1] * 150 + p[2] * 77 + 128) >> 8);
        }
    return 0;
}

// Anti-transpose: eight rows at a time, counted from the last one back, each group written forwards.
void anti_transpose(uint8_t* dst, ptrdiff_t dst_pitch, const uint8_t* src, ptrdiff_t src_pitch, size_t width, size_t height) {
    uint8_t* out = dst + (width - 1) * dst_pitch + height;
    const size_t whole = height & ~(size_t)7;
    size_t y = 0;
    for (; y < whole; y += 8, out -= 8, src += 8 * src_pitch)
        for (size_t x = 0; x < width; ++x) {
            uint8_t* group = out - 8 - x * dst_pitch;
            const uint8_t* column = src + x + 7 * src_pitch;
            for (int i = 0; i < 8; ++i, column -= src_pitch) group[i] = *column;
        }
    for (; y < height; ++y, --out, src += src_pitch)
        for (size_t x = 0; x < width; ++x) out[-1 - (ptrdiff_t)(x * dst_pitch)] = src[x];
}
