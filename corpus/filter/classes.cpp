// Image classes of the 2000s: views with accessors, regions, planes, functors, member functions that do the work.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

// A plain C structure for images, as in scanners' drivers.
typedef struct {
    int width, height;
    int rowbytes;
    unsigned char* bits;
} Scan;

struct Size {
    int w, h;
    bool holds(int x, int y) const { return x >= 0 && y >= 0 && x < w && y < h; }
};

struct GreyImage : Size {
    uint8_t* data;
    int stride;

    GreyImage(uint8_t* d, int w_, int h_, int s) : Size{w_, h_}, data(d), stride(s) {}
    uint8_t* row(int y) const { return data + y * stride; }
    uint8_t& at(int x, int y) { return data[y * stride + x]; }
    uint8_t at(int x, int y) const { return data[y * stride + x]; }
    uint8_t operator()(int x, int y) const { return row(y)[x]; }
    uint8_t clamped(int x, int y) const { return at(std::min(std::max(x, 0), w - 1), std::min(std::max(y, 0), h - 1)); }
    GreyImage inner(int border) const { return GreyImage(row(border) + border, w - 2 * border, h - 2 * border, stride); }

    void negate();
    void brighten(int by);
    long sum() const;
};

void GreyImage::negate() {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) at(x, y) = 255 - at(x, y);
}

void GreyImage::brighten(int by) {
    for (int y = 0; y < h; y++) {
        uint8_t* p = row(y);
        for (int x = 0; x < w; x++) p[x] = std::min(255, std::max(0, p[x] + by));
    }
}

long GreyImage::sum() const {
    long total = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) total += at(x, y);
    return total;
}

// A C structure by pointer, checked for null.
void scan_threshold(Scan* out, const Scan* in, int level) {
    int x, y;
    if (!out || !in) return;
    for (y = 0; y < out->height; ++y) {
        const unsigned char* s = in->bits + y * in->rowbytes;
        unsigned char* d = out->bits + y * out->rowbytes;
        for (x = 0; x < out->width; ++x) d[x] = s[x] >= level ? 255 : 0;
    }
}

// A structure by value: the function's own copy, whose pointer walks.
void scan_invert(Scan image) {
    for (; image.height > 0; image.height--, image.bits += image.rowbytes)
        for (int x = 0; x < image.width; x++) image.bits[x] ^= 255;
}

// A box of three by three with accessors by reference, the border left alone.
void box_view(GreyImage& dst, const GreyImage& src) {
    for (int y = 1; y < src.h - 1; y++)
        for (int x = 1; x < src.w - 1; x++) {
            int sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) sum += src.at(x + i, y + j);
            dst.at(x, y) = sum / 9;
        }
}

// A cross of five with coordinates clamped in an accessor.
void cross_clamped(GreyImage& dst, const GreyImage& src) {
    for (int y = 0; y < src.h; y++)
        for (int x = 0; x < src.w; x++)
            dst.at(x, y) = (src.clamped(x - 1, y) + src.clamped(x + 1, y) + src.clamped(x, y - 1) + src.clamped(x, y + 1) +
                            4 * src(x, y)) >> 3;
}

// A region inside a frame is cleared: a view made from a view.
void clear_inside(GreyImage& image, int border, int value) {
    GreyImage part = image.inner(border);
    for (int y = 0; y < part.h; y++) std::fill(part.row(y), part.row(y) + part.w, (uint8_t)value);
}

// A gradient of two views: the sizes are the smaller ones.
void gradient_view(GreyImage* dst, const GreyImage* src) {
    const int w = std::min(dst->w, src->w), h = std::min(dst->h, src->h);
    for (int y = 0; y + 1 < h; y++)
        for (int x = 0; x + 1 < w; x++)
            dst->at(x, y) = std::min(255, abs(src->at(x + 1, y) - src->at(x, y)) + abs(src->at(x, y + 1) - src->at(x, y)));
}

struct Gain {
    int numerator, shift;
    uint8_t operator()(int v) const { return std::min(255, (v * numerator) >> shift); }
};

template <class Op>
static void map_rows(GreyImage& dst, const GreyImage& src, Op op) {
    for (int y = 0; y < dst.h; y++) {
        uint8_t* d = dst.row(y);
        const uint8_t* s = src.row(y);
        for (int x = 0; x < dst.w; x++) d[x] = op(s[x]);
    }
}

// A functor with a state given to a template over the operation.
void gain_view(GreyImage& dst, const GreyImage& src, Gain gain) { map_rows(dst, src, gain); }

// A lambda that captures a field, given to the same template.
void offset_view(GreyImage& dst, const GreyImage& src, const Gain& gain) {
    map_rows(dst, src, [&](int v) { return (uint8_t)(v + gain.numerator); });
}

struct Rgb8 {
    uint8_t r, g, b;
    int luma() const { return (r * 77 + g * 150 + b * 29) >> 8; }
    bool operator==(const Rgb8& o) const { return r == o.r && g == o.g && b == o.b; }
};

template <class T>
struct Grid {
    T* cells;
    int columns, rows;
    T& operator()(int x, int y) { return cells[y * columns + x]; }
    const T& operator()(int x, int y) const { return cells[y * columns + x]; }
};

// Luma of a template's pixels: a class template at two element types.
void luma_grid(Grid<uint8_t>& dst, const Grid<Rgb8>& src) {
    for (int y = 0; y < src.rows; y++)
        for (int x = 0; x < src.columns; x++) dst(x, y) = src(x, y).luma();
}

// A key colour becomes black: pixels compared as a whole.
void key_grid(Grid<Rgb8>& image, Rgb8 key) {
    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.columns; x++)
            if (image(x, y) == key) image(x, y) = Rgb8{0, 0, 0};
}

struct Yuv420 {
    uint8_t* plane[3];
    int pitch[3];
    int width, height;
};

// Three planes in arrays inside a structure: chroma set to grey.
void grey_chroma(const Yuv420& frame) {
    for (int p = 1; p < 3; p++)
        for (int y = 0; y < frame.height / 2; y++)
            for (int x = 0; x < frame.width / 2; x++) frame.plane[p][y * frame.pitch[p] + x] = 128;
}

struct Kernel3 {
    float weight[9];
    float bias;
};

// A kernel of floats in a structure: nine weights and an offset.
void convolve_kernel3(float* dst, const float* src, int w, int h, int stride, const Kernel3& k) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            float sum = k.bias;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) sum += k.weight[3 * j + i] * src[(y + j - 1) * stride + x + i - 1];
            dst[y * stride + x] = sum;
        }
}

struct Levels {
    int low, high;
};

// The darkest and the brightest value into a structure by reference.
void find_levels(const GreyImage& image, Levels& found) {
    found.low = 255;
    found.high = 0;
    for (int y = 0; y < image.h; y++)
        for (int x = 0; x < image.w; x++) {
            found.low = std::min(found.low, (int)image.at(x, y));
            found.high = std::max(found.high, (int)image.at(x, y));
        }
}

class LineBuffer {
public:
    explicit LineBuffer(int n) { p_ = (uint16_t*)malloc(n * sizeof(uint16_t)); }
    ~LineBuffer() { free(p_); }
    uint16_t& operator[](int i) { return p_[i]; }

private:
    uint16_t* p_;
};

// A row of sums in a buffer of class type, then a sum across.
void blur_buffered(GreyImage& dst, const GreyImage& src) {
    LineBuffer line(src.w);
    for (int y = 0; y + 1 < src.h; y++) {
        for (int x = 0; x < src.w; x++) line[x] = src.at(x, y) + src.at(x, y + 1);
        for (int x = 0; x + 1 < src.w; x++) dst.at(x, y) = (line[x] + line[x + 1] + 2) >> 2;
    }
}

struct Point {
    int x, y;
};

struct Box {
    Point from, to;
    int width() const { return to.x - from.x; }
};

// A box filled in a plane: bounds from a structure of structures by const reference.
void fill_box(uint8_t* plane, int stride, const Box& box, uint8_t value) {
    for (int y = box.from.y; y < box.to.y; y++)
        for (int x = 0; x < box.width(); x++) plane[y * stride + box.from.x + x] = value;
}

// Scratch memory of any type, made larger through its own constant members.
template <class T> struct Scratch {
    T* const data;
    const int count;

    Scratch(int n = 0) : data(0), count(0) { resize(n); }
    ~Scratch() {
        if (data) free(data);
    }
    void resize(int n) {
        if (n == count) return;
        if (data) {
            free(data);
            *(T**)&data = 0;
        }
        *(int*)&count = n;
        if (n) *(T**)&data = (T*)malloc(n * sizeof(T));
    }
    T& operator[](int k) { return data[k]; }
};

// Sums of three rows, then of three columns, each sum of columns kept in scratch memory.
void tent_through_scratch(uint8_t* dst, const uint8_t* src, int width, int height, int stride) {
    Scratch<uint16_t> sums(width);
    for (int y = 1; y < height - 1; y++) {
        const uint8_t* s = src + y * stride;
        for (int x = 0; x < width; x++) sums[x] = s[x - stride] + 2 * s[x] + s[x + stride];
        for (int x = 1; x < width - 1; x++)
            dst[y * stride + x] = (uint8_t)((sums[x - 1] + 2 * sums[x] + sums[x + 1] + 8) >> 4);
    }
}

// A filter object that keeps its scratch memory from one run to the next.
struct Softener {
    Scratch<float> line;

    void run(const uint8_t* s, uint8_t* d, int n, float weight) {
        line.resize(n);
        for (int x = 0; x < n; x++) line[x] = s[x] * weight;
        for (int x = 1; x < n - 1; x++) d[x] = (uint8_t)(line[x - 1] + line[x + 1] + (1.0f - 2.0f * weight) * s[x]);
    }
};

void soften(uint8_t* dst, const uint8_t* src, int width, float weight) {
    Softener softener;
    softener.run(src, dst, width, weight < 0.5f ? 0.25f : 0.5f);
}
