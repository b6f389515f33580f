#include <stdint.h>
/* As libraries have them. */
#define noipa __attribute__((noipa))
#define used __attribute__((used))
#define noinline __attribute__((noinline))
#define aligned __attribute__((aligned))
#define HIDDEN static
static int gain = 3;
static void row(uint8_t *d, const uint8_t *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] * gain; }
  static int total(const uint8_t *s, int n) { int t = 0; for (int i = 0; i < n; i++) t += s[i]; return t; }
HIDDEN void twice(uint8_t *s, int n) { for (int i = 0; i < n; i++) s[i] = s[i] + s[i]; }
int plane(uint8_t *d, const uint8_t *s, int w, int h, int pitch) {
    int sum = 0;
    for (int y = 0; y < h; y++, d += pitch, s += pitch) { row(d, s, w); sum += total(s, w); twice(d, w); }
    return sum;
}
