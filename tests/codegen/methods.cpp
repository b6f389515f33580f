#include <cstdint>

struct Gain {
    float by; int steps;
    void run(float *d, const float *s, int n) const { for (int i = 0; i < n; i++) d[i] = s[i] * by; }
    void run(float *d, int n) { for (int i = 0; i < n; i++) d[i] = d[i] + steps; }
};
class Holder {
    struct Own { int k; void lift(int *d, int n) const noexcept { for (int i = 0; i < n; i++) d[i] = d[i] + k; } };
  public:void use(int *d, int n) { Own{3}.lift(d, n); }
};
namespace {
struct Unit { int k; };
template <class T, int N> struct Fir;
template <> struct Fir<Unit, 2> {
    Unit unit; float add;
    void apply(int *d, const int *s, int n) const & { for (int i = 0; i < n; i++) d[i] = s[i] * unit.k + s[i + 1]; }
};
}
namespace q { namespace { struct Same { int k; void two(int *d, int n) { for (int i = 0; i < n; i++) d[i] += k; } }; } }
namespace q { inline namespace v1 { struct Same { float f; }; } }
struct Filter { virtual ~Filter() {} virtual void update(int *d, int n) = 0; };
struct Added : Filter {
    int k;
    void update(int *d, int n) override { for (int i = 0; i < n; i++) d[i] += k; }
    virtual void update(int *d) const noexcept { for (int i = 0; i < 4; i++) d[i] += k; }
};

extern "C" void gains(float *d, const float *s, int n) { Gain g{2.5f, 7}; g.run(d, s, n); g.run(d, n); }
extern "C" void lifts(int *d, int n) { Holder().use(d, n); }
extern "C" void fir(int *d, const int *s, int n) { Fir<Unit, 2>{{10}, 0}.apply(d, s, n); }
extern "C" void filter(int *d, int n) {
    Added a;
    a.k = 5;
    Filter *f = &a;
    f->update(d, n);
    static_cast<const Added &>(a).update(d);
}
