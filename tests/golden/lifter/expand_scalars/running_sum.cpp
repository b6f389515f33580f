void f(int* d, const int* s, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += s[i];
        d[i] = sum;
    }
}
