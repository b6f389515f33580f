// Missing pixels filled in from a pyramid of three levels: premultiplied colours, halved and doubled again.
// Width and height are multiples of four; four planes, alpha last.

#include <algorithm>
#include <vector>

namespace {

void halve(float *out, const float *in, int width, int height) {
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const float *p = in + 2 * y * width + 2 * x;
            out[y * (width / 2) + x] = (p[0] + p[1] + p[width] + p[width + 1]) * 0.25f;
        }
}

// fine += (1 - alpha) * coarse, each coarse pixel twice in both directions.
void fill(float *fine, const float *alpha, const float *coarse, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            fine[y * width + x] += (1.0f - alpha[y * width + x]) * coarse[y / 2 * (width / 2) + x / 2];
}

}  // namespace

void interpolate_missing(float *out, const float *in, int width, int height) {
    if (width < 4 || height < 4 || width % 4 != 0 || height % 4 != 0) return;
    const int plane = width * height, half = (width / 2) * (height / 2), quarter = (width / 4) * (height / 4);
    const float *alpha = in + 3 * plane;
    std::vector<float> alpha1(half), alpha2(quarter), level0(plane), level1(half), level2(quarter);
    std::vector<float> weight0(plane), weight1(half);
    halve(alpha1.data(), alpha, width, height);
    halve(alpha2.data(), alpha1.data(), width / 2, height / 2);
    for (int i = 0; i < half; i++) weight1[i] = alpha1[i];
    fill(weight1.data(), alpha1.data(), alpha2.data(), width / 2, height / 2);
    for (int i = 0; i < plane; i++) weight0[i] = alpha[i];
    fill(weight0.data(), alpha, weight1.data(), width, height);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < plane; i++) level0[i] = in[c * plane + i] * alpha[i];
        halve(level1.data(), level0.data(), width, height);
        halve(level2.data(), level1.data(), width / 2, height / 2);
        fill(level1.data(), alpha1.data(), level2.data(), width / 2, height / 2);
        fill(level0.data(), alpha, level1.data(), width, height);
        for (int i = 0; i < plane; i++) out[c * plane + i] = level0[i] / weight0[i];
    }
}
