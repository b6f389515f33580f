#include <stdint.h>
#pragma scalar_storage_order big-endian
struct Pixel {
    uint16_t r, g;
};
#pragma scalar_storage_order default
void refused_swapped(struct Pixel *p, int n) {
    for (int i = 0; i < n; i++)
        p[i].r = p[i].g;
}
