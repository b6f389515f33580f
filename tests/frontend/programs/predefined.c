#include <limits.h>
#include <stdint.h>
/* What compilers predefine in their own ways: each function returns what its compiler makes of it. */
int char_min(void) { return CHAR_MIN; }
int fast16(void) { return sizeof(int_fast16_t) + (__INT_FAST16_MAX__ > 70000); }
#ifdef __LITTLE_ENDIAN__
int little(void) { return 1; }
#else
int little(void) { return 2; }
#endif
#ifdef __OPTIMIZE__
int optimized(void) { return 1; }
#else
int optimized(void) { return 2; }
#endif
int clang(void) {
#ifdef __clang__
    return 1;
#else
    return __GNUC__;
#endif
}
#define AT(x) ((x) + __LINE__)
int at_line(void) {
    return AT(
        100000);
}
#line 4000 "other.y"
int renumbered(void) { return __LINE__; }
