#include <cstdint>
void Convolve(float* dst, const float* src, const float* kernel, int n, int taps) {
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++) sum += src[i + k] * kernel[k];
        dst[i] = sum;
    }
}
void Product(float* c, const float* a, const float* b, int n, int m, int p) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++) {
            float sum = 0;
            for (int k = 0; k < p; k++) sum += a[y * p + k] * b[k * m + x];
            c[y * m + x] = sum;
        }
}
void RowSums(int* sums, const uint8_t* src, int width, int height) {
    for (int y = 0; y < height; y++) {
        int sum = 0;
        for (int x = 0; x < width; x++) sum += src[y * width + x];
        sums[y] = sum;
    }
}
void Columns(int* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] += image[(y - 1) * width + x];
}
