// Loops that break or return where parameters and counters say when.
#include <cstdint>

void cut(uint8_t *d, int n, int a, int b) {
    int x = 0;
    for (int i = 0; i < n; i++, x += a) {
        if (x > b) {
            for (int k = i; k < n; k++) d[k] = 9;
            return;
        }
        d[i] = 1;
    }
    d[n] = 4;
}
int found(uint8_t *d, int n, int a, int b) {
    for (int i = 0; i < n; i++) {
        if (i == a) return i + b;
        d[i] = 1;
    }
    return -1;
}
void two(uint8_t *d, int n, int a, int b) {
    for (int i = 0; i < n; i++) {
        if (i >= a) {
            d[i] = 7;
            return;
        }
        d[i] = 1;
        if (i >= b) return;
    }
    d[n] = 5;
}
void returned_then_broken_left(uint8_t *d, int n, int a, int b) {
    for (int i = 0; i < n; i++) {
        if (i == a) return;
        d[i] = 1;
        if (i == b) break;
    }
    d[n] = 5;
}
void set_before(uint8_t *d, int n, int a, int b) {
    for (int i = 0; i < n; i++) {
        int x = 3 * i + 1, y = x >> 1;
        x += b;
        if (x + y >= a) break;
        d[i] = x;
    }
    d[n] = 5;
}
void counted_before(uint8_t *d, int n, int a, int b) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        k += 2;
        if (k > a) {
            d[i] = k + b;
            return;
        }
        d[i] = 1;
    }
}
void endless(uint8_t *d, int n, int a, int b) {
    int i = 0;
    for (;;) {
        if (i >= n) return;
        d[i++] = a + b;
    }
}
