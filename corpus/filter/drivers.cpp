// Drivers of row functions: through constant pointers, tables and callbacks, with rows run as one where they are.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

// One plane of several: flipped for a negative height, as one run of bytes where its rows touch, nothing where it is
// its own copy.
static void MovePlane(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int width, int height) {
    if (width <= 0 || height == 0 || height == INT_MIN) return;
    if (height < 0) {
        height = -height;
        dst = dst + (ptrdiff_t)(height - 1) * dstStride;
        dstStride = -dstStride;
    }
    if (srcStride == width && dstStride == width && (ptrdiff_t)width * height <= INT_MAX) {
        width *= height;
        height = 1;
        srcStride = dstStride = 0;
    }
    if (src == dst && srcStride == dstStride) return;
    for (int y = 0; y < height; ++y) {
        memcpy(dst, src, width);
        src += srcStride;
        dst += dstStride;
    }
}

int MovePicture420(const uint8_t* srcY, int srcStrideY, const uint8_t* srcU, int srcStrideU, const uint8_t* srcV,
                   int srcStrideV, uint8_t* dstY, int dstStrideY, uint8_t* dstU, int dstStrideU, uint8_t* dstV,
                   int dstStrideV, int width, int height) {
    int halfWidth = (width + 1) >> 1, halfHeight = (height + 1) >> 1;
    if (width <= 0 || height <= 0) return -1;
    if (dstY) MovePlane(srcY, srcStrideY, dstY, dstStrideY, width, height);
    MovePlane(srcU, srcStrideU, dstU, dstStrideU, halfWidth, halfHeight);
    MovePlane(srcV, srcStrideV, dstV, dstStrideV, halfWidth, halfHeight);
    return 0;
}

// Two pixels an iteration and a lone last one, in rows that may run as one.
static void DimRow(const uint8_t* src, uint8_t* dst, int width) {
    int x;
    for (x = 0; x < width - 1; x += 2) {
        dst[0] = src[0] - (src[0] >> 2);
        dst[1] = src[1];
        dst[2] = src[2] - (src[2] >> 2);
        dst[3] = src[3];
        src += 4;
        dst += 4;
    }
    if (width & 1) {
        dst[0] = src[0] - (src[0] >> 2);
        dst[1] = src[1];
    }
}

void DimPicture(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int width, int height) {
    if (width <= 0 || height <= 0) return;
    if (srcStride == width * 2 && dstStride == width * 2) {
        width *= height;
        height = 1;
        srcStride = dstStride = 0;
    }
    for (int y = 0; y < height; ++y, src += srcStride, dst += dstStride) DimRow(src, dst, width);
}

// The row function is chosen row by row by what is the same for all of them.
static void FadeRow(const uint8_t* a, const uint8_t* b, uint8_t* dst, int width, int weight) {
    int rest = 256 - weight;
    if (weight == 0) {
        memcpy(dst, a, width);
        return;
    }
    if (weight == 128) {
        for (int x = 0; x < width; ++x) dst[x] = (a[x] + b[x] + 1) >> 1;
        return;
    }
    for (int x = 0; x < width; ++x) dst[x] = (a[x] * rest + b[x] * weight + 128) >> 8;
}

void FadePicture(const uint8_t* a, int aStride, const uint8_t* b, int bStride, uint8_t* dst, int dstStride, int width,
                 int height, int weight) {
    for (int y = 0; y < height; ++y) {
        FadeRow(a, b, dst, width, weight);
        a += aStride;
        b += bStride;
        dst += dstStride;
    }
}

// A row in memory that is aligned by hand.
int SmoothTwice(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int width, int height) {
    const size_t size = (size_t)width * 2;
    void* memory = size > SIZE_MAX - 63 ? NULL : malloc(size + 63);
    uint16_t* row = (uint16_t*)(((intptr_t)memory + 63) & ~63);
    if (!row) return 1;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) row[x] = src[x > 0 ? x - 1 : 0] + src[x];
        for (int x = 0; x < width; ++x) dst[x] = (row[x] + row[x + 1 < width ? x + 1 : x] + 2) >> 2;
        src += srcStride;
        dst += dstStride;
    }
    free(memory);
    return 0;
}

// Chroma has half the rows and half the columns: its pointers go on after every second row.
void Yuv420ToGrb(const uint8_t* y, int yStride, const uint8_t* u, int uStride, const uint8_t* v, int vStride,
                 uint8_t* dst, int dstStride, int width, int height) {
    for (int row = 0; row < height; ++row) {
        for (int x = 0; x < width; ++x) {
            dst[3 * x] = y[x];
            dst[3 * x + 1] = (y[x] + u[x / 2]) >> 1;
            dst[3 * x + 2] = (y[x] + v[x / 2]) >> 1;
        }
        dst += dstStride;
        y += yStride;
        if (row & 1) {
            u += uStride;
            v += vStride;
        }
    }
}

// Columns of a picture in tiles of some rows by 16: at the end of a tile on to the next row of tiles.
int FirstTileColumn(const uint8_t* src, int srcStride, uint8_t* dst, int dstStride, int height, int tileHeight) {
    const ptrdiff_t tile = 16 * tileHeight;
    if (height <= 0 || tileHeight <= 0 || (tileHeight & (tileHeight - 1))) return -1;
    for (int y = 0; y < height; ++y) {
        memcpy(dst, src, 16);
        dst += dstStride;
        src += 16;
        if ((y & (tileHeight - 1)) == (tileHeight - 1)) src = src - tile + srcStride * tileHeight;
    }
    return 0;
}

// Luma of RGB by way of a buffer of 128 pixels with alpha.
static void AddAlpha(const uint8_t* rgb, uint8_t* rgba, int n) {
    for (int x = 0; x < n; ++x) {
        rgba[4 * x] = rgb[3 * x];
        rgba[4 * x + 1] = rgb[3 * x + 1];
        rgba[4 * x + 2] = rgb[3 * x + 2];
        rgba[4 * x + 3] = 255;
    }
}

static void LumaOfRgba(const uint8_t* rgba, uint8_t* y, int n) {
    for (int x = 0; x < n; ++x) y[x] = (rgba[4 * x] * 77 + rgba[4 * x + 1] * 150 + rgba[4 * x + 2] * 29) >> 8;
}

void LumaByStrips(const uint8_t* rgb, uint8_t* y, int width) {
    uint8_t strip[128 * 4];
    while (width > 0) {
        int n = width > 128 ? 128 : width;
        AddAlpha(rgb, strip, n);
        LumaOfRgba(strip, y, n);
        rgb += n * 3;
        y += n;
        width -= n;
    }
}
