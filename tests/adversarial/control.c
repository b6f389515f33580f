/* Decisions: short circuits, effects in conditions, ways out. */
#include <stdint.h>

void short_circuit(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = i > 0 && s[i - 1] > s[i] ? 1 : 2; }
void first_or(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = i == 0 || s[i - 1] != s[i]; }
void counted_condition(uint8_t *d, const uint8_t *s, int n) { int k = 0; for (int i = 0; i < n; i++) d[i] = k++ < 3 ? s[i] : 0; }
void nested_choice(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < 50 ? s[i] < 20 ? 1 : 2 : s[i] > 200 ? 3 : 4; }
void dangling(uint8_t *d, const uint8_t *s, int n, int a) { for (int i = 0; i < n; i++) { d[i] = 0; if (a > 3) if (s[i] > 9) d[i] = 1; else d[i] = 2; } }
void switched(uint8_t *d, const uint8_t *s, int n, int mode) {
    for (int i = 0; i < n; i++) switch (mode) { case 0: d[i] = s[i]; break; case 2: case 7: d[i] = s[i] + 1; break; case -3: d[i] = 5; break; default: d[i] = 255 - s[i]; }
}
void fallen(uint8_t *d, const uint8_t *s, int n, int mode) {
    for (int i = 0; i < n; i++) { int v = s[i]; switch (mode) { case 2: v += 10; /* fall through */ case 1: v += 20; break; case 0: v = 0; } d[i] = v; }
}
void switched_data(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) switch (s[i] & 3) { case 0: d[i] = 1; break; case 1: d[i] = 10; break; case 2: d[i] = 100; break; default: d[i] = 200; } }
void ranges(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) switch (s[i]) { case 0 ... 9: d[i] = 1; break; case 100 ... 199: d[i] = 2; break; default: d[i] = 3; } }
int early(const uint8_t *s, int n, int wanted) { if (n <= 0) return -1; if (wanted == 6) return 66; int a = 0; for (int i = 0; i < n; i++) a += s[i]; return a; }
void early_void(uint8_t *d, const uint8_t *s, int n, int flag) { if (flag == 42) return; for (int i = 0; i < n; i++) d[i] = s[i]; }
void jumped(uint8_t *d, const uint8_t *s, int n, int flag) { if (flag) goto end; for (int i = 0; i < n; i++) d[i] = s[i]; end:; }
static int clamped(int v, int low, int high) { if (v < low) return low; if (v > high) return high; return v; }
void by_helper(uint8_t *d, const int *s, int n) { for (int i = 0; i < n; i++) d[i] = clamped(s[i], 16, 235); }
static int piecewise(int v) { if (v < 64) return v / 2; else if (v < 128) return 32 + (v - 64) * 2; return 160 + (v - 128) * 95 / 127; }
void curve(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = piecewise(s[i]); }
void elvis(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] ?: 77; }
void statement_expression(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = ({ int v = s[i] * 2; v > 255 ? 255 : v; }); }
void assigned_in_condition(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { int v; if ((v = s[i] - 100) > 0) d[i] = v; else d[i] = -v; } }
void flags(uint8_t *d, const uint8_t *s, int n, unsigned mask) { for (int i = 0; i < n; i++) d[i] = mask & 0x10 ? s[i] | 1 : mask & 0x8 ? s[i] & 0xfe : s[i]; }
void parity(uint8_t *d, const uint8_t *s, int w, int h) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] = (x ^ y) & 1 ? s[y * w + x] : 255 - s[y * w + x]; }
void bayer(uint8_t *d, const uint8_t *s, int w, int h) {
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
        int v = s[y * w + x];
        if (y & 1) d[y * w + x] = x & 1 ? v : v >> 1; else d[y * w + x] = x & 1 ? v >> 2 : v >> 3;
    }
}
void unless_equal(uint8_t *d, const uint8_t *s, int n, int k) { for (int i = 0; i < n; i++) if (k != 17) d[i] = s[i]; }
void masked(uint8_t *d, const uint8_t *s, const uint8_t *m, int n) { for (int i = 0; i < n; i++) if (m[i]) d[i] = s[i]; }
void masked_blend(uint8_t *d, const uint8_t *s, const uint8_t *m, int n) { for (int i = 0; i < n; i++) { if (m[i] == 0) continue; if (m[i] == 255) { d[i] = s[i]; continue; } d[i] += (s[i] - d[i]) * m[i] / 255; } }
int count(const uint8_t *s, int n, int low, int high) { int c = 0; for (int i = 0; i < n; i++) if (s[i] >= low && s[i] <= high) c++; return c; }
int greatest(const uint8_t *s, int n) { int m = 0; for (int i = 0; i < n; i++) if (s[i] > m) m = s[i]; return m; }
int index_of_greatest(const uint8_t *s, int n) { int m = -1, k = -1; for (int i = 0; i < n; i++) if (s[i] > m) { m = s[i]; k = i; } return k; }
int last_index(const uint8_t *s, int n) { int m = -1, k = -1; for (int i = 0; i < n; i++) if (s[i] >= m) { m = s[i]; k = i; } return k; }
