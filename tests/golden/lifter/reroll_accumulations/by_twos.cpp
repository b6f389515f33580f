#include <cstddef>

void f(float* d, const float* s, size_t n, size_t m) {
    for (size_t j = 0; j < m; j++) {
        size_t i = 0;
        for (; i + 2 <= n; i += 2) {
            d[i + j] += s[i];
            d[i + 1 + j] += s[i + 1];
        }
        for (; i < n; i++) d[i + j] += s[i];
    }
}
