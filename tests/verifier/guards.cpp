/* Guards whose arithmetic may wrap. */
#include <cstddef>
#include <cstdint>

void a_difference_that_wraps(uint8_t* d, unsigned n) {
    if (n - 1 > 5) d[0] = 1;
}

void a_difference_of_two_sizes(uint8_t* d, size_t n, size_t m) {
    if (n - m > 5) d[3] = 1;
}

void last_row_read_twice(uint8_t* d, const uint8_t* s, size_t w, size_t h, size_t stride) {
    for (size_t y = 0; y < h; y++) {
        const uint8_t* below = y == h - 1 ? s + y * stride : s + (y + 1) * stride;
        for (size_t x = 0; x < w; x++) d[y * stride + x] = (uint8_t)(below[x] >> 1);
    }
}
