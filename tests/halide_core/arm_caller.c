#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct dim { int32_t min, extent, stride; uint32_t flags; };
struct buffer { uint64_t device; void *interface; uint8_t *host; uint64_t flags; uint8_t code, bits; uint16_t lanes;
                int32_t dimensions; struct dim *dim; void *padding; };
int pipe(struct buffer *, struct buffer *);
static void fill(struct buffer *b, struct dim *d, char **a) {
    b->code = atoi(a[0]); b->bits = atoi(a[1]); b->lanes = 1; b->dimensions = 2; b->dim = d;
    d[0].extent = atoi(a[2]); d[1].extent = atoi(a[3]); d[0].stride = 1; d[1].stride = d[0].extent;
    b->host = malloc((size_t)d[0].extent * d[1].extent * ((b->bits + 7) / 8));
}
int main(int count, char **args) {
    struct dim d[4] = {{0}};
    struct buffer in = {0}, out = {0};
    fill(&in, d, args + 1);
    fill(&out, d + 2, args + 5);
    FILE *f = fopen(args[9], "rb");
    if (!f || !fread(in.host, (size_t)d[0].extent * d[1].extent * (in.bits / 8), 1, f)) return 2;
    fclose(f);
    int status = pipe(&in, &out);
    if (status) return 3;
    f = fopen(args[10], "wb");
    if (!fwrite(out.host, (size_t)d[2].extent * d[3].extent * ((out.bits + 7) / 8), 1, f)) return 4;
    return fclose(f);
}
