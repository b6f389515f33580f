// Specialisations to constant weights, as a code generator of a slide-show program leaves them.
#include <cstdint>
#include <cstring>

// Weight 0: nothing but the lower layer is copied.
void Mix0Of256(uint8_t* out, const uint8_t* lower, const uint8_t* upper, int n) {
    (void)upper;
    std::memcpy(out, lower, n);
}

// Weight 1/4: shifts of a sum with three times the lower layer.
void Mix64Of256(uint8_t* out, const uint8_t* lower, const uint8_t* upper, int n) {
    for (int i = 0; i < n; ++i) out[i] = (uint8_t)((lower[i] + (lower[i] << 1) + upper[i] + 2) >> 2);
}

// Weight 1/3: a multiplication by a reciprocal.
void Mix85Of256(uint8_t* out, const uint8_t* lower, const uint8_t* upper, int n) {
    for (int i = 0; i < n; ++i) out[i] = (uint8_t)(((2 * lower[i] + upper[i]) * 21846) >> 16);
}

// Weight 1/2: the mean without widening.
void Mix128Of256(uint8_t* out, const uint8_t* lower, const uint8_t* upper, int n) {
    for (int i = 0; i < n; ++i) out[i] = (uint8_t)((lower[i] >> 1) + (upper[i] >> 1) + (lower[i] & upper[i] & 1));
}

// Weight 3/4 in place: the difference shifted twice, rows of a pitch.
void Mix192Of256Rows(uint8_t* lower, const uint8_t* upper, int w, int h, int pitch) {
    for (uint8_t* stop = lower + h * pitch; lower != stop; lower += pitch, upper += pitch)
        for (int x = 0; x != w; ++x) lower[x] = (uint8_t)(upper[x] - ((upper[x] - lower[x]) >> 2));
}

// Weight 1: a copy in place, rows by memmove.
void Mix256Of256Rows(uint8_t* lower, const uint8_t* upper, int w, int h, int pitch) {
    for (int y = 0; y < h; ++y) std::memmove(lower + y * pitch, upper + y * pitch, w);
}

// Five weights in a table of constants: a switch chooses among loops.
void MixByQuarters(uint8_t* out, const uint8_t* lower, const uint8_t* upper, int n, int quarters) {
    switch (quarters) {
        case 0:
            for (int i = 0; i < n; ++i) out[i] = lower[i];
            break;
        case 1:
            for (int i = 0; i < n; ++i) out[i] = (uint8_t)((3 * lower[i] + upper[i]) >> 2);
            break;
        case 2:
            for (int i = 0; i < n; ++i) out[i] = (uint8_t)((lower[i] + upper[i]) >> 1);
            break;
        case 3:
            for (int i = 0; i < n; ++i) out[i] = (uint8_t)((lower[i] + 3 * upper[i]) >> 2);
            break;
        default:
            for (int i = 0; i < n; ++i) out[i] = upper[i];
    }
}

// Opacity with shortcuts: early returns for none and for full.
void OpacityShortcuts(uint8_t* dst, const uint8_t* src, int n, int opacity) {
    if (opacity <= 0) return;
    if (opacity >= 255) {
        std::memcpy(dst, src, n);
        return;
    }
    for (int i = 0; i < n; ++i) dst[i] = (uint8_t)((dst[i] * (255 - opacity) + src[i] * opacity + 127) / 255);
}

// A weight in 8.8 fixed point with a bias: products rounded to nearest.
void MixFixed88(int16_t* dst, const int16_t* src, int n, int weight, int bias) {
    for (int i = 0; i < n; ++i) {
        int v = dst[i] * (256 - weight) + src[i] * weight + 128;
        dst[i] = (int16_t)((v >> 8) + bias);
    }
}

// A ramp of weights along a row: the weight grows with the column, in 16.16.
void WipeRow(uint8_t* dst, const uint8_t* a, const uint8_t* b, int n, unsigned start, unsigned step) {
    unsigned weight = start;
    for (int i = 0; i < n; ++i) {
        unsigned w = (weight >> 16) & 255;
        dst[i] = (uint8_t)((a[i] * (255 - w) + b[i] * w) >> 8);
        weight += step;
    }
}

// A ramp of weights down the rows: one weight a row from a division.
void WipeDown(uint8_t* dst, const uint8_t* a, const uint8_t* b, int w, int h, int pitch) {
    for (int y = 0; y < h; ++y) {
        const int weight = y * 256 / h;
        for (int x = 0; x < w; ++x)
            dst[y * pitch + x] = (uint8_t)((a[y * pitch + x] * (256 - weight) + b[y * pitch + x] * weight) >> 8);
    }
}

// A vignette: the weight is a squared distance from the middle.
void Vignette(uint8_t* image, int w, int h, int pitch) {
    const int cx = w / 2, cy = h / 2;
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            const int d = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) >> 8;
            const int weight = d > 255 ? 0 : 255 - d;
            image[y * pitch + x] = (uint8_t)(image[y * pitch + x] * weight / 255);
        }
    }
}

// A weight from a table by position: columns have weights of their own.
void ColumnWeights(uint8_t* dst, const uint8_t* src, const uint8_t* weights, int w, int h, int pitch) {
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            const int k = weights[x];
            dst[x] = (uint8_t)((dst[x] * (256 - k) + src[x] * k) >> 8);
        }
        dst += pitch;
        src += pitch;
    }
}

// Percentages: opacity in hundredths, exact division by 100.
void MixPercent(uint8_t* dst, const uint8_t* src, unsigned n, unsigned percent) {
    if (percent > 100) percent = 100;
    for (unsigned i = 0; i < n; i++) dst[i] = (uint8_t)((dst[i] * (100 - percent) + src[i] * percent + 50) / 100);
}
