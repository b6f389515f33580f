#include <cstdint>
#include <vector>
struct Bitmap { uint8_t *data; int w; };
void sized(Bitmap *im, const unsigned char lut[256]) {
    for (int i = 0; i < im->w; i++) im->data[i] = lut[im->data[i]];
}
void matrix(Bitmap *im, int k[3][3]) { for (int i = 0; i < im->w; i++) im->data[i] = (uint8_t)(im->data[i] * k[1][1]); }
void referred(Bitmap *im, const unsigned char (&lut)[256]) {
    for (int i = 0; i < im->w; i++) im->data[i] = lut[im->data[i]];
}
void moved(std::vector<uint8_t> &&v) { for (unsigned i = 0; i < v.size(); i++) v[i] = 255 - v[i]; }
