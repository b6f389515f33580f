#include <cstdint>

void f(uint8_t* d, const uint8_t* s, int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += s[i];
    for (int i = 0; i + 3 < n; i++) {
        d[i] = (uint8_t)(sum / 3);
        sum += s[i + 3] - s[i];
    }
}
