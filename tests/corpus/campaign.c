#include <math.h>
#include <stdint.h>
struct image { int w, h, stride; uint8_t *data; };
static int gain = 3;

void set_gain(int g) { gain = g; }

void invert(uint8_t *d, const uint8_t *s, int n) {
    for (int i = 0; i < n; i++) d[i] = 255 - s[i];
}

static void fill(struct image *m, uint8_t v) {
    for (int y = 0; y < m->h; y++)
        for (int x = 0; x < m->w; x++) m->data[y * m->stride + x] = v * gain;
}

int shares(const int16_t *s, int n, int parts) {
    int t = 0;
    for (int i = 0; i < n; i++) t += s[i];
    return t / parts;
}

void limited(float *d, const float *s, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] > 1.0f ? 1.0f : s[i];
}

void used(struct image *m) { fill(m, 2); }
