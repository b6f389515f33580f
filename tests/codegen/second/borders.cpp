// Borders of two dimensions and of several pixels, by conditions of different forms.
#include <algorithm>
#include <cstdint>

static inline int held(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

void border_box(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += a[held(y + j, 0, height - 1) * width + held(x + i, 0, width - 1)];
            out[y * width + x] = (uint8_t)(sum / 9);
        }
}

void border_reflect(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) {
        int j = i + 3;
        if (j >= n) j = 2 * n - 2 - j;
        if (j < 0) j = 0;
        out[i] = a[j];
    }
}

void border_wrap(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i == 0 ? n - 1 : i - 1];
}

void border_zero(int16_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int l = x > 0 ? a[y * width + x - 1] : 0;
            int u = y > 0 ? a[(y - 1) * width + x] : 0;
            out[y * width + x] = (int16_t)(2 * a[y * width + x] - l - u);
        }
}

void border_even(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int xx = x + 1 < width ? x + 1 : (x > 0 ? x - 1 : x);
            int yy = y >= 1 ? y - 1 : (height > 1 ? 1 : 0);
            out[y * width + x] = (uint8_t)((a[y * width + xx] + a[yy * width + x] + 1) >> 1);
        }
}

void border_first_last(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) {
        if (i == 0) out[i] = a[i];
        else if (i == n - 1) out[i] = a[i - 1];
        else out[i] = (uint8_t)((a[i - 1] + a[i + 1]) / 2);
    }
}

void border_half(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[std::min(i * 2, n - 1)] ^ a[std::max(i - n / 2, 0)];
}
