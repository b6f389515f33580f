// Functions whose tables say where to read, where to write and how often: each takes d, s, a, b, n and v.
#include <cstdint>

void gather(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n; i++) d[i] = s[a[i] + b[i]] + v;
}
void wide(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (unsigned i = 0; i < (unsigned)n; i++) d[i] = s[(unsigned)a[i]] + v;
}
void spans(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n; i++)
        for (int x = a[i]; x < b[i]; x++) d[i * 16 + x] = s[x] + v;
}
void through(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n; i++) {
        int x = 0;
        for (; x <= a[i]; x++) d[i * 16 + x] = s[x];
        d[i * 16 + 15] = x + v;
    }
}
void pairs(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n / 2; i++) {
        int sum = v;
        for (int k = 0; k < a[2 * i + 1]; k++) sum += s[a[2 * i] + k];
        d[i] = sum;
    }
}
void chosen(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n; i++) {
        int end = v > 1 ? a[i] : b[i] + 1, sum = 0;
        for (int k = v; k < end; k++) sum += s[k];
        d[i] = a[i] < 0 ? 0 : sum;
    }
}
void scatter(uint8_t* d, const uint8_t* s, const int* a, const int* b, int n, int v) {
    for (int i = 0; i < n; i++) d[a[i]] = s[b[i]] + v;
}
