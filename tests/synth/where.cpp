/* Accesses that are there under conditions, or at places that floats say. */
#include <algorithm>
#include <cstdint>
typedef uint8_t u8;

void sprite(u8* d, int dw, int dh, const u8* s, int sw, int sh, int ox, int oy) {
    for (int y = 0; y < sh; y++)
        for (int x = 0; x < sw; x++) {
            int tx = x + ox, ty = y + oy;
            if (tx >= 0 && tx < dw && ty >= 0 && ty < dh) d[ty * dw + tx] = s[y * sw + x];
        }
}

void turned(const u8* s, u8* d, int w, int h, float c, float n) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int i = (int)(c * x - n * y), j = (int)(n * x + c * y);
            d[y * w + x] = i >= 0 && i < w && j >= 0 && j < h ? s[j * w + i] : 0;
        }
}

void limited(const uint16_t* s, int n, uint32_t* bins, int count) {
    for (int i = 0; i < n; i++)
        if (s[i] < count) bins[s[i]]++;
}

void scaled(const u8* s, int w, u8* d, int n) {
    float step = (float)w / n;
    for (int x = 0; x < n; x++) d[x] = s[(int)(x * step)];
}

/* What the product is in the last iteration says nothing of the others. */
void a_product_that_is_an_int_in_some_iterations(const u8* s, u8* d, int n, float a) {
    for (int x = 0; x < n; x++) d[x] = x < 9 ? s[(int)(x * a)] : 0;
}

void twice_the_same_variable(const u8* s, u8* d, int n, float a) {
    for (int x = 0; x < n; x++) d[x] = s[(int)(x * (a - x))];
}

void a_quotient_by_a_counter(const u8* s, u8* d, int n, float a) {
    for (int x = 1; x < n; x++) d[x] = s[(int)(a / x)];
}

void nth_element(const u8* s, u8* d, int n) {
    for (int x = 1; x < n - 1; x++) {
        u8 v[3] = {s[x - 1], s[x], s[x + 1]};
        std::nth_element(v, v + 1, v + 3);
        d[x] = v[1];
    }
}

void before_the_nth_element(const u8* s, u8* d, int n) {
    for (int x = 1; x < n - 1; x++) {
        u8 v[3] = {s[x - 1], s[x], s[x + 1]};
        std::nth_element(v, v + 1, v + 3);
        d[x] = v[0];
    }
}
