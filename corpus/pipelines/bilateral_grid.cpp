// Bilateral filter by a grid (Chen, Paris, Durand, 2007): weights and values splatted, blurred, and sliced again.

#include <algorithm>
#include <vector>

namespace {

const int kCell = 8, kBins = 12;

float unit(float v) { return std::min(std::max(v, 0.0f), 1.0f); }

float lerp(float a, float b, float t) { return a + (b - a) * t; }

}  // namespace

// grid: (height / 8 + 2) x (width / 8 + 2) x 12 cells of value and weight, the caller's.
void bilateral_grid(float *out, const float *in, int width, int height, float *grid, float *blurred) {
    if (width < 1 || height < 1) return;
    const int gw = width / kCell + 2, gh = height / kCell + 2;
    const int across = kBins * 2, down = gw * kBins * 2;
    for (int i = 0; i < gh * down; i++) grid[i] = 0.0f;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float v = unit(in[y * width + x]);
            int bin = std::max(0, std::min((int)(v * 10.0f + 0.5f), kBins - 2));
            float *cell = grid + ((y + kCell / 2) / kCell * gw + (x + kCell / 2) / kCell) * across + bin * 2;
            cell[0] += v;
            cell[1] += 1.0f;
        }
    for (int y = 0; y < gh; y++)
        for (int x = 0; x < gw; x++)
            for (int z = 0; z < kBins; z++)
                for (int c = 0; c < 2; c++) {
                    float sum = 0.0f;
                    for (int k = -1; k <= 1; k++) {
                        int yy = std::max(0, std::min(y + k, gh - 1));
                        float row = 0.0f;
                        for (int j = -1; j <= 1; j++) {
                            int xx = std::max(0, std::min(x + j, gw - 1));
                            row += (j == 0 ? 2.0f : 1.0f) * grid[yy * down + xx * across + z * 2 + c];
                        }
                        sum += (k == 0 ? 2.0f : 1.0f) * row;
                    }
                    blurred[y * down + x * across + z * 2 + c] = sum;
                }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float level = unit(in[y * width + x]) * 10.0f;
            int z = std::max(0, std::min((int)level, kBins - 2));
            float zf = level - z, xf = (x % kCell) / (float)kCell, yf = (y % kCell) / (float)kCell;
            const float *p = blurred + y / kCell * down + x / kCell * across + z * 2;
            float value = lerp(lerp(lerp(p[0], p[across], xf), lerp(p[down], p[down + across], xf), yf),
                               lerp(lerp(p[2], p[across + 2], xf), lerp(p[down + 2], p[down + across + 2], xf), yf), zf);
            float weight = lerp(lerp(lerp(p[1], p[across + 1], xf), lerp(p[down + 1], p[down + across + 1], xf), yf),
                                lerp(lerp(p[3], p[across + 3], xf), lerp(p[down + 3], p[down + across + 3], xf), yf), zf);
            out[y * width + x] = value / weight;
        }
}
