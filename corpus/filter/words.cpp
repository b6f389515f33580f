// Pixels packed in words, structures of tables, and rows of pixel pairs with an odd tail.
#include <cstdint>
#include <cstdlib>
#include <cstring>

struct YuvTables {
    uint8_t toBlue[8];
    uint8_t toGreen[8];
    uint8_t toRed[8];
    int16_t bias[4];
};

struct Rgb {
    uint8_t r, g, b;
};

static inline uint8_t Clamp255(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

// Two 16-bit pixels leave as one word; a last lone pixel by itself.
void ArgbToRgb565(uint8_t* dst, const uint8_t* src, int width) {
    int x;
    for (x = 0; x < width - 1; x += 2) {
        uint8_t b0 = src[0] >> 3, g0 = src[1] >> 2, r0 = src[2] >> 3;
        uint8_t b1 = src[4] >> 3, g1 = src[5] >> 2, r1 = src[6] >> 3;
        *(uint32_t*)dst = b0 | (g0 << 5) | (r0 << 11) | (b1 << 16) | (g1 << 21) | ((uint32_t)r1 << 27);
        dst += 4;
        src += 8;
    }
    if (width & 1) {
        uint8_t b0 = src[0] >> 3, g0 = src[1] >> 2, r0 = src[2] >> 3;
        *(uint16_t*)dst = (uint16_t)(b0 | (g0 << 5) | (r0 << 11));
    }
}

// Red and blue change places inside a word.
void SwapRedBlueWords(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; ++i) {
        uint32_t p;
        memcpy(&p, src + 4 * i, 4);
        p = (p & 0xff00ff00u) | ((p & 0xff) << 16) | ((p >> 16) & 0xff);
        memcpy(dst + 4 * i, &p, 4);
    }
}

// Only one byte of each word.
void OpaqueWords(uint32_t* pixels, int n) {
    for (int i = 0; i < n; ++i) ((uint8_t*)(pixels + i))[3] = 255;
}

static inline void YuvPixel(int y, int u, int v, uint8_t* rgb, const YuvTables* t) {
    int luma = y * 74 + t->bias[0];
    rgb[0] = Clamp255((luma + v * t->toRed[1] - t->bias[1]) >> 6);
    rgb[1] = Clamp255((luma - u * t->toGreen[0] - v * t->toGreen[1] + t->bias[2]) >> 6);
    rgb[2] = Clamp255((luma + u * t->toBlue[0] - t->bias[3]) >> 6);
}

// One pair of chroma for two pixels; the tail is a single pixel.
void Nv12ToRgb(uint8_t* rgb, const uint8_t* y, const uint8_t* uv, const YuvTables* tables, int width) {
    int x;
    for (x = 0; x < width - 1; x += 2) {
        YuvPixel(y[0], uv[0], uv[1], rgb + 0, tables);
        YuvPixel(y[1], uv[0], uv[1], rgb + 3, tables);
        y += 2;
        uv += 2;
        rgb += 6;
    }
    if (width & 1) YuvPixel(y[0], uv[0], uv[1], rgb, tables);
}

void RgbStructToGrey(uint8_t* grey, const Rgb* rgb, int n) {
    for (int i = 0; i < n; ++i) grey[i] = (uint8_t)((rgb[i].r * 77 + rgb[i].g * 150 + rgb[i].b * 29 + 128) >> 8);
}

// Rows are summed in 32 bits, the image in 64.
void AbsDifferenceTotal(uint64_t* sum, const uint8_t* a, const uint8_t* b, int width, int height, int stride) {
    *sum = 0;
    for (int row = 0; row < height; ++row) {
        int rowSum = 0;
        for (int col = 0; col < width; ++col) rowSum += abs(a[col] - b[col]);
        *sum += rowSum;
        a += stride;
        b += stride;
    }
}

static inline int AlignDown(int size, int step) { return size & ~(step - 1); }

// A body of four with a bound computed by a helper, then the rest.
void ScaleByFours(uint8_t* dst, const uint8_t* src, int n, int scale) {
    int aligned = AlignDown(n, 4), i = 0;
    for (; i < aligned; i += 4) {
        dst[i + 0] = (uint8_t)(src[i + 0] * scale >> 8);
        dst[i + 1] = (uint8_t)(src[i + 1] * scale >> 8);
        dst[i + 2] = (uint8_t)(src[i + 2] * scale >> 8);
        dst[i + 3] = (uint8_t)(src[i + 3] * scale >> 8);
    }
    for (; i < n; ++i) dst[i] = (uint8_t)(src[i] * scale >> 8);
}

// A colour into all pixels of a row: four at a time as three words made beforehand, then one by one.
void fill_rgb(uint8_t* dst, size_t width, size_t height, size_t stride, uint8_t r, uint8_t g, uint8_t b) {
    const size_t whole = width / 4 * 4 * 3, all = width * 3;
    uint32_t pattern[3];
    pattern[0] = r | (g << 8) | (b << 16) | ((uint32_t)r << 24);
    pattern[1] = g | (b << 8) | (r << 16) | ((uint32_t)g << 24);
    pattern[2] = b | (r << 8) | (g << 16) | ((uint32_t)b << 24);
    for (size_t y = 0; y < height; ++y, dst += stride) {
        size_t at = 0;
        for (; at < whole; at += 12) {
            uint32_t* words = (uint32_t*)(dst + at);
            words[0] = pattern[0], words[1] = pattern[1], words[2] = pattern[2];
        }
        for (; at < all; at += 3) dst[at] = r, dst[at + 1] = g, dst[at + 2] = b;
    }
}

static inline uint32_t four(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return a | (b << 8) | (c << 16) | ((uint32_t)d << 24);
}

// All pixels like the one given, in another image.
void fill_like(uint8_t* dst, size_t width, size_t height, size_t stride, const uint8_t* pixel) {
    const uint8_t r = pixel[0], g = pixel[1], b = pixel[2];
    uint32_t pattern[3];
    pattern[0] = four(r, g, b, r), pattern[1] = four(g, b, r, g), pattern[2] = four(b, r, g, b);
    for (size_t y = 0; y < height; ++y, dst += stride) {
        size_t x = 0;
        for (; x + 4 <= width; x += 4) {
            uint32_t* words = (uint32_t*)(dst + 3 * x);
            words[0] = pattern[0], words[1] = pattern[1], words[2] = pattern[2];
        }
        for (; x < width; ++x) dst[3 * x] = r, dst[3 * x + 1] = g, dst[3 * x + 2] = b;
    }
}

// Each word carries one byte too many, which the next pixel overwrites; the last pixel goes by bytes.
void drop_alpha_by_words(uint8_t* rgb, int rgb_stride, const uint8_t* rgba, int rgba_stride, int width, int height) {
    if (width < 1) return;
    for (int y = 0; y < height; y++) {
        uint8_t* d = rgb + y * rgb_stride;
        const uint8_t* s = rgba + y * rgba_stride;
        for (int x = 1; x < width; x++, d += 3, s += 4) *(uint32_t*)d = *(const uint32_t*)s;
        d[0] = s[0];
        d[1] = s[1];
        d[2] = s[2];
    }
}

// Words are read beyond their pixel, but not behind the image.
static void AddAlphaRow(uint8_t* d, const uint8_t* s, int width, uint8_t alpha, bool last) {
    for (int x = last ? 1 : 0; x < width; x++) {
        uint32_t word;
        memcpy(&word, s, 4);
        word = (word & 0xffffff) | (uint32_t)alpha << 24;
        memcpy(d, &word, 4);
        d += 4;
        s += 3;
    }
    if (last) {
        d[0] = s[0];
        d[1] = s[1];
        d[2] = s[2];
        d[3] = alpha;
    }
}

void AddAlphaByWords(uint8_t* rgba, int rgba_stride, const uint8_t* rgb, int rgb_stride, int width, int height,
                     uint8_t alpha) {
    if (width <= 0 || height <= 0) return;
    for (int y = 0; y < height; y++)
        AddAlphaRow(rgba + y * rgba_stride, rgb + y * rgb_stride, width, alpha, y == height - 1);
}

// The bytes that words spill behind each row are part of the result.
void spill_behind_rows(uint8_t* dst, int dst_stride, const uint8_t* src, int src_stride, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint32_t word;
            memcpy(&word, src + y * src_stride + 4 * x, 4);
            word ^= 0x00ffffff;
            memcpy(dst + y * dst_stride + 3 * x, &word, 4);
        }
    }
}

union Argb {
    uint32_t word;
    uint8_t bytes[4];
};

// Red under half-transparent black, a channel at a time of a word in a union.
void DarkenInUnion(uint32_t* dst, const uint32_t* src, int count) {
    for (int i = 0; i < count; i++) {
        Argb pixel;
        pixel.word = src[i];
        for (int k = 0; k < 3; k++) pixel.bytes[k] = (uint8_t)(pixel.bytes[k] >> 1);
        dst[i] = pixel.word;
    }
}

// The channels of a word in memory order, whatever order that is.
void WordsToPlanes(uint8_t* blue, uint8_t* green, uint8_t* red, const uint32_t* src, int count) {
    for (int i = 0; i < count; i++) {
        const uint32_t word = src[i];
        const uint8_t* channel = (const uint8_t*)&word;
        blue[i] = channel[0];
        green[i] = channel[1];
        red[i] = channel[2];
    }
}

// A fast logarithm of base 2: exponent and mantissa as one fixed-point number.
void LogOfBits(float* dst, const float* src, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &src[i], sizeof bits);
        dst[i] = (float)bits * (1.0f / 8388608.0f) - 127.0f;
    }
}

// Bits that differ, of all words.
int DistanceInBits(const uint64_t* a, const uint64_t* b, int count) {
    int ones = 0;
    for (int i = 0; i < count; i++) ones += __builtin_popcountll(a[i] ^ b[i]);
    return ones;
}

// Samples of the other byte order.
void FromBigEndian(uint16_t* dst, const uint16_t* src, int count) {
    for (int i = 0; i < count; i++) dst[i] = __builtin_bswap16(src[i]);
}
