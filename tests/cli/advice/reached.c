int reached(const unsigned char *p, int n, int t) {
    int sum = 0;
    for (int i = 0; i < n; i++) { sum += p[i]; if (sum > t) return i; }
    return -1;
}
