// One macro for the loops and one line for each mode, as paint programs of 2000 generate their layer operations.
#include <stdint.h>
#include <stdlib.h>

#define LAYER_OP(NAME, EXPRESSION)                                                                            \
    void NAME(uint8_t* dst, int dst_stride, const uint8_t* src, int src_stride, int width, int height) {      \
        for (int row = 0; row < height; ++row) {                                                              \
            uint8_t* d = dst;                                                                                 \
            const uint8_t* s = src;                                                                           \
            for (int col = 0; col < width; ++col, ++d, ++s) {                                                 \
                const int a = *d, b = *s;                                                                     \
                *d = (uint8_t)(EXPRESSION);                                                                   \
            }                                                                                                 \
            dst += dst_stride;                                                                                \
            src += src_stride;                                                                                \
        }                                                                                                     \
    }

#define RGBA_OP(NAME, EXPRESSION)                                                                             \
    void NAME(uint8_t* dst, const uint8_t* src, int n_pixels) {                                               \
        for (int i = 0; i < n_pixels; ++i) {                                                                  \
            for (int c = 0; c < 3; ++c) {                                                                     \
                const int a = dst[4 * i + c], b = src[4 * i + c];                                             \
                dst[4 * i + c] = (uint8_t)(EXPRESSION);                                                       \
            }                                                                                                 \
            dst[4 * i + 3] = dst[4 * i + 3] > src[4 * i + 3] ? dst[4 * i + 3] : src[4 * i + 3];               \
        }                                                                                                     \
    }

#define CLAMP0(v) ((v) < 0 ? 0 : (v))
#define CLAMP255(v) ((v) > 255 ? 255 : (v))
#define CLAMP(v) ((v) < 0 ? 0 : (v) > 255 ? 255 : (v))

// Grain extract: a macro of rows with two strides.
LAYER_OP(layer_grain_extract, CLAMP(a - b + 128))
// Grain merge: a macro of rows with two strides.
LAYER_OP(layer_grain_merge, CLAMP(a + b - 128))
// Linear light: a macro of rows with two strides.
LAYER_OP(layer_linear_light, CLAMP(a + 2 * b - 255))
// Hard mix: a macro of rows with two strides.
LAYER_OP(layer_hard_mix, a + b >= 255 ? 255 : 0)
// Pin light: a macro of rows, nested choices.
LAYER_OP(layer_pin_light, b < 128 ? (a < 2 * b ? a : 2 * b) : (a > 2 * b - 255 ? a : 2 * b - 255))
// Hard light by a division: a macro of rows, a choice of products.
LAYER_OP(layer_hard_light, b < 128 ? 2 * a * b / 255 : 255 - 2 * (255 - a) * (255 - b) / 255)
// Soft light of an old paint program: a macro of rows, a mix of multiply and screen.
LAYER_OP(layer_soft_light, ((255 - a) * (a * b / 255) + a * (255 - (255 - a) * (255 - b) / 255)) / 255)
// Divide: a macro of rows, division by the source plus one.
LAYER_OP(layer_divide, CLAMP255(a * 256 / (b + 1)))

// Addition on the colours of RGBA: a loop over the channels inside that over the pixels.
RGBA_OP(rgba_add, CLAMP255(a + b))
// Subtraction on the colours of RGBA: a loop over the channels inside that over the pixels.
RGBA_OP(rgba_subtract, CLAMP0(a - b))
// Dodge on the colours of RGBA: a loop over the channels, division by what is left.
RGBA_OP(rgba_dodge, CLAMP255(a * 256 / (256 - b)))
// Burn on the colours of RGBA: a loop over the channels, division by the source.
RGBA_OP(rgba_burn, 255 - CLAMP255((255 - a) * 256 / (b + 1)))
// Difference on the colours of RGBA: a loop over the channels, abs of the library.
RGBA_OP(rgba_difference, abs(a - b))

#define FOR_EACH_PIXEL(x, y, w, h) \
    for (int y = 0; y < (h); y++)  \
        for (int x = 0; x < (w); x++)
#define PIXEL(image, x, y, pitch) ((image)[(y) * (pitch) + (x)])

// Reflect: macros for the loops and for the access.
void layer_reflect(uint8_t* below, const uint8_t* above, int width, int height, int pitch) {
    FOR_EACH_PIXEL(x, y, width, height) {
        int b = PIXEL(above, x, y, pitch), a = PIXEL(below, x, y, pitch);
        PIXEL(below, x, y, pitch) = b == 255 ? 255 : CLAMP255(a * a / (255 - b));
    }
}

// Glow: reflect with the layers exchanged, macros for the loops.
void layer_glow(uint8_t* below, const uint8_t* above, int width, int height, int pitch) {
    FOR_EACH_PIXEL(x, y, width, height) {
        int b = PIXEL(below, x, y, pitch), a = PIXEL(above, x, y, pitch);
        int v = b == 255 ? 255 : a * a / (255 - b);
        PIXEL(below, x, y, pitch) = (uint8_t)CLAMP255(v);
    }
}

// Phoenix: the darker less the lighter plus white, macros for the loops.
void layer_phoenix(uint8_t* out, const uint8_t* a, const uint8_t* b, int width, int height, int pitch) {
    FOR_EACH_PIXEL(i, j, width, height) {
        const int p = PIXEL(a, i, j, pitch), q = PIXEL(b, i, j, pitch);
        PIXEL(out, i, j, pitch) = (uint8_t)((p < q ? p : q) - (p > q ? p : q) + 255);
    }
}
