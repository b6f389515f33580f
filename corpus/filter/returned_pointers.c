/* C that returns what it was given: how far rows have been written or read, the scanline of an iterator, the image
   itself, the pixel that was looked for; and small structures by value. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint8_t *pixels; int width, height, pitch; } Plate;
typedef struct { uint32_t *line; const uint16_t *bits; int count, pitch; } Scan;
typedef struct { uint8_t red, green, blue; } Colour;
typedef struct { int left, top; } Corner;
typedef struct { Corner from, to; } Frame;
typedef struct { long sum; float mean; uint8_t range[2]; } Spread;

/* Where the next row goes. */
uint8_t *row_of_yuyv(uint8_t *out, const uint8_t *y, const uint8_t *u, const uint8_t *v, int pairs) {
    while (pairs-- > 0) {
        *out++ = *y++;
        *out++ = *u++;
        *out++ = *y++;
        *out++ = *v++;
    }
    return out;
}

/* Where the next row is read, nothing for a row that is not there. */
const uint8_t *samples_unpacked(uint16_t *to, const uint8_t *from, int count) {
    if (!from) return NULL;
    for (int i = 0; i < count; i++, from += 2) to[i] = (uint16_t)(from[0] << 8 | from[1]);
    return from;
}

/* The line of an iterator, which goes on to the next row. */
uint32_t *scan_of_565(Scan *scan, const uint32_t *mask) {
    const uint16_t *s = scan->bits;
    uint32_t *d = scan->line;
    (void)mask;
    scan->bits += scan->pitch;
    for (int i = 0; i < scan->count; i++) {
        uint32_t p = s[i];
        d[i] = 0xff000000u | (p & 0xf800) << 8 | (p & 0x7e0) << 5 | (p & 0x1f) << 3;
    }
    return scan->line;
}

/* The same from bytes, where a caller says that there is another row. */
typedef struct { uint8_t *bytes, *line; int width, bytes_a_row, rows_left; } Feed;
uint8_t *feed_of_masks(Feed *feed) {
    const uint32_t *s = (const uint32_t *)feed->bytes;
    uint8_t *d = feed->line;
    if (feed->rows_left <= 0) return NULL;
    for (int x = 0; x < feed->width; x++) *d++ = (uint8_t)(s[x] >> 24);
    if (--feed->rows_left) feed->bytes += feed->bytes_a_row;
    return feed->line;
}

/* The image itself, so that calls may stand inside of each other; nothing for one without pixels. */
Plate *plate_darkened(Plate *plate, int by) {
    if (!plate || !plate->pixels) return NULL;
    for (int y = 0; y < plate->height; y++) {
        uint8_t *row = plate->pixels + y * plate->pitch;
        for (int x = 0; x < plate->width; x++) row[x] = row[x] > by ? row[x] - by : 0;
    }
    return plate;
}

/* As memcpy has it. */
void *bytes_masked(void *to, const void *from, int mask, size_t n) {
    uint8_t *d = to;
    const uint8_t *s = from;
    for (; n; n--) *d++ = *s++ & mask;
    return to;
}

/* The first element that is as high, or nothing. */
int16_t *first_as_high(int16_t *p, int n, int level) {
    for (int i = 0; i < n; i++)
        if (p[i] >= level) return p + i;
    return NULL;
}

/* The highest element, the first of them, if any is above zero. */
const int16_t *highest_above_zero(const int16_t *p, int n) {
    const int16_t *found = NULL;
    int most = 0;
    for (int i = 0; i < n; i++)
        if (p[i] > most) {
            most = p[i];
            found = p + i;
        }
    return found;
}

/* One way out. */
uint8_t *spread_of_nibbles(uint8_t *d, const uint8_t *s, int n) {
    uint8_t *end = NULL;
    if (!d || n <= 0) goto out;
    for (int i = 0; i < n; i++) {
        d[2 * i] = (uint8_t)((s[i] >> 4) * 17);
        d[2 * i + 1] = (uint8_t)((s[i] & 15) * 17);
    }
    end = d + 2 * n;
out:
    return end;
}

/* The last element written, or nothing. */
float *ramp_to_last(float *p, int n, float from, float step) {
    for (int i = 0; i < n; i++) p[i] = from + step * (float)i;
    return n > 0 ? p + n - 1 : NULL;
}

/* A structure of the caller's array, counted in structures. */
Colour *colours_swapped(Colour *c, int n) {
    Colour *end = c + n;
    for (; c < end; c++) {
        uint8_t red = c->red;
        c->red = c->blue;
        c->blue = red;
    }
    return end;
}

/* A row that an inline function finds in a plate given by value. */
static inline uint8_t *line_of(Plate p, int y) { return p.pixels + (ptrdiff_t)y * p.pitch; }
uint8_t *line_cleared(Plate plate, int y) {
    uint8_t *line = line_of(plate, y);
    memset(line, 0, plate.width);
    return line;
}

/* Rows one behind the other. */
static uint8_t *doubled(uint8_t *d, const uint8_t *s, int n) {
    while (n-- > 0) *d++ = (uint8_t)(*s++ << 1);
    return d;
}
uint8_t *doubled_one_behind_the_other(uint8_t *d, const uint8_t *a, const uint8_t *b, int n) {
    return doubled(doubled(d, a, n), b, n);
}

/* Structures by value: nested ones, arrays, padding. */
Frame frame_of_marks(const uint8_t *p, int width, int height, int pitch) {
    Frame f = {{width, height}, {-1, -1}};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (p[y * pitch + x]) {
                if (x < f.from.left) f.from.left = x;
                if (x > f.to.left) f.to.left = x;
                if (y < f.from.top) f.from.top = y;
                if (y > f.to.top) f.to.top = y;
            }
    return f;
}
Spread spread_of_samples(const uint8_t *p, int n) {
    Spread s = {0, 0.0f, {255, 0}};
    for (int i = 0; i < n; i++) {
        s.sum += p[i];
        s.range[0] = p[i] < s.range[0] ? p[i] : s.range[0];
        s.range[1] = p[i] > s.range[1] ? p[i] : s.range[1];
    }
    if (n > 0) s.mean = (float)s.sum / (float)n;
    return s;
}

/* What may not be returned: one of two images, memory of the function's own. */
uint8_t *one_of_two_inverted(uint8_t *a, uint8_t *b, int n) {
    uint8_t *p = a;
    if (n > 64) p = b;
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
    return p;
}
