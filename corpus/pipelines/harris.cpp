// Harris corner response of a planar float image: Sobel gradients, 3x3 sums of their products, determinant and trace.

#include <cstdlib>

void harris_corners(float *corners, const float *rgb, int width, int height) {
    const int inner_w = width - 4, inner_h = height - 4, pitch = width - 2;
    if (inner_w < 1 || inner_h < 1) return;
    float *grey = (float *)malloc(sizeof(float) * width * height);
    float *xx = (float *)malloc(sizeof(float) * pitch * (height - 2));
    float *xy = (float *)malloc(sizeof(float) * pitch * (height - 2));
    float *yy = (float *)malloc(sizeof(float) * pitch * (height - 2));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float *p = rgb + y * width + x;
            grey[y * width + x] = 0.299f * p[0] + 0.587f * p[width * height] + 0.114f * p[2 * width * height];
        }
    for (int y = 0; y < height - 2; y++)
        for (int x = 0; x < pitch; x++) {
            const float *up = grey + y * width + x, *mid = up + width, *low = mid + width;
            float dx = ((up[2] - up[0]) + 2 * (mid[2] - mid[0]) + (low[2] - low[0])) * (1.0f / 12);
            float dy = ((low[0] - up[0]) + 2 * (low[1] - up[1]) + (low[2] - up[2])) * (1.0f / 12);
            xx[y * pitch + x] = dx * dx;
            xy[y * pitch + x] = dx * dy;
            yy[y * pitch + x] = dy * dy;
        }
    for (int y = 0; y < inner_h; y++)
        for (int x = 0; x < inner_w; x++) {
            float sxx = 0, sxy = 0, syy = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) {
                    const int at = (y + j) * pitch + x + i;
                    sxx += xx[at];
                    sxy += xy[at];
                    syy += yy[at];
                }
            float trace = sxx + syy;
            corners[y * inner_w + x] = sxx * syy - sxy * sxy - 0.04f * trace * trace;
        }
    free(yy);
    free(xy);
    free(xx);
    free(grey);
}
