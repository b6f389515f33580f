#include <stdint.h>
/* The gain is the command's to say. */
#ifndef GAIN
#define GAIN 2
#endif
void scale(uint8_t *d, const uint8_t *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i] * GAIN;
}
