#include <cstdint>
extern "C" {
void masked(uint8_t* d, const uint8_t* s, const uint8_t* m, int n, int mode) {
    for (int i = 0; i < n; i++) {
        int v = s[i];
        if (mode == 2 && m[i] > 3) v = 255 - v; else if (mode == 1) v = v / 2;
        d[i] = v;
    }
}
void table(uint8_t* d, const uint8_t* s, const uint8_t* m, int n, int mode) {
    for (int i = 0; i < n; i++) d[i] = mode ? m[s[i]] : s[i];
}
}
