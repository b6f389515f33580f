#include <algorithm>

void f(int* d, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            if (x > 0) d[y * w + x] = std::min(d[y * w + x], d[y * w + x - 1] + 1);
            if (y > 0) d[y * w + x] = std::min(d[y * w + x], d[(y - 1) * w + x] + 1);
        }
}
