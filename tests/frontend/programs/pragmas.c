#include <stdint.h>
#define OPTIMIZE(x) _Pragma(#x)
OPTIMIZE(GCC optimize("fast-math"))
void fine_bytes(uint8_t *d, const uint8_t *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i];
}
void refused_floats(float *d, const float *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i] / 3.0f;
}
