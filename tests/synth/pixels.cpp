/* Functions over pixels of several channels. */
#include <stdint.h>
#include <stddef.h>
struct Px { uint8_t r, g, b, a; };

extern "C" {
void alpha_of_each(uint8_t* d, const uint8_t* s, int width, int height, int pitch) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const uint8_t* p = s + (y * pitch + x) * 4;
            uint8_t* q = d + (y * pitch + x) * 4;
            for (int c = 0; c < 4; c++) q[c] = p[c] * p[3] / 255;
        }
}

void masked(uint8_t* d, const uint8_t* s, const uint8_t* m, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++, d++, s++) *d = *d + ((*s - *d) * m[i] >> 8);
}

void colours_of_four(uint8_t* rgb, const uint8_t* cmyk, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (255 - cmyk[4 * i + c]) * (255 - cmyk[4 * i + 3]) / 255;
}

void add_colours(Px* d, const Px* s, int n) {
    for (int i = 0; i < n; i++) { d[i].r += s[i].r; d[i].g += s[i].g; d[i].b += s[i].b; }
}

void matrix(uint8_t* rgb, const short* m, int n) {
    for (int i = 0; i < n; i++) {
        const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (m[4 * c] * r + m[4 * c + 1] * g + m[4 * c + 2] * b) >> 8;
    }
}

void from_third(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) d[3 * i + k] = s[i];
}

void columns(unsigned* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 0; x < width; x++) image[y * width + x] += image[(y - 1) * width + x];
}

void across(unsigned* image, int width, int height) {
    for (int y = 1; y < height; y++)
        for (int x = 1; x < width; x++) image[y * width + x] += image[(y - 1) * width + x - 1];
}
}
