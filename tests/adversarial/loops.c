/* Loops that count in unusual ways. */
#include <stddef.h>
#include <stdint.h>

void down(uint8_t *d, const uint8_t *s, size_t n) { for (size_t i = n; i-- > 0;) d[i] = s[i] + 1; }
void down_signed(uint8_t *d, const uint8_t *s, int n) { for (int i = n - 1; i >= 0; --i) d[i] = s[i] + 1; }
void until_equal(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i != n; i++) d[i] = s[i] ^ 1; }
void by_pointers(uint8_t *d, const uint8_t *s, const uint8_t *end) { while (s != end) *d++ = *s++ / 3; }
void by_pointers_less(uint8_t *d, const uint8_t *s, int n) { const uint8_t *e = s + n; while (s < e) *d++ = 255 - *s++; }
void do_while(uint8_t *d, const uint8_t *s, int n) { if (n <= 0) return; do *d++ = *s++ + 3; while (--n); }
void do_while_always(uint8_t *d, const uint8_t *s, int n) { int i = 0; do d[i] = s[i] + 3; while (++i < n); }
void duff(uint8_t *d, const uint8_t *s, int n) { for (; n >= 4; n -= 4, d += 4, s += 4) { d[0] = s[0]; d[1] = s[1]; d[2] = s[2]; d[3] = s[3]; } while (n-- > 0) *d++ = *s++; }
void every_third(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i += 3) d[i] = s[i] + 1; }
void two_counters(uint8_t *d, const uint8_t *s, int n) { for (int i = 0, j = n - 1; i < n; i++, j--) d[i] = s[j]; }
void meet(uint8_t *d, const uint8_t *s, int n) { for (int i = 0, j = n - 1; i <= j; i++, j--) { d[i] = s[j]; d[j] = s[i]; } }
void reversed_in_place(uint8_t *p, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { uint8_t t = p[i]; p[i] = p[j]; p[j] = t; } }
void triangle(uint8_t *d, const uint8_t *s, int n) { if (n > 200) return; for (int y = 0; y < n; y++) for (int x = 0; x <= y; x++) d[y * n + x] = s[x * n + y]; }
void trapezium(int *d, const uint8_t *s, int w, int h) { for (int y = 0; y < h; y++) { int a = 0; for (int x = y; x < w; x++) a += s[y * w + x]; d[y] = a; } }
void tiles(uint8_t *d, const uint8_t *s, int w, int h) {
    for (int ty = 0; ty < h; ty += 8) for (int tx = 0; tx < w; tx += 16)
        for (int y = ty; y < ty + 8 && y < h; y++) for (int x = tx; x < (tx + 16 < w ? tx + 16 : w); x++)
            d[y * w + x] = s[y * w + x] >> 1;
}
void skipped(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { if (i % 5 == 2) continue; d[i] = s[i] + 9; } }
void stopped(uint8_t *d, const uint8_t *s, int n, int most) { for (int i = 0; i < n; i++) { if (i == most) break; d[i] = s[i] + 9; } }
void found(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) { if (s[i] == 0) break; d[i] = s[i] + 9; } }
void bordered(uint8_t *d, const uint8_t *s, int w, int h) {
    for (int y = 1; y < h - 1; y++) for (int x = 1; x < w - 1; x++)
        d[y * w + x] = (s[(y - 1) * w + x] + s[(y + 1) * w + x] + s[y * w + x - 1] + s[y * w + x + 1]) >> 2;
}
void last_row_first(uint8_t *d, const uint8_t *s, int w, int h) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[(h - 1 - y) * w + x] = s[y * w + x]; }
void columns_first(uint8_t *d, const uint8_t *s, int w, int h, int stride) { for (int x = 0; x < w; x++) for (int y = 0; y < h; y++) d[y * stride + x] = s[y * stride + x] + x; }
void stepped(uint8_t *d, const uint8_t *s, int n, int step) { for (int i = 0; i < n; i += step > 0 ? step : 1) d[i] = s[i]; }
void both_ends(uint8_t *d, const uint8_t *s, int n) { if (n < 2) return; d[0] = s[0]; for (int i = 1; i < n - 1; i++) d[i] = (s[i - 1] + s[i + 1]) / 2; d[n - 1] = s[n - 1]; }
void unsigned_bound(uint8_t *d, const uint8_t *s, unsigned n) { for (unsigned i = 0; i + 1 < n; i++) d[i] = s[i + 1]; }
void below_minus_one(uint8_t *d, const uint8_t *s, unsigned n) { for (unsigned i = 0; i < n - 1; i++) d[i] = s[i + 1]; }
void short_counter(uint8_t *d, const uint8_t *s, int n) { for (short i = 0; i < n; i++) d[i] = s[i] + 1; }
void byte_counter(uint8_t *d, const uint8_t *s) { for (uint8_t i = 0; i < 200; i++) d[i] = s[i] + 1; }
void shared_counter(uint8_t *d, const uint8_t *s, int n, int m) { int i = 0; for (; i < n; i++) d[i] = s[i]; for (; i < m; i++) d[i] = s[i] + 1; }
void nested_break(uint8_t *d, const uint8_t *s, int w, int h, int last) { for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) { if (x > last) break; d[y * w + x] = s[y * w + x]; } } }
void comma(uint8_t *d, const uint8_t *s, int n) { int k = 5; for (int i = 0; i < n; k += 2, i++) d[i] = (k, s[i] + k); }
void halves(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n / 2; i++) d[i] = (s[2 * i] + s[2 * i + 1] + 1) >> 1; }
void doubles(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[2 * i] = d[2 * i + 1] = s[i]; }
void doubles_by_index(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < 2 * n; i++) d[i] = s[i >> 1]; }
