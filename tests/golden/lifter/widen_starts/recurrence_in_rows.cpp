void f(int* d, const int* s, int w, int h) {
    int* t = new int[w + 1];
    for (int y = 0; y < h; y++) {
        t[0] = s[y * w];
        for (int x = 0; x < w; x++) t[x + 1] = t[x] / 4 + s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = t[x] - t[x + 1];
    }
    delete[] t;
}
