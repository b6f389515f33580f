#include <cmath>
#include <cstdint>
#include <algorithm>
#define L for (int i = 0; i < n; i++)
void refused_1(float *d, const uint8_t *s, int n) { L d[i] = sinf(s[i] > 99 ? 2.9f : 15.6f); }
void refused_2(float *d, int n, int k) { if (k == 6) L d[i] = sinhf(k * 0.1f); }
void refused_3(float *d, const int *s, int n) { L switch (s[i]) { case 3: d[i] = sinf(s[i] * 0.1f); break; default: d[i] = 0; } }
void refused_4(float *d, int n, int k) { L d[i] = expf((k & 0) + .6f); }
void refused_5(float *d, int n) { L d[i] = expf(i * 0.1f); }
void refused_6(float *d, const float *s, int n) { L d[i] = sinf(std::min(s[i], 0.7f)); }
void refused_7(float *d, const float *s, int n) { L d[i] = s[i] == 0.7f ? sinf(s[i]) : 0; }
void refused_8(float *d, const uint8_t *s, int n) { L d[i] = s[i] > 253 ? sinf(s[i]) : 0; }
void refused_9(float *d, const uint8_t *s, int n) { L d[i] = sinf((float)(s[i] > 3)); }
void refused_10(float *d, const float *s, int n) { static const float t[3] = {.1f, .2f, .3f}; L d[i] = s[i] + sinf(t[i % 3]); }
void fine_1(float *d, const float *s, int n) { L d[i] = sinf(s[i]); }
void fine_2(float *d, const float *s, int n) { L d[i] = s[i] <= 0.0031308f ? s[i] * 12.92f : 1.055f * powf(s[i], 1 / 2.4f) - 0.055f; }
void fine_3(float *d, const uint8_t *s, int n) { L d[i] = s[i] > 0 ? logf(s[i]) : 0; }
void fine_4(float *d, const float *s, int n, float k) { L d[i] = expf(s[i] * k); }
void fine_5(float *d, int n) { L d[i] = cosf(d[i] + 1); }
void fine_6(float *d, const uint8_t *s, int n) { L d[i] = powf(s[i] / 255.0f, 2.2f); }
void fine_7(double *d, const float *s, int n) { L d[i] = exp(-s[i] * (double)s[i]); }
void refused_11(float *d, const float *s, int n) { L d[i] = s[i] == 0.7f || s[i] > 5 ? sinf(s[i]) : 0; }
void refused_12(float *d, const uint8_t *s, int n) { L d[i] = s[i] + 1 > 7 && s[i] + 1 < 9 ? sinf(s[i]) : 0; }
void refused_13(float *d, const uint8_t *s, int n) { L d[i] = s[i] & 1 ? sinf(s[i] & 1) : 0; }
void fine_8(float *d, const float *s, int n, float a) { L { int k = (int)(cosf(a) * s[i]); d[i] = k >= 0 && k < n ? sinf(a) : 0; } }
void fine_9(float *d, const float *s, int n) { L d[i] = s[i] > 0 && s[i] < 1 ? atan2f(s[i], 2.0f) : 0; }
void refused_14(float *d, const uint8_t *s, int n) { L d[i] = sinf(s[i] >> 6); }
void refused_15(float *d, const uint8_t *s, int n) { L d[i] = sinf((s[i] & 7) * 0.1f); }
void fine_10(float *d, int w, int h) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] = atan2f(y - h / 2, x - w / 2); }
