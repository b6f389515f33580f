// Drivers of row functions: through constant pointers, tables and callbacks, with rows run as one where they are.
#include <cstdint>

typedef void (*RowFunction)(const uint8_t* src, uint8_t* dst, int width);
typedef int (*PixelFunction)(int a, int b);

static void InvertRow(const uint8_t* src, uint8_t* dst, int width) {
    for (int x = 0; x < width; ++x) dst[x] = 255 - src[x];
}

static void HalveRow(const uint8_t* src, uint8_t* dst, int width) {
    for (int x = 0; x < width; ++x) dst[x] = src[x] >> 1;
}

// A negative height turns the picture upside down; rows that lie one behind the other are one row.
int InvertPlane(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int width, int height) {
    RowFunction row = InvertRow;
    if (!src || !dst || width <= 0 || height == 0) return -1;
    if (height < 0) {
        height = -height;
        dst = dst + (height - 1) * dstStride;
        dstStride = -dstStride;
    }
    if (srcStride == width && dstStride == width) {
        width *= height;
        height = 1;
        srcStride = dstStride = 0;
    }
    for (int y = 0; y < height; ++y) {
        row(src, dst, width);
        src += srcStride;
        dst += dstStride;
    }
    return 0;
}

void InvertOrHalve(const uint8_t* src, uint8_t* dst, int n, int halve) {
    RowFunction row = InvertRow;
    if (halve) row = HalveRow;
    row(src, dst, n);
}

static int AddSaturated(int a, int b) { return a + b > 255 ? 255 : a + b; }
static int SubSaturated(int a, int b) { return a - b < 0 ? 0 : a - b; }
static const PixelFunction kOperations[] = {AddSaturated, SubSaturated};

static void ForEachPair(const uint8_t* a, const uint8_t* b, uint8_t* dst, int n, PixelFunction f) {
    for (int i = 0; i < n; i++) dst[i] = (uint8_t)f(a[i], b[i]);
}

void SubtractByCallback(const uint8_t* a, const uint8_t* b, uint8_t* dst, int n) {
    ForEachPair(a, b, dst, n, kOperations[1]);
}
