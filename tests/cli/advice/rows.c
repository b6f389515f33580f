void f(unsigned char **d, int w, int h) {
    for (int y = 0; y < h; y++, d++) for (int x = 0; x < w; x++) (*d)[x] = 255 - (*d)[x];
}
