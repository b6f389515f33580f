#include <cstdint>
void darken(uint8_t* p, int rows, int cols, int rowBytes) {
    for (int r = 0; r < rows; r++, p += rowBytes)
        for (int c = 0; c < cols; c++) p[c] = p[c] / 2;
}
