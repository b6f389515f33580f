// Filters and statistics in SSE4.1 whose rows end with a register that overlaps the one before, in a dialect of templates
// for aligned memory, masks shifted to the end of the row, and borders that are written last.
#pragma GCC target("sse4.1")
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <smmintrin.h>

namespace {

typedef __m128i Reg;
const size_t kLanes = sizeof(Reg);

template <bool aligned> inline Reg Get(const uint8_t* p) {
    return aligned ? _mm_load_si128((const Reg*)p) : _mm_loadu_si128((const Reg*)p);
}

template <bool aligned> inline void Put(uint8_t* p, Reg v) {
    if (aligned)
        _mm_store_si128((Reg*)p, v);
    else
        _mm_storeu_si128((Reg*)p, v);
}

inline bool IsAligned(const void* p) { return (size_t)p % kLanes == 0; }
inline bool IsAligned(size_t stride) { return stride % kLanes == 0; }
inline size_t Whole(size_t n) { return n / kLanes * kLanes; }

// A register moved up by `count` bytes, zeros below: binary digits, since the instruction wants a constant.
inline Reg MovedUp(Reg v, size_t count) {
    if (count & 1) v = _mm_slli_si128(v, 1);
    if (count & 2) v = _mm_slli_si128(v, 2);
    if (count & 4) v = _mm_slli_si128(v, 4);
    if (count & 8) v = _mm_slli_si128(v, 8);
    return v;
}

inline Reg Above(Reg a, Reg b) { return _mm_andnot_si128(_mm_cmpeq_epi8(_mm_max_epu8(a, b), b), _mm_set1_epi8(-1)); }

inline Reg Distance(Reg a, Reg b) { return _mm_sub_epi8(_mm_max_epu8(a, b), _mm_min_epu8(a, b)); }

}  // namespace

// The upper bound of a background model rises by one where a frame exceeds it.
template <bool aligned>
static void RaiseBound(uint8_t* bound, size_t boundStride, const uint8_t* frame, size_t frameStride, size_t width, size_t height) {
    assert(width >= kLanes);
    if (aligned) assert(IsAligned(bound) && IsAligned(boundStride) && IsAligned(frame) && IsAligned(frameStride));
    const size_t whole = Whole(width);
    const Reg one = _mm_set1_epi8(1), last = MovedUp(one, kLanes - width + whole);
    for (size_t y = 0; y < height; y++, bound += boundStride, frame += frameStride) {
        for (size_t x = 0; x < whole; x += kLanes) {
            const Reg b = Get<aligned>(bound + x);
            Put<aligned>(bound + x, _mm_adds_epu8(b, _mm_and_si128(one, Above(Get<aligned>(frame + x), b))));
        }
        if (whole != width) {
            uint8_t* end = bound + width - kLanes;
            const Reg b = Get<false>(end);
            Put<false>(end, _mm_adds_epu8(b, _mm_and_si128(last, Above(Get<false>(frame + width - kLanes), b))));
        }
    }
}

void raise_bound(uint8_t* bound, size_t boundStride, const uint8_t* frame, size_t frameStride, size_t width, size_t height) {
    if (IsAligned(bound) && IsAligned(boundStride) && IsAligned(frame) && IsAligned(frameStride))
        RaiseBound<true>(bound, boundStride, frame, frameStride, width, height);
    else
        RaiseBound<false>(bound, boundStride, frame, frameStride, width, height);
}

// The brightest of all frames so far: what is done twice at the end of a row changes nothing.
void keep_brightest(uint8_t* most, const uint8_t* frame, size_t width, size_t height, size_t stride) {
    assert(width >= 16 && stride >= width);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x + 16 <= width; x += 16)
            Put<false>(most + y * stride + x, _mm_max_epu8(Get<false>(most + y * stride + x), Get<false>(frame + y * stride + x)));
        const size_t at = y * stride + width - 16;
        Put<false>(most + at, _mm_max_epu8(Get<false>(most + at), Get<false>(frame + at)));
    }
}

// The saturated sum of both central differences, zero at the borders, which are written last.
void edge_strength(uint8_t* out, size_t outStride, const uint8_t* in, size_t inStride, size_t width, size_t height) {
    assert(width >= 16);
    const size_t whole = Whole(width);
    memset(out, 0, width);
    for (size_t y = 1; y + 1 < height; y++) {
        uint8_t* o = out + y * outStride;
        const uint8_t* i = in + y * inStride;
        for (size_t x = 0; x < whole; x += 16)
            Put<false>(o + x, _mm_adds_epu8(Distance(Get<false>(i + x - 1), Get<false>(i + x + 1)),
                                            Distance(Get<false>(i + x - inStride), Get<false>(i + x + inStride))));
        if (whole != width) {
            const size_t x = width - 16;
            Put<false>(o + x, _mm_adds_epu8(Distance(Get<false>(i + x - 1), Get<false>(i + x + 1)),
                                            Distance(Get<false>(i + x - inStride), Get<false>(i + x + inStride))));
        }
        o[0] = 0;
        o[width - 1] = 0;
    }
    memset(out + (height - 1) * outStride, 0, width);
}

// Two bounds that move towards a frame together: each needs what the other one was.
void shift_bounds(uint8_t* low, uint8_t* high, const uint8_t* frame, size_t width, size_t height, size_t stride) {
    assert(width >= 16 && stride >= width);
    const size_t whole = Whole(width);
    const Reg last = MovedUp(_mm_set1_epi8(-1), 16 - width + whole);
    for (size_t y = 0; y < height; y++, low += stride, high += stride, frame += stride) {
        for (size_t x = 0; x < whole; x += 16) {
            const Reg v = Get<false>(frame + x), l = Get<false>(low + x), h = Get<false>(high + x);
            const Reg up = _mm_subs_epu8(v, h), down = _mm_subs_epu8(l, v);
            Put<false>(low + x, _mm_subs_epu8(_mm_adds_epu8(l, up), down));
            Put<false>(high + x, _mm_subs_epu8(_mm_adds_epu8(h, up), down));
        }
        if (whole != width) {
            const size_t x = width - 16;
            const Reg v = Get<false>(frame + x), l = Get<false>(low + x), h = Get<false>(high + x);
            const Reg up = _mm_and_si128(last, _mm_subs_epu8(v, h)), down = _mm_and_si128(last, _mm_subs_epu8(l, v));
            Put<false>(low + x, _mm_subs_epu8(_mm_adds_epu8(l, up), down));
            Put<false>(high + x, _mm_subs_epu8(_mm_adds_epu8(h, up), down));
        }
    }
}

// The sum of a plane, the end of each row under a mask.
void masked_sum(uint64_t* sum, const uint8_t* in, size_t width, size_t height, size_t stride) {
    assert(width >= 16);
    const size_t whole = Whole(width);
    const Reg last = MovedUp(_mm_set1_epi8(-1), 16 - width + whole);
    Reg total = _mm_setzero_si128();
    for (size_t y = 0; y < height; y++, in += stride) {
        for (size_t x = 0; x < whole; x += 16) total = _mm_add_epi64(total, _mm_sad_epu8(Get<false>(in + x), _mm_setzero_si128()));
        if (whole != width)
            total = _mm_add_epi64(total, _mm_sad_epu8(_mm_and_si128(last, Get<false>(in + width - 16)), _mm_setzero_si128()));
    }
    *sum = (uint64_t)_mm_extract_epi64(total, 0) + (uint64_t)_mm_extract_epi64(total, 1);
}

// Alpha is dropped: registers of 16 bytes of which 12 count, the last ones of a row without what reaches beyond it.
void drop_alpha(const uint8_t* rgba, uint8_t* rgb, int width, int height, int in_stride, int out_stride) {
    assert(width >= 4 && width % 4 == 0);
    const Reg front = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    for (int y = 0; y < height; y++, rgba += in_stride, rgb += out_stride) {
        int x = 0;
        for (; x < width - 4; x += 4) Put<false>(rgb + 3 * x, _mm_shuffle_epi8(Get<false>(rgba + 4 * x), front));
        const Reg last = _mm_shuffle_epi8(Get<false>(rgba + 4 * x), front);
        _mm_storel_epi64((Reg*)(rgb + 3 * x), last);
        const int rest = _mm_extract_epi32(last, 2);
        memcpy(rgb + 3 * x + 8, &rest, 4);
    }
}

// Sums of squared differences, where a mask has a value: four sums of 32 bits a row, added up in 64.
static inline Reg Words(Reg v, bool high) { return high ? _mm_unpackhi_epi8(v, _mm_setzero_si128()) : _mm_cvtepu8_epi16(v); }

template <bool aligned>
static void Energy(const uint8_t* a, const uint8_t* b, const uint8_t* mask, size_t width, size_t height, size_t stride,
                   uint8_t label, uint64_t* sum) {
    assert(width >= kLanes && width < 1 << 16);
    const size_t whole = Whole(width);
    const Reg last = MovedUp(_mm_set1_epi8(-1), kLanes - width + whole), wanted = _mm_set1_epi8((char)label);
    Reg total = _mm_setzero_si128();
    for (size_t y = 0; y < height; y++, a += stride, b += stride, mask += stride) {
        Reg row = _mm_setzero_si128();
        for (size_t x = 0; x < whole; x += kLanes) {
            const Reg here = _mm_cmpeq_epi8(Get<aligned>(mask + x), wanted);
            const Reg d = _mm_and_si128(here, Distance(Get<aligned>(a + x), Get<aligned>(b + x)));
            row = _mm_add_epi32(row, _mm_madd_epi16(Words(d, false), Words(d, false)));
            row = _mm_add_epi32(row, _mm_madd_epi16(Words(d, true), Words(d, true)));
        }
        if (whole != width) {
            const size_t x = width - kLanes;
            const Reg here = _mm_and_si128(last, _mm_cmpeq_epi8(Get<false>(mask + x), wanted));
            const Reg d = _mm_and_si128(here, Distance(Get<false>(a + x), Get<false>(b + x)));
            row = _mm_add_epi32(row, _mm_madd_epi16(Words(d, false), Words(d, false)));
            row = _mm_add_epi32(row, _mm_madd_epi16(Words(d, true), Words(d, true)));
        }
        total = _mm_add_epi64(total, _mm_unpacklo_epi32(row, _mm_setzero_si128()));
        total = _mm_add_epi64(total, _mm_unpackhi_epi32(row, _mm_setzero_si128()));
    }
    int64_t halves[2];
    _mm_storeu_si128((Reg*)halves, total);
    *sum = halves[0] + halves[1];
}

void masked_energy(const uint8_t* a, const uint8_t* b, const uint8_t* mask, size_t width, size_t height, size_t stride,
                   uint8_t label, uint64_t* sum) {
    if (IsAligned(a) && IsAligned(b) && IsAligned(mask) && IsAligned(stride))
        Energy<true>(a, b, mask, width, height, stride, label, sum);
    else
        Energy<false>(a, b, mask, width, height, stride, label, sum);
}

// How far each row is from a constant, in four sums of 32 bits and single pixels at its end.
void row_deviation(const uint8_t* in, int width, int height, int stride, uint8_t level, int32_t* out) {
    for (int y = 0; y < height; y++, in += stride) {
        Reg row = _mm_setzero_si128();
        int x = 0;
        for (; x <= width - 4; x += 4) {
            const Reg v = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(in[x] | in[x + 1] << 8 | in[x + 2] << 16 | in[x + 3] << 24));
            row = _mm_add_epi32(row, _mm_abs_epi32(_mm_sub_epi32(v, _mm_set1_epi32(level))));
        }
        row = _mm_hadd_epi32(row, row);
        row = _mm_hadd_epi32(row, row);
        int sum = _mm_cvtsi128_si32(row);
        for (; x < width; x++) sum += in[x] > level ? in[x] - level : level - in[x];
        out[y] = sum;
    }
}

// One of several operations on planes of any number of channels, a template for each.
enum Operation { kMean, kAnd, kDifference };

template <Operation op> static inline Reg Apply(Reg a, Reg b) {
    return op == kMean ? _mm_avg_epu8(a, b) : op == kAnd ? _mm_and_si128(a, b) : Distance(a, b);
}

template <Operation op, bool aligned>
static void Planes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t bytes, size_t height, size_t stride) {
    assert(bytes >= kLanes);
    const size_t whole = Whole(bytes);
    for (size_t y = 0; y < height; y++, out += stride, a += stride, b += stride) {
        for (size_t x = 0; x < whole; x += kLanes) Put<aligned>(out + x, Apply<op>(Get<aligned>(a + x), Get<aligned>(b + x)));
        if (whole != bytes) {
            const size_t x = bytes - kLanes;
            Put<false>(out + x, Apply<op>(Get<false>(a + x), Get<false>(b + x)));
        }
    }
}

template <Operation op>
static void Planes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t bytes, size_t height, size_t stride) {
    if (IsAligned(out) && IsAligned(a) && IsAligned(b) && IsAligned(stride))
        Planes<op, true>(out, a, b, bytes, height, stride);
    else
        Planes<op, false>(out, a, b, bytes, height, stride);
}

void combine_planes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t width, size_t height, size_t channels,
                    size_t stride, Operation op) {
    width *= channels;
    switch (op) {
        case kMean: return Planes<kMean>(out, a, b, width, height, stride);
        case kAnd: return Planes<kAnd>(out, a, b, width, height, stride);
        default: return Planes<kDifference>(out, a, b, width, height, stride);
    }
}

// Rows above, on and below, their left and right ends repeated, in registers of a small matrix.
static void Ends(const uint8_t* row, Reg taps[3], bool left) {
    taps[1] = Get<false>(row);
    if (left) {
        taps[0] = _mm_insert_epi8(_mm_slli_si128(taps[1], 1), row[0], 0);
        taps[2] = Get<false>(row + 1);
    } else {
        taps[0] = Get<false>(row - 1);
        taps[2] = _mm_insert_epi8(_mm_srli_si128(taps[1], 1), row[15], 15);
    }
}

static Reg Largest(const Reg taps[2][3]) {
    Reg most = taps[0][0];
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++) most = _mm_max_epu8(most, taps[r][c]);
    return most;
}

void dilate_2x3(uint8_t* out, const uint8_t* in, size_t width, size_t height, size_t stride) {
    assert(width > 32 && stride >= width);
    Reg taps[2][3];
    for (size_t y = 0; y < height; y++, out += stride) {
        const uint8_t* rows[2] = {in + (y ? y - 1 : y) * stride, in + y * stride};
        Ends(rows[0], taps[0], true);
        Ends(rows[1], taps[1], true);
        Put<false>(out, Largest(taps));
        for (size_t x = 16; x + 16 < width; x += 16) {
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 3; c++) taps[r][c] = Get<false>(rows[r] + x + c - 1);
            Put<false>(out + x, Largest(taps));
        }
        Ends(rows[0] + width - 16, taps[0], false);
        Ends(rows[1] + width - 16, taps[1], false);
        Put<false>(out + width - 16, Largest(taps));
    }
}

// Luma and a colour difference, full range, to pairs of bytes: words held to 0 .. 255, the second ones moved up a byte.
static inline Reg Tint(Reg luma, Reg tint, int slope) {
    const Reg weights = _mm_set1_epi32(slope << 16 | 64), top = _mm_set1_epi16(255);
    const Reg apart = _mm_subs_epi16(tint, _mm_set1_epi16(128)), zero = _mm_setzero_si128();
    const Reg low = _mm_add_epi32(_mm_madd_epi16(_mm_unpacklo_epi16(luma, apart), weights), _mm_set1_epi32(32));
    const Reg high = _mm_add_epi32(_mm_madd_epi16(_mm_unpackhi_epi16(luma, apart), weights), _mm_set1_epi32(32));
    const Reg both = _mm_packs_epi32(_mm_srai_epi32(low, 6), _mm_srai_epi32(high, 6));
    return _mm_min_epi16(_mm_max_epi16(both, zero), top);
}

void warm_and_cold(const uint8_t* luma, const uint8_t* tint, uint8_t* out, size_t width, size_t height, size_t stride) {
    for (size_t y = 0; y < height; y++, luma += stride, tint += stride, out += 2 * stride)
        for (size_t x = 0; x + 8 <= width; x += 8) {
            const Reg l = _mm_cvtepu8_epi16(_mm_loadl_epi64((const Reg*)(luma + x)));
            const Reg t = _mm_cvtepu8_epi16(_mm_loadl_epi64((const Reg*)(tint + x)));
            Put<false>(out + 2 * x, _mm_or_si128(Tint(l, t, 90), _mm_slli_si128(Tint(l, t, -113), 1)));
        }
}

// Planes to packed 4:2:2, two rows at a time with the chroma of both; the last registers of a row count from its end.
static inline void PackRow(uint8_t* out, const uint8_t* luma, Reg pairsLow, Reg pairsHigh) {
    const Reg left = Get<false>(luma), right = Get<false>(luma + kLanes);
    Put<false>(out, _mm_unpacklo_epi8(left, pairsLow));
    Put<false>(out + kLanes, _mm_unpackhi_epi8(left, pairsLow));
    Put<false>(out + 2 * kLanes, _mm_unpacklo_epi8(right, pairsHigh));
    Put<false>(out + 3 * kLanes, _mm_unpackhi_epi8(right, pairsHigh));
}

static inline void PackTwoRows(
    uint8_t* out, size_t pitch, const uint8_t* luma, size_t stride, const uint8_t* u, const uint8_t* v) {
    const Reg us = Get<false>(u), vs = Get<false>(v);
    const Reg low = _mm_unpacklo_epi8(us, vs), high = _mm_unpackhi_epi8(us, vs);
    PackRow(out, luma, low, high);
    PackRow(out + pitch, luma + stride, low, high);
}

void planes_to_yuyv(uint8_t* out, size_t pitch, const uint8_t* luma, size_t stride, const uint8_t* u, const uint8_t* v,
                    size_t chroma, size_t width, size_t height) {
    assert(width % 2 == 0 && height % 2 == 0 && width >= 2 * kLanes);
    const size_t whole = width / (2 * kLanes) * (2 * kLanes), last = width - 2 * kLanes;
    for (size_t y = 0; y < height; y += 2) {
        for (size_t x = 0; x < whole; x += 2 * kLanes)
            PackTwoRows(out + 2 * x, pitch, luma + x, stride, u + x / 2, v + x / 2);
        if (whole != width)
            PackTwoRows(out + 2 * last, pitch, luma + last, stride, u + last / 2, v + last / 2);
        out += 2 * pitch;
        luma += 2 * stride;
        u += chroma;
        v += chroma;
    }
}

// Words scaled down by a number of bits that the caller says.
void scale_words_by(uint16_t* dst, const uint16_t* src, int n, int bits) {
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i v = _mm_loadu_si128((const __m128i*)(src + i));
        _mm_storeu_si128((__m128i*)(dst + i), _mm_srli_epi16(_mm_adds_epu16(v, _mm_set1_epi16(3)), bits));
    }
    for (; i < n; i++) {
        const uint16_t v = src[i] > 65532 ? 65535 : (uint16_t)(src[i] + 3);
        dst[i] = (uint16_t)(bits > 15 ? 0 : v >> bits);
    }
}
