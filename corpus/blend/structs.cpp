// An editor of 2002: pixels are structures with accessors, layers are walked by references and pointers to pixels.
#include <cstdint>

struct Rgb24 {
    uint8_t red, green, blue;
};

struct Rgba32 {
    uint8_t b, g, r, a;
};

struct Rgba64 {
    uint16_t r, g, b, a;
};

struct RgbF {
    float r, g, b;
};

struct GreyAlpha {
    uint8_t v, a;
};

static inline uint8_t clampByte(int v) { return v & ~255 ? (uint8_t)(~v >> 31) : (uint8_t)v; }
static inline int scale255(int a, int b) { return (a * b * 257 + 32896) >> 16; }

// Multiply of RGB structures: fields one by one in a flat loop.
void MultiplyRgb24(Rgb24* dst, const Rgb24* src, int n) {
    for (int i = 0; i < n; i++) {
        dst[i].red = (uint8_t)scale255(dst[i].red, src[i].red);
        dst[i].green = (uint8_t)scale255(dst[i].green, src[i].green);
        dst[i].blue = (uint8_t)scale255(dst[i].blue, src[i].blue);
    }
}

// Source over destination for structures with alpha: references to pixels.
void OverRgba32(Rgba32* dst, const Rgba32* src, int width, int height, int pitch) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            Rgba32& d = dst[y * pitch + x];
            const Rgba32& s = src[y * pitch + x];
            const int rest = 255 - s.a;
            d.r = clampByte(s.r + scale255(d.r, rest));
            d.g = clampByte(s.g + scale255(d.g, rest));
            d.b = clampByte(s.b + scale255(d.b, rest));
            d.a = clampByte(s.a + scale255(d.a, rest));
        }
    }
}

// Addition of structures: a walking pointer to pixels, saturated by a bit trick.
void AddRgba32(Rgba32* d, const Rgba32* s, int n) {
    for (Rgba32* end = d + n; d != end; ++d, ++s) {
        d->r = clampByte(d->r + s->r);
        d->g = clampByte(d->g + s->g);
        d->b = clampByte(d->b + s->b);
    }
}

// Colour only, alpha of the destination kept: whole pixels loaded, changed and stored.
void TintRgba32(Rgba32* pixels, int n, uint8_t r, uint8_t g, uint8_t b) {
    while (n-- > 0) {
        Rgba32 p = *pixels;
        p.r = (uint8_t)((p.r + r) / 2);
        p.g = (uint8_t)((p.g + g) / 2);
        p.b = (uint8_t)((p.b + b) / 2);
        *pixels++ = p;
    }
}

// Difference of 16-bit structures: rows of structures with a pitch in pixels.
void DifferenceRgba64(Rgba64* dst, const Rgba64* src, int width, int height, int pitch) {
    for (int y = 0; y < height; y++, dst += pitch, src += pitch) {
        for (int x = 0; x < width; x++) {
            dst[x].r = dst[x].r > src[x].r ? dst[x].r - src[x].r : src[x].r - dst[x].r;
            dst[x].g = dst[x].g > src[x].g ? dst[x].g - src[x].g : src[x].g - dst[x].g;
            dst[x].b = dst[x].b > src[x].b ? dst[x].b - src[x].b : src[x].b - dst[x].b;
        }
    }
}

// A mix of float structures: fields of three floats.
void LerpRgbF(RgbF* dst, const RgbF* src, float t, int n) {
    for (int i = 0; i < n; ++i) {
        dst[i].r += (src[i].r - dst[i].r) * t;
        dst[i].g += (src[i].g - dst[i].g) * t;
        dst[i].b += (src[i].b - dst[i].b) * t;
    }
}

// Grey through its alpha: structures of two bytes over a plane of bytes.
void StampGrey(uint8_t* plane, const GreyAlpha* brush, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const GreyAlpha p = brush[y * width + x];
            uint8_t& below = plane[y * stride + x];
            below = (uint8_t)((below * (255 - p.a) + p.v * p.a + 127) / 255);
        }
    }
}

// Gather of planes into structures: three planes read, one array of structures written.
void PackRgb24(Rgb24* dst, const uint8_t* r, const uint8_t* g, const uint8_t* b, int n) {
    for (int i = 0; i < n; i++) {
        Rgb24 p = {r[i], g[i], b[i]};
        dst[i] = p;
    }
}

// Exclusive light: the brighter of two structures as a whole, by the sum of its fields.
void BrighterPixel(Rgb24* dst, const Rgb24* src, int n) {
    for (int i = 0; i < n; i++) {
        int below = dst[i].red + dst[i].green + dst[i].blue;
        int above = src[i].red + src[i].green + src[i].blue;
        if (above > below) dst[i] = src[i];
    }
}

struct BlendSettings {
    int opacity;
    int bias;
};

// Linear light with settings in a structure: the structure is passed by reference.
void LinearLightSettings(uint8_t* dst, const uint8_t* src, int n, const BlendSettings& settings) {
    for (int i = 0; i < n; i++) {
        int v = clampByte(dst[i] + 2 * src[i] - 255 + settings.bias);
        dst[i] = (uint8_t)(dst[i] + (((v - dst[i]) * settings.opacity) >> 8));
    }
}

// Flatten over a background: a structure of the background passed by value.
void FlattenOver(Rgb24* dst, const Rgba32* src, int n, Rgb24 back) {
    for (int i = 0; i < n; i++) {
        const int a = src[i].a;
        dst[i].red = (uint8_t)(back.red + scale255(src[i].r - back.red + 255, a) - a);
        dst[i].green = (uint8_t)(back.green + scale255(src[i].g - back.green + 255, a) - a);
        dst[i].blue = (uint8_t)(back.blue + scale255(src[i].b - back.blue + 255, a) - a);
    }
}

class Layer8 {
public:
    uint8_t* row(int y) const { return m_data + y * m_pitch; }
    int width() const { return m_width; }
    int height() const { return m_height; }

    uint8_t* m_data;
    int m_width, m_height, m_pitch;
};

// Screen of two layers: classes with accessors to rows.
void ScreenLayers(Layer8& dst, const Layer8& src) {
    for (int y = 0; y < dst.height(); y++) {
        uint8_t* d = dst.row(y);
        const uint8_t* s = src.row(y);
        for (int x = 0; x < dst.width(); x++) d[x] = (uint8_t)(255 - scale255(255 - d[x], 255 - s[x]));
    }
}

struct BitmapView {
    uint8_t* bits;
    int width;
    int height;
    int stride;
};

// Darken of two views: structures with pointers inside, passed by pointer.
void DarkenViews(BitmapView* dst, const BitmapView* src) {
    int y, x;
    for (y = 0; y < dst->height; ++y) {
        for (x = 0; x < dst->width; ++x) {
            uint8_t* d = dst->bits + y * dst->stride + x;
            const uint8_t* s = src->bits + y * src->stride + x;
            if (*s < *d) *d = *s;
        }
    }
}
