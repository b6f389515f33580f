/* C as video libraries have it: planes and pitches in arrays, sizes in tables, words through unions, checks in macros. */
#include <stdint.h>
#include <stdlib.h>

typedef struct { int wide, high; } Extent;
typedef struct { uint16_t wide, high; int32_t pitch; } Window;
typedef union { uint32_t word; uint16_t halves[2]; float number; } AnyWord;
union Unaligned { uint16_t half; } __attribute__((packed));

#define WORD_AT(p) (((const AnyWord *)(p))->word)
#define REQUIRE(condition) do { if (!(condition)) { trouble(#condition, __LINE__); abort(); } } while (0)

static const uint8_t block_width[6] = {4, 8, 8, 16, 32, 64};
static const uint8_t block_height[6] = {4, 4, 8, 16, 16, 64};
static const int reach[4] = {17, 9, 5, 3};
static const uint8_t weights[5][4] = {{0, 128, 0, 0}, {12, 108, 36, 4}, {9, 82, 59, 6}, {16, 77, 77, 10}, {3, 36, 108, 11}};
static uint8_t clipped[256 + 2 * 1024];

static const char *problem;
static int place_of_problem;
static void trouble(const char *what, int line) {
    problem = what;
    place_of_problem = line;
}

/* Planes and their pitches, each in an array. */
void negative_planes(uint8_t *const into[3], const int into_pitch[3], const uint8_t *from[3], const int *from_pitch,
                     int w, int h, int chroma) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) into[0][y * into_pitch[0] + x] = 255 - from[0][y * from_pitch[0] + x];
    if (chroma)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) into[1][y * into_pitch[1] + x] = from[2][y * from_pitch[2] + x] ^ 1;
}

/* Pointers that go on by such a pitch. */
void packed_from_planes(const uint8_t *from[], int pitch[], uint8_t *into, int into_pitch, int w, int h) {
    const uint8_t *a = from[0], *b = from[1];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            into[2 * x] = a[x];
            into[2 * x + 1] = b[x];
        }
        a += pitch[0];
        b += pitch[1];
        into += into_pitch;
    }
}

/* How large a block is, by its kind. */
void add_to_block(uint8_t *block, int pitch, const int16_t *residue, int kind) {
    const int w = block_width[kind], h = block_height[kind];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int v = block[y * pitch + x] + residue[y * w + x];
            block[y * pitch + x] = v < 0 ? 0 : v > 255 ? 255 : v;
        }
}

/* How many columns count, by the scale. */
void box_of_scale(uint16_t *out, const uint8_t *in, int w, int h, int pitch, int scale) {
    const int n = reach[scale];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int k = 0; k < n; k++) sum += in[y * pitch + x + k];
            out[y * pitch + x] = sum;
        }
}

/* Sizes behind a pointer, all of one type and of several. */
int fade_extent(const Extent *extent, uint8_t *image) {
    if (NULL == extent || !image) return -1;
    for (int y = 0; y < extent->high; y++)
        for (int x = 0; x < extent->wide; x++) image[y * extent->wide + x] -= image[y * extent->wide + x] >> 2;
    return extent->wide * extent->high;
}

void clear_window(const Window *window, uint16_t *image, uint16_t value) {
    for (int y = 0; y < window->high; y++)
        for (int x = 0; x < window->wide; x++) image[y * window->pitch + x] = value;
}

void by_header(const uint8_t *header, const uint8_t *in, uint8_t *out) {
    int w = ((const int32_t *)header)[1], h = ((const int32_t *)header)[2];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) out[y * w + x] = in[y * w + x] ^ 0x80;
}

/* Words and floats through members of unions. */
void luma_of_words(const uint8_t *in, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t p = WORD_AT(in + 4 * i);
        out[i] = (77 * (p & 255) + 150 * (p >> 8 & 255) + 29 * (p >> 16 & 255)) >> 8;
    }
}

void levels_of_floats(const float *in, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) {
        AnyWord v;
        v.word = WORD_AT(in + i);
        float level = v.number * 255.0f;
        out[i] = level < 0 ? 0 : level > 255 ? 255 : (int)level;
    }
}

void rounded_halves(const int32_t *in, float *out, int n) {
    uint16_t half;
    for (int i = 0; i < n; i++) {
        ((union Unaligned *)&half)->half = (in[i] + 4) >> 3;
        out[i] = half * (1.0f / 65535.0f);
    }
}

/* A table that clips, at places that weights from another table decide. */
void four_taps(uint8_t *out, int out_pitch, const uint8_t *in, int in_pitch, int h, int place) {
    const uint8_t *w = weights[place], *clip = clipped + 1024;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < 8; x++)
            out[x] = clip[(w[1] * in[x] - w[0] * in[x - 1] + w[2] * in[x + 1] - w[3] * in[x + 2] + 64) >> 7];
        out += out_pitch;
        in += in_pitch;
    }
}

/* A check that ends the program. */
void copy_required(uint8_t *out, const uint8_t *in, int pitch, int w, int h) {
    REQUIRE(pitch >= w);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) out[y * pitch + x] = in[y * pitch + x];
}

/* Arrays of pointers that may not be there. */
void sum_of_two(const int16_t *const lines[2], const int16_t *alpha[2], uint8_t *out, int w) {
    int has_alpha = alpha && alpha[0] && alpha[1];
    const int16_t *a = lines[0], *b = lines[1];
    for (int i = 0; i < w; i++) {
        out[2 * i] = (a[i] + b[i]) >> 8;
        out[2 * i + 1] = has_alpha ? (alpha[0][i] + alpha[1][i]) >> 8 : 255;
    }
}

/* Bits that any of several blocks has, in a variable that is called as a column is. */
void bits_in_blocks(int32_t in[16][2][8], uint8_t bits[2][8], int blocks, int channels, int bands) {
    for (int c = 0; c < channels; c++)
        for (int b = 0; b < bands; b++) {
            uint32_t x = 1;
            for (int k = 0; k < blocks; k++) x |= abs(in[k][c][b]);
            bits[c][b] = 32 - __builtin_clz(x);
        }
}

/* Two predictions of one of two kinds each; of another kind there is none. */
static void predict(uint8_t out[16], const uint8_t *in, int pitch, int kind) {
    switch (kind) {
    case 0:
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) out[y * 4 + x] = in[y * pitch + x];
        break;
    case 1:
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) out[y * 4 + x] = (in[y * pitch + x] + in[y * pitch + x + 1] + 1) >> 1;
        break;
    }
}

void mean_of_predictions(uint8_t *out, const uint8_t *a, const uint8_t *b, int pitch, int kind_a, int kind_b) {
    uint8_t first[16], second[16];
    predict(first, a, pitch, kind_a);
    predict(second, b, pitch, kind_b);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) out[y * pitch + x] = (first[y * 4 + x] + second[y * 4 + x] + 1) >> 1;
}

/* Eight bytes at a time, and those that are left. */
void add_bytes_by_words(uint8_t *into, const uint8_t *from, long w) {
    const uint64_t low = ~0ull / 255 * 0x7f, high = ~0ull / 255 * 0x80;
    long i = 0;
    for (; i <= w - 8; i += 8) {
        uint64_t a = *(const uint64_t *)(from + i), b = *(uint64_t *)(into + i);
        *(uint64_t *)(into + i) = ((a & low) + (b & low)) ^ ((a ^ b) & high);
    }
    for (; i < w; i++) into[i] += from[i];
}

void less_bytes_by_words(uint8_t *into, const uint8_t *from, const uint8_t *less, long w) {
    const uint64_t low = ~0ull / 255 * 0x7f, high = ~0ull / 255 * 0x80;
    long i = 0;
    for (; i <= w - 8; i += 8) {
        uint64_t a = *(const uint64_t *)(from + i), b = *(const uint64_t *)(less + i);
        *(uint64_t *)(into + i) = ((a | high) - (b & low)) ^ ((a ^ b ^ high) & high);
    }
    for (; i < w; i++) into[i] = from[i] - less[i];
}

/* Taps of any number, at a place in steps of a sixteenth. */
typedef struct { const int16_t *taps; uint16_t count; } Filter;

static inline const int16_t *taps_at(const Filter *filter, int place) { return filter->taps + filter->count * place; }

void between_columns(uint8_t *out, int out_pitch, const uint8_t *in, int in_pitch, int w, int h, const Filter *filter,
                     int position) {
    const int16_t *taps = taps_at(filter, position & 15);
    const int before = filter->count / 2 - 1;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int sum = 64;
            for (int k = 0; k < filter->count; ++k) sum += taps[k] * in[y * in_pitch + x - before + k];
            sum >>= 7;
            out[y * out_pitch + x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
        }
}
