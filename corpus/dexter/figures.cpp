// Own renderings of the functions shown in the figures of the DEXTER paper.
#include <algorithm>
#include <cassert>
#include <cstdint>

static inline uint8_t Mul8x8Div255(int a, int b) {
    int t = a * b + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

// Figure 2: a box blur as two passes through a temporary.  The rows above and below the image and the columns beside
// it belong to the caller's buffer, as in the paper; the temporary covers them.
void BoxBlur(uint8_t* dst, const uint8_t* src, int rows, int cols, int rowBytes) {
    int* tmp = new int[(rows + 2) * cols];
    int* t = tmp;
    const uint8_t* s = src - rowBytes;
    for (int r = 0; r < rows + 2; r++) {
        for (int c = 0; c < cols; c++) {
            t[c] = (s[c - 1] + s[c] + s[c + 1]) / 3;
        }
        t += cols;
        s += rowBytes;
    }
    t = tmp + cols;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            int sum = t[c - cols] + t[c] + t[c + cols];
            dst[c] = sum / 3;
        }
        dst += rowBytes;
        t += cols;
    }
    delete[] tmp;
}

// Figure 7.
void AdjustOpacity(uint8_t* dst, int opacity, int rows, int cols, int rowBytes) {
    assert(cols <= rowBytes);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            dst[c] = Mul8x8Div255(dst[c], opacity);
        }
        dst += rowBytes;
    }
}

static inline int HashCounters(int row, int col) {
    unsigned h = (unsigned)row * 73856093u ^ (unsigned)col * 19349663u;
    return (int)((h >> 7) & 1023);
}

// Figure 8: noise from a table, looked up by a hash of the counters.
void DissolveMask(uint8_t* msk, const uint8_t* noiseData, int rows, int cols) {
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++) {
            int x = msk[row * cols + col];
            x = 255 - x + noiseData[HashCounters(row, col)];
            if (x < 256)
                msk[row * cols + col] = 255;
            else
                msk[row * cols + col] = 0;
        }
    }
}

// Figure 10: tiles of 16 by 32.
void DarkenTiled(uint8_t* dst, const uint8_t* src, const uint8_t* msk, int rows, int cols, int rowBytes) {
    int row, col;
    for (int rowOut = 0; rowOut < rows; rowOut += 16) {
        for (int colOut = 0; colOut < cols; colOut += 32) {
            for (row = rowOut; row < std::min(rows, rowOut + 16); row++) {
                for (col = colOut; col < std::min(cols, colOut + 32); col++) {
                    int16_t delta = src[row * rowBytes + col] - dst[row * rowBytes + col];
                    if (delta < 0)
                        dst[row * rowBytes + col] -= Mul8x8Div255(msk[row * rowBytes + col], -delta);
                }
            }
        }
    }
}
