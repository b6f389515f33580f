#include <cstdint>
void Transpose(uint8_t* a, int n) {
    for (int y = 0; y < n; y++) for (int x = 0; x < y; x++) {
        uint8_t t = a[y * n + x];
        a[y * n + x] = a[x * n + y];
        a[x * n + y] = t;
    }
}
void Sparse(const uint8_t* a, uint8_t* b, int* c, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = i * i % 7 == 4 ? a[i] : 0; c[i] = i ? c[i - 1] + b[i] : 0;
    }
}
void Chase(uint8_t** rows, int n) {
    for (int i = 0; i < n; i++) (*rows++)[0] = 1;
}
void Copy(const uint8_t* a, uint8_t* b, int n) {
    for (int i = 0; i < n; i++) b[i] = a[i];
}
