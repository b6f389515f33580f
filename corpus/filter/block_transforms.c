/* Transforms of blocks, as codecs have them: butterflies along columns and rows, in buffers that are used again. */

#include <stdint.h>

static inline uint8_t clamp_pixel(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

/* A sequency transform of a block of differences: columns where they lie, then rows. */
void walsh_block(int16_t* coefficients, const uint8_t* a, const uint8_t* b, int pitch)
{
    int16_t block[64];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) block[8 * y + x] = a[y * pitch + x] - b[y * pitch + x];
#define BUTTERFLIES(in, out)                                                     \
    int s0 = in(0) + in(4), s1 = in(1) + in(5), s2 = in(2) + in(6), s3 = in(3) + in(7); \
    int d0 = in(0) - in(4), d1 = in(1) - in(5), d2 = in(2) - in(6), d3 = in(3) - in(7); \
    out(0) = s0 + s2 + s1 + s3;                                                  \
    out(1) = s0 - s2 + s1 - s3;                                                  \
    out(2) = s0 + s2 - s1 - s3;                                                  \
    out(3) = s0 - s2 - s1 + s3;                                                  \
    out(4) = d0 + d2 + d1 + d3;                                                  \
    out(5) = d0 - d2 + d1 - d3;                                                  \
    out(6) = d0 + d2 - d1 - d3;                                                  \
    out(7) = d0 - d2 - d1 + d3;
#define COLUMN(k) block[8 * (k) + i]
#define ROW(k) block[8 * i + (k)]
#define COEFFICIENT(k) coefficients[8 * (k) + i]
    for (int i = 0; i < 8; i++) { BUTTERFLIES(COLUMN, COLUMN) }
    for (int i = 0; i < 8; i++) { BUTTERFLIES(ROW, COEFFICIENT) }
}

/* Two passes of one loop: what the first one writes is what the second one reads. */
void cosine_passes(const int16_t* input, int32_t* output, int pitch)
{
    int32_t columns[16];
    const int32_t* in = 0;
    int32_t* out = columns;
    int pass, i;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < 4; i++) {
            int32_t a, b, c, d;
            if (pass == 0) {
                a = input[0 * pitch] * 8, b = input[1 * pitch] * 8, c = input[2 * pitch] * 8, d = input[3 * pitch] * 8;
                input++;
            } else {
                a = in[0], b = in[4], c = in[8], d = in[12];
                in++;
            }
            out[0] = (a + b + c + d) >> 1;
            out[1] = ((a - d) * 5352 + (b - c) * 2217) >> 12;
            out[2] = (a - b - c + d) >> 1;
            out[3] = ((a - d) * 2217 - (b - c) * 5352) >> 12;
            out += 4;
        }
        in = columns;
        out = output;
    }
}

/* Only the first rows have coefficients: the rest of the buffer stays zero. */
void add_few_rows(const int16_t* coefficients, uint8_t* pixels, int pitch)
{
    int16_t rows[64] = { 0 };
    for (int i = 0; i < 2; i++) {
        const int16_t* c = coefficients + 8 * i;
        int16_t* r = rows + 8 * i;
        int s = c[0] + c[4], d = c[0] - c[4], t = c[2] + (c[6] >> 1), u = (c[2] >> 1) - c[6];
        r[0] = s + t, r[1] = d + u, r[2] = d - u, r[3] = s - t;
        r[4] = s + c[1], r[5] = d + c[3], r[6] = d - c[5], r[7] = s - c[7];
    }
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            pixels[y * pitch + x] = clamp_pixel(pixels[y * pitch + x] + ((rows[8 * y + x] + rows[8 * (7 - y) + x] + 16) >> 5));
}

/* Quarters of the output are put together where they lie. */
void join_quarters(int16_t* output, const int16_t* input)
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 16; i++) output[16 * k + i] = input[4 * i + k] * 3;
    for (int i = 0; i < 16; i++) {
        int a = (output[i] + output[16 + i]) >> 1, b = (output[i] - output[16 + i]) >> 1;
        int c = (output[32 + i] + output[48 + i]) >> 1, d = (output[32 + i] - output[48 + i]) >> 1;
        output[i] = a + c;
        output[16 + i] = b + d;
        output[32 + i] = a - c;
        output[48 + i] = b - d;
    }
}

/* Differences with four places at once, whose pointers a table has. */
void differences_of_four(const uint8_t* block, int pitch, const uint8_t* const places[4], int place_pitch, uint32_t sums[4])
{
    int k;
    for (k = 0; k < 4; ++k) {
        const uint8_t* p = places[k];
        uint32_t sum = 0;
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                int d = block[y * pitch + x] - p[y * place_pitch + x];
                sum += d < 0 ? -d : d;
            }
        sums[k] = sum;
    }
}

/* The last coefficient that is not zero, or -1. */
int last_coefficient(const int16_t* coefficients, int count)
{
    int i = count - 1;
    while (i >= 0 && coefficients[i] == 0) i--;
    return i;
}

/* Where each row of a mask begins. */
void first_of_rows(const uint8_t* mask, int pitch, int width, int height, int* first)
{
    for (int y = 0; y < height; y++) {
        int x;
        for (x = 0; x < width; x++)
            if (mask[y * pitch + x] > 127) break;
        first[y] = x;
    }
}

/* One stage of a transform where the coefficients lie: some of them stay. */
void stage_where_it_lies(int32_t* c)
{
    int a = c[0], b = c[3];
    c[0] = a + b;
    c[3] = a - b;
    a = c[1], b = c[2];
    c[1] = a + b;
    c[2] = a - b;
    a = c[5], b = c[6];
    c[5] = (a * 1567 - b * 3784 + 2048) >> 12;
    c[6] = (a * 3784 + b * 1567 + 2048) >> 12;
}

/* A matrix times another one, in place. */
void times_matrix(float* m, const float* n)
{
    float a = m[0], b = m[1], c = m[2], d = m[3];
    m[0] = a * n[0] + b * n[2];
    m[1] = a * n[1] + b * n[3];
    m[2] = c * n[0] + d * n[2];
    m[3] = c * n[1] + d * n[3];
}
