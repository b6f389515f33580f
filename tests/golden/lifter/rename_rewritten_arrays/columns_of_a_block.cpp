void f(short* d, const unsigned char* s) {
    short t[64];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) t[y * 8 + x] = s[y * 8 + x] - 128;
    for (int i = 0; i < 8; i++) {
        int a = t[i] + t[56 + i], b = t[8 + i] + t[48 + i], c = t[16 + i] + t[40 + i], e = t[24 + i] + t[32 + i];
        int h = t[i] - t[56 + i], j = t[8 + i] - t[48 + i], k = t[16 + i] - t[40 + i], m = t[24 + i] - t[32 + i];
        t[i] = a + e, t[8 + i] = b + c, t[16 + i] = a - e, t[24 + i] = b - c;
        t[32 + i] = h + m, t[40 + i] = j + k, t[48 + i] = h - m, t[56 + i] = j - k;
    }
    for (int i = 0; i < 64; i++) d[i] = t[i];
}
