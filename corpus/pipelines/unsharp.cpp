// Unsharp mask of a planar float image: the luma's difference from its 7x7 Gaussian raises all three channels.

#include <algorithm>
#include <vector>

static const float kWeight[4] = {0.2707f, 0.2167f, 0.1113f, 0.0366f};

static int clamp_index(int v, int n) { return std::max(0, std::min(v, n - 1)); }

void unsharp_mask(float *out, const float *in, int width, int height) {
    if (width < 1 || height < 1) return;
    const int plane = width * height;
    std::vector<float> grey(plane), columns(plane), blurred(plane);
    for (int i = 0; i < plane; i++) grey[i] = 0.299f * in[i] + 0.587f * in[plane + i] + 0.114f * in[2 * plane + i];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum = kWeight[0] * grey[y * width + x];
            for (int k = 1; k <= 3; k++)
                sum += kWeight[k] * (grey[clamp_index(y - k, height) * width + x] +
                                     grey[clamp_index(y + k, height) * width + x]);
            columns[y * width + x] = sum;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float *row = &columns[y * width];
            float sum = kWeight[0] * row[x];
            for (int k = 1; k <= 3; k++) sum += kWeight[k] * (row[clamp_index(x - k, width)] + row[clamp_index(x + k, width)]);
            blurred[y * width + x] = sum;
        }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < plane; i++) {
            float ratio = (2 * grey[i] - blurred[i]) / grey[i];
            out[c * plane + i] = ratio * in[c * plane + i];
        }
}
