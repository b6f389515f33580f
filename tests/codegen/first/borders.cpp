// Coordinates at the border, by conditions.
#include <cstdint>

void border_left(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)((a[i > 0 ? i - 1 : 0] + a[i] + a[i < n - 1 ? i + 1 : n - 1]) / 3);
}

void border_mirror(uint8_t* out, const uint8_t* a, int n) {
    for (int i = 0; i < n; i++) {
        int j = i - 2;
        if (j < 0) j = -j;
        if (j >= n) j = n - 1;
        out[i] = a[j];
    }
}

void border_rows(uint8_t* out, const uint8_t* a, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int up = y == 0 ? 0 : y - 1, down = y == height - 1 ? y : y + 1;
            out[y * width + x] = (uint8_t)((a[up * width + x] + a[down * width + x]) >> 1);
        }
}
