/* Storage for lifted code, of which there is no more after FAIL blocks (always, where that is negative). */
#include <stdlib.h>

static _Atomic int given;

void *halide_malloc(void *context, long size) {
    int most = atoi(getenv("FAIL"));
    void *block;
    (void)context;
    if (most >= 0 && given++ >= most) return 0;
    return posix_memalign(&block, 64, size) ? 0 : block;
}

void halide_free(void *context, void *block) {
    (void)context;
    free(block);
}
