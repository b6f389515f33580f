/* A sum that is flushed after each block of a row; tests define what stands in capitals. */
#include <cstddef>
#include <cstdint>

uint64_t in_blocks(const uint8_t* a, size_t w) {
    uint64_t sum = 0;
    for (size_t b = 0; b < COUNT; b++) {
        PART part = START;
        size_t end = BLOCK * b + LENGTH < w ? BLOCK * b + LENGTH : w;
        for (size_t c = BLOCK * b; c < end; c++) part = OLD + a[c];
        sum += part;
    }
    return sum;
}

uint64_t with_the_last_part(const uint8_t* a, size_t w) {
    uint64_t sum = 0, last = 0;
    for (size_t b = 0; b < COUNT; b++) {
        PART part = START;
        size_t end = BLOCK * b + LENGTH < w ? BLOCK * b + LENGTH : w;
        for (size_t c = BLOCK * b; c < end; c++) part = OLD + a[c];
        sum += part;
        last = part;
    }
    return sum + last;
}

uint64_t at_once(const uint8_t* a, size_t w) {
    uint64_t sum = 0;
    for (size_t c = 0; c < w; c++) sum += a[c];
    return sum;
}
