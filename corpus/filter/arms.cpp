// Rows of which a condition says which of two loops makes them, and other choices around loops.
#include <cstddef>
#include <cstdint>

// Each row averaged with the one above; the first is copied.
void mean_with_above(const uint8_t* src, int stride, int width, int height, uint8_t* dst) {
    for (int y = 0; y < height; y++) {
        if (y == 0) {
            for (int x = 0; x < width; x++) dst[x] = src[x];
        } else {
            for (int x = 0; x < width; x++) dst[x] = (src[y * stride + x] + src[(y - 1) * stride + x]) / 2;
        }
        dst += stride;
    }
}

// The image between black bars.
void letterbox(const uint8_t* src, int stride, int width, int height, int bar, uint8_t* dst, int dstStride) {
    for (int y = 0; y < height + 2 * bar; y++) {
        if (y >= bar && y < bar + height) {
            const uint8_t* row = src + (y - bar) * stride;
            for (int x = 0; x < width; x++) dst[x] = row[x];
        } else {
            for (int x = 0; x < width; x++) dst[x] = 16;
        }
        dst += dstStride;
    }
}

// Rows from `split` on are halved, those above brightened, in place.
void split_tone(uint8_t* image, int stride, int width, int height, int split) {
    for (int y = 0; y < height; y++, image += stride)
        if (y < split)
            for (int x = 0; x < width; x++) image[x] = image[x] > 223 ? 255 : image[x] + 32;
        else
            for (int x = 0; x < width; x++) image[x] /= 2;
}

// Coverage in floats, of the mask or of what it leaves out: the flag is asked for each row.
void coverage(const uint8_t* mask, size_t stride, size_t width, size_t height, bool outside, float* out) {
    for (size_t y = 0; y < height; y++) {
        if (outside)
            for (size_t x = 0; x < width; x++) out[x] = (255 - mask[x]) * 0.00390625f;
        else
            for (size_t x = 0; x < width; x++) out[x] = mask[x] * 0.00390625f;
        mask += stride;
        out += width;
    }
}

// A step of gradient descent with momentum, two weights at a time.
void momentum_step(float* weight, float* speed, const float* gradient, size_t n, float rate, float keep) {
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        speed[i] = keep * speed[i] - rate * gradient[i];
        weight[i] += speed[i];
        speed[i + 1] = keep * speed[i + 1] - rate * gradient[i + 1];
        weight[i + 1] += speed[i + 1];
    }
    for (; i < n; i++) {
        speed[i] = keep * speed[i] - rate * gradient[i];
        weight[i] += speed[i];
    }
}

static inline int distance(int a, int b) {
    int d = a - b, negative = d >> 8;
    return (d & ~negative) | (-d & negative);
}

static inline int larger(int a, int b) {
    int d = a - b;
    return b + (d & ~(d >> 8));
}

// How often neighbours differ by how much, the larger of both directions, without branches.
void contrast_histogram(const uint8_t* src, int stride, int width, int height, uint32_t* histogram) {
    for (int i = 0; i < 256; i++) histogram[i] = 0;
    for (int y = 1; y < height; y++)
        for (int x = 1; x < width; x++) {
            const uint8_t* p = src + y * stride + x;
            histogram[larger(distance(p[0], p[-1]), distance(p[0], p[-stride]))]++;
        }
}

// A frame around a rectangle is filled, each side where there is one; what is inside stays.
void paint_frame(uint8_t* image, size_t stride, size_t width, size_t height, size_t left, size_t top, size_t right,
                 size_t bottom, uint8_t level) {
    if (left > right || right > width || top > bottom || bottom > height) return;
    if (top > 0)
        for (size_t y = 0; y < top; y++)
            for (size_t x = 0; x < width; x++) image[y * stride + x] = level;
    if (bottom < height)
        for (size_t y = bottom; y < height; y++)
            for (size_t x = 0; x < width; x++) image[y * stride + x] = level;
    if (left > 0)
        for (size_t y = top; y < bottom; y++)
            for (size_t x = 0; x < left; x++) image[y * stride + x] = level;
    if (right < width)
        for (size_t y = top; y < bottom; y++)
            for (size_t x = right; x < width; x++) image[y * stride + x] = level;
}

// Levels behind a header of as many bytes as asked for; an empty image has none, and another pitch.
void pack_levels(const uint8_t* src, size_t stride, size_t width, size_t height, uint8_t* dst, size_t header) {
    size_t pitch = width;
    if (width * height == 0) {
        pitch = 2 * stride;
        header = 0;
    }
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) dst[header + y * pitch + x] = src[y * stride + x] >> 2;
}

// Stops where the level would be above the limit.
int fade_until(uint8_t* row, int n, int step, int limit) {
    int level = 0;
    for (int i = 0; i < n; i++, level += step) {
        if (level > limit) return i;
        row[i] = row[i] / 2;
    }
    return n;
}

// As many elements as those of the source are shifted up to.
void stretch(const uint8_t* src, int n, int shift, uint8_t* dst) {
    for (int i = 0; (i >> shift) < n; i++) dst[i] = src[i >> shift];
}

// Pixels of one colour, with opacity behind it or without, over others: each arm goes on by a pixel in its own way.
void paint_span(uint8_t* dp, const uint8_t* sp, int da, int sa, int w) {
    while (w-- > 0) {
        int t = sa ? sp[1] : 255;
        if (t) {
            *dp = *sp + ((*dp * (255 - t)) >> 8);
            sp++;
            dp++;
            if (sa) sp++;
            if (da) {
                *dp = t + ((*dp * (255 - t)) >> 8);
                dp++;
            }
        } else {
            dp += 1 + da;
            sp += 1 + sa;
        }
    }
}
