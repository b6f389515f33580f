#include <cstdint>
#include <immintrin.h>

struct V {
    __m128i v;
    explicit V(__m128i a) : v(a) {}
};
struct Two {
    int a; short b;
    Two(int x) : a(x), b(x + 1) {}
};
struct Kept { mutable int a; Kept(int x) : a(x) {} };
int mode;
struct Ends { int a; Ends(int x) : a(x) {} ~Ends() { mode = a; } };
static inline V all(int k) { return V(_mm_set1_epi16(k)); }
static inline V plus(const V &a, const V &b) { return V(_mm_add_epi16(a.v, b.v)); }
static inline Two from(int k) { return Two(k * 2); }
static inline Two by_mode() { return Two(mode); }
struct Field { int a = mode; };
struct Made { Field f; int b; Made(int x) : b(x) {} };
static inline Two by_default(int k = mode) { return Two(k); }
static int bump() { static int k; return ++k; }
static inline Two counted() { return Two(bump()); }

void numbers(int16_t *d, const int16_t *s, int n) {
    static const V k = all(1 << 5);
    static const __m128i r = _mm_set1_epi16(3);
    static const Two t = from(4);
    for (int i = 0; i + 8 <= n; i += 8) {
        V a = plus(V(_mm_loadu_si128((const __m128i *)(s + i))), k);
        a = V(_mm_mullo_epi16(_mm_add_epi16(a.v, r), _mm_set1_epi16(t.b)));
        _mm_storeu_si128((__m128i *)(d + i), a.v);
    }
}

/* What the first call gave, for ever after. */
void of_mode(int16_t *d, const int16_t *s, int n) {
    static const Two t = by_mode();
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
void of_parameter(int16_t *d, const int16_t *s, int n) {
    static const Two t = from(n);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
void of_counter(int16_t *d, const int16_t *s, int n) {
    static const Two t = counted();
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
void changed(int16_t *d, const int16_t *s, int n) {
    static const Kept t = Kept(3);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a++;
}
struct Method {
    int a; int16_t b;
    void of_this(int16_t *d, const int16_t *s, int n) const;
    void of_named_this(int16_t *d, const int16_t *s, int n) const;
};
void Method::of_this(int16_t *d, const int16_t *s, int n) const {
    static const Two t = Two(a);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a + b;
}
void Method::of_named_this(int16_t *d, const int16_t *s, int n) const {
    static const Two t = Two(this->a);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a + b;
}
void of_field(int16_t *d, const int16_t *s, int n) {
    static const Field t{};
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
void of_inner_field(int16_t *d, const int16_t *s, int n) {
    static const Made t(3);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.f.a;
}
void of_argument(int16_t *d, const int16_t *s, int n) {
    static const Two t = by_default();
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
void ended(int16_t *d, const int16_t *s, int n) {
    static const Ends t(3);
    for (int i = 0; i < n; i++) d[i] = s[i] + t.a;
}
