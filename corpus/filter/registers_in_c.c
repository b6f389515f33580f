/* C with registers as libraries of the first SSE have it: masks in static registers that are set at the start, heads up to
   an aligned address, tables that are not const, stores under a mask. */
#include <stdint.h>
#include <tmmintrin.h>

static int before[4] = {0, 3, 3, 2};
static int after[4] = {0, 3, 4, 4};
static __m128i low_bytes, rounding, alpha;

typedef struct { int count; __m128i weights; } Weighted;
typedef struct { int pitch; uint32_t *words; } Words;
typedef struct { float a, r, g, b; } Colour;

void masks_set_up(int bits) {
    low_bytes = _mm_set1_epi16((short)((1 << bits) - 1));
    rounding = _mm_set1_epi16((short)(1 << bits >> 1));
}
static __m128i in_all_words(uint32_t mask) { return _mm_set_epi32((int)mask, (int)mask, (int)mask, (int)mask); }
void alpha_set_up(void) { alpha = in_all_words(0xff000000); }

/* A table that is not const, and that nothing changes. */
void columns_summed(int16_t *out, int pitch, const uint8_t *in, int in_pitch, int w, int h, int16_t *turned) {
    int top = before[1], tall = top + h + after[1];
    for (int y = -top; y < h + after[1]; y++)
        for (int x = 0; x < w; x++) turned[x * tall + y + top] = in[y * in_pitch + x];
    for (int x = 0; x < w; x++) {
        const int16_t *p = turned + x * tall;
        for (int y = 0; y < h; y++, p++) out[y * pitch + x] = p[0] + p[1] + p[2] + 2 * p[3] + p[4] + p[5] + p[6];
    }
}

/* Static registers. */
void halves_rounded(uint16_t *d, const uint16_t *s, int n) {
    for (int i = 0; i < n; i++) {
        __m128i v = _mm_add_epi16(_mm_loadu_si128((const __m128i *)(s + 8 * i)), rounding);
        _mm_storeu_si128((__m128i *)(d + 8 * i), _mm_and_si128(_mm_srli_epi16(v, 1), low_bytes));
    }
}

/* A register given by value. */
static void scaled(uint16_t *d, const uint16_t *s, int n, const __m128i by) {
    for (int i = 0; i < n; i++) {
        __m128i v = _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)(s + 8 * i)), by);
        _mm_storeu_si128((__m128i *)(d + 8 * i), v);
    }
}
void scaled_by_low_bytes(uint16_t *d, const uint16_t *s, int n) { scaled(d, s, n, low_bytes); }

/* A register inside a structure. */
void weighted_by_register(uint16_t *d, const uint16_t *s, const Weighted *w) {
    for (int i = 0; i < w->count; i++) {
        __m128i v = _mm_mulhi_epu16(_mm_loadu_si128((const __m128i *)(s + 8 * i)), w->weights);
        _mm_storeu_si128((__m128i *)(d + 8 * i), v);
    }
}

/* Pixels up to an aligned address, four at once, and the rest. */
void added_from_aligned(uint32_t *d, const uint32_t *s, int w) {
    while (w && ((uintptr_t)d & 15)) {
        *d = *s + *d;
        d++;
        s++;
        w--;
    }
    while (w >= 4) {
        __m128i v = _mm_add_epi32(_mm_loadu_si128((const __m128i *)s), _mm_load_si128((const __m128i *)d));
        _mm_store_si128((__m128i *)d, v);
        d += 4;
        s += 4;
        w -= 4;
    }
    while (w) {
        *d = *s + *d;
        d++;
        s++;
        w--;
    }
}

/* Two lanes of each register stored under a mask. */
void pairs_kept(int16_t *d, const int16_t *s, int n) {
    __m128i keep;
    keep = _mm_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1);
    for (int i = 0; i < n; i++) {
        __m128i v = _mm_add_epi16(_mm_loadl_epi64((const __m128i *)(s + 4 * i)), _mm_set1_epi16(3));
        _mm_maskmoveu_si128(v, keep, (char *)(d + 2 * i));
    }
}

/* Bytes chosen by a register that is set before the loop, and by one that the caller gives. */
__attribute__((target("ssse3"))) void bytes_turned(uint8_t *d, const uint8_t *s, int n) {
    __m128i order;
    order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    for (int i = 0; i < n; i++) {
        __m128i v = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(s + 16 * i)), order);
        _mm_storeu_si128((__m128i *)(d + 16 * i), v);
    }
}
__attribute__((target("ssse3"))) void bytes_ordered(uint8_t *d, const uint8_t *s, const uint8_t *order, int n) {
    __m128i by = _mm_loadu_si128((const __m128i *)order);
    for (int i = 0; i < n; i++) {
        __m128i v = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(s + 16 * i)), by);
        _mm_storeu_si128((__m128i *)(d + 16 * i), v);
    }
}

/* Half words of rows that are a number of words apart. */
void row_of_565(const Words *from, int x, int y, int w, uint32_t *to) {
    const uint16_t *row = (const uint16_t *)(from->words + y * from->pitch);
    for (int i = 0; i < w; i++) {
        uint32_t p = row[x + i];
        *to++ = (p & 0xf800) << 8 | (p & 0x07e0) << 5 | (p & 0x001f) << 3;
    }
}

/* Rows of which each is aligned by itself. */
void halved_from_aligned(uint32_t *d, int d_pitch, const uint32_t *s, int s_pitch, int w, int h) {
    while (h--) {
        uint32_t *to = d;
        const uint32_t *from = s;
        int left = w;
        d += d_pitch;
        s += s_pitch;
        while (left && ((uintptr_t)to & 15)) {
            *to++ = *from++ >> 1;
            left--;
        }
        while (left >= 4) {
            _mm_store_si128((__m128i *)to, _mm_srli_epi32(_mm_loadu_si128((const __m128i *)from), 1));
            to += 4;
            from += 4;
            left -= 4;
        }
        while (left) {
            *to++ = *from++ >> 1;
            left--;
        }
    }
}

/* Words that are the floats of colours. */
void dimmed_colours(const uint32_t *words, int w, uint32_t *to) {
    const Colour *in = (const Colour *)words;
    Colour *out = (Colour *)to;
    for (int i = 0; i < w; i++) {
        out[i].r = in[i].r * 0.5f;
        out[i].g = in[i].g * 0.5f;
        out[i].b = in[i].b * 0.5f;
        out[i].a = 1.0f;
    }
}

/* Four pixels at once by a mask that is set up once, the others by its number. */
void opaque_from_aligned(uint32_t *d, const uint32_t *s, int w) {
    while (w && ((uintptr_t)d & 15)) {
        *d++ = *s++ | 0xff000000;
        w--;
    }
    while (w >= 4) {
        _mm_store_si128((__m128i *)d, _mm_or_si128(_mm_loadu_si128((const __m128i *)s), alpha));
        d += 4;
        s += 4;
        w -= 4;
    }
    while (w) {
        *d++ = *s++ | 0xff000000;
        w--;
    }
}

/* A stage of a transform of columns, a register a row, where they lie. */
void stage_of_rows(__m128i *x) {
    __m128i a = x[0], b = x[3];
    x[0] = _mm_adds_epi16(a, b);
    x[3] = _mm_subs_epi16(a, b);
    a = x[1], b = x[2];
    x[1] = _mm_adds_epi16(a, b);
    x[2] = _mm_subs_epi16(a, b);
    a = x[5], b = x[6];
    x[5] = _mm_subs_epi16(b, a);
    x[6] = _mm_adds_epi16(b, a);
}
