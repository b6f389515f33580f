#include <stdint.h>
typedef uint8_t u8;
#define BODY { for (int i = 0; i < n; i++) d[i] = s[i] + 1; }
__attribute__((ms_abi)) void refused_1(u8 *d, const u8 *s, int n) BODY
void __attribute__((ms_abi)) refused_2(u8 *d, const u8 *s, int n) BODY
void refused_3(u8 *d, const u8 *s, int n) __attribute__((optimize("fast-math")));
void refused_3(u8 *d, const u8 *s, int n) BODY
__attribute__((optimize("fast-math"))) void refused_4(u8 *d, const u8 *s, int n) BODY
__attribute__((optimize("O3"), unused, aligned(16))) void fine_1(u8 *d, const u8 *s, int n) BODY
__attribute__((target_clones("avx2","default"))) void refused_5(u8 *d, const u8 *s, int n) BODY
static __attribute__((regparm(3))) int h(int x) { return x + 2; }
void refused_6(u8 *d, const u8 *s, int n) { for (int i = 0; i < n; i++) d[i] = h(s[i]); }
void fine_2(u8 *d, const u8 *s, int n) BODY
int refused_pretty(void) { return sizeof(__PRETTY_FUNCTION__); }
int refused_line(void) { return __builtin_LINE(); }
int fine_lines(int a) { return a +
   __LINE__; }
