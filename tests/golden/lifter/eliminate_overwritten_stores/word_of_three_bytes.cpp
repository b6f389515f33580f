#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int n) {
    for (int k = 0; k < n; k++) {
        d[3 * k] = s[k];
        d[3 * k + 1] = s[k] / 2;
        d[3 * k + 2] = s[k] / 3;
        d[3 * k + 3] = 0;
    }
}
