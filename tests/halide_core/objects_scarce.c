#include <stdlib.h>
int left, originals;
void *halide_malloc(void *c, long n) { return left-- > 0 ? aligned_alloc(64, (n + 127) / 64 * 64) : 0; }
void halide_free(void *c, void *p) { free(p); }
void original(int *b, int w) {
    originals++;
    for (int r = 0; r < 4; r++) for (int x = 0; x < w; x++) b[x] += (x + r) * 3;
}
