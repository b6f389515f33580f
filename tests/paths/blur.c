void blur(const unsigned char *src, unsigned char *dst, int width, int height, int stride)
{
    for (int y = 0; y < height; y++) {
        int sum = 0;
        for (int x = 0; x < width; x++) {
            sum += src[y * stride + x];
            dst[y * stride + x] = sum / (x + 1);
        }
    }
}

void swap_rows(unsigned char *a, unsigned char *b, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned char t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}
