// Borders that Halide must bound: choices nested in choices, several pixels away, steps, and halves.
#include <algorithm>
#include <cassert>
#include <cstdint>

void edge_nested(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int v;
            if (y == 0) v = x == 0 ? 0 : a[y * width + x - 1];
            else if (x == 0) v = a[(y - 1) * width + x];
            else v = (a[y * width + x - 1] + a[(y - 1) * width + x] - a[(y - 1) * width + x - 1]) & 255;
            out[y * width + x] = (uint8_t)(a[y * width + x] - v);
        }
}

void edge_five(int16_t* out, const int16_t* a, int n) {
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = -2; k <= 2; k++) {
            int j = i + k;
            if (j >= 0 && j < n) s += a[j];
        }
        out[i] = (int16_t)(s / 5);
    }
}

void edge_mirrored(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) {
        int l = i - 1 < 0 ? 1 - i : i - 1;
        int r = i + 1 >= n ? 2 * n - i - 3 : i + 1;
        if (l >= n) l = n - 1;
        if (r < 0) r = 0;
        out[i] = (uint8_t)((a[l] + 2 * a[i] + a[r] + 2) >> 2);
    }
}

void edge_upsample(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < 2 * n; i++) {
        int j = i >> 1;
        int k = (i & 1) ? (j + 1 < n ? j + 1 : j) : (j > 0 ? j - 1 : j);
        out[i] = (uint8_t)((3 * a[j] + a[k] + 2) >> 2);
    }
}

void edge_downsample(uint8_t* out, const uint8_t* a, int n, int m) {
    for (int i = 0; i < m; i++) {
        int j = 2 * i, k = 2 * i + 1;
        if (j > n - 1) j = n - 1;
        if (k > n - 1) k = n - 1;
        if (j < 0) j = 0;
        if (k < 0) k = 0;
        out[i] = (uint8_t)((a[j] + a[k] + 1) >> 1);
    }
}

void edge_gradient(float* out, const float* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float gx, gy;
            if (x == 0) gx = width > 1 ? a[y * width + 1] - a[y * width] : 0.0f;
            else if (x == width - 1) gx = a[y * width + x] - a[y * width + x - 1];
            else gx = 0.5f * (a[y * width + x + 1] - a[y * width + x - 1]);
            if (y == 0) gy = height > 1 ? a[width + x] - a[x] : 0.0f;
            else if (y == height - 1) gy = a[y * width + x] - a[(y - 1) * width + x];
            else gy = 0.5f * (a[(y + 1) * width + x] - a[(y - 1) * width + x]);
            out[y * width + x] = gx * gx + gy * gy;
        }
}

void edge_cyclic(uint8_t* out, const uint8_t* a, int n, int shift) {
    assert(shift >= 0 && shift < 1000);
    for (int i = 0; i < n; i++) out[i] = a[(i + shift) % n];
}

void edge_copy(uint8_t* out, const uint8_t* a, int width, int height, int dx, int dy) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sx = x - dx, sy = y - dy;
            out[y * width + x] = sx >= 0 && sx < width && sy >= 0 && sy < height ? a[sy * width + sx] : 0;
        }
}

void edge_dilate(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t m = a[y * width + x];
            if (x > 0) m = std::max(m, a[y * width + x - 1]);
            if (x + 1 < width) m = std::max(m, a[y * width + x + 1]);
            if (y > 0) m = std::max(m, a[(y - 1) * width + x]);
            if (y + 1 < height) m = std::max(m, a[(y + 1) * width + x]);
            out[y * width + x] = m;
        }
}

void edge_radius(int* out, const uint8_t* a, int n, int radius) {
    assert(radius >= 0 && radius < 5);
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = -radius; k <= radius; k++) s += a[std::min(std::max(i + k, 0), n - 1)];
        out[i] = s;
    }
}

void edge_left_rows(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++) {
        const uint8_t* row = a + y * width;
        out[y * width] = row[0];
        for (int x = 1; x < width; x++) out[y * width + x] = (uint8_t)(row[x] - row[x - 1]);
    }
}

void edge_parity(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int v = 0;
            if ((x & 1) == 0) v = x > 0 ? a[y * width + x - 1] : a[y * width + (width > 1 ? 1 : 0)];
            else v = y > 0 ? a[(y - 1) * width + x] : a[(height > 1 ? 1 : 0) * width + x];
            out[y * width + x] = (uint8_t)v;
        }
}

void edge_odd(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = i & 1 ? a[i - 1] : (i + 1 < n ? a[i + 1] : a[i]);
}

void edge_median(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t p = i > 0 ? a[i - 1] : a[i], q = a[i], r = i < n - 1 ? a[i + 1] : a[i];
        out[i] = std::max(std::min(p, q), std::min(std::max(p, q), r));
    }
}

void edge_reverse(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = i < n / 2 ? a[n - 1 - i] : a[i - n / 2];
}

void edge_unsigned(uint8_t* out, const uint8_t* a, unsigned n) {
    for (unsigned i = 0; i < n; i++) out[i] = i >= 2 ? a[i - 2] : a[0];
}

void edge_bilinear(uint8_t* out, const uint8_t* a, int n, int m, int step) {
    assert(step >= 0 && step < 1024);
    for (int i = 0; i < m; i++) {
        int p = i * step, j = p >> 8, f = p & 255;
        if (j < 0) j = 0;
        if (j > n - 1) j = n - 1;
        int k = j + 1 < n ? j + 1 : j;
        out[i] = (uint8_t)((a[j] * (256 - f) + a[k] * f) >> 8);
    }
}
