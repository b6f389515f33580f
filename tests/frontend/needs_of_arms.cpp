/* Arms whose loops carry variables, of their own and shared ones. */
void Delayed(const int* src, int* dst, int n, int mode) {
    if (mode == 1) {
        int a = 1;
        for (int i = 0; i < n; i++) { dst[i] = a; a = src[i] * 2; }
    } else if (mode == 2) {
        int b = 2;
        for (int i = 0; i < n; i++) { dst[i] = b; b = src[i] * 3; }
    } else {
        int c = 3;
        for (int i = 0; i < n; i++) { dst[i] = c; c = src[i] * 4; }
    }
}

void Shared(const int* src, int* dst, int n, int mode) {
    int a = 1, b = 2;
    if (mode == 1)
        for (int i = 0; i < n; i++) { dst[i] = a; a = src[i] * 2; }
    else
        for (int i = 0; i < n; i++) { dst[i] = a + b; b = src[i] * 3; }
    for (int i = 0; i < n; i++) { dst[i] += a; a = dst[i]; }
}
