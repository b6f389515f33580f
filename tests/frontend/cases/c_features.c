#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char table[4] = {1, 2, 250};
#define MAX(a, b) (((a) > (b)) ? (a) : (b))

static int helper(int a) { return a > 10 ? 10 : a; }

int c_compare(int x, unsigned y, float f) {
  int a = x < 3, b = !x, c = x && f, d = y > -1;
  if (x == 2 || !(f > 0)) a++;
  return a + 2 * b + 4 * c + 8 * d + (x > 0) * 16;
}
void c_arrays(const unsigned char *restrict in, unsigned char *restrict out, int n) {
  int vla[n + 1];
  memset(vla, 0, (n + 1) * sizeof(int));
  for (int i = 0; i < n; i++) vla[i] = helper(in[i]) + table[i & 3];
  for (int i = 0; i < n; i++) out[i] = MAX(vla[i], i) + 'a';
  int *m = malloc(sizeof(int) * n);
  for (int i = 0; i < n; i++) m[i] = in[i];
  for (int i = 0; i < n; i++) out[i] ^= m[n - 1 - i];
  free(m);
}
double c_math(double x, float y) {
  assert(x == x || y != y);
  bool big = fabs(x) > 1e3;
  return sqrt(fabs(x)) + fabsf(y) + floor(x) + abs(-3) + (big ? CHAR_BIT : INT_MIN / 2) + (int)INFINITY * 0;
}
