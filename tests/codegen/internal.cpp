#include <cstdint>
struct View { uint8_t *p; int n; };
namespace {
void invert(View d, const View &s) { for (int i = 0; i < s.n; i++) d.p[i] = 255 - s.p[i]; }
}
struct Steps { static void add(View v, int k) { for (int i = 0; i < v.n; i++) v.p[i] += k; } };
extern "C" void both(uint8_t *d, uint8_t *s, int n) { invert({d, n}, {s, n}); Steps::add({d, n}, 2); }
