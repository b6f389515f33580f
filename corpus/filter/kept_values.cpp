// Values kept in locals from one pixel to the next.
#include <cstddef>
#include <cstdint>

// Each pixel as the difference to its left neighbour, as PNG's filter "Sub" has them.
void left_differences(uint8_t* image, int width, int height, int stride) {
    for (int y = 0; y < height; ++y) {
        uint8_t* row = image + y * stride;
        uint8_t left = 0;
        for (int x = 0; x < width; ++x) {
            const uint8_t pixel = row[x];
            row[x] = pixel - left;
            left = pixel;
        }
    }
}

// The same of interleaved channels, with a running pointer.
void left_differences_rgb(uint8_t* out, const uint8_t* rgb, size_t pixels) {
    int red = 0, green = 0, blue = 0;
    while (pixels-- > 0) {
        out[0] = static_cast<uint8_t>(rgb[0] - red);
        out[1] = static_cast<uint8_t>(rgb[1] - green);
        out[2] = static_cast<uint8_t>(rgb[2] - blue);
        red = rgb[0];
        green = rgb[1];
        blue = rgb[2];
        rgb += 3;
        out += 3;
    }
}

// (1 2 1) / 4 behind the pixel, in place: the two pixels before it are kept, for they have been stored over.
void trailing_tent(uint8_t* samples, int count) {
    int older = 0, old = 0;
    for (int i = 0; i < count; ++i) {
        const int pixel = samples[i];
        samples[i] = static_cast<uint8_t>((older + 2 * old + pixel + 2) >> 2);
        older = old;
        old = pixel;
    }
}

// (1 2 1) / 4 around the pixel: a window of three that is moved on by one assignment each.
void moving_window(int16_t* out, const int16_t* in, int count) {
    int a = in[0], b = in[0];
    for (int i = 0; i < count - 1; ++i) {
        const int c = in[i + 1];
        out[i] = static_cast<int16_t>((a + 2 * b + c + 2) >> 2);
        a = b;
        b = c;
    }
}

// 255 where a mask begins or ends.
void changes(uint8_t* out, const uint8_t* mask, int count) {
    bool before = false;
    for (int i = 0; i < count; ++i) {
        const bool now = mask[i] > 127;
        out[i] = now != before ? 255 : 0;
        before = now;
    }
}

// The place of the first of the brightest pixels.
void brightest_place(const uint8_t* image, int width, int height, int stride, int* column, int* row) {
    int most = -1, x_of_most = 0, y_of_most = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            if (image[y * stride + x] > most) {
                most = image[y * stride + x];
                x_of_most = x;
                y_of_most = y;
            }
        }
    }
    *column = x_of_most;
    *row = y_of_most;
}

// Where a value occurs last, -1 where it does not.
int last_place_of(const uint8_t* values, int count, uint8_t wanted) {
    int place = -1;
    for (int i = 0; i < count; ++i)
        if (values[i] == wanted) place = i;
    return place;
}

// A generator of random numbers whose state goes on from row to row.
void dithered_by_noise(uint8_t* out, const uint16_t* in, int width, int height, int stride) {
    uint32_t state = 2463534242u;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            state = state * 1664525u + 1013904223u;
            const uint32_t sum = in[y * stride + x] + (state >> 24);
            out[y * stride + x] = static_cast<uint8_t>(sum > 65535 ? 255 : sum >> 8);
        }
    }
}

// The first place of the largest value: only the place is kept, and what is there is looked up again.
int index_of_largest(const int* values, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

// The brightest pixel of an image by its coordinates.
void peak_of_image(const uint8_t* image, int width, int height, int stride, int* peakX, int* peakY) {
    int bx = 0, by = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (image[y * stride + x] > image[by * stride + bx]) {
                bx = x;
                by = y;
            }
    *peakX = bx;
    *peakY = by;
}

// The place of the smallest value of each row.
void row_minima(const float* costs, int* places, int width, int height) {
    for (int y = 0; y < height; y++) {
        const float* row = costs + y * width;
        int least = 0;
        for (int x = 1; x < width; x++)
            if (row[x] < row[least]) least = x;
        places[y] = least;
    }
}
