/* Functions that assign fields of the caller's objects. */
#include <stdint.h>

typedef struct Inner { int count; float mean; } Inner;
typedef struct {
    uint8_t *src, *dst;
    int w, h, pitch;
    int total;
    uint16_t least;
    double level;
    Inner own, *other;
    union { int number; float value; } either;
    unsigned flag : 3;
} Info;

void rows_counted_down(Info *info) {
    uint8_t *s = info->src, *d = info->dst;
    while (info->h--) {
        for (int x = 0; x < info->w; x++) d[x] = s[x] ^ 0x80;
        s += info->pitch;
        d += info->pitch;
    }
}

int summed(Info *info, const uint8_t *p, int n) {
    if (!info) return -1;
    info->total = 0;
    for (int i = 0; i < n; i++) info->total += p[i];
    return info->total / 2;
}

void added(Info *info, const uint8_t *p, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) info->total += p[y * w + x];
}

void found_least(Info *info, const uint8_t *p, int n) {
    for (int i = 0; i < n; i++)
        if (p[i] < info->least) info->least = p[i];
}

int early(Info *info, const uint8_t *p, int n) {
    if (n == 7) return 3;
    info->own.count = n;
    if (n > 9) return info->own.count + 1;
    info->level *= 2;
    return p[0];
}

void first_of_many(Info *info, const uint8_t *p, int n) {
    if (n > 6) info->total = p[n - 7];
}

static void give(int *out, int v) { *out = v; }

int through_pointers(Info *info, const uint8_t *p, int n) {
    int *own = &info->own.count;
    give(&info->total, n);
    *own += p[0];
    return info->total + info->own.count;
}

void behind_a_pointer(Info *info, uint8_t *d, int n) {
    if (n < 1) return;
    for (int i = 0; i < n; i++) d[i] = (uint8_t)info->other->count;
    info->other->count += n;
}

void of_two(Info *a, const Info *b, uint8_t *d, int n) {
    a->total = n;
    for (int i = 0; i < n; i++) d[i] = (uint8_t)(b->total + i);
}

void shared_memory(Info *info, uint8_t *d, int n) {
    info->either.number = 1;
    for (int i = 0; i < n; i++) d[i] = (uint8_t)info->either.value;
}

void bits(Info *info, uint8_t *d, int n) {
    info->flag = 2;
    for (int i = 0; i < n; i++) d[i] = (uint8_t)info->flag;
}
