// What the front end refuses; the messages are in unsupported.txt.
#include <cstdio>
#include <iostream>
#include <cstdint>
#include <cmath>
#include <complex>
#include <atomic>
#include <vector>
#include <string>
#include <functional>
#include <csetjmp>
extern int ext(int);
int counter = 0;
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
int u_recursion(int n) { return fact(n); }
int u_goto(int n) { int i = 0; again: i++; if (i < n) goto again; return i; }
int u_volatile(int n) { volatile int x = n; return x; }
void u_volatile_param(volatile int *p) { *p = 1; }
void u_printf(int n) { printf("%d", n); }
void u_cout(int n) { std::cout << n; }
int u_external(int n) { return ext(n); }
unsigned u_asm(unsigned n) { asm("nop" : "+r"(n)); return n; }
int u_funptr(int (*f)(int), int n) { return f(n); }
int u_funptr2(int n) { int (*f)(int) = fact; return f(n); }
struct P { int x, y; P* next; virtual int v(); int m(); };
struct Ends { int* p; ~Ends() { *p = 1; } }; int u_struct2(int* p) { Ends e{p}; return 0; }
int P::m() { return next->x; }
int u_virtual(P *p) { return p->v(); }
int u_throw(int n) { if (n) throw 1; return 2; }
int u_try(int n) { try { n++; } catch (...) { } return n; }
union U { int a; uint8_t b[4]; };
int u_variadic(int n, ...) { return n; }
int u_setjmp(int n) { jmp_buf b; return setjmp(b); }
int u_atomic(int n) { std::atomic<int> a(n); return a; }
int u_static(int n) { static int calls = 0; calls += n; return calls; }
void u_global_write(int n) { counter = n; }
void u_const_cast(const int *p) { *const_cast<int *>(p) = 3; }
void u_ping_pong(int *a, int *b, int n) { for (int i = 0; i < n; i++) { a[i] = b[i]; int *t = a; a = b; b = t; } }
long double u_long_double(long double x) { return x; }
int u_long_double_local(int n) { long double x = n; return (int)x; }
int u_string(int n) { const char *s = "abc"; return s[n]; }
std::complex<float> u_complex(float x) { return x; }
int u_uninit_pointer(int n) { int *p; return p[n]; }
int u_push_back(std::vector<int>& v, int n) { v.push_back(n); return v[0]; }
int u_std_string(int n) { std::string s; return n; }
int u_order(int i) { return i + i++ * 2; }
int u_bitfield(int n) { struct { int a : 3; } b; b.a = n; return b.a; }
void u_exit(int n) { if (n) exit(1); }
int *u_return_local(int n) { int a[4] = {n}; return a + 1; }
int u_diff(int *a, int *b) { *a = *b; return a - b; }
template <class T> T u_template(T a) { return a; }
int u_std_function(int n) { std::function<int(int)> f = [](int a) { return a; }; return f(n); }
int u_memcpy(float *a, const uint8_t *b, int n) { __builtin_memcpy(a, b, n); return 0; }
int u_new_single(int n) { int *p = new int(n); return *p; }
int u_qsort(int *a, int n) { qsort(a, n, 4, 0); return 0; }
int u_throwing_try(int n) try { return n; } catch (...) { return 0; }
int u_rand(int n) { return rand() % n; }
int u_lambda_copy(int n) { auto f = [=](int a) { return a + n; }; n++; return f(2); }
int u_throwing(int n) { return n > 0 ? n : throw 1; }
int u_switch_before(int n) { switch (n) { n++; case 1: return 2; } return 3; }
int u_reference_result(int a, int b) { const int &m = std::max(a, b); a = 9; return m; }
void u_stale(int *o, int n) { int *old = nullptr; for (int i = 0; i < n; i++) { int *p = new int[4]; if (old) o[i] = old[0]; p[0] = i; old = p; } }
int u_scalar_address(int n) { int x = n; int *p = &x; p += n; return *p; }
int u_address(const int *p) { int t[4]; return (int)(long)&t[0] + p[0]; }
void u_memset_float(float *p, int n) { __builtin_memset(p, 1, n * sizeof(float)); }
void u_memcpy_bytes(int *p, const int *q, int n) { __builtin_memcpy(p, q, n); }
void u_memmove(int *p, int n) { __builtin_memmove(p, p + 1, n * sizeof(int)); }
int u_two_calls(int n) { int x = n; auto f = [&] { return x++; }; return f() - f() * 2; }
class Image { public: uint8_t *data; uint8_t **rows; };
float u_half(float x) { _Float16 h = x; return h; }
__int128 u_int128(int n) { return n; }
struct Counted { int k; virtual int get() const; };
int u_virtual_call(int n) { Counted c; c.k = n; return c.get(); }
union Bits { int i; double f; };
struct Padded { uint8_t a; uint16_t b; };
void u_padded(Padded* d, const Padded* s) { *d = *s; }
struct Holder { int* p; };
int u_pointer_moved(int n) { Holder a{&n}, b{&n}; Holder* h = &a; h = &b; return *h->p; }
int u_one_of_two(int a, int b) { const int& m = a < b ? a : b; a = 5; return m; }
int u_captured_array(int k) { int a[3] = {1, 2, 3}; auto f = [=] { return a[0]; }; a[0] = k; return f(); }
void u_vector_resized(std::vector<int>& v, int n) { v.resize(n); }
void u_rows_beside(std::vector<std::vector<int>>& v, int* p) { for (unsigned i = 0; i < v.size(); i++) v[i][0] = *p; }
void u_rows_written_beside(const std::vector<std::vector<int>>& v, int* p) { for (unsigned i = 0; i < v.size(); i++) p[i] = v[i][0]; }
std::vector<bool> u_bits(int n) { return std::vector<bool>(n); }
void u_strings(std::vector<std::string>& v) { v[0] = v[1]; }
std::vector<int> u_two(int n) { std::vector<int> a(n), b(n); if (n > 3) return a; return b; }
void u_row_grows(std::vector<std::vector<int>>& v) { v[0].push_back(1); }
int u_moved_away(std::vector<int>& v) { std::vector<int> w = std::move(v); return w[0]; }
int u_at(int n) { std::vector<int> v(3); v.at(n) = 1; return v[0]; }
struct Own { int k; int get() { auto f = [*this] { return k; }; k = 5; return f(); } };
int u_captured_object(int n) { Own o{n}; return o.get(); }
struct HasEnds { Ends e; int k; };
int u_field_with_destructor(int* p) { HasEnds h{{p}, 1}; return h.k; }
struct Counts { int k; Counts(int k) : k(k) {} Counts(const Counts& o) : k(o.k + 1) {} };
struct HasCounts { Counts c; int n; };
int u_field_with_copies(int n) { HasCounts a{{n}, 2}; HasCounts b = a; return b.c.k; }
void u_vector_with_copies(std::vector<Counts>& v) { v[0].k = v[1].k; }
struct DerivedCounts : Counts { int n; DerivedCounts(int k) : Counts(k), n(k) {} };
int u_base_with_copies(int n) { DerivedCounts a(n); DerivedCounts b = a; return b.k; }
template <class T> struct Cells { T* p; int n; void clear(int k) const; int size() const; };
template <class T> void Cells<T>::clear(int k) const { for (int i = 0; i < n; i++) p[i] = k; }
template <class T> int Cells<T>::size() const { return n; }
template <class T> struct Zeroes { T* p; Zeroes(T* q) : p(q) {} ~Zeroes() { *p = 0; } };
void u_template_destructor(int* d, int n) { Zeroes<int> z(d); for (int i = 0; i < n; i++) d[i] = 7; }
template <class T> struct CountsT { T k; CountsT(T k) : k(k) {} CountsT(const CountsT& o) : k(o.k + 1) {} };
struct HasCountsT { CountsT<int> c; int n; };
int u_template_copies(int n) { HasCountsT a{{n}, 2}; HasCountsT b = a; return b.c.k; }
template <class T> struct DerivedT : CountsT<T> { T n; DerivedT(T k) : CountsT<T>(k), n(k) {} };
int u_template_base(int n) { DerivedT<int> a(n); return a.k; }
struct Leaves { int& c; Leaves(int& x) : c(x) {} ~Leaves() { c = 7; } };
int u_destructor_of_a_reference(int n) { int k = 1; { Leaves a(k); } return k + n; }
struct Late { int* out; int* held; Late(int* o) : out(o), held(0) {} ~Late() { if (held) *out = 1; } };
void u_destructor_later(int* d, int n) { Late a(d); a.held = d; for (int i = 0; i < n; i++) d[i] = 5; }
void u_delete(Late* a) { delete a; }
int u_order_of_elements(int n) { int a[2] = {n, 1}; auto raise = [](int* p) { return ++*p; }; return raise(a + 1) * raise(a + (n & 1)); }
struct AnyOf { int v; template <class U = int> AnyOf(U u = 7) : v(u) {} };
struct HasAnyOf { AnyOf a; };
int u_constructor_template(int n) { HasAnyOf h{}; return h.a.v + n; }
int *u_return_one_of_two(int *a, int *b, int n) { if (n) return a; return b; }
const int &u_return_larger(const int &a, const int &b) { return a < b ? b : a; }
const int *u_return_table(int n) { static const int t[] = {1, 2, 3}; return t + n; }
int *u_return_static(int n) { static int t; t = n; return &t; }
int *u_return_variable(int n) { int v = n; return &v; }
int *u_return_allocated(int n) { int *p = new int[n]; for (int i = 0; i < n; i++) p[i] = i; return p; }
int *u_return_row(int **rows, int y, int n) { for (int i = 0; i < n; i++) rows[y][i] = i; return rows[y]; }
int *u_return_null_or_not(int *p, int n) { int *q = nullptr; for (int i = 0; i < n; i++) q = p[i] ? p + i : nullptr; return q; }
int *u_return_number(uintptr_t n) { return (int *)n; }
struct OfPointers { int *p; int n; };
OfPointers u_return_structure_of_pointers(int *p, int n) { return {p, n}; }
OfPointers &u_return_own_object(int *p, int n) { OfPointers o = {p, n}; return o; }
struct Left { int a; }; struct Right { int b; }; struct Both : Left, Right { int *p; };
Right &u_return_part(Both &o, int n) { for (int i = 0; i < n; i++) o.p[i] = o.a; return o; }
struct Copied { int n; Copied(int k) : n(k) {} Copied(const Copied &o) : n(o.n + 1) {} };
Copied u_return_copied(int n) { Copied c(n); return c; }
Left u_return_nothing(int n) { Left l = {n}; if (n > 0) return l; }
struct Wide { int w, h; }; struct High { int h, w; };
void u_cast_to_another_class(Wide *a, int *d) { const High *b = (const High *)a; for (int i = 0; i < b->w; i++) d[i] = 1; }
void u_table_of_the_callers(int **rows, int n) { int *t = rows[0]; rows[0] = rows[1]; rows[1] = t; for (int i = 0; i < n; i++) rows[0][i] = 1; }
struct Planes { int *data[4]; int plane[4]; int n; };
void u_place_that_changes(Planes *f) { f->plane[0] = 3; for (int i = 0; i < f->n; i++) f->data[f->plane[0]][i] = 1; }
void u_own_copies(Planes f, int k) { f.data[0] = f.data[1]; for (int i = 0; i < f.n; i++) f.data[k][i] = 1; }
struct WithTable { virtual ~WithTable() {} Wide a; int *p; };
void u_cast_past_a_table(WithTable *v, int *d) { Wide *a = (Wide *)v; for (int i = 0; i < a->w; i++) d[i] = v->p[i]; }
void u_null_at_a_place_that_changes(Planes *f, int *d) { f->plane[0] = 3; d[0] = f->data[f->plane[0]] ? 1 : 2; }
int u_null_row(int **rows, unsigned c) { return !rows[3 - c] ? -1 : 1; }
int u_row_before(int **rows, int a, int *d) { return rows[a] < d; }
int u_same_row(int **rows, int a, int b) { return rows[a] == rows[b]; }
long u_distance_of_rows(int **rows, int y) { return rows[y + 1] - rows[y]; }
