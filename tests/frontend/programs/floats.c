void bytes(unsigned char *d, const unsigned char *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i] + 1;
}
void product(float *d, const float *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i] * 2.5f;
}
void line(float *d, const float *s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = s[i] * 2.5f + 1.0f;
}
