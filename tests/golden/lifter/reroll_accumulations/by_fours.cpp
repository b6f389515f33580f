void f(int* d, const int* a, int b, int n, int m) {
    for (int j = 0; j < m; j++) {
        int i = 0;
        for (; i + 4 <= n; i += 4) {
            d[i + j] += b * a[i];
            d[i + j + 1] += b * a[i + 1];
            d[i + j + 2] += b * a[i + 2];
            d[i + j + 3] += b * a[i + 3];
        }
        for (; i < n; i++) d[i + j] += b * a[i];
    }
}
