// Brightest value within a disc of radius 5: for each column of the disc, the maximum over a run of rows.

#include <algorithm>
#include <vector>

static const int kRadius = 5;
static const int kHalf[2 * kRadius + 1] = {1, 3, 4, 5, 5, 5, 5, 5, 4, 3, 1};

void max_filter_disc(float *out, const float *in, int width, int height) {
    if (width < 1 || height < 1) return;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float best = in[y * width + x];
            for (int i = -kRadius; i <= kRadius; i++) {
                int xx = std::min(std::max(x + i, 0), width - 1);
                int half = kHalf[i + kRadius];
                for (int j = -half; j <= half; j++) {
                    int yy = std::min(std::max(y + j, 0), height - 1);
                    best = std::max(best, in[yy * width + xx]);
                }
            }
            out[y * width + x] = best;
        }
}
