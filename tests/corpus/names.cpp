#include <cstdint>
extern "C" void halide_error(uint8_t *p, int n) { for (int i = 0; i < n; i++) p[i] = 255 - p[i]; }
extern "C" void f(uint8_t *p, int n) { for (int i = 0; i < n; i++) p[i] = 253 - p[i]; }
extern "C" void f__original(uint8_t *p, int n) { for (int i = 0; i < n; i++) p[i] = 252 - p[i]; }
extern "C" void of_halide(uint8_t *Var, const uint8_t *Output, int Buffer, int cast) {
    for (int i = 0; i < Buffer; i++) Var[i] = Output[i] + cast;
}
extern "C" void of_python(uint8_t *__debug__, const uint8_t *None, int lambda, int _) {
    for (int i = 0; i < lambda; i++) __debug__[i] = None[i] + _;
}
extern "C" void of_the_generator(uint8_t *generate, const uint8_t *schedule, int select, int select_) {
    for (int i = 0; i < select; i++) generate[i] = schedule[i] > 3 ? select_ : 4;
}
namespace my { static inline int abs(int a) { return a > 3 ? a : 7 - a; } }
extern "C" void helper(uint8_t *p, int n) { for (int i = 0; i < n; i++) p[i] = my::abs(p[i] - 9); }
