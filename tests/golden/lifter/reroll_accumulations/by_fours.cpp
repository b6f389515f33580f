void f(int* d, const int* a, const int* b, int n, int w) {
    for (int j = 0; j < w; j++) {
        int k = 0;
        for (; k < n / 4 * 4; k += 4) {
            d[j] += a[k] * b[k * w + j];
            d[j] += a[k + 1] * b[(k + 1) * w + j];
            d[j] += a[k + 2] * b[(k + 2) * w + j];
            d[j] += a[k + 3] * b[(k + 3) * w + j];
        }
        for (; k < n; k++) d[j] += a[k] * b[k * w + j];
    }
}
