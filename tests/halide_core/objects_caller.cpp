#include "HalideBuffer.h"
#include "pipe.h"
#include <cstdio>
int main() {
    Halide::Runtime::Buffer<uint8_t> in(101, 33), out(100, 33), big(101, 33), query(nullptr, 0, 0);
    in.for_each_element([&](int x, int y) { in(x, y) = x * 3 + y; });
    int bad = 0, r = pipe(in, 5, out);
    for (int y = 0; y < 33; y++)
        for (int x = 0; x < 100; x++) bad += out(x, y) != (uint8_t)(in(x + 1, y) + 5);
    int q = pipe(query, 5, out), e = pipe(in, 5, big);
    printf("%d %d %d %d %d %d", r, bad, q, query.dim(0).min(), query.dim(0).extent(), e);
}
