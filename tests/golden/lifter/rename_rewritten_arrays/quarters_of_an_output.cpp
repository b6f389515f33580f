void f(short* d, const unsigned char* s) {
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) d[y * 8 + x] = s[y * 8 + x] * 2;
    for (int i = 0; i < 8; i++) {
        int a = d[i] + d[8 + i], b = d[i] - d[8 + i], c = d[16 + i] + d[24 + i], e = d[16 + i] - d[24 + i];
        d[i] = a + c;
        d[8 + i] = b + e;
        d[16 + i] = a - c;
        d[24 + i] = b - e;
    }
}
