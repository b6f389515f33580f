// Modes that look at three channels together: luminosity, saturation, hue, and their relatives, planar and packed.
#include <algorithm>
#include <cstdint>

typedef unsigned char u8;

#define LUM(r, g, b) ((77 * (r) + 151 * (g) + 28 * (b)) >> 8)

static inline int min3(int a, int b, int c) { return std::min(a, std::min(b, c)); }
static inline int max3(int a, int b, int c) { return std::max(a, std::max(b, c)); }
static inline int clip(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

// Luminosity without clipping of colour: the difference of lumas added to three planes.
void LuminosityPlanes(u8* r, u8* g, u8* b, const u8* sr, const u8* sg, const u8* sb, int n) {
    for (int i = 0; i < n; i++) {
        const int d = LUM(sr[i], sg[i], sb[i]) - LUM(r[i], g[i], b[i]);
        r[i] = (u8)clip(r[i] + d);
        g[i] = (u8)clip(g[i] + d);
        b[i] = (u8)clip(b[i] + d);
    }
}

// Colour of the source with the destination's luma: packed RGB, the same way round.
void ColourPacked(u8* dst, const u8* src, int n) {
    for (; n > 0; n--, dst += 3, src += 3) {
        const int d = LUM(dst[0], dst[1], dst[2]) - LUM(src[0], src[1], src[2]);
        const int r = src[0] + d, g = src[1] + d, b = src[2] + d;
        dst[0] = (u8)clip(r);
        dst[1] = (u8)clip(g);
        dst[2] = (u8)clip(b);
    }
}

// Luminosity with clipping toward grey: minimum and maximum of three, guarded divisions.
void LuminosityClipped(u8* dst, const u8* src, int n) {
    for (int i = 0; i < 3 * n; i += 3) {
        const int l = LUM(src[i], src[i + 1], src[i + 2]);
        const int d = l - LUM(dst[i], dst[i + 1], dst[i + 2]);
        int r = dst[i] + d, g = dst[i + 1] + d, b = dst[i + 2] + d;
        const int low = min3(r, g, b), high = max3(r, g, b);
        if (low < 0 && l > low) {
            r = l + (r - l) * l / (l - low);
            g = l + (g - l) * l / (l - low);
            b = l + (b - l) * l / (l - low);
        }
        if (high > 255 && high > l) {
            r = l + (r - l) * (255 - l) / (high - l);
            g = l + (g - l) * (255 - l) / (high - l);
            b = l + (b - l) * (255 - l) / (high - l);
        }
        dst[i] = (u8)clip(r);
        dst[i + 1] = (u8)clip(g);
        dst[i + 2] = (u8)clip(b);
    }
}

// Darker colour: whole pixels by their luma, three stores under one condition.
void DarkerColour(u8* dst, const u8* src, int width, int height, int stride) {
    for (int y = 0; y < height; y++, dst += stride, src += stride)
        for (int x = 0; x < width; x++) {
            u8* d = dst + 3 * x;
            const u8* s = src + 3 * x;
            if (LUM(s[0], s[1], s[2]) < LUM(d[0], d[1], d[2])) {
                d[0] = s[0];
                d[1] = s[1];
                d[2] = s[2];
            }
        }
}

// Lighter colour: whole pixels by their luma, chosen pointers.
void LighterColour(u8* dst, const u8* src, int n) {
    for (int i = 0; i < n; i++) {
        const bool up = LUM(src[3 * i], src[3 * i + 1], src[3 * i + 2]) > LUM(dst[3 * i], dst[3 * i + 1], dst[3 * i + 2]);
        for (int c = 0; c < 3; c++) dst[3 * i + c] = up ? src[3 * i + c] : dst[3 * i + c];
    }
}

// Saturation pulled toward that of the source: spreads of three, one guarded division.
void SaturationPacked(u8* dst, const u8* src, int n) {
    for (int i = 0; i < n; i++, dst += 3, src += 3) {
        const int low = min3(dst[0], dst[1], dst[2]), high = max3(dst[0], dst[1], dst[2]);
        const int spread = high - low;
        const int wanted = max3(src[0], src[1], src[2]) - min3(src[0], src[1], src[2]);
        if (spread == 0) continue;
        dst[0] = (u8)((dst[0] - low) * wanted / spread);
        dst[1] = (u8)((dst[1] - low) * wanted / spread);
        dst[2] = (u8)((dst[2] - low) * wanted / spread);
    }
}

// Desaturation by an amount: luma mixed into three channels in place.
void Desaturate(u8* rgb, int n, int amount) {
    for (int i = 0; i < n; i++) {
        u8* p = &rgb[i * 3];
        int grey = LUM(p[0], p[1], p[2]);
        for (int c = 0; c < 3; c++) p[c] = (u8)(p[c] + (((grey - p[c]) * amount) >> 8));
    }
}

// Duotone: luma looked up in two tables of 256.
void Duotone(u8* rgb, const u8* table0, const u8* table1, int n) {
    for (int i = 0; i < n; i++, rgb += 3) {
        const int l = LUM(rgb[0], rgb[1], rgb[2]);
        rgb[0] = table0[l];
        rgb[1] = table1[l];
        rgb[2] = (u8)((table0[l] + table1[l]) >> 1);
    }
}

// Channel mixer: a matrix of nine weights and three offsets.
void ChannelMixer(u8* rgb, const short* matrix, int n) {
    for (int i = 0; i < n; i++) {
        const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        for (int c = 0; c < 3; c++) {
            const short* m = matrix + 4 * c;
            rgb[3 * i + c] = (u8)clip((m[0] * r + m[1] * g + m[2] * b + m[3]) >> 8);
        }
    }
}

// Photo filter: a tint that keeps the luma of packed pixels.
void PhotoFilter(u8* rgb, int n, int red, int green, int blue, int density) {
    for (int i = 0; i < n; ++i) {
        u8* p = rgb + 3 * i;
        const int before = LUM(p[0], p[1], p[2]);
        int r = p[0] + (((p[0] * red) / 255 - p[0]) * density) / 255;
        int g = p[1] + (((p[1] * green) / 255 - p[1]) * density) / 255;
        int b = p[2] + (((p[2] * blue) / 255 - p[2]) * density) / 255;
        const int lost = before - LUM(r, g, b);
        p[0] = (u8)clip(r + lost);
        p[1] = (u8)clip(g + lost);
        p[2] = (u8)clip(b + lost);
    }
}

// Planar over with alpha planes: four planes of the destination, four of the source.
void OverPlanes(u8* r, u8* g, u8* b, u8* a, const u8* sr, const u8* sg, const u8* sb, const u8* sa, int width, int height,
                int pitch) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int i = y * pitch + x, k = 255 - sa[i];
            r[i] = (u8)(sr[i] + r[i] * k / 255);
            g[i] = (u8)(sg[i] + g[i] * k / 255);
            b[i] = (u8)(sb[i] + b[i] * k / 255);
            a[i] = (u8)(sa[i] + a[i] * k / 255);
        }
}

// Screen of BGR padded to four bytes: the fourth byte is left alone.
void ScreenBgrx(u8* dst, const u8* src, int width, int height, int stride) {
    const u8* last = src + height * stride;
    while (src < last) {
        for (int x = 0; x < 4 * width; x += 4)
            for (int c = x; c < x + 3; c++) dst[c] = (u8)(255 - (255 - dst[c]) * (255 - src[c]) / 255);
        src += stride;
        dst += stride;
    }
}

// Premultiplied to straight and back around an inversion: a division where alpha is not zero.
void InvertPremultiplied(u8* rgba, int n) {
    for (int i = 0; i < n; i++, rgba += 4) {
        const int a = rgba[3];
        if (a) {
            rgba[0] = (u8)((255 - std::min(rgba[0] * 255 / a, 255)) * a / 255);
            rgba[1] = (u8)((255 - std::min(rgba[1] * 255 / a, 255)) * a / 255);
            rgba[2] = (u8)((255 - std::min(rgba[2] * 255 / a, 255)) * a / 255);
        }
    }
}

// Green screen: alpha from the excess of green, the spill removed.
void GreenScreen(u8* rgba, const u8* rgb, int n, int strength) {
    for (int i = 0; i < n; i++) {
        const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        const int excess = g - std::max(r, b);
        rgba[4 * i] = (u8)r;
        rgba[4 * i + 1] = (u8)(excess > 0 ? g - excess : g);
        rgba[4 * i + 2] = (u8)b;
        rgba[4 * i + 3] = (u8)clip(255 - ((excess * strength) >> 4));
    }
}
