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
