#include <cstdint>
#include <initializer_list>

namespace {
struct Dim { int32_t min, extent, stride; uint32_t flags; int32_t max() const { return min + extent - 1; } };
struct Buffer {
    uint64_t device; const void *interface; uint8_t *host; uint64_t flags;
    uint8_t code, bits; uint16_t lanes; int32_t dimensions; Dim *dim; void *padding;
    bool query() const { return !host && !device; }
    template<typename T> T &at(int x) { return ((T *)host)[(x - dim[0].min) * dim[0].stride]; }
    template<typename T> T &at(int x, int y) {
        return ((T *)host)[(x - dim[0].min) * dim[0].stride + (y - dim[1].min) * dim[1].stride];
    }
};
}

extern "C" {
int stage_calls = 0, stage_points = 0;

// out(x) = 2 * in(x + k)
int stage_shift(Buffer *in, int k, Buffer *out) {
    if (in->query() || out->query()) {
        in->dim[0].min = out->dim[0].min + k;
        in->dim[0].extent = out->dim[0].extent;
        return 0;
    }
    stage_calls++;
    stage_points += out->dim[0].extent;
    for (int x = out->dim[0].min; x <= out->dim[0].max(); x++) out->at<int>(x) = 2 * in->at<int>(x + k);
    return 0;
}

// out(x, y) = in(y, -x) + in(y, 1 - x)
int stage_turn(Buffer *in, Buffer *out) {
    if (in->query() || out->query()) {
        in->dim[0].min = out->dim[1].min;
        in->dim[0].extent = out->dim[1].extent;
        in->dim[1].min = -out->dim[0].max();
        in->dim[1].extent = out->dim[0].extent + 1;
        return 0;
    }
    for (int y = out->dim[1].min; y <= out->dim[1].max(); y++)
        for (int x = out->dim[0].min; x <= out->dim[0].max(); x++)
            out->at<uint16_t>(x, y) = in->at<uint16_t>(y, -x) + in->at<uint16_t>(y, 1 - x);
    return 0;
}

// (a(x), b(x)) = (p(x) + q(x) * scale, p(x) > limit), on whole blocks of eight
int stage_blocks(Buffer *p, Buffer *q, float scale, uint8_t limit, Buffer *a, Buffer *b) {
    if (a->query() || b->query() || p->query() || q->query()) {
        for (Buffer *o : {a, b}) {
            int end = (o->dim[0].max() | 7) + 1;
            o->dim[0].min &= ~7;
            o->dim[0].extent = end - o->dim[0].min;
        }
        for (Buffer *i : {p, q}) i->dim[0].min = a->dim[0].min, i->dim[0].extent = a->dim[0].extent;
        return 0;
    }
    if (a->dim[0].min & 7 || a->dim[0].extent & 7) return -5;
    for (int x = a->dim[0].min; x <= a->dim[0].max(); x++) {
        a->at<float>(x) = p->at<uint8_t>(x) + q->at<float>(x) * scale;
        b->at<uint8_t>(x) = p->at<uint8_t>(x) > limit;
    }
    return 0;
}

// out() = the sum of in over [0, n)
int stage_total(Buffer *in, int64_t n, Buffer *out) {
    if (in->query() || out->query()) {
        in->dim[0].min = 0;
        in->dim[0].extent = (int)n;
        return 0;
    }
    *(int *)out->host = 0;
    for (int x = 0; x < n; x++) *(int *)out->host += in->at<int>(x);
    return 0;
}

int stage_scalars(bool a, uint8_t b, int16_t c, float d, double e, int64_t f, uint32_t g, int8_t h, Buffer *out) {
    if (out->query()) return 0;
    *(double *)out->host = a + 2.0 * b + 3.0 * c + 5.0 * d + 7.0 * e + 11.0 * f + 13.0 * g + 17.0 * h;
    return 0;
}

int stage_fails(int query, int run, Buffer *out) { return out->query() ? query : run; }
}
