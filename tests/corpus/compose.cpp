#include <algorithm>
#include <cstdint>
extern "C" {
void blend(uint8_t* dst, const uint8_t* src, const uint8_t* mask, int rows, int cols, int pitch, int opacity) {
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) {
            int i = y * pitch + x;
            int a = mask ? mask[i] * opacity / 255 : opacity;
            dst[i] = (uint8_t)((src[i] * a + dst[i] * (255 - a)) / 255);
        }
}
void blur(uint8_t* dst, const uint8_t* src, int rows, int cols, int pitch) {
    for (int y = 1; y < rows - 1; y++)
        for (int x = 1; x < cols - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += src[(y + j) * pitch + x + i];
            dst[y * pitch + x] = (uint8_t)(sum / 9);
        }
}
void add(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) dst[i] = (uint8_t)std::min(255, dst[i] + src[i]);
}
void halve(uint8_t* dst, const uint8_t* src, int cols, int rows) {
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) dst[y * cols + x] = src[4 * y * cols + 2 * x];
}
void count(int* counts, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) counts[src[i]]++;
}
void reversed(uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) if (src[i]) return;
    for (int i = 0; i < n; i++) dst[i] = 1;
}
}
