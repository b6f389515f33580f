// Caches of 1998 were small: tiles, strips, blocks with ragged edges, and loops turned inside out.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#define TILE 64
#define MIN(a, b) (((a) < (b)) ? (a) : (b))

static inline uint8_t Mul(unsigned a, unsigned b) {
    unsigned t = a * b + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

// Multiply in tiles: four loops with std::min in the bounds.
void TiledMultiply(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    for (int ty = 0; ty < rows; ty += TILE)
        for (int tx = 0; tx < cols; tx += TILE)
            for (int y = ty; y < std::min(ty + TILE, rows); ++y)
                for (int x = tx; x < std::min(tx + TILE, cols); ++x)
                    dst[y * rowBytes + x] = Mul(dst[y * rowBytes + x], src[y * rowBytes + x]);
}

// Screen in tiles: ends of the tile computed before its loops.
void TiledScreen(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    for (int ty = 0; ty < rows; ty += 32) {
        const int yEnd = MIN(ty + 32, rows);
        for (int tx = 0; tx < cols; tx += 128) {
            const int xEnd = MIN(tx + 128, cols);
            for (int y = ty; y < yEnd; ++y)
                for (int x = tx; x < xEnd; ++x) {
                    const int i = y * rowBytes + x;
                    dst[i] = (uint8_t)(255 - Mul(255 - dst[i], 255 - src[i]));
                }
        }
    }
}

// Lighten in strips: strips of sixteen rows, columns outside the rows of a strip.
void StripLighten(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    for (int strip = 0; strip < rows; strip += 16) {
        int last = strip + 16;
        if (last > rows) last = rows;
        for (int x = 0; x < cols; ++x)
            for (int y = strip; y < last; ++y)
                if (dst[y * rowBytes + x] < src[y * rowBytes + x]) dst[y * rowBytes + x] = src[y * rowBytes + x];
    }
}

// Difference in tiles with pointers: a pointer to each tile's corner.
void TiledDifference(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    for (int ty = 0; ty < rows; ty += 8) {
        for (int tx = 0; tx < cols; tx += 8) {
            uint8_t* d = dst + ty * rowBytes + tx;
            const uint8_t* s = src + ty * rowBytes + tx;
            const int h = MIN(8, rows - ty), w = MIN(8, cols - tx);
            for (int y = 0; y < h; ++y) {
                for (int x = 0; x < w; ++x) d[x] = (uint8_t)abs(d[x] - s[x]);
                d += rowBytes;
                s += rowBytes;
            }
        }
    }
}

// Average in blocks of columns: a band of 256 columns over all rows at a time.
void BandAverage(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    int done = 0;
    while (done < cols) {
        const int n = cols - done < 256 ? cols - done : 256;
        for (int y = 0; y < rows; y++) {
            uint8_t* d = dst + y * rowBytes + done;
            const uint8_t* s = src + y * rowBytes + done;
            for (int x = 0; x < n; x++) d[x] = (uint8_t)((d[x] + s[x] + 1) >> 1);
        }
        done += 256;
    }
}

// Linear burn in tiles whose sizes are parameters: tile sizes of the caller.
void TiledLinearBurn(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes, int tileH, int tileW) {
    if (tileH < 1 || tileW < 1) return;
    for (int ty = 0; ty < rows; ty += tileH)
        for (int tx = 0; tx < cols; tx += tileW)
            for (int y = ty; y < std::min(ty + tileH, rows); ++y)
                for (int x = tx; x < std::min(tx + tileW, cols); ++x) {
                    int v = dst[y * rowBytes + x] + src[y * rowBytes + x] - 255;
                    dst[y * rowBytes + x] = (uint8_t)(v > 0 ? v : 0);
                }
}

// Multiply-add of float tiles: whole tiles only, the caller pads.
void PaddedTilesMultiply(float* dst, const float* src, int tilesHigh, int tilesWide) {
    const int pitch = tilesWide * 16;
    for (int t = 0; t < tilesHigh; t++)
        for (int u = 0; u < tilesWide; u++)
            for (int y = 0; y < 16; y++)
                for (int x = 0; x < 16; x++) dst[(t * 16 + y) * pitch + u * 16 + x] *= src[(t * 16 + y) * pitch + u * 16 + x];
}

// Storage in tiles: images stored tile by tile, blended with one of rows.
void TileStoredOver(uint8_t* rowsImage, int rowBytes, const uint8_t* tiles, int tilesHigh, int tilesWide, uint8_t opacity) {
    for (int t = 0; t < tilesHigh; t++)
        for (int u = 0; u < tilesWide; u++)
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++) {
                    uint8_t* d = rowsImage + (t * 8 + y) * rowBytes + u * 8 + x;
                    const uint8_t s = tiles[((t * tilesWide + u) * 8 + y) * 8 + x];
                    *d = (uint8_t)(Mul(*d, 255 - opacity) + Mul(s, opacity));
                }
}

// Interlaced fields: even rows first, then odd rows.
void FieldsSubtract(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    for (int field = 0; field < 2; field++)
        for (int y = field; y < rows; y += 2)
            for (int x = 0; x < cols; x++) {
                const int v = dst[y * rowBytes + x] - src[y * rowBytes + x];
                dst[y * rowBytes + x] = (uint8_t)(v < 0 ? 0 : v);
            }
}

// Rows two at a time: a pair of row pointers, a last row by itself.
void PairedRowsExclusion(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    int y = 0;
    for (; y < rows - 1; y += 2) {
        uint8_t* d0 = dst + y * rowBytes;
        uint8_t* d1 = d0 + rowBytes;
        const uint8_t* s0 = src + y * rowBytes;
        const uint8_t* s1 = s0 + rowBytes;
        for (int x = 0; x < cols; x++) {
            d0[x] = (uint8_t)(d0[x] + s0[x] - 2 * Mul(d0[x], s0[x]));
            d1[x] = (uint8_t)(d1[x] + s1[x] - 2 * Mul(d1[x], s1[x]));
        }
    }
    if (y < rows) {
        uint8_t* d = dst + y * rowBytes;
        const uint8_t* s = src + y * rowBytes;
        for (int x = 0; x < cols; x++) d[x] = (uint8_t)(d[x] + s[x] - 2 * Mul(d[x], s[x]));
    }
}

// A rectangle inside both images: four corners, origins of both.
void RectangleAdd(uint8_t* dst, int dstPitch, const uint8_t* src, int srcPitch, int left, int top, int right, int bottom) {
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            int v = dst[y * dstPitch + x] + src[(y - top) * srcPitch + (x - left)];
            dst[y * dstPitch + x] = (uint8_t)(v > 255 ? 255 : v);
        }
}

// A clipped rectangle: the corners are clamped to the image first.
void ClippedFill(uint8_t* dst, int width, int height, int pitch, int left, int top, int right, int bottom, uint8_t value,
                 uint8_t opacity) {
    left = std::max(left, 0);
    top = std::max(top, 0);
    right = std::min(right, width);
    bottom = std::min(bottom, height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            dst[y * pitch + x] = (uint8_t)(Mul(dst[y * pitch + x], 255 - opacity) + Mul(value, opacity));
}
