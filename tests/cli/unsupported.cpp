#include <cstdint>
#include <cstdio>
#include <iostream>
extern uint8_t external(uint8_t x);
int recursion(int n) { return n < 2 ? 1 : n * recursion(n - 1); }
int jump(int n) {
    int i = 0;
again:
    i++;
    if (i < n) goto again;
    return i;
}
void changing(volatile uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
void printing(const uint8_t* p, int n) {
    for (int i = 0; i < n; i++)
        printf("%d", p[i]);
}
void streaming(const uint8_t* p, int n) { for (int i = 0; i < n; i++) std::cout << p[i]; }
unsigned assembly(unsigned n) { asm("bswap %0" : "+r"(n)); return n; }
int pointer(int (*f)(int), int n) { return f(n); }
void permute(uint8_t* dst, const uint8_t* src, int* perm, int n) {
    for (int i = 0; i < n; perm[i++] = 0)
        dst[perm[i]] = src[i];
}
void bodiless(uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = external(p[i]); }
void invert(uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = 255 - p[i]; }
int knowing(int x) { return __builtin_constant_p(x) ? x + 1 : x + 2; }
