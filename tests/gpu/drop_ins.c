#include <stdint.h>
#include <math.h>

void darken(uint8_t *dst, const uint8_t *src, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            int delta = src[r * stride + c] - dst[r * stride + c];
            if (delta < 0) dst[r * stride + c] += delta;
        }
}

void smooth(float *out, const float *in, int rows, int cols, int stride) {
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < cols - 1; c++)
            out[r * stride + c] = (in[(r - 1) * stride + c] + in[(r + 1) * stride + c]
                + in[r * stride + c - 1] + in[r * stride + c + 1]) * 0.25f;
}

void weighted(float *out, const float *in, int rows, int cols, int stride) {
    static const float weights[3][3] = {{0.5f, -1.25f, 0.5f}, {3.0f, 7.5f, -3.0f}, {0.25f, 1.0f, 0.125f}};
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < cols - 1; c++) {
            float total = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    total += weights[i][j] * in[(r + i - 1) * stride + c + j - 1];
            out[r * stride + c] = total;
        }
}

static const float teeth[100] = {TEETH};
void combed(float *out, const float *in, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            float total = 0;
            for (int i = 0; i < 100; i++) total += teeth[i] * (in[r * stride + c] + i);
            out[r * stride + c] = total;
        }
}

static const uint8_t curve[256] = {CURVE};
void mapped(uint8_t *dst, const uint8_t *src, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            dst[r * stride + c] = curve[src[r * stride + c]];
}

#define H(c) y = y * x + c##.25f; y = y * x - c##.5f; y = y * x + c##.125f; y = y * x + 0.5f;
#define H4(c) H(c) H(c##1) H(c##2) H(c##3)
void polynomial(float *out, const float *in, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            float x = in[r * stride + c] * 0.001f, y = x;
            H4(1) H4(2) H4(3) H4(4) H4(5) H4(6)
            out[r * stride + c] = y;
        }
}
