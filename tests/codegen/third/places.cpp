// Coordinates by operators other than comparisons: remainders, masks, magnitudes, and those of other widths.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

void place_before(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[(i - 1 + n) % n];
}

void place_magnitude(uint8_t* out, const uint8_t* a, int n) {
    assert(n > 3);
    for (int i = 0; i < n; i++) out[i] = a[abs(i - 2)];
}

void place_both_mirrors(uint8_t* out, const uint8_t* a, int n) {
    assert(n > 4);
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((a[abs(i - 2)] + a[n - 1 - abs(n - 1 - (i + 2))] + 1) / 2);
}

void place_pair(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < 2 * n; i++) out[i] = a[i ^ 1];
}

void place_even(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] - a[i & ~1]);
}

void place_nearest(uint8_t* out, const uint8_t* a, int n, int m) {
    assert(n > 0 && n < 4096 && m < 4096);
    for (int i = 0; i < m; i++) out[i] = a[i * n / m];
}

void place_sizes(uint8_t* out, const uint8_t* a, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t l = x ? x - 1 : 0, u = y ? y - 1 : 0, r = x + 1 < width ? x + 1 : width - 1;
            out[y * width + x] = (uint8_t)((a[u * width + l] + a[u * width + r] + a[y * width + x]) / 3);
        }
}

void place_unsigned(uint8_t* out, const uint8_t* a, unsigned width, unsigned height) {
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            out[y * width + x] = (uint8_t)(a[y * width + (x > 0 ? x - 1 : 0)] ^ a[(y + 1 < height ? y + 1 : y) * width + x]);
}

void place_row_pointers(uint8_t* out, const uint8_t* a, int width, int height, int stride) {
    for (int y = 0; y < height; y++) {
        const uint8_t* above = y > 0 ? a + (y - 1) * stride : a;
        const uint8_t* below = y < height - 1 ? a + (y + 1) * stride : a + y * stride;
        const uint8_t* row = a + y * stride;
        for (int x = 0; x < width; x++) out[y * width + x] = (uint8_t)((above[x] + 2 * row[x] + below[x]) >> 2);
    }
}

void place_paeth(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int l = x > 0 ? a[y * width + x - 1] : 0, u = y > 0 ? a[(y - 1) * width + x] : 0;
            int c = x > 0 && y > 0 ? a[(y - 1) * width + x - 1] : 0;
            int p = l + u - c, dl = abs(p - l), du = abs(p - u), dc = abs(p - c);
            out[y * width + x] = (uint8_t)(a[y * width + x] - (dl <= du && dl <= dc ? l : du <= dc ? u : c));
        }
}

void place_taps(int* out, const uint8_t* a, const int* taps, int n) {
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = 0; k < 5; k++) {
            int j = i + k - 2;
            j = j < 0 ? -j - 1 : j;
            j = j >= n ? 2 * n - 1 - j : j;
            j = std::min(std::max(j, 0), n - 1);
            s += a[j] * (taps[k] & 255);
        }
        out[i] = s;
    }
}

void place_blocks(uint8_t* out, const uint8_t* a, int width, int height) {
    assert(width > 0 && height > 0);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) out[y * width + x] = a[(y / 4 * 4) * width + x / 4 * 4];
}

void place_chroma(uint8_t* out, const uint8_t* luma, const uint8_t* chroma, int width, int height) {
    assert(width > 0 && height > 0);
    int half = (width + 1) / 2;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) out[y * width + x] = (uint8_t)((luma[y * width + x] + chroma[(y / 2) * half + x / 2]) >> 1);
}

void place_edge_rows(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            if (x < 2 || y < 1 || x >= width - 2 || y >= height - 1) { out[y * width + x] = a[y * width + x]; continue; }
            int s = a[(y - 1) * width + x - 2] + a[(y + 1) * width + x + 2] + a[y * width + x];
            out[y * width + x] = (uint8_t)(s / 3);
        }
}

void place_shift_rows(uint8_t* out, const uint8_t* a, int width, int height, int slope) {
    assert(slope >= 0 && slope < 256);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sx = x + (y * slope >> 8);
            out[y * width + x] = sx < width ? a[y * width + sx] : 0;
        }
}

void place_interior(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            int gx = a[y * width + x + 1] - a[y * width + x - 1], gy = a[(y + 1) * width + x] - a[(y - 1) * width + x];
            int m = abs(gx) + abs(gy);
            out[y * width + x] = (uint8_t)(m > 255 ? 255 : m);
        }
}
