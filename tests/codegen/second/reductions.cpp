// Sums, counts and extremes.
#include <cstdint>

void reduce_histogram(int* hist, const uint8_t* a, int n) {
    for (int i = 0; i < 256; i++) hist[i] = 0;
    for (int i = 0; i < n; i++) hist[a[i]]++;
}

unsigned reduce_sum(const uint32_t* a, int n) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * a[i];
    return sum;
}

float reduce_float(const float* a, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += a[i] > 0.25f ? a[i] : 0.0f;
    return sum;
}

int reduce_count(const float* a, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += a[i] <= 1.0f;
    return count;
}

float reduce_max(const float* a, int n) {
    float best = -1.0f;
    for (int i = 0; i < n; i++) best = a[i] > best ? a[i] : best;
    return best;
}

void reduce_columns(int* out, const uint8_t* a, int width, int height) {
    for (int x = 0; x < width; x++) out[x] = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (a[y * width + x] > 100) out[x] += a[y * width + x] << 4;
}
