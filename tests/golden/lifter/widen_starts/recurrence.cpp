void f(int* d, const int* s, int n) {
    int* t = new int[n + 1];
    t[0] = 7;
    for (int i = 0; i < n; i++) t[i + 1] = t[i] / 2 + s[i];
    for (int i = 0; i < n; i++) d[i] = t[i + 1];
    delete[] t;
}
