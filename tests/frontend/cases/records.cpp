// Structures and classes as values and objects: copies, constructors, member functions, functors, lambdas.
#include <cstdint>
#include <cstdlib>

struct Pixel { uint8_t r, g = 3, b; };
struct Dot { uint8_t r, g, b; };
struct Extent { int w, h; int area() const { return w * h; } void grow(int k) { w += k; h += k; } Extent& self() { return *this; } };
struct View : Extent {
    uint8_t* data;
    int pitch;
    View(uint8_t* d, int w_, int h_, int p) : Extent{w_, h_}, data(d), pitch(p) {}
    View(uint8_t* d, int n) : View(d, n, 1, n) {}
    uint8_t* row(int y) const { return data + y * pitch; }
    uint8_t& operator()(int x, int y) { return this->data[y * pitch + x]; }
    uint8_t operator()(int x, int y) const { return data[y * pitch + x]; }
    View part(int x, int y, int ww, int hh) const { return View(data + y * pitch + x, ww, hh, pitch); }
    void fill(uint8_t v) {
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) (*this)(j, i) = v;
    }
};
struct Times { int k; int operator()(int a) const { return a * k; } };
struct Scratch {
    Scratch(int n) { p = (int*)malloc(n * sizeof(int)); }
    ~Scratch() { free(p); }
    int& operator[](int i) { return p[i]; }
    int* p;
};
struct Sum { int s = 0; Sum& add(int v) { s += v; return *this; } int mean(int n) const { return s / n; } };
struct Vec {
    float x, y, z;
    Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
    friend Vec operator*(Vec a, float k) { a.x *= k; a.y *= k; a.z *= k; return a; }
    Vec& operator+=(const Vec& o) { x += o.x; y += o.y; z += o.z; return *this; }
};
struct Window { uint8_t v[3]; int used; int sum() const { int s = 0; for (int i = 0; i < used; i++) s += v[i]; return s; } };
struct Planes { uint8_t* p[2]; int n; };
struct Pair { Extent a, b; Pair(int x) : a{x, x + 1} { b = a; b.w *= 3; } };
struct Through { int& target; int k; void put(int v) { target += v * k; } };
template <int N, class T> struct Fixed { T v[N]; T dot(const T* s) const { T t = 0; for (int i = 0; i < N; i++) t += v[i] * s[i]; return t; } };

template <class F> static void each(const View& d, const View& s, F f) {
    for (int y = 0; y < d.h; y++) {
        uint8_t* a = d.row(y);
        const uint8_t* b = s.row(y);
        for (int x = 0; x < d.w; x++) a[x] = f(b[x]);
    }
}
static Pixel grey(int a) { Pixel p = {(uint8_t)a}; return p; }
static Pixel bright(Pixel p, int k) { p.r += k; p.g += k; if (k > 5) return p; p.b += k; return p; }
static void set_all(View* v, uint8_t x) { if (v) v->fill(x); }

void passed_by_value(Pixel* px, int n, int k) { for (int i = 0; i < n; i++) px[i] = bright(px[i], k); }
void copied_first(Pixel* px, int n, int k) { for (int i = 0; i < n; i++) { Pixel old = px[i]; px[i].r += k; px[i].b = old.r; } }
void made_from_one(Pixel* px, int n) { for (int i = 0; i < n; i++) { Pixel a = grey(i); px[i] = a; } }
void default_fields(Pixel* px, int n) { for (int i = 0; i < n; i++) { Pixel a; a.r = i; a.b = a.g; px[i] = a; } }
void zeros(Pixel* px, int n) { for (int i = 0; i < n; i++) px[i] = Pixel(); }
void views(uint8_t* d, const uint8_t* s, int w, int h, int stride) {
    View a(d, w, h, stride);
    const View b((uint8_t*)s, w, h, stride);
    for (int y = 0; y < a.h; y++)
        for (int x = 0; x < a.w; x++) a(x, y) = 255 - b(x, y);
}
void with_functor(uint8_t* d, const uint8_t* s, int w, int h, int stride, int k) {
    View a(d, w, h, stride), b((uint8_t*)s, w, h, stride);
    each(a, b, Times{k});
}
void with_lambda(uint8_t* d, const uint8_t* s, int w, int h, int stride, int k) {
    View a(d, w, h, stride), b((uint8_t*)s, w, h, stride);
    each(a, b, [=](int v) { return v + k + a.area(); });
}
void part_filled(uint8_t* d, int w, int h, int stride) { View a(d, w, h, stride); a.part(1, 1, w - 2, h - 2).fill(7); }
void line_filled(uint8_t* d, int n) { View a(d, n); set_all(&a, 9); }
void scratch(uint8_t* d, const uint8_t* s, int n) {
    Scratch t(n);
    for (int i = 0; i < n; i++) t[i] = s[i] * 3;
    for (int i = 0; i < n; i++) d[i] = t[i] >> 2;
}
void chained(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 1; i < n - 1; i++) d[i] = Sum().add(s[i - 1]).add(s[i]).add(s[i + 1]).mean(3);
}
int carried(const uint8_t* s, int n) { Sum a; for (int i = 0; i < n; i++) a.add(s[i]); return a.s; }
void vectors(Vec* d, const Vec* s, float k, int n) { for (int i = 0; i < n; i++) d[i] = s[i] * k + d[i]; }
void accumulated(Vec* d, const Vec* s, float k, int n) { for (int i = 0; i < n; i++) d[i] += s[i] * k; }
void chosen(Vec* d, const Vec* s, float k, int n) { for (int i = 0; i < n; i++) d[i] = s[i].x < k ? s[i] : s[i] * k; }
void exchanged(Pixel* a, Pixel* b, int n) { for (int i = 0; i < n; i++) { Pixel t = a[i]; a[i] = b[i]; b[i] = t; } }
int of_the_base(int a) { View v(nullptr, 2, a, 1); v.grow(a); v.self().w += 2; return v.w * 7 + v.h; }
int copies_apart(int k) { Window a = {{1, 2, 3}, 3}; Window b = a; a.v[1] = k; a.used = 2; return b.sum() * 1000 + a.sum(); }
void windows(uint8_t* d, const uint8_t* s, int n) { for (int i = 2; i < n; i++) { Window w = {{s[i], s[i - 1], s[i - 2]}, 3}; d[i] = w.sum() / 3; } }
void planes(uint8_t* a, uint8_t* b, int n) { Planes p = {{a, b}, n}; for (int i = 0; i < p.n; i++) { p.p[0][i] = i; p.p[1][i] = p.p[0][i] + 1; } }
int nested(int k) { Pair p(k); p.a.grow(2); return p.a.area() + p.b.area() * 3; }
int by_reference(int k, int n) { int t = 1; Through to{t, k}; for (int i = 0; i < n; i++) to.put(i); return t; }
void fixed(int32_t* d, const int32_t* s, int n) { const Fixed<3, int32_t> f = {{1, -2, 1}}; for (int i = 0; i < n; i++) d[i] = f.dot(s + i); }
int assigned_in_branches(int k) { Extent e{1, 2}, f{3, k}; if (k > 4) e = f; else { e.h = k; } f.w = 9; return e.w * 100 + e.h; }
int assigned_in_loop(int n) { Extent e{1, 2}; for (int i = 0; i < n; i++) { Extent f = {e.h, e.w + i}; e = f; } return e.w * 100 + e.h; }
int unnamed(int n) { struct { int a, b; } q; q.a = n; q.b = 2 * q.a; return q.b; }
int local_functor(int k) { struct Plus { int k; int operator()(int x) const { return x + k; } } plus{k}; return plus(3) * plus(4); }
union Bits32 { float f; int32_t i; uint32_t u; };
struct Tagged { Bits32 b; int k; };
uint32_t float_bits(float x) { Bits32 b; b.f = x; b.i ^= 1; return b.u >> 3; }
float of_bits(int n) { Bits32 b = {1.5f}, c; b.u += n << 8; c = b; c.f *= 2.0f; return c.f + b.f; }
void absolute_by_bits(float* d, const float* s, int n) { for (int i = 0; i < n; i++) { union { float f; uint32_t u; } b; b.f = s[i]; b.u &= 0x7fffffff; d[i] = b.f; } }
int tagged(int n) { Tagged t = {{0.0f}, 3}; t.b.i = n; Tagged u = t; t.b.u = 7; return u.b.i + t.b.i + u.k; }
static int with_default(int a, int b = 5, Extent e = {2, 3}) { return a * 100 + b * 10 + e.area(); }
int defaults(int k) { return with_default(k) + with_default(k, 7) * 3 + with_default(k, int()) * 5 + with_default(k, 1, {k, 2}); }
struct Start { int a, b; Start(int n = 4) : a(n) { b = a + 1; } };
struct Holds { Start s; int k = 2; };
struct Derived : Start { int c; Derived() : c(9) {} };
int default_constructors(int n) { Holds h; Derived d; Start own(n); Holds g = h; g.s.a += n; return h.s.b * 100 + h.k + d.a * 10 + d.c + own.b + g.s.a; }
struct Copied { int k; Copied(int k) : k(k) {} Copied(const Copied& o) : k(o.k + 1) {} Copied& operator=(const Copied& o) { k = o.k * 2; return *this; } };
static int taken(Copied c) { return c.k; }
int own_copies(int n) { Copied a(n & 255), b = a, c(1); c = b; return a.k * 10000 + b.k * 100 + c.k + taken(a); }
static const Dot palette[3] = {{1, 2, 3}, {4, 5, 6}, {255, 0, 7}};
void local_structures(Dot* px, int n) { Dot t[2] = {{9, 8, 7}}; for (int i = 0; i < n; i++) { t[1] = px[i]; px[i] = t[0]; t[0] = t[1]; } }
void window_of_structures(uint8_t* d, const Dot* px, int n) { for (int i = 1; i < n - 1; i++) { Dot w[3]; for (int k = 0; k < 3; k++) w[k] = px[i + k - 1]; int s = 0; for (const Dot& p : w) s += p.g; d[i] = s / 3 + w[1].r; } }
void table_of_structures(Dot* px, const uint8_t* s, int n) { for (int i = 0; i < n; i++) { const Dot& p = palette[s[i] % 3]; px[i].r = p.b; px[i].g = palette[2].r; } }
void chosen_planes(uint8_t* a, uint8_t* b, const uint8_t* s, int n) { uint8_t* out[2] = {a, b}; for (int p = 0; p < 2; ++p) for (int i = 0; i < n; i++) out[p][i] = s[i] + p; for (int p = 1; p >= 0; p--) out[0][p] = p; }
