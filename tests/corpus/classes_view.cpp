#include <cstdint>
struct View {
    uint8_t* data;
    int w, h, stride;
    uint8_t& at(int x, int y) { return data[y * stride + x]; }
    void negate();
};
void View::negate() { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) at(x, y) = 255 - at(x, y); }
void fill(const View& v, int k) {
    for (int y = 0; y < v.h; y++) for (int x = 0; x < v.w; x++) v.data[y * v.stride + x] = k;
}
void copy(View* d, const View* s) {
    if (!d) return;
    for (int y = 0; y < d->h; y++)
        for (int x = 0; x < d->w; x++) d->data[y * d->stride + x] = s->data[y * s->stride + x];
}
