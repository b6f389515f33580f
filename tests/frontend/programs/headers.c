#include <stdatomic.h>
#include <omp.h>
#include <cpuid.h>
#include <stdalign.h>
#include <iso646.h>
#include <mm_malloc.h>
#include <emmintrin.h>
#include <tgmath.h>
#include <complex.h>
#include <stdnoreturn.h>
#include <threads.h>
#include <immintrin.h>
#include <x86intrin.h>
size_t fine_k(void) { return 4; }
void fine_f(unsigned char *d, const unsigned char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + 1; }
static atomic_int at;
int refused_g(void) { return atomic_load(&at); }
float refused_h(float x) { return sqrt(x); }
int refused_nested(int x) { int in(int y) { return x + y; } return in(3); }
void fine_wide(float *d, const float *s) { _mm512_storeu_ps(d, _mm512_loadu_ps(s)); }
