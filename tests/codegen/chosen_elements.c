/* Elements of arrays in the caller's objects that other fields or arguments number, and objects seen as other classes. */
#include <stdint.h>

struct frame { uint8_t *data[4]; int stride[4], plane[4]; int w, h; };
struct element { int kind, level; };
struct derived { struct element element; int n; uint8_t *table; };

void invert(struct frame *f, int c) {
    for (int y = 0; y < f->h; y++)
        for (int x = 0; x < f->w; x++) f->data[f->plane[c]][y * f->stride[f->plane[c]] + x] ^= 255;
}
void invert_if(struct frame *f, int on) {
    if (on)
        for (int x = 0; x < f->w; x++) f->data[f->plane[1]][x] ^= 255;
}
void add_planes(struct frame *f, int k, int l) {
    for (int x = 0; x < f->w; x++) f->data[k][x] += f->data[l][x];
}
int of_kind(const struct element *e, uint8_t *d, int n) {
    if (e->kind != 1) return e->level;
    const struct derived *own = (const struct derived *)e;
    for (int i = 0; i < n; i++) d[i] = own->table[d[i]];
    return own->n;
}
int behind_void(void *user, uint8_t *d) {
    struct derived *own = user;
    for (int i = 0; i < own->n; i++) d[i] = own->table[d[i]] + own->element.level;
    return own->element.kind;
}
