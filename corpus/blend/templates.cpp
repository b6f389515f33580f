// C++ of the 2000s: templates over the type of a channel and over operations that are classes with one function.
#include <algorithm>
#include <cstdint>
#include <limits>

namespace {

template <typename T> struct Traits;
template <> struct Traits<uint8_t> {
    typedef int Wide;
    enum { White = 255 };
};
template <> struct Traits<uint16_t> {
    typedef int64_t Wide;
    enum { White = 65535 };
};

struct Multiply {
    template <typename T> static T apply(T a, T b) {
        typedef typename Traits<T>::Wide Wide;
        return static_cast<T>(static_cast<Wide>(a) * b / Traits<T>::White);
    }
};

struct Screen {
    template <typename T> static T apply(T a, T b) {
        typedef typename Traits<T>::Wide Wide;
        const Wide white = Traits<T>::White;
        return static_cast<T>(white - (white - a) * (white - b) / white);
    }
};

struct LinearBurn {
    template <typename T> static T apply(T a, T b) {
        typedef typename Traits<T>::Wide Wide;
        Wide v = Wide(a) + b - Traits<T>::White;
        return v < 0 ? T(0) : T(v);
    }
};

template <typename Op, typename T>
void blendPlane(T* dst, const T* src, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        T* d = dst + y * stride;
        const T* s = src + y * stride;
        for (int x = 0; x < width; ++x) d[x] = Op::template apply<T>(d[x], s[x]);
    }
}

template <class T> inline T lerpTo(T from, T to, T weight) {
    typedef typename Traits<T>::Wide Wide;
    return static_cast<T>((Wide(from) * (Traits<T>::White - weight) + Wide(to) * weight) / Traits<T>::White);
}

template <int Channels, class T>
void fadeInterleaved(T* dst, const T* src, T opacity, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels * Channels; ++i) dst[i] = lerpTo<T>(dst[i], src[i], opacity);
}

template <unsigned Numerator, unsigned Shift>
inline uint8_t fraction(uint8_t v) { return static_cast<uint8_t>((v * Numerator) >> Shift); }

template <typename T> inline T saturatedSum(T a, T b) {
    return b > std::numeric_limits<T>::max() - a ? std::numeric_limits<T>::max() : static_cast<T>(a + b);
}

template <bool Inverted>
void copyThroughMask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    for (int i = 0; i != n; ++i) {
        const bool on = mask[i] != 0;
        if (on != Inverted) dst[i] = src[i];
    }
}

}  // namespace

// Multiply of 8 bits: a template over the operation and the channel.
void MultiplyPlane8(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    blendPlane<Multiply>(dst, src, width, height, stride);
}

// Multiply of 16 bits: a template over the operation and the channel.
void MultiplyPlane16(uint16_t* dst, const uint16_t* src, int width, int height, int stride) {
    blendPlane<Multiply>(dst, src, width, height, stride);
}

// Screen of 16 bits: a template over the operation and the channel.
void ScreenPlane16(uint16_t* dst, const uint16_t* src, int width, int height, int stride) {
    blendPlane<Screen>(dst, src, width, height, stride);
}

// Linear burn of 8 bits: a template over the operation and the channel.
void LinearBurnPlane8(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    blendPlane<LinearBurn, uint8_t>(dst, src, width, height, stride);
}

// Cross-fade of RGB: a template over the number of channels, one flat loop of size_t.
void FadeRgb8(uint8_t* dst, const uint8_t* src, uint8_t opacity, std::size_t pixels) {
    fadeInterleaved<3>(dst, src, opacity, pixels);
}

// Cross-fade of 16-bit RGBA: a template over the number of channels, products of 64 bits.
void FadeRgba16(uint16_t* dst, const uint16_t* src, uint16_t opacity, std::size_t pixels) {
    fadeInterleaved<4>(dst, src, opacity, pixels);
}

// Three quarters of one layer and a quarter of the other: weights as template arguments.
void ThreeQuarters(uint8_t* dst, const uint8_t* a, const uint8_t* b, int n) {
    for (const uint8_t* end = a + n; a < end;) *dst++ = fraction<3, 2>(*a++) + fraction<1, 2>(*b++);
}

// Sum with saturation in 16 bits: numeric_limits in a template.
void AddLimits16(uint16_t* out, const uint16_t* a, const uint16_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = saturatedSum(a[i], b[i]);
}

// Sum with saturation in 8 bits: std::transform with a template function as the operation.
void AddLimits8(uint8_t* out, const uint8_t* a, const uint8_t* b, int n) {
    std::transform(a, a + n, b, out, saturatedSum<uint8_t>);
}

// Copy where a mask is clear: a flag as a template argument.
void CopyOutsideMask(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int n) {
    copyThroughMask<true>(dst, src, mask, n);
}

// Darker by std::min: swapped arguments over a whole buffer.
void DarkerMin(uint8_t* dst, const uint8_t* src, std::size_t n) {
    for (std::size_t i = n; i-- > 0;) dst[i] = std::min(src[i], dst[i]);
}

// Lighter by std::max: a range for of indices by a pointer pair.
void LighterMax(uint16_t* first, uint16_t* last, const uint16_t* src) {
    for (; first != last; ++first, ++src) *first = std::max(*first, *src);
}
