// C++11 to C++17: lambdas given to generic loops, auto, constexpr, range for, standard algorithms.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

using u8 = std::uint8_t;
using u16 = std::uint16_t;

template <typename F> static inline void forEachPixel(int width, int height, F&& f) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) f(x, y);
}

template <typename T, typename F>
static inline void zipRows(T* dst, const T* src, std::ptrdiff_t stride, int width, int height, F op) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) dst[x] = op(dst[x], src[x]);
        dst += stride;
        src += stride;
    }
}

static constexpr int div255(int v) { return (v + 127) / 255; }

// Multiply: a lambda over two channels given to a generic loop.
void lambda_multiply(u8* dst, const u8* src, std::ptrdiff_t stride, int width, int height) {
    zipRows(dst, src, stride, width, height, [](u8 a, u8 b) -> u8 { return static_cast<u8>(div255(a * b)); });
}

// Normal with an opacity: a lambda that captures by value.
void lambda_normal(u8* dst, const u8* src, std::ptrdiff_t stride, int width, int height, int opacity) {
    const int inverse = 255 - opacity;
    zipRows(dst, src, stride, width, height,
            [=](u8 a, u8 b) { return static_cast<u8>(div255(a * inverse + b * opacity)); });
}

// Vivid light: a lambda with returns in its branches.
void lambda_vivid_light(u8* dst, const u8* src, std::ptrdiff_t stride, int width, int height) {
    auto vivid = [](u8 a, u8 b) -> u8 {
        if (b < 128) {
            if (b == 0) return 0;
            int v = 255 - (255 - a) * 255 / (2 * b);
            return v < 0 ? 0 : static_cast<u8>(v);
        }
        if (b == 255) return 255;
        int v = a * 255 / (2 * (255 - b));
        return v > 255 ? 255 : static_cast<u8>(v);
    };
    zipRows(dst, src, stride, width, height, vivid);
}

// Screen: a lambda of coordinates that captures everything by reference.
void lambda_screen_xy(u8* dst, const u8* src, int width, int height) {
    forEachPixel(width, height, [&](int x, int y) {
        auto& d = dst[y * width + x];
        d = static_cast<u8>(255 - div255((255 - d) * (255 - src[y * width + x])));
    });
}

// Masked copy: a lambda of coordinates with an early return.
void lambda_masked_copy(u8* dst, const u8* src, const u8* mask, int width, int height, int stride) {
    forEachPixel(width, height, [=](int x, int y) {
        const int at = y * stride + x;
        if (mask[at] < 128) return;
        dst[at] = src[at];
    });
}

// Sum of 16 bits: a generic lambda.
void lambda_add16(u16* dst, const u16* src, std::ptrdiff_t stride, int width, int height) {
    auto add = [](auto a, auto b) { return static_cast<decltype(a)>(std::min(a + b, 65535)); };
    zipRows(dst, src, stride, width, height, add);
}

// Difference: std::transform with a lambda over two ranges.
void transform_difference(u8* dst, const u8* a, const u8* b, std::size_t n) {
    std::transform(a, a + n, b, dst, [](int p, int q) { return static_cast<u8>(p > q ? p - q : q - p); });
}

// Inversion: std::for_each over a range, by reference.
void for_each_invert(u8* first, u8* last) {
    std::for_each(first, last, [](u8& v) { v = static_cast<u8>(255 - v); });
}

// Float multiply with an opacity: auto and const everywhere.
void auto_multiply_float(float* dst, const float* src, const float opacity, const int n) {
    for (auto i = 0; i < n; ++i) {
        const auto d = dst[i];
        const auto m = d * src[i];
        dst[i] = d + (m - d) * opacity;
    }
}

// Weights of three layers: a range for over a constant array, unrolled by the compiler.
void three_layers(u8* dst, const u8* layers, int plane, int n) {
    static constexpr int kWeights[3] = {51, 77, 128};
    for (int i = 0; i < n; ++i) {
        int sum = 128, k = 0;
        for (int w : kWeights) sum += w * layers[plane * k++ + i];
        dst[i] = static_cast<u8>(sum >> 8);
    }
}

// Replace by rows: memcpy or std::copy by a flag decided once.
void replace_rows(u8* dst, const u8* src, std::ptrdiff_t dstStride, std::ptrdiff_t srcStride, std::size_t width, int height,
                  bool opaque) {
    if (!opaque) return;
    for (int y = 0; y < height; ++y) {
        std::memcpy(dst + y * dstStride, src + y * srcStride, width);
    }
}

// A fill of one colour through an opacity: if with an initialiser, std::clamp.
void fill_through(u8* dst, int colour, int opacity, int n) {
    if (const int w = std::clamp(opacity, 0, 255); w > 0)
        for (int i = 0; i < n; ++i) dst[i] = static_cast<u8>(div255(dst[i] * (255 - w) + std::clamp(colour, 0, 255) * w));
}
