#include <cstdint>
unsigned UDIV255(unsigned x);
int HashFunction(int row, int col);
void scale(uint8_t* dst, const uint8_t* src, int opacity, int n) {
    for (int i = 0; i < n; i++) dst[i] = UDIV255(src[i] * opacity);
}
void noise(uint8_t* dst, const uint8_t* table, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) dst[r * stride + c] = table[HashFunction(r, c)];
}
