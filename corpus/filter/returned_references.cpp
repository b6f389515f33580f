// C++ that returns references to what it was given, and small objects by value.
#include <cstddef>
#include <cstdint>
#include <vector>

struct Pixel { uint8_t r, g, b, a; };
struct Mean { double value; bool any; };
struct Range {
    int low, high;
    Range(int l, int h) : low(l), high(h) {}
};

class Sheet {
public:
    Sheet &filled_by_offset(int value);
    const uint8_t *row_at(int y) const;
    Range range_of_samples() const;
    uint8_t *samples;
    int width, height;
private:
    int offset;
};

// Calls in a chain.
Sheet &Sheet::filled_by_offset(int value) {
    for (int i = 0; i < width * height; i++) samples[i] = (uint8_t)(value + offset);
    return *this;
}

// No loop at all.
const uint8_t *Sheet::row_at(int y) const { return samples + y * width; }

Range Sheet::range_of_samples() const {
    int low = 255, high = 0;
    for (int i = 0; i < width * height; i++) {
        if (samples[i] < low) low = samples[i];
        if (samples[i] > high) high = samples[i];
    }
    return Range(low, high);
}

Sheet &sheet_halved(Sheet &to, const Sheet &from) {
    for (int i = 0; i < to.width * to.height; i++) to.samples[i] = from.samples[i] >> 1;
    return to;
}

// A number of the caller's.
int &counted_above(int &count, const uint8_t *p, int n, int level) {
    for (int i = 0; i < n; i++)
        if (p[i] > level) count++;
    return count;
}

// A container of the caller's.
std::vector<int16_t> &samples_raised(std::vector<int16_t> &samples, int by) {
    for (int16_t &s : samples) s = (int16_t)(s + by < 32767 ? s + by : 32767);
    return samples;
}

// An element of the caller's.
Pixel &opaque_to_middle(Pixel *p, int n) {
    for (int i = 0; i < n; i++) p[i].a = 255;
    return p[n / 2];
}

static Mean mean_of_row(const float *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return n > 0 ? Mean{sum / n, true} : Mean{0.0, false};
}
Mean mean_of_second(const float *p, int n) { return mean_of_row(p + n, n); }
