#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <cerrno>
#include <atomic>
#include <mutex>
#include <thread>
#include <csignal>
#include <vector>
#include <memory>
#include <new>
typedef uint8_t u8;
#define LOOP for (int i = 0; i < n; i++) d[i] = s[i] + 1;
struct Im { u8 *data; int w, h; };
struct Own { u8 *p; Own(u8 *q) : p(q) {} ~Own() { free(p); } };
struct Tmp { u8 *p; Tmp(int n) : p((u8 *)malloc(n)) {} ~Tmp() { free(p); } };
void refused_1(void *p) { if (p) free(p); }
void refused_2(u8 *d, const u8 *s, int n) { LOOP delete[] s; }
void refused_3(Im *im) { free(im->data); }
void refused_4(Own *o) { delete o; }
void refused_5(u8 *d, u8 *s, int n) { LOOP Own o(s); }
void fine_5(u8 *d, const u8 *s, int n) { Tmp t(n); for (int i = 0; i < n; i++) t.p[i] = s[i] + 1; memcpy(d, t.p, n); }
void refused_6(u8 *d, const u8 *s, int n) { LOOP errno = 3; }
void refused_7(u8 *d, const u8 *s, int n) { LOOP errno++; }
static std::atomic<int> at; std::mutex mx; int glob; thread_local int tl; volatile int vol;
void refused_8(u8 *d, const u8 *s, int n) { LOOP at++; }
void refused_9(u8 *d, const u8 *s, int n) { LOOP at.store(n); }
void refused_10(u8 *d, const u8 *s, int n) { std::lock_guard<std::mutex> g(mx); LOOP }
void refused_11(u8 *d, const u8 *s, int n) { mx.lock(); LOOP mx.unlock(); }
void refused_12(u8 *d, const u8 *s, int n) { LOOP glob = n; }
void refused_13(u8 *d, const u8 *s, int n) { LOOP tl++; }
void refused_14(u8 *d, const u8 *s, int n) { LOOP vol = n; }
void refused_15(u8 *d, const u8 *s, int n) { static int calls; calls++; LOOP }
void refused_16(u8 *d, const u8 *s, int n) { LOOP raise(SIGUSR1); }
void fine_17(u8 *d, const u8 *s, int n) { LOOP if (n == 7) throw 3; }
void refused_18(u8 *d, const u8 *s, int n) { try { LOOP } catch (...) {} }
void refused_19(u8 *d, const u8 *s, int n) { LOOP __sync_fetch_and_add(&glob, 1); }
void refused_20(u8 *d, const u8 *s, int n) { LOOP __atomic_store_n(&glob, 1, 0); }
void refused_21(u8 *d, const u8 *s, int n) { LOOP __sync_synchronize(); }
void refused_22(u8 *d, const u8 *s, int n) { LOOP std::atomic_thread_fence(std::memory_order_seq_cst); }
void refused_23(u8 *d, const volatile u8 *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void refused_24(volatile u8 *d, const u8 *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
__attribute__((weak)) extern const int wk; const int wk = 5;
extern const int wk2 __attribute__((weak)); const int wk2 = 6;
void refused_25(u8 *d, const u8 *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + wk; }
void refused_25b(u8 *d, const u8 *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + wk2; }
void refused_26(Im *im, int n) { im->data = (u8 *)malloc(n); memset(im->data, 0, n); }
u8 *refused_27(const u8 *s, int n) { u8 *d = (u8 *)malloc(n); memcpy(d, s, n); return d; }
void refused_28(u8 *d, const u8 *s, int n) { LOOP asm volatile("" ::: "memory"); }
void refused_29(u8 *d, const u8 *s, int n) { LOOP __builtin_trap(); }
void fine_30(u8 *d, const u8 *s, int n) { if (n < 0) __builtin_unreachable(); LOOP }
void refused_31(u8 *d, const u8 *s, int n) { LOOP srand(n); }
void refused_32(u8 *d, const u8 *s, int n) { LOOP (void)rand(); }
void refused_33(u8 *d, const u8 *s, int n) { u8 *t = (u8 *)realloc((void *)s, n); LOOP (void)t; }
void refused_34(u8 *d, const u8 *s, int n) { LOOP ; std::thread([]{}).detach(); }
void refused_35(u8 *d, const u8 *s, int n) { std::unique_ptr<u8[]> p(d); LOOP }
void fine_35(u8 *d, const u8 *s, int n) { std::unique_ptr<u8[]> p(new u8[n]); for (int i = 0; i < n; i++) p[i] = s[i]; for (int i = 0; i < n; i++) d[i] = p[i]; }
void refused_36(u8 *d, const u8 *s, int n) { u8 *t = (u8*)malloc(n); if (n > 3) t = d; LOOP free(t); }
void fine_36(u8 *d, const u8 *s, int n) { u8 *t = (u8*)malloc(n); for (int i = 0; i < n; i++) t[i] = s[i]; for (int i = 0; i < n; i++) d[i] = t[i]; free(t); }
void refused_37(u8 *d, const u8 *s, int n) { operator delete(d); LOOP }
void refused_38(u8 *d, const u8 *s, int n) { std::free(d + n); }
void refused_39(std::vector<u8> &v, int n) { v.clear(); }
void refused_40(std::vector<u8> &v, int n) { v.resize(n); }
void refused_41(u8 *d, const u8 *s, int n) { new (d) Im; LOOP }
void refused_42(u8 *d, const u8 *s, int n) { LOOP __builtin_ia32_pause(); }
static void closer(u8 **p) { free(*p); *p = nullptr; }
void refused_43(u8 *d, u8 *s, int n) { LOOP closer(&s); }
struct Holder { std::vector<u8> v; u8 *raw; ~Holder() { delete[] raw; } };
void refused_44(u8 *d, u8 *s, int n) { Holder h; h.raw = s; LOOP }
void fine_44(u8 *d, u8 *s, int n) { Holder h; h.raw = new u8[n]; LOOP }
