typedef struct { int bias; unsigned char *data; } Mask;
typedef struct { int has_mask, w, h; Mask *mask; const unsigned char **rows; struct { int kind; Mask *other; } in; } Ctx;
void masked(const Ctx *c, unsigned char *d, const unsigned char *s) {
    for (int i = 0; i < c->w; i++) {
        if (c->has_mask) d[i] = s[i] & c->mask->data[i];
        else d[i] = s[i] + 1;
    }
}
void masked_early(const Ctx *c, unsigned char *d, const unsigned char *s) {
    int kind = c->in.kind, n = c->w;
    if (kind != 3) { for (int i = 0; i < n; i++) d[i] = s[i] + 1; return; }
    for (int i = 0; i < n; i++) d[i] = s[i] + c->in.other->bias;
}
void bias(const Ctx *c, unsigned char *d, const unsigned char *s) {
    for (int i = 0; i < c->w; i++) d[i] = s[i] + c->mask->bias;
}
void tested(const Ctx *c, unsigned char *d, const unsigned char *s, int n) {
    int b = n > 4 && c->has_mask && c->mask ? c->mask->bias : 2;
    for (int i = 0; i < n; i++) d[i] = s[i] + b;
}
void two_rows(const unsigned char **rows, unsigned char *d, int n, int deep) {
    for (int i = 0; i < n; i++) d[i] = rows[0][i];
    if (deep) for (int i = 0; i < n; i++) d[i + n] = rows[1][i];
}
