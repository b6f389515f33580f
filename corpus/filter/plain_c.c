/* C as image libraries have it: objects that lead to objects, tables of row pointers, settings of the file, and ends. */
#include <stdint.h>
#include <string.h>

typedef struct Palette { int used; uint8_t colour[256]; struct Palette *shared; } Palette;
typedef struct { float *samples; int per_line; Palette *palette; } Store;
typedef struct { int columns, lines; Store *store; union { uint8_t *bytes; uint16_t *words; } spare; } Picture;
typedef struct { Picture *from; int gain; } Job;
typedef struct { int wide, high; uint8_t **line8; int32_t **line32; } Raster;

static int keep_bits = 0xf8;
static uint8_t gamma_table[256];
static const int8_t kernels[3][3] = {{1, 2, 1}, {0, 4, 0}, {-1, 6, -1}};

static const char *problem;
static int report_problem(const char *what) {
    problem = what;
    return -1;
}

/* A job leads to a picture, that to its store. */
void brighten_store(const Job *job) {
    const Picture *p = job->from;
    for (int y = 0; y < p->lines; y++) {
        float *line = p->store->samples + y * p->store->per_line;
        for (int x = 0; x < p->columns; x++) line[x] = line[x] + job->gain;
    }
}

void through_palette(const Picture *p, uint8_t *out, const uint8_t *in, int n) {
    for (int i = 0; i < n; i++) out[i] = p->store->palette->colour[in[i]];
}

void halve_spare_words(const Picture *p, uint16_t *out) {
    for (int x = 0; x < p->columns; x++) out[x] = p->spare.words[x] >> 1;
}

/* Lines behind pointers of their own, of bytes or of words. */
void turn_over(Raster *out, const Raster *in) {
    if (in->line8) {
        for (int y = 0; y < in->high; y++)
            for (int x = 0; x < in->wide; x++) out->line8[y][x] = in->line8[in->high - 1 - y][x];
    } else {
        for (int y = 0; y < in->high; y++)
            for (int x = 0; x < in->wide; x++) out->line32[y][x] = in->line32[in->high - 1 - y][x];
    }
}

void soften_lines(uint8_t **to, uint8_t *const *from, int wide, int high) {
    for (int y = 1; y < high - 1; y++)
        for (int x = 0; x < wide; x++) to[y][x] = (from[y - 1][x] + 2 * from[y][x] + from[y + 1][x] + 2) >> 2;
}

void from_three_planes(const uint8_t *const planes[3], uint8_t *out, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) out[3 * i + c] = planes[c][i];
}

/* Variables of the file. */
void set_kept_bits(int bits) { keep_bits = bits; }

void coarsen(const uint8_t *in, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = in[i] & keep_bits;
}

void by_gamma(const uint8_t *in, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = gamma_table[in[i]];
}

/* What goes wrong ends early. */
int scale_checked(uint8_t *out, const uint8_t *in, int n, int factor) {
    if (!out || !in) return report_problem("no memory");
    if (factor > 256) { report_problem("too much"); return -2; }
    for (int i = 0; i < n; i++) out[i] = in[i] * factor >> 8;
    return n;
}

void sharpen_by(uint8_t *out, const uint8_t *in, int n, int level) {
    const int8_t *k = level == 0 ? 0 : kernels[level - 1];
    if (k) {
        for (int i = 1; i < n - 1; i++) {
            int v = (k[0] * in[i - 1] + k[1] * in[i] + k[2] * in[i + 1]) / 4;
            out[i] = v < 0 ? 0 : v > 255 ? 255 : v;
        }
    } else {
        for (int i = 1; i < n - 1; i++) out[i] = in[i];
    }
}

/* A helper that returns from within. */
static uint32_t covered(const uint32_t *in, const uint32_t *mask, int i) {
    uint32_t m = 255;
    if (mask) {
        m = mask[i] >> 24;
        if (!m) return 0;
    }
    return in[i] * m;
}
void cover(uint32_t *out, const uint32_t *in, const uint32_t *mask, int n) {
    for (int i = 0; i < n; i++) out[i] = covered(in, mask, i);
}

void mark_edges(const uint8_t *in, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = i == 0 || in[i] != in[i - 1] ? 255 : 0;
}

void mark_edges_of_pixels(const uint8_t *in, uint8_t *out, int wide, int high) {
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++) {
            uint8_t v = 0;
            if (y == high - 1) v = 1;
            else
                for (int c = 0; c < 3; c++)
                    if (in[3 * (y * wide + x) + c] != in[3 * (y * wide + x) + c + 3 * wide]) v = 1;
            out[y * wide + x] = v;
        }
}

/* Places that data name, held. */
void curve(const int *in, const int *knots, int *out, int n) {
    for (int i = 0; i < n; i++) {
        int k = in[i];
        if (k < 0) k = 0;
        if (k > 99) k = 99;
        out[i] = knots[k];
    }
}

void by_second_byte(const uint32_t *in, const uint16_t *table, uint16_t *out, int n) {
    for (int i = 0; i < n; i++) out[i] = table[(in[i] >> 8) & 0xff];
}

/* Big-endian words, byte by byte. */
void unpack_words(uint8_t *out, const uint8_t *in, int n) {
    for (int i = 0; i < n; i++) {
        uint16_t word;
        ((uint8_t *)&word)[0] = in[1];
        ((uint8_t *)&word)[1] = in[0];
        out[i] = word > 255 ? 255 : word;
        in += 2;
    }
}

/* Loops that count down in bytes, in strips from the front, over rows that follow each other, and at half the speed. */
void stamp_row(uint8_t *out, const uint8_t *row) {
    uint8_t left = 15;
    do {
        memcpy(out, row, 16);
        out += 16;
    } while (left-- > 0);
}

void invert_in_strips(uint8_t *out, const uint8_t *in, int n) {
    int done = 0;
    while (done < n) {
        int some = n - done < 16 ? n - done : 16;
        for (int k = 0; k < some; k++) out[done + k] = 255 - in[done + k];
        done += some;
    }
}

void between_lines(const uint8_t *in, int in_pitch, uint8_t *out, int out_pitch, int wide, int high) {
    const uint8_t *next = in + in_pitch;
    for (int y = 0; y < high; y++) {
        for (int x = 0; x < wide; x++) out[x] = (in[x] + next[x] + 1) >> 1;
        out += out_pitch;
        in = next;
        next += in_pitch;
    }
}

void with_half_chroma(const uint8_t *luma, const uint8_t *chroma, uint8_t *out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = (*luma + *chroma) >> 1;
        luma++;
        chroma += i & 1;
    }
}

void stretch_steps(uint8_t *out, const uint8_t *in, int n, int at, int step) {
    for (int i = 0; i < n; i++) {
        out[i] = *in;
        at += step;
        in += at >> 16;
        at &= 0xffff;
    }
}

/* Only whether. */
int has_transparent(const uint8_t *alpha, int n) {
    while (n-- > 0)
        if (*alpha++ != 0xff) return 1;
    return 0;
}

int is_gray(const uint8_t *in, int n) {
    int gray = 1;
    for (int i = 0; i < n; i++)
        if (in[3 * i] != in[3 * i + 1] || in[3 * i] != in[3 * i + 2]) {
            gray = 0;
            break;
        }
    return gray;
}

/* Row functions that are chosen at the start. */
static void fade_row(uint8_t *out, const uint8_t *in, int n) {
    for (int i = 0; i < n; i++) out[i] = in[i] - (in[i] >> 2);
}
static void fade_row_unrolled(uint8_t *out, const uint8_t *in, int n) {
    int i = 0;
    for (; i + 1 < n; i += 2) {
        out[i] = in[i] - (in[i] >> 2);
        out[i + 1] = in[i + 1] - (in[i + 1] >> 2);
    }
    if (i < n) out[i] = in[i] - (in[i] >> 2);
}
static void (*fade_by)(uint8_t *, const uint8_t *, int) = fade_row;
void choose_fade(int unrolled) { fade_by = unrolled ? fade_row_unrolled : fade_row; }
void use_unrolled_fade(void) { fade_by = fade_row_unrolled; }
void fade_plane(uint8_t *out, int out_pitch, const uint8_t *in, int in_pitch, int wide, int high) {
    for (int y = 0; y < high; y++) fade_by(out + y * out_pitch, in + y * in_pitch, wide);
}

/* Borders of a frame in its own memory. */
void extend_right(uint8_t *image, int pitch, int wide, int from, int rows) {
    uint8_t *end = image + from * pitch + wide;
    for (int r = 0; r < rows; r++, end += pitch) memset(end, end[-1], 24);
}
void extend_corner(uint8_t *image, int pitch, int wide) {
    uint8_t *line = image + wide, *above = line;
    const uint8_t corner = line[-1];
    for (int r = 0; r < 12; r++) {
        above -= pitch;
        memcpy(above - 8, line - 8, 8);
        memset(above, corner, 24);
    }
}

/* Samples of files in the other order of bytes. */
void floats_from_file(uint8_t *out, const uint8_t *in, int n) {
    float *samples = (float *)out, sample;
    uint8_t *bytes = (uint8_t *)&sample;
    for (int i = 0; i < n; i++, in += sizeof sample) {
        bytes[0] = in[3];
        bytes[1] = in[2];
        bytes[2] = in[1];
        bytes[3] = in[0];
        samples[i] = sample;
    }
}
void doubles_from_file(float *out, const uint8_t *in, int n) {
    for (int i = 0; i < n; i++, in += sizeof(double)) {
        double sample = 0;
        uint8_t *bytes = (uint8_t *)&sample;
        for (int k = 0; k < 8; k++) bytes[k] = in[7 - k];
        out[i] = sample;
    }
}

/* Rows that a field of the job counts, in loops that are entered in their middle. */
typedef struct { const uint8_t *from; uint8_t *to; int across, down, skip_from, skip_to; long sum; uint16_t peak; } Transfer;
#define UNROLLED(piece, number)                                                \
    {                                                                          \
        int passes = ((number) + 3) / 4;                                       \
        switch ((number) & 3) {                                                \
        case 0: do { piece; __attribute__((fallthrough));                      \
        case 3: piece; __attribute__((fallthrough));                           \
        case 2: piece; __attribute__((fallthrough));                           \
        case 1: piece;                                                         \
            } while (--passes > 0);                                            \
        }                                                                      \
    }
void transfer_dimmed(Transfer *t) {
    const uint8_t *from = t->from;
    uint8_t *to = t->to;
    const int across = t->across;
    while (t->down--) {
        UNROLLED({ uint8_t p = *from++; *to++ = (uint8_t)(p - (p >> 2)); }, across)
        from += t->skip_from;
        to += t->skip_to;
    }
}
void transfer_statistics(Transfer *t, int n) {
    t->sum = 0;
    for (int i = 0; i < n; i++) {
        t->sum += t->from[i];
        if (t->from[i] > t->peak) t->peak = t->from[i];
    }
}

/* A table of an object behind a pointer without a type, as long as all values of 16 bits. */
typedef struct { int kind; float ends[2]; float values[65536]; } Curve;
typedef struct { void *data; int bins; } Piece;
typedef struct { int kind; float low, high; } Settings;
void commit_curve(Piece *piece, const Settings *settings) {
    Curve *curve = (Curve *)piece->data;
    curve->kind = settings->kind;
    curve->ends[0] = settings->low;
    curve->ends[1] = settings->high;
    piece->bins = settings->kind ? 256 : 16384;
    const float span = settings->high - settings->low;
    for (unsigned int i = 0; i < 0x10000; i++)
        curve->values[i] = settings->low + span * ((float)i / (float)0x10000ul);
}

void graded(const unsigned *levels, const float *curve, float *out, int n, unsigned steps)
{
    int i;
    for (i = 0; i < n; i++) {
        unsigned k = levels[i];
        if (k >= steps)
            k = steps - 1;
        out[i] = curve[k];
    }
}
