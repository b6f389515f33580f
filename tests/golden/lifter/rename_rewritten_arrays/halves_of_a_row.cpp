void f(short* d, const unsigned char* s, int h) {
    for (int y = 0; y < h; y++) {
        int t[16];
        for (int x = 0; x < 16; x++) t[x] = s[y * 16 + x];
        for (int x = 0; x < 8; x++) {
            int a = t[x], b = t[x + 8];
            t[x] = a + b;
            t[x + 8] = a - b;
        }
        for (int x = 0; x < 16; x++) d[y * 16 + x] = t[15 - x];
    }
}
