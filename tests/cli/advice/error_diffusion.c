void f(unsigned char *p, int w, int h) {
    for (int y = 0; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int old = p[y * w + x], bit = old > 127 ? 255 : 0, error = old - bit;
            p[y * w + x] = bit;
            p[y * w + x + 1] += error / 2;
            p[(y + 1) * w + x] += error / 2;
        }
}
