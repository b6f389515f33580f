// Masks of every kind: bytes, inverted bytes, one bit a pixel, thresholds, two masks, mattes and selections.
#include <cstdint>
#include <cstdlib>

using std::uint8_t;
using std::uint16_t;

static inline int over(int below, int above, int alpha) {
    const int t = below * (255 - alpha) + above * alpha;
    return (t + 1 + (t >> 8)) >> 8;
}

// A mask of one bit a pixel: the bit is taken from its byte by shifts.
void copy_bit_mask(uint8_t* dst, const uint8_t* src, const uint8_t* bits, int width, int height, int pitch, int bits_pitch) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            if (bits[y * bits_pitch + (x >> 3)] & (0x80 >> (x & 7))) dst[y * pitch + x] = src[y * pitch + x];
        }
    }
}

// A mask of one bit a pixel, eight pixels a byte: an inner loop over the bits.
void add_bit_mask_bytes(uint8_t* dst, const uint8_t* bits, int bytes, uint8_t value) {
    for (int i = 0; i < bytes; ++i) {
        const int m = bits[i];
        for (int k = 0; k < 8; ++k) {
            if ((m >> (7 - k)) & 1) {
                int v = dst[8 * i + k] + value;
                dst[8 * i + k] = (uint8_t)(v > 255 ? 255 : v);
            }
        }
    }
}

// An inverted mask: normal where the mask is dark.
void normal_inverted_mask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int width, int height, int pitch) {
    for (int y = 0; y != height; ++y, dst += pitch, src += pitch, mask += pitch)
        for (int x = 0; x != width; ++x) dst[x] = (uint8_t)over(dst[x], src[x], 255 - mask[x]);
}

// The product of two masks: four layers with their own pitches.
void multiply_two_masks(uint8_t* dst, int dp, const uint8_t* src, int sp, const uint8_t* m1, int p1, const uint8_t* m2, int p2,
                        int width, int height) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int m = over(0, m1[x], m2[x]);
            dst[x] = (uint8_t)over(dst[x], dst[x] * src[x] / 255, m);
        }
        dst += dp; src += sp; m1 += p1; m2 += p2;
    }
}

// A mask that may be missing: a null pointer stands for white.
void screen_optional_mask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    if (mask) {
        for (int i = 0; i < n; ++i) dst[i] = (uint8_t)over(dst[i], 255 - (255 - dst[i]) * (255 - src[i]) / 255, mask[i]);
    } else {
        for (int i = 0; i < n; ++i) dst[i] = (uint8_t)(255 - (255 - dst[i]) * (255 - src[i]) / 255);
    }
}

// A mask that may be missing, tested at each pixel: a choice inside the loop.
void darken_optional_mask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    for (int i = 0; i < n; ++i) {
        const int alpha = mask ? mask[i] : 255;
        const int darker = src[i] < dst[i] ? src[i] : dst[i];
        dst[i] = (uint8_t)over(dst[i], darker, alpha);
    }
}

// RGB through a mask of one channel: a third as many masks as bytes.
void normal_rgb_mask(uint8_t* rgb, const uint8_t* above, const uint8_t* mask, int width, int height, int rgb_pitch, int mask_pitch) {
    for (int y = 0; y < height; ++y) {
        uint8_t* d = rgb + y * rgb_pitch;
        const uint8_t* s = above + y * rgb_pitch;
        const uint8_t* m = mask + y * mask_pitch;
        for (int x = 0; x < width; ++x) {
            const int a = *m++;
            for (int c = 0; c < 3; ++c, ++d, ++s) *d = (uint8_t)over(*d, *s, a);
        }
    }
}

// A threshold on the mask: three kinds of pixels by else-ifs.
void threshold_matte(uint8_t* dst, const uint8_t* src, const uint8_t* matte, int low, int high, int n) {
    for (int i = 0; i < n; ++i) {
        if (matte[i] <= low)
            continue;
        else if (matte[i] >= high)
            dst[i] = src[i];
        else
            dst[i] = (uint8_t)((dst[i] + src[i]) / 2);
    }
}

// A mask grown by the selection's union: the larger of two, 255 less both.
void union_selection(uint8_t* selection, const uint8_t* other, int n) {
    for (int i = 0; i < n; ++i) selection[i] = (uint8_t)(255 - (255 - selection[i]) * (255 - other[i]) / 255);
}

// The intersection of selections with a hard edge: bits and bytes mixed.
void intersect_selection(uint8_t* selection, const uint8_t* other, int n) {
    for (int i = 0; i < n; ++i) selection[i] &= (uint8_t)-(other[i] > 127);
}

// A feathered edge: the mask is scaled and shifted before use.
void feathered_normal(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int gain, int offset, int width, int height, int pitch) {
    for (int y = 0; y < height; ++y) {
        const int row = y * pitch;
        for (int x = row; x < row + width; ++x) {
            int a = ((mask[x] * gain) >> 4) + offset;
            a = a < 0 ? 0 : a > 255 ? 255 : a;
            dst[x] = (uint8_t)over(dst[x], src[x], a);
        }
    }
}

// A mask of words over layers of words: 64-bit sums.
void normal_mask16(uint16_t* dst, const uint16_t* src, const uint16_t* mask, int n) {
    for (int i = 0; i < n; ++i) {
        const uint32_t a = mask[i] + (mask[i] >> 15);
        dst[i] = (uint16_t)(((uint64_t)dst[i] * (65536 - a) + (uint64_t)src[i] * a) >> 16);
    }
}

// Alpha taken from the interleaved source: two layouts in one loop.
void luminance_to_alpha(uint8_t* rgba, const uint8_t* rgb, int n) {
    for (int i = 0, s = 0, d = 0; i < n; ++i, s += 3, d += 4) {
        rgba[d] = rgb[s];
        rgba[d + 1] = rgb[s + 1];
        rgba[d + 2] = rgb[s + 2];
        rgba[d + 3] = (uint8_t)((rgb[s] * 2 + rgb[s + 1] * 5 + rgb[s + 2]) >> 3);
    }
}
