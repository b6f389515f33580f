void f(int* d, const int* s, int n, int w) {
    for (int j = 0; j < w; j++) {
        int k = 0;
        for (; k + 1 < n; k += 2) {
            d[j] += s[k * w + j];
            d[j] += s[(k + 1) * w + j];
        }
        for (; k < n; k++) d[j] += s[k * w + j];
    }
}
