// Students' and researchers' code of the 2010s: images as vectors, and as vectors of vectors.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

using Row = std::vector<uint8_t>;
using Picture = std::vector<Row>;
using Matrix = std::vector<std::vector<float>>;

// A negative, row by row: rows are built and pushed.
Picture negative(Picture in) {
    Picture out;
    for (size_t y = 0; y < in.size(); y++) {
        Row line;
        for (size_t x = 0; x < in[y].size(); x++) line.push_back(255 - in[y][x]);
        out.push_back(line);
    }
    return out;
}

// The darker of two pictures by const references; a row is moved into the result.
Picture darker(const Picture& a, const Picture& b) {
    Picture out;
    int rows = a.size(), cols = a[0].size();
    for (int y = 0; y < rows; y++) {
        Row line;
        for (int x = 0; x < cols; x++) line.push_back(std::min(a[y][x], b[y][x]));
        out.push_back(std::move(line));
    }
    return out;
}

// A mean of three by three into a picture made beforehand, the border as it is.
Picture smooth(const Picture& in) {
    Picture out = in;
    const int h = (int)in.size(), w = h ? (int)in[0].size() : 0;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += in[y + j][x + i];
            out[y][x] = sum / 9;
        }
    return out;
}

// A transposition into rows of zeros.
Matrix transposed(const Matrix& m) {
    Matrix out(m[0].size(), std::vector<float>(m.size()));
    for (size_t i = 0; i < m.size(); i++)
        for (size_t j = 0; j < m[0].size(); j++) out[j][i] = m[i][j];
    return out;
}

// A product of two matrices.
Matrix product(const Matrix& a, const Matrix& b) {
    Matrix out(a.size(), std::vector<float>(b[0].size(), 0.0f));
    for (size_t i = 0; i < a.size(); i++)
        for (size_t j = 0; j < b[0].size(); j++)
            for (size_t k = 0; k < b.size(); k++) out[i][j] += a[i][k] * b[k][j];
    return out;
}

// A threshold in place: a reference to every row by range for.
void threshold_rows(Picture& image, int level) {
    for (auto& row : image)
        for (auto& v : row) v = v < level ? 0 : 255;
}

// One picture added to another one, both by reference.
void accumulate_rows(Picture& sum, const Picture& more) {
    for (size_t y = 0; y < sum.size(); ++y)
        for (size_t x = 0; x < sum[0].size(); ++x) sum[y][x] = std::min(255, sum[y][x] + more[y][x]);
}

// A flat vector with its width: a horizontal gradient, returned.
std::vector<int> gradient_flat(const std::vector<uint8_t>& in, int width) {
    std::vector<int> out(in.size());
    for (size_t i = 1; i < in.size(); i++) out[i] = i % width ? in[i] - in[i - 1] : 0;
    return out;
}

// A look-up table as a vector, applied to a vector in place.
void apply_table(std::vector<uint8_t>& pixels, const std::vector<uint8_t>& table) {
    for (auto& p : pixels) p = table[p];
}

// A curve computed into a std::array, applied to a buffer.
void apply_curve(uint8_t* pixels, int n, int gain) {
    std::array<int, 256> curve;
    for (int i = 0; i < 256; i++) curve[i] = std::min(255, i * gain / 16);
    for (int i = 0; i < n; i++) pixels[i] = curve[pixels[i]];
}

// Weights in a std::array by reference.
void weighted(const std::array<int, 3>& weights, uint8_t* dst, const uint8_t* src, int n) {
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (size_t k = 0; k < weights.size(); k++) sum += weights[k] * src[i + k];
        dst[i] = sum >> 8;
    }
}

// A row kept in an array behind a std::unique_ptr.
void vertical_mean(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    std::unique_ptr<int[]> row(new int[width]);
    for (int y = 0; y + 1 < height; y++) {
        for (int x = 0; x < width; x++) row[x] = src[y * stride + x] + src[(y + 1) * stride + x];
        for (int x = 0; x < width; x++) dst[y * stride + x] = row[x] >> 1;
    }
}

struct Dot {
    uint8_t r, g, b;
};

// Pixels in a vector of structures: grey, into another vector.
std::vector<uint8_t> dots_to_grey(const std::vector<Dot>& dots) {
    std::vector<uint8_t> grey;
    grey.reserve(dots.size());
    for (const Dot& d : dots) grey.push_back((d.r + 2 * d.g + d.b) >> 2);
    return grey;
}

// A class that keeps its pixels in a vector, with an accessor.
class Canvas {
public:
    int width, height;
    std::vector<uint8_t> pixels;

    uint8_t& at(int x, int y) { return pixels[y * width + x]; }
    uint8_t at(int x, int y) const { return pixels[y * width + x]; }
    void fade(int by);
};

void Canvas::fade(int by) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) at(x, y) = std::max(0, at(x, y) - by);
}

static std::vector<int> ramp(size_t n) {
    std::vector<int> v;
    for (size_t i = 0; i < n; i++) v.push_back((int)i * 3);
    return v;
}

// A ramp that a helper returns in a vector.
void add_ramp(uint8_t* pixels, int n) {
    std::vector<int> r = ramp(n);
    for (int i = 0; i < n; i++) pixels[i] += r[i];
}

// Every second value, pushed into a vector.
std::vector<uint8_t> every_second(const std::vector<uint8_t>& in) {
    std::vector<uint8_t> out;
    for (size_t i = 0; i < in.size(); i += 2) out.push_back(in[i]);
    return out;
}

// A histogram in a vector that is returned.
std::vector<int> histogram_of_rows(const Picture& in) {
    std::vector<int> counts(256);
    for (const auto& row : in)
        for (auto v : row) counts[v]++;
    return counts;
}
