#include <stdint.h>
typedef struct { int w, h; uint8_t **rows; } Raster;
void invert(uint8_t **d, uint8_t *const *s, int w, int h) {
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y][x] = 255 - s[y][x];
}
void every_second(const Raster *in, uint16_t *out) {
    for (int y = 2; y < in->h; y += 2)
        for (int x = 0; x < in->w; x++) out[(y / 2 - 1) * in->w + x] = in->rows[y][x] + 1;
}
int has(uint8_t **rows, int w, int h) {
    if (!rows) return -1;
    int most = 0;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) most = rows[y][x] > most ? rows[y][x] : most;
    return most;
}

/* Whether two objects have one table of rows, and whether two pointers lead to one object. */
int brighten(Raster *out, Raster *in) {
    if (out == in) return 0;
    if (out->rows == in->rows) {
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++) out->rows[y][x] += 2;
        return 1;
    }
    for (int y = 0; y < out->h; y++)
        for (int x = 0; x < out->w; x++) out->rows[y][x] = in->rows[y][x] + 1;
    return 2;
}
