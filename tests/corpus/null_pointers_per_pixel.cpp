#include <cstdint>
void blend(uint8_t* d, const uint8_t* s, const uint8_t* mask, const uint8_t* bias, int n) {
    for (int i = 0; i < n; i++) {
        int v = mask ? s[i] * mask[i] >> 8 : s[i];
        if (!bias) v = v + 1; else v += bias[i];
        d[i] = v;
    }
}
