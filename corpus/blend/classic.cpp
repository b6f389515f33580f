// The classic blend modes over 8-bit images of rows, columns and a stride, with a mask and an opacity.
#include <cstdint>
#include <cstdlib>

typedef uint8_t uint8;

static inline int Div255(int x) {
    x += 128;
    return (x + (x >> 8)) >> 8;
}

static inline uint8 Mix(int below, int blend, int weight) {
    return (uint8)((below * (255 - weight) + blend * weight + 127) / 255);
}

void NormalBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            uint8 w = (uint8)Div255(mask[c] * (opacity & 255));
            dst[c] = Mix(dst[c], src[c], w);
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void MultiplyBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            uint8 w = (uint8)Div255(mask[c] * (opacity & 255));
            dst[c] = Mix(dst[c], Div255(dst[c] * src[c]), w);
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void ScreenBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        uint8* d = dst + r * stride;
        const uint8* s = src + r * stride;
        const uint8* m = mask + r * stride;
        for (int c = 0; c < cols; ++c) {
            int b = 255 - Div255((255 - d[c]) * (255 - s[c]));
            d[c] = Mix(d[c], b, (uint8)Div255(m[c] * (opacity & 255)));
        }
    }
}

void OverlayBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        uint8* d = dst + r * stride;
        const uint8* s = src + r * stride;
        const uint8* m = mask + r * stride;
        for (int c = 0; c < cols; ++c) {
            int b;
            if (d[c] < 128)
                b = Div255(2 * d[c] * s[c]);
            else
                b = 255 - Div255(2 * (255 - d[c]) * (255 - s[c]));
            d[c] = Mix(d[c], b, (uint8)Div255(m[c] * (opacity & 255)));
        }
    }
}

void DarkenBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    while (rows-- > 0) {
        for (int c = 0; c < cols; ++c) {
            int b = src[c] < dst[c] ? src[c] : dst[c];
            dst[c] = Mix(dst[c], b, (uint8)Div255(mask[c] * (opacity & 255)));
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void LightenBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    while (rows-- > 0) {
        for (int c = 0; c < cols; ++c) {
            int b = src[c] > dst[c] ? src[c] : dst[c];
            dst[c] = Mix(dst[c], b, (uint8)Div255(mask[c] * (opacity & 255)));
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void ColorBurnBlend(uint8* dst, const uint8* src, const uint8* mask, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            if (mask[c]) {
                int b;
                if (src[c] == 0) {
                    b = 0;
                } else {
                    int q = (255 - dst[c]) * 255 / src[c];
                    b = q > 255 ? 0 : 255 - q;
                }
                dst[c] = (uint8)b;
            }
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void ColorDodgeBlend(uint8* dst, const uint8* src, const uint8* mask, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            if (mask[c]) {
                int b;
                if (src[c] == 255) {
                    b = 255;
                } else {
                    b = dst[c] * 255 / (255 - src[c]);
                    if (b > 255) b = 255;
                }
                dst[c] = (uint8)b;
            }
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void LinearBurnBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            int b = dst[c] + src[c] - 255;
            if (b < 0) b = 0;
            dst[c] = Mix(dst[c], b, (uint8)Div255(mask[c] * (opacity & 255)));
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void LinearDodgeBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            int b = dst[c] + src[c];
            if (b > 255) b = 255;
            dst[c] = Mix(dst[c], b, (uint8)Div255(mask[c] * (opacity & 255)));
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void DissolveBlend(uint8* dst, const uint8* src, const uint8* mask, const uint8* noise, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            int index = ((r * 37) ^ (c * 101)) & 255;
            if (noise[index] < mask[r * stride + c]) dst[r * stride + c] = src[r * stride + c];
        }
    }
}

void DifferenceBlend(uint8* dst, const uint8* src, const uint8* mask, int opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            int b = abs(dst[c] - src[c]);
            dst[c] = Mix(dst[c], b, (uint8)Div255(mask[c] * (opacity & 255)));
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void NormalBlendFloat(float* dst, const float* src, const float* mask, float opacity, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            float w = mask[c] * opacity;
            dst[c] = dst[c] * (1.0f - w) + src[c] * w;
        }
        dst += stride;
        src += stride;
        mask += stride;
    }
}

void MultiplyRGBA(uint8* dst, const uint8* src, int rows, int cols, int rowBytes) {
    for (int y = 0; y < rows; ++y) {
        uint8* d = dst + y * rowBytes;
        const uint8* s = src + y * rowBytes;
        for (int x = 0; x < cols; ++x) {
            for (int ch = 0; ch < 4; ++ch) {
                d[4 * x + ch] = (uint8)(d[4 * x + ch] * s[4 * x + ch] / 255);
            }
        }
    }
}

// Colour through source alpha, the result opaque.
void OverRGBA(uint8* dst, const uint8* src, int rows, int cols, int rowBytes) {
    for (int y = 0; y < rows; ++y) {
        uint8* d = dst + y * rowBytes;
        const uint8* s = src + y * rowBytes;
        for (int x = 0; x < cols; ++x) {
            int a = s[3];
            d[0] = (uint8)Div255(s[0] * a + d[0] * (255 - a));
            d[1] = (uint8)Div255(s[1] * a + d[1] * (255 - a));
            d[2] = (uint8)Div255(s[2] * a + d[2] * (255 - a));
            d[3] = 255;
            d += 4;
            s += 4;
        }
    }
}

void MaskedDarken(uint8* dst, const uint8* src, const uint8* mask, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) {
            if (mask[r * stride + c] == 0) continue;
            if (src[r * stride + c] < dst[r * stride + c]) dst[r * stride + c] = src[r * stride + c];
        }
}

void LerpLayers(uint8* dst, const uint8* a, const uint8* b, const uint8* w, int rows, int cols, int stride) {
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c)
            dst[r * stride + c] = (a[r * stride + c] * w[r * stride + c] + b[r * stride + c] * (255 - w[r * stride + c])) / 255;
}

void AddClamp(uint8* dst, const uint8* a, const uint8* b, int n) {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        int s0 = a[i] + b[i], s1 = a[i + 1] + b[i + 1], s2 = a[i + 2] + b[i + 2], s3 = a[i + 3] + b[i + 3];
        dst[i] = s0 > 255 ? 255 : s0;
        dst[i + 1] = s1 > 255 ? 255 : s1;
        dst[i + 2] = s2 > 255 ? 255 : s2;
        dst[i + 3] = s3 > 255 ? 255 : s3;
    }
    for (; i < n; i++) {
        int s = a[i] + b[i];
        dst[i] = s > 255 ? 255 : s;
    }
}

void Average(uint8* dst, const uint8* a, const uint8* b, int rows, int cols, int stride) {
    int r = rows;
    while (r > 0) {
        const uint8* pa = a + (rows - r) * stride;
        const uint8* pb = b + (rows - r) * stride;
        uint8* pd = dst + (rows - r) * stride;
        for (int c = cols - 1; c >= 0; --c) pd[c] = (pa[c] + pb[c] + 1) >> 1;
        --r;
    }
}
