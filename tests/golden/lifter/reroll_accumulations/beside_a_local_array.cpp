void f(int* d, int* e, const int* s, int n, int m) {
    for (int j = 0; j < m; j++) {
        int t[4];
        for (int c = 0; c < 4; c++) t[c] = j * c;
        int i = 0;
        for (; i + 2 <= n; i += 2) {
            d[i + j] += s[i];
            d[i + 1 + j] += s[i + 1];
        }
        for (; i < n; i++) d[i + j] += s[i];
        e[j] = t[j & 3];
    }
}
