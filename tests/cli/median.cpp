static inline void Sort(int& a, int& b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    a = low;
    b = high;
}

void Median(const unsigned char* src, unsigned char* dst, int cols) {
    for (int x = 0; x < cols; x++) {
        int a = src[x], b = src[x + 1], c = src[x + 2], d = src[x + 3], e = src[x + 4], f = src[x + 5], g = src[x + 6];
        Sort(a, b); Sort(b, c); Sort(c, d); Sort(d, e); Sort(e, f); Sort(f, g);
        Sort(a, b); Sort(b, c); Sort(c, d); Sort(d, e); Sort(e, f);
        Sort(a, b); Sort(b, c); Sort(c, d); Sort(d, e);
        Sort(a, b); Sort(b, c); Sort(c, d);
        dst[x] = (unsigned char)d;
    }
}
