// Pixels as 32-bit words, ARGB premultiplied: the tricks of window systems, two channels in one multiplication.
#include <stdint.h>

typedef uint32_t argb;

#define ALPHA(p) ((p) >> 24)
#define RB 0x00ff00ffu
#define AG 0xff00ff00u

static inline uint32_t byte_mul(uint32_t x, uint32_t a) {
    uint32_t t = (x & RB) * a;
    t = (t + ((t >> 8) & RB) + 0x800080u) >> 8;
    t &= RB;
    x = ((x >> 8) & RB) * a;
    x = x + ((x >> 8) & RB) + 0x800080u;
    x &= AG;
    return x | t;
}

static inline uint32_t interpolate256(uint32_t x, uint32_t a, uint32_t y, uint32_t b) {
    uint32_t t = ((x & RB) * a + (y & RB) * b) >> 8 & RB;
    uint32_t u = ((x >> 8 & RB) * a + (y >> 8 & RB) * b) & AG;
    return t | u;
}

// Source over of premultiplied words: two channels in one multiplication.
void comp_source_over(argb* dst, const argb* src, int length) {
    for (int i = 0; i < length; ++i) {
        uint32_t s = src[i];
        dst[i] = s + byte_mul(dst[i], 255 - ALPHA(s));
    }
}

// Source over with shortcuts: branches for opaque and empty pixels.
void comp_source_over_fast(argb* dst, const argb* src, int length) {
    for (int i = 0; i < length; ++i) {
        uint32_t s = src[i];
        if (s >= 0xff000000u)
            dst[i] = s;
        else if (s != 0)
            dst[i] = s + byte_mul(dst[i], 255 - ALPHA(s));
    }
}

// Destination in source: a product with the source's alpha.
void comp_destination_in(argb* dst, const argb* src, int length) {
    argb* end = dst + length;
    while (dst < end) {
        *dst = byte_mul(*dst, ALPHA(*src));
        ++dst, ++src;
    }
}

// Destination out: a product with what the source's alpha leaves.
void comp_destination_out(argb* dst, const argb* src, int length) {
    do {
        if (length <= 0) break;
        *dst = byte_mul(*dst, ALPHA(~*src));
        dst++;
        src++;
    } while (--length);
}

// Source atop with a constant alpha: two products and a sum.
void comp_source_atop_const(argb* dst, const argb* src, int length, uint32_t const_alpha) {
    const_alpha &= 255;
    for (int i = 0; i < length; ++i) {
        uint32_t s = byte_mul(src[i], const_alpha);
        uint32_t d = dst[i];
        dst[i] = byte_mul(s, ALPHA(d)) + byte_mul(d, 255 - ALPHA(s));
    }
}

// Plus: saturation of four bytes in a word without carries between them.
void comp_plus(argb* dst, const argb* src, int length) {
    for (int i = 0; i < length; ++i) {
        uint32_t even = (dst[i] & RB) + (src[i] & RB);
        uint32_t odd = ((dst[i] >> 8) & RB) + ((src[i] >> 8) & RB);
        even |= 0x01000100u - ((even >> 8) & RB);
        odd |= 0x01000100u - ((odd >> 8) & RB);
        dst[i] = (even & RB) | (odd & RB) << 8;
    }
}

// Exclusive or: two products of words.
void comp_xor(argb* dst, const argb* src, int length) {
    for (; length > 0; --length, ++dst, ++src) {
        const uint32_t s = *src, d = *dst;
        *dst = byte_mul(s, ALPHA(~d)) + byte_mul(d, ALPHA(~s));
    }
}

// Cross-fade of words by 256ths: both weights in one expression.
void comp_fade256(argb* dst, const argb* a, const argb* b, unsigned weight, int length) {
    weight &= 255;
    for (int i = 0; i < length; i++) dst[i] = interpolate256(a[i], 256 - weight, b[i], weight);
}

// Mean of words: the carry-free average of all four bytes.
void comp_mean(argb* dst, const argb* src, int length) {
    for (int i = length - 1; i >= 0; i--) dst[i] = (dst[i] & src[i]) + (((dst[i] ^ src[i]) & 0xfefefefeu) >> 1);
}

// A solid colour over words: an invariant product taken out of the loop.
void comp_solid_over(argb* dst, int length, argb colour) {
    const uint32_t rest = 255 - ALPHA(colour);
    for (int i = 0; i < length; ++i) dst[i] = colour + byte_mul(dst[i], rest);
}

// A solid colour through a mask of bytes: rows of words beside rows of bytes.
void comp_solid_mask(argb* dst, int dst_pitch, const uint8_t* mask, int mask_pitch, int width, int height, argb colour) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            uint32_t s = byte_mul(colour, mask[x]);
            dst[x] = s + byte_mul(dst[x], 255 - ALPHA(s));
        }
        dst += dst_pitch;
        mask += mask_pitch;
    }
}

// Colour key: words copied where they differ from a key, compared without alpha.
void comp_colour_key(argb* dst, const argb* src, int width, int height, int pitch, argb key) {
    key &= 0xffffff;
    for (int y = 0; y < height; ++y) {
        argb* d = dst + y * pitch;
        const argb* s = src + y * pitch;
        for (int x = 0; x < width; ++x)
            if ((s[x] & 0xffffff) != key) d[x] = s[x] | 0xff000000u;
    }
}

// Premultiplication of words: alpha times two channels at once.
void premultiply_words(argb* p, int count) {
    for (int i = 0; i < count; ++i) {
        uint32_t x = p[i], a = x >> 24;
        uint32_t t = (x & RB) * a;
        t = ((t + ((t >> 8) & RB) + 0x800080u) >> 8) & RB;
        x = ((x >> 8) & 0xff) * a;
        x = (x + ((x >> 8) & 0xff) + 0x80) & 0xff00;
        p[i] = x | t | (a << 24);
    }
}

// Mixing of RGB 565: three fields in 16-bit words by masks.
void mix565(uint16_t* dst, const uint16_t* src, int count) {
    for (int i = 0; i < count; i++) {
        unsigned a = dst[i], b = src[i];
        dst[i] = (uint16_t)(((a & 0xf7de) >> 1) + ((b & 0xf7de) >> 1) + (a & b & 0x0821));
    }
}

// Alpha blend of RGB 565 with five bits: the fields are spread over 32 bits.
void alpha565(uint16_t* dst, const uint16_t* src, int count, unsigned alpha) {
    const unsigned a = (alpha & 255) >> 3;
    for (int i = 0; i < count; i++) {
        uint32_t s = src[i], d = dst[i];
        s = (s | s << 16) & 0x07e0f81f;
        d = (d | d << 16) & 0x07e0f81f;
        d += ((s - d) * a) >> 5;
        d &= 0x07e0f81f;
        dst[i] = (uint16_t)(d | d >> 16);
    }
}
