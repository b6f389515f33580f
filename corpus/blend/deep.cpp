// Sixteen bits a channel, white at 32768 or at 65535, by the authors of a retouching program around 2005.
#include <cstdint>
#include <cstdlib>

typedef uint16_t word;

enum { kWhite15 = 32768, kWhite16 = 65535 };

static inline unsigned Mul15(unsigned a, unsigned b) { return (a * b + 16384) >> 15; }
static inline unsigned Div65535(unsigned v) { return (v + (v >> 16) + 1) >> 16; }

// Normal with 15-bit opacity: white is 32768, rows of three strides.
void Normal15(word* dst, int dstStride, const word* src, int srcStride, int rows, int cols, int opacity) {
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            int delta = src[col] - dst[col];
            dst[col] = (word)(dst[col] + ((delta * opacity + 16384) >> 15));
        }
        dst += dstStride;
        src += srcStride;
    }
}

// Multiply with white at 32768: shifts for divisions.
void Multiply15(word* dst, const word* src, int rows, int cols, int stride) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) dst[i * stride + j] = (word)Mul15(dst[i * stride + j], src[i * stride + j]);
}

// Screen with white at 32768: columns outside, rows inside.
void Screen15(word* dst, const word* src, int rows, int cols, int stride) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            word* p = dst + i * stride + j;
            *p = (word)(kWhite15 - Mul15(kWhite15 - *p, kWhite15 - src[i * stride + j]));
        }
}

// Colour burn with white at 32768: a guarded division of 32 bits.
void ColorBurn15(word* dst, const word* src, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++, dst += stride, src += stride)
        for (int c = 0; c < cols; c++) {
            const int s = src[c], d = dst[c];
            int v = 0;
            if (s > 0) {
                v = kWhite15 - ((kWhite15 - d) << 15) / s;
                if (v < 0) v = 0;
            } else if (d >= kWhite15) {
                v = kWhite15;
            }
            dst[c] = (word)v;
        }
}

// Colour dodge with white at 65535: a division of 64 bits.
void ColorDodge16(word* dst, const word* src, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t rest = kWhite16 - src[i];
        if (rest == 0) {
            dst[i] = dst[i] ? kWhite16 : 0;
            continue;
        }
        uint64_t v = (uint64_t)dst[i] * kWhite16 / rest;
        dst[i] = v > kWhite16 ? (word)kWhite16 : (word)v;
    }
}

// Multiply with white at 65535: a division by shifts in unsigned arithmetic.
void Multiply16Shift(word* dst, const word* a, const word* b, int n) {
    while (n) {
        *dst = (word)Div65535((unsigned)*a * *b + 32768u);
        ++dst;
        ++a;
        ++b;
        --n;
    }
}

// Overlay with white at 65535: 64-bit products under a choice.
void Overlay16(word* dst, const word* src, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++) {
        word* d = dst + r * stride;
        const word* s = src + r * stride;
        for (int c = 0; c < cols; c++) {
            uint32_t lower = 2u * d[c], upper = 2u * (kWhite16 - d[c]);
            d[c] = d[c] < 32768 ? (word)((uint64_t)lower * s[c] / kWhite16)
                                : (word)(kWhite16 - (uint64_t)upper * (kWhite16 - s[c]) / kWhite16);
        }
    }
}

// Difference with white at 65535: unsigned words through a signed difference.
void Difference16(word* dst, const word* src, int rows, int cols, int stride) {
    const int gap = stride - cols;
    while (rows--) {
        int c = cols;
        while (c-- > 0) {
            int delta = *dst - *src++;
            *dst++ = (word)abs(delta);
        }
        dst += gap;
        src += gap;
    }
}

// Masked normal, a mask of 8 bits over layers of 16: widened by 257.
void NormalMask8Over16(word* dst, const word* src, const uint8_t* mask, int rows, int cols, int stride, int maskStride) {
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            const unsigned w = mask[c] * 257u;
            dst[c] = (word)(((uint64_t)dst[c] * (kWhite16 - w) + (uint64_t)src[c] * w + 32767) / kWhite16);
        }
        dst += stride;
        src += stride;
        mask += maskStride;
    }
}

// Bytes blended into words: the source is widened while it is added.
void AddBytesToWords(word* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) {
        unsigned v = dst[i] + (src[i] << 8 | src[i]);
        dst[i] = v > 65535u ? 65535u : v;
    }
}

// Words blended down to bytes: rounded, with an ordered dither of four by four.
void WordsToBytesDithered(uint8_t* dst, const word* a, const word* b, int width, int height, int stride) {
    static const uint8_t kDither[4][4] = {{8, 136, 40, 168}, {200, 72, 232, 104}, {56, 184, 24, 152}, {248, 120, 216, 88}};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            unsigned v = ((unsigned)a[y * stride + x] + b[y * stride + x]) >> 1;
            v += kDither[y & 3][x & 3];
            dst[y * stride + x] = (uint8_t)(v > 65535 ? 255 : v >> 8);
        }
}

// Signed layers of 16 bits: a sum saturated at both ends.
void AddSigned16(int16_t* dst, const int16_t* src, int n) {
    for (int i = 0; i < n; i++) {
        int v = dst[i] + src[i];
        if (v > 32767)
            v = 32767;
        else if (v < -32768)
            v = -32768;
        dst[i] = (int16_t)v;
    }
}
