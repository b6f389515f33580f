/* Video frames as media frameworks keep them: planes that a format's description numbers, sizes that are shifted where
   colour is sampled less, elements that derive from one another by their first field, and private data behind void. */

#include <stdint.h>
#include <string.h>

typedef struct {
    int plane[4], pixel_stride[4], offset[4];
    unsigned int w_sub[4], h_sub[4];
} PixelFormat;

typedef struct {
    const PixelFormat *format;
    int width, height, interlaced;
    int stride[4];
    void *data[4];
} VideoFrame;

#define ROUND_UP_2(n) (((n) + 1) & ~1)
#define SUB_SCALE(shift, n) (-((-(n)) >> (shift)))
#define FIELD_HEIGHT(f) ((f)->interlaced ? ROUND_UP_2((f)->height) / 2 : (f)->height)
#define COMP_DATA(f, c) ((uint8_t *)(f)->data[(f)->format->plane[c]] + (f)->format->offset[c])
#define COMP_STRIDE(f, c) ((f)->stride[(f)->format->plane[c]])
#define COMP_WIDTH(f, c) SUB_SCALE((f)->format->w_sub[c], (f)->width)
#define COMP_HEIGHT(f, c) SUB_SCALE((f)->format->h_sub[c], FIELD_HEIGHT(f))

typedef struct {
    const char *name;
    int passthrough;
} Element;

typedef struct {
    Element element;
    int level;
    uint8_t table[256];
} LevelFilter;

typedef struct {
    Element element;
    uint32_t *map;
    int map_width, map_height;
} TrailFilter;

void invert_luma(VideoFrame *frame) {
    uint8_t *row = COMP_DATA(frame, 0);
    for (int y = 0; y < COMP_HEIGHT(frame, 0); y++, row += COMP_STRIDE(frame, 0))
        for (int x = 0; x < COMP_WIDTH(frame, 0); x++)
            row[x] = 255 - row[x];
}

/* One component of any format: planar, half planar, or packed. */
void table_component(VideoFrame *frame, const uint8_t *table, int c) {
    int step = frame->format->pixel_stride[c], stride = COMP_STRIDE(frame, c);
    uint8_t *row = COMP_DATA(frame, c);
    for (int y = 0; y < COMP_HEIGHT(frame, c); y++) {
        for (int x = 0; x < COMP_WIDTH(frame, c); x++)
            row[x * step] = table[row[x * step]];
        row += stride;
    }
}

void chroma_cleared(VideoFrame *frame) {
    uint8_t *u = COMP_DATA(frame, 1), *v = COMP_DATA(frame, 2);
    int w = COMP_WIDTH(frame, 1), h = COMP_HEIGHT(frame, 1);
    for (int y = 0; y < h; y++) {
        memset(u + y * COMP_STRIDE(frame, 1), 128, w);
        memset(v + y * COMP_STRIDE(frame, 2), 128, w);
    }
}

void blend_component(VideoFrame *dst, const VideoFrame *src, int alpha) {
    uint8_t *d = COMP_DATA(dst, 0);
    const uint8_t *s = COMP_DATA(src, 0);
    for (int y = 0; y < dst->height; y++) {
        for (int x = 0; x < dst->width; x++)
            d[x] = (d[x] * (256 - alpha) + s[x] * alpha) >> 8;
        d += COMP_STRIDE(dst, 0);
        s += COMP_STRIDE(src, 0);
    }
}

/* The element is declared as what all elements begin with. */
void apply_levels(Element *element, uint8_t *pixels, int count) {
    LevelFilter *filter = (LevelFilter *)element;
    for (int i = 0; i < count; i++) {
        int v = filter->table[pixels[i]] + filter->level;
        pixels[i] = v > 255 ? 255 : v;
    }
}

void remember_frame(Element *element, const VideoFrame *frame) {
    TrailFilter *filter = (TrailFilter *)element;
    const uint32_t *src = (const uint32_t *)frame->data[0];
    for (int y = 0; y < filter->map_height; y++)
        for (int x = 0; x < filter->map_width; x++)
            filter->map[y * filter->map_width + x] = src[y * frame->width + x] & 0xfefefe;
}

static int passes(const Element *element) { return element->passthrough; }

int tint_trail(TrailFilter *filter, uint32_t colour) {
    if (passes((const Element *)filter)) return 0;
    for (int i = 0; i < filter->map_width * filter->map_height; i++) filter->map[i] |= colour;
    return 1;
}

typedef struct {
    int kind;
    void *priv;
} Context;

void levels_of_context(Context *context, uint8_t *dst, const uint8_t *src, int w, int h, int pitch) {
    const LevelFilter *filter = context->priv;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            dst[y * pitch + x] = filter->table[src[y * pitch + x]];
}

int brightest_of(void *user_data, const uint8_t *pixels) {
    const TrailFilter *filter = user_data;
    int best = 0;
    for (int i = 0; i < filter->map_width; i++)
        if (pixels[i] > best) best = pixels[i];
    return best;
}

typedef struct {
    int kind, length;
    uint8_t *bytes;
} Text;

typedef struct {
    int kind;
    uint16_t *samples;
    int count, level;
} Curve;

typedef union {
    int kind;
    Text text;
    Curve curve;
} Node;

void curve_raised(Node *node, const uint8_t *by) {
    Curve *curve = (Curve *)node;
    for (int i = 0; i < curve->count; i++) curve->samples[i] = curve->samples[i] / 2 + by[i] + curve->level;
}

void blanked(Node *node) {
    if (node->kind == 1) {
        Text *text = (Text *)node;
        for (int i = 0; i < text->length; i++) text->bytes[i] = ' ';
    } else {
        Curve *curve = (Curve *)node;
        for (int i = 0; i < curve->count; i++) curve->samples[i] = 0;
    }
}
