// Tables that the caller makes and that say where to read, where to write and how often: remaps, resampling with
// coefficients, spans.  What they hold is measured at each call.
#include <cstddef>
#include <cstdint>
#include <vector>

// Nearest neighbours whose places somebody has worked out.
void nearest_by_tables(uint8_t* dst, int dst_pitch, const uint8_t* src, int src_pitch, const int* column, const int* row,
                       int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) dst[y * dst_pitch + x] = src[row[y] * src_pitch + column[x]];
}

// A place for each pixel.
void warped(uint16_t* dst, const uint16_t* src, size_t pitch, const int16_t* at_x, const int16_t* at_y, int w, int h) {
    for (int y = 0; y < h; ++y, dst += w, at_x += w, at_y += w)
        for (int x = 0; x < w; ++x) dst[x] = src[at_y[x] * (ptrdiff_t)pitch + at_x[x]];
}

// Between two neighbours, by tables in a structure.
struct Steps {
    const int32_t* first;
    const uint8_t* part;
    int count;
};
void between_neighbours(uint8_t* dst, const uint8_t* src, const Steps& steps) {
    for (int i = 0; i < steps.count; i++) {
        const uint8_t* p = src + steps.first[i];
        dst[i] = (uint8_t)((p[0] * (256 - steps.part[i]) + p[1] * steps.part[i] + 128) >> 8);
    }
}

// A row of a resampler: as many taps for each pixel.
void row_of_taps(int16_t* dst, int width, const uint8_t* src, const int16_t* taps, const int32_t* place, int size) {
    for (int i = 0; i < width; i++) {
        int sum = 0;
        for (int j = 0; j < size; j++) sum += src[place[i] + j] * taps[size * i + j];
        dst[i] = (int16_t)(sum >> 7);
    }
}

// Each row of the output has a window of its own.
void columns_by_windows(float* dst, const float* src, int w, int h, int pitch, const int* first, const int* length,
                        const float* weights, int most) {
    for (int y = 0; y < h; y++) {
        const int top = first[y], n = length[y];
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int j = 0; j < n; j++) sum += src[(top + j) * pitch + x] * weights[y * most + j];
            dst[y * w + x] = sum;
        }
    }
}

// First and length side by side in one table.
void rows_by_windows(uint8_t* dst, const uint8_t* src, int w, int h, int pitch, const int* bounds, const int* kernel,
                     int size) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int from = bounds[2 * x], n = bounds[2 * x + 1];
            const int* k = &kernel[x * size];
            int sum = 1 << 15;
            for (int i = 0; i < n; i++) sum += src[y * pitch + from + i] * k[i];
            sum >>= 16;
            dst[y * w + x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
        }
}

// One value from a first to a last column of each row.
void filled_spans(uint8_t* dst, int pitch, const int16_t* from, const int16_t* to, int h, uint8_t value) {
    for (int y = 0; y < h; y++)
        for (int x = from[y]; x < to[y]; x++) dst[y * pitch + x] = value;
}

// Pixels go where a table says.
void scattered(uint32_t* dst, const uint32_t* src, const uint32_t* place, unsigned n) {
    for (unsigned i = 0; i < n; i++) dst[place[i]] = src[i];
}

// Votes for bins that were found before.
void votes(std::vector<int>& bins, const std::vector<int>& labels) {
    for (size_t i = 0; i < labels.size(); i++) bins[labels[i]] += 1;
}

// Indices of a palette whose size nobody says.
void from_wide_palette(uint32_t* dst, const int* index, const uint32_t* palette, int n) {
    while (n-- > 0) *dst++ = palette[*index++];
}
