// Instances of class templates: constructors, copies and destructors that only an object of theirs runs.
#include <cassert>
#include <cstdint>
#include <cstdlib>

template <class T> struct Five { T v; Five() : v(5) {} };
template <class T> struct Six { T v = 6; };
struct HasFive { Five<int> five; int k; };
struct HasSix { Six<short> six; HasSix() {} };
template <class T, int N> struct Rows {
    T* p[N];
    Rows(int n) { for (int k = 0; k < N; k++) p[k] = (T*)malloc(n * sizeof(T)); }
    ~Rows() { for (int k = 0; k < N; k++) free(p[k]); }
};
template <class T> struct Guarded {
    T* p;
    int n;
    Guarded(int n) : p((T*)malloc((n + 2) * sizeof(T))), n(n) { p[0] = p[n + 1] = 85; }
    ~Guarded() {
        if (p) {
            for (int k = 0; k < 2; k++) assert(p[k * (n + 1)] == 85);
            free(p);
            p = 0;
        }
    }
    T& operator[](int k) { return p[k + 1]; }
};
struct Plain { int base; };
template <class T> struct OfPlain : Plain { T own; };

int default_of_a_field(int n) { HasFive a; a.k = n; HasFive b{}; return a.five.v * 100 + b.five.v * 10 + a.k; }
int initialiser_of_a_field(int n) { HasSix a; a.six.v += n & 15; return a.six.v; }
int plain_base(int n) { OfPlain<int> a; a.base = n; a.own = 3; OfPlain<int> b = a; return b.base * 2 + b.own; }
void two_rows(uint8_t* d, const uint8_t* s, int n) {
    Rows<uint8_t, 2> rows(n + 1);
    for (int i = 0; i < n; i++) rows.p[0][i] = s[i] >> 1;
    for (int i = 0; i < n; i++) rows.p[1][i] = rows.p[0][i] + 1;
    for (int i = 0; i < n; i++) d[i] = rows.p[1][i];
}
void guard_words(uint8_t* d, const uint8_t* s, int n) {
    Guarded<int> row(n);
    for (int i = 0; i < n; i++) row[i] = s[i] * 3;
    for (int i = 0; i < n; i++) d[i] = row[i] >> 2;
}
template <class T> struct Buffer {
    T* const data;
    const int size;
    Buffer(int n = 0, bool zero = false) : data(0), size(0) { resize(n, zero); }
    ~Buffer() { if (data) free(data); }
    void resize(int n, bool zero = false) {
        if (n != size) {
            if (data) {
                free(data);
                *(T**)&data = 0;
            }
            *(int*)&size = n;
            if (n) *(T**)&data = (T*)malloc(n * sizeof(T));
        }
        if (zero) for (int i = 0; i < size; i++) data[i] = 0;
    }
    T& operator[](int i) { return data[i]; }
};
struct Twice {
    Buffer<int> row;
    void run(uint8_t* d, const uint8_t* s, int n) {
        row.resize(n + 1);
        for (int i = 0; i < n; i++) row[i] = s[i] * 2;
        for (int i = 0; i < n; i++) d[i] = row.data[i] >> 1;
    }
};
static void advance(const uint8_t** p, int by) { *p += by; }
static void swapped(uint8_t** a, uint8_t** b) { uint8_t* t = *a; *a = *b; *b = t; }

void resized(uint8_t* d, const uint8_t* s, int n) {
    Buffer<uint8_t> row(n + 1);
    for (int i = 0; i < n; i++) row[i] = s[i] + 1;
    for (int i = 0; i < n; i++) d[i] = row[i] * 3;
}
int zeroed(const uint8_t* s, int n) {
    Buffer<int> counts(256, true);
    for (int i = 0; i < n; i++) counts[s[i]]++;
    return counts[7] + counts[0];
}
void resized_later(uint8_t* d, const uint8_t* s, int n) { Twice t; t.run(d, s, n); }
void by_address(uint8_t* d, const uint8_t* s, int n) { for (int i = 0; i < n; i++) { d[i] = *s; advance(&s, 2); } }
void exchanged_by_address(uint8_t* d, const uint8_t* s, int n) {
    uint8_t a[64], b[64], *p = a, *q = b, **r = &q;
    for (int i = 0; i < n; i++) { p[i] = s[i]; q[i] = 0; }
    swapped(&p, r);
    for (int i = 0; i < n; i++) d[i] = p[i] + 2 * (*r)[i];
}
struct Signed {
    int k;
    template <int add> int apply(int a) { return add ? a + k : a - k; }
    template <int add> int both(int a) { return apply<add>(a) * 3 + this->apply<0>(a); }
    int all(int a) { return both<1>(a) - both<0>(k); }
};
int member_templates(int n) { Signed x{n & 31}; return x.both<1>(n) + (&x)->apply<1>(n) + x.all(7); }
static void* reserve(size_t n) {
    char* p = (char*)malloc(n + 64);
    return p + 64;
}
void behind_a_header(float* d, const float* s, int n) {
    float* t = (float*)reserve(n * sizeof(float));
    for (int i = 0; i < n; i++) t[i] = s[i] + 1.0f;
    for (int i = 0; i < n; i++) d[i] = t[i] * 0.5f;
    free((char*)t - 64);
}
struct Fenced {
    uint8_t* p;
    Fenced(int n) {
        p = (uint8_t*)malloc(n + 32) + 16;
        *(size_t*)(p - 16) = n;
        for (int i = 0; i < 8; i++) p[i - 8] = p[n + i] = 0x55;
    }
    ~Fenced() {
        if (p) {
            uint8_t* q = p - 16;
            size_t size = *(size_t*)q;
            for (int i = 0; i < 8; i++) assert(q[8 + i] == 0x55 && q[16 + size + i] == 0x55);
            free(q);
        }
    }
};
struct TwoFenced { Fenced a, b; TwoFenced(int n) : a(n), b(2 * n) {} };
void fenced(uint8_t* d, const uint8_t* s, int n) {
    TwoFenced t(n);
    for (int i = 0; i < n; i++) t.a.p[i] = t.b.p[n + i] = s[i];
    for (int i = 0; i < n; i++) d[i] = t.a.p[i] + t.b.p[n + i];
}
namespace { namespace inner { template <class T> struct Hidden { T v; Hidden() : v(3) {} }; } }
struct HasHidden { inner::Hidden<int> h; };
int in_an_unnamed_namespace(int n) { HasHidden a; return a.h.v + n; }
