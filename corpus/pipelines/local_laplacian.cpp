// Local Laplacian filter of a float image with two levels and four intensity bins.  Width and height are even.

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

const int kBins = 4;

float remap(float v, float level) {
    float d = v - level;
    return level + d + 0.25f * d * std::exp(-d * d * 18.0f);
}

void halve(float *out, const float *in, int width, int height) {
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const float *p = in + 2 * y * width + 2 * x;
            out[y * (width / 2) + x] = (p[0] + p[1] + p[width] + p[width + 1]) * 0.25f;
        }
}

}  // namespace

void local_laplacian(float *out, const float *in, int width, int height) {
    if (width < 2 || height < 2 || width % 2 != 0 || height % 2 != 0) return;
    const int plane = width * height, half = (width / 2) * (height / 2);
    std::vector<float> fine(kBins * plane), coarse(kBins * half), small(half), base(half);
    for (int k = 0; k < kBins; k++)
        for (int i = 0; i < plane; i++) fine[k * plane + i] = remap(in[i], k / (float)(kBins - 1));
    for (int k = 0; k < kBins; k++) halve(&coarse[k * half], &fine[k * plane], width, height);
    halve(small.data(), in, width, height);
    for (int i = 0; i < half; i++) {
        float position = std::min(std::max(small[i], 0.0f), 1.0f) * (kBins - 1);
        int bin = std::max(0, std::min((int)position, kBins - 2));
        float t = position - bin;
        base[i] = (1.0f - t) * coarse[bin * half + i] + t * coarse[(bin + 1) * half + i];
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = y * width + x, j = y / 2 * (width / 2) + x / 2;
            float position = std::min(std::max(in[i], 0.0f), 1.0f) * (kBins - 1);
            int bin = std::max(0, std::min((int)position, kBins - 2));
            float t = position - bin;
            float low = fine[bin * plane + i] - coarse[bin * half + j];
            float high = fine[(bin + 1) * plane + i] - coarse[(bin + 1) * half + j];
            out[i] = base[j] + (1.0f - t) * low + t * high;
        }
}
