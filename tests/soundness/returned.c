/* What is returned that is no scalar: pointers that were given, the caller's object, structures. */
#include <stddef.h>
#include <stdint.h>

typedef struct { uint8_t *pixels; int count; } Row;
typedef struct { int32_t sum; double mean; int16_t ends[2]; } About;

uint16_t *moved(uint16_t *d, const uint16_t *s, int n) {
    if (n < 0) return NULL;
    while (n--) *d++ = *s++ + 1;
    return d;
}

Row *cleared(Row *row) {
    if (!row) return NULL;
    for (int i = 0; i < row->count; i++) row->pixels[i] = 0;
    return row;
}

uint8_t *pixels_of(Row *row, int from) {
    for (int i = 0; i < row->count; i++) row->pixels[i] ^= 255;
    return row->pixels + from;
}

/* The pointer lies behind another one, which is only there where a flag says so. */
typedef struct { int kind; Row *row; } Source;
uint8_t *pixels_if_any(const Source *s) { return s->kind == 1 ? s->row->pixels : NULL; }
Row *row_if_any(const Source *s) { return s->kind == 1 ? s->row : NULL; }
typedef struct { long number; uint8_t bytes[8]; } Packet;
typedef struct { int kind; Packet *packet; } Box;
uint8_t *bytes_if_any(const Box *b) { return b->kind == 1 ? b->packet->bytes + 1 : NULL; }

/* A pointer in the caller's object moves, before what it pointed to is read. */
typedef struct { const uint8_t *bits; long stride; } Feed;
int taken(Feed *feed, uint8_t *d, int n) {
    const uint8_t *s = feed->bits;
    if (n <= 0) return 0;
    if (n > 2) feed->bits += feed->stride;
    for (int i = 0; i < n; i++) d[i] = s[i];
    return n;
}

const uint8_t *sought(const uint8_t *p, const uint8_t *end, int v) {
    for (; p < end; p++)
        if (*p == v) return p;
    return NULL;
}

uint8_t *nothing(uint8_t *p, int n) {
    for (int i = 0; i < n; i++) p[i] = 3;
    return NULL;
}

const int16_t *last_below(const int16_t *p, int n, int v) {
    const int16_t *found = NULL;
    for (int i = 0; i < n; i++)
        if (p[i] < v) found = p + i;
    return found;
}

About about(const uint8_t *p, int n) {
    About a = {0, 0.0, {0, 0}};
    for (int i = 0; i < n; i++) a.sum += p[i];
    if (n > 0) {
        a.mean = (double)a.sum / n;
        a.ends[0] = p[0];
        a.ends[1] = p[n - 1];
    }
    return a;
}
