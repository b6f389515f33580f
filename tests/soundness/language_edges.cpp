// Functions whose meaning turns on one rule of the language each.  Each takes (d, s, n) and perhaps k = 20.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

// Captures

static auto adder(int k) { return [k](int v) { return v + k; }; }
void made_twice(int* d, const int* s, int n) {
    auto one = adder(1), two = adder(2);
    for (int i = 0; i < n; i++) d[i] = one(s[i]) * two(s[i]);
}
void captured_reference(int* d, const int* s, int n) {
    int x = 3;
    int& r = x;
    auto g = [=](int v) { return v + r; };
    x = 7;
    for (int i = 0; i < n; i++) d[i] = g(s[i]);
}
struct Base {
    int x = 1;
    void set(int v) { x = v; }
};
struct Derived : Base {
    int y = 2;
};
void captured_derived(int* d, const int* s, int n) {
    Derived o;
    auto g = [=](int v) { return v + o.x; };
    o.set(7);
    for (int i = 0; i < n; i++) d[i] = g(s[i]);
}

// Preprocessor

void by_compiler(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++)
#ifdef __clang__
        d[i] = s[i] + 1;
#else
        d[i] = s[i] + 2;
#endif
}
void by_version(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] + __GNUC__;
}
#define FROM(i, n) for (i = 0; i < n; )
void loop_macro(int* d, const int* s, int n, int k) {
    int i = 0;
    FROM(i, n) {
        if (i >= k) break;
        d[i] = s[i] + 1, i++;
    }
}
#define ALL for (i = 0; i < n; )
void plain_loop_macro(int* d, const int* s, int n, int k) {
    int i = 0;
    ALL {
        if (i >= k) break;
        d[i] = s[i] + 1, i++;
    }
}

// Statements

void begins_with(int* d, const int* s, int n, int k) {
    for (int i = 0; i < n; i++) {
        if (k++; s[i] > 100)
            d[i] = 1;
        else
            d[i] = 2;
    }
}
#define AFTER(x) if (k += 3; x)
void begins_with_in_macro(int* d, const int* s, int n, int k) {
    for (int i = 0; i < n; i++) {
        AFTER(k > 50) d[i] = 1;
        else d[i] = s[i];
    }
}
void const_taken_away(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = 1;
        const int& r = x;
        const_cast<int&>(r) = s[i];
        d[i] = x;
    }
}
void const_taken_from_pointer(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = 1;
        const int& r = x;
        *(int*)&r = s[i];
        d[i] = x;
    }
}
struct Cache {
    mutable int x = 1;
    void set(int v) const { x = v; }
};
void captured_mutable(int* d, const int* s, int n) {
    Cache o;
    auto g = [=](int v) { return v + o.x; };
    o.set(7);
    for (int i = 0; i < n; i++) d[i] = g(s[i] & 255);
}
constexpr int asked(int x) { return __builtin_is_constant_evaluated() ? x + 1 : x + 2; }
void asks_when(int* d, const int* s, int n) {
    constexpr int k = asked(3);
    for (int i = 0; i < n; i++) d[i] = (s[i] & 255) + k;
}

// Initialisers

struct Freed {
    ~Freed() {}
    int v;
    Freed(int a) : v(a) {}
};
struct Built {
    int x = 5;
    Built() {}
    Built(int a) : x(a) {}
};
struct Owner : Built {
    int y;
    Owner(int a) : Built(Freed(a).v), y(1) {}
};
void base_from_temporary(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Owner o(s[i]);
        d[i] = o.x;
    }
}

struct Table {
    int a[3] = {1, 2, 3};
    int b = 5;
};
void array_member(int* d, const int* s, int n) {
    Table m{};
    for (int i = 0; i < n; i++) d[i] = m.a[1] + s[i] * m.b;
}
void array_member_called(int* d, const int* s, int n) {
    Table m = Table();
    for (int i = 0; i < n; i++) d[i] = m.a[i % 3] + s[i];
}
union Bits {
    float f = 1.0f;
    uint32_t u;
};
void union_member(uint32_t* d, const uint32_t* s, int n) {
    Bits u{};
    for (int i = 0; i < n; i++) d[i] = u.u + s[i];
}
struct Inner {
    int a = 2;
    int b = a + 1;
};
struct Outer {
    int a = 100;
    int next(int v) const {
        Inner t{v};
        return t.b;
    }
};
void member_of_another(int* d, const int* s, int n) {
    Outer m;
    for (int i = 0; i < n; i++) d[i] = m.next(s[i] & 255);
}
typedef int v4si __attribute__((vector_size(16)));
void listed_lanes(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int k = i;
        v4si v = {s[k++], s[k++], s[k++], s[k++]};
        d[i] = v[0] + 10 * v[1] + 100 * v[2] - v[3];
    }
}
struct Copies {
    int x;
    Copies(int v) : x(v) {}
    Copies(const Copies& o) : x(o.x + 1) {}
};
static Copies doubled(int v) {
    Copies t(v);
    t.x *= 2;
    return t;
}
void returned_local(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Copies c = doubled(s[i] & 255);
        d[i] = c.x;
    }
}

// References

void cast_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = 1;
        const int& r = static_cast<const int&>(x);
        x = s[i];
        d[i] = r;
    }
}
void moved_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = 1;
        auto&& r = std::move(x);
        r = s[i];
        d[i] = x;
    }
}
static void add(int&& v, int a) { v += a; }
void moved_argument(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = 1;
        add(std::move(x), s[i] & 255);
        d[i] = x;
    }
}
static int tripled(const int& a, int& b) {
    b = b * 3;
    return a;
}
void greatest_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = s[i] & 1023, y = 9;
        d[i] = tripled(std::max(x, y), x);
    }
}
void chosen_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = s[i] & 1023, y = 9;
        d[i] = tripled(x > y ? x : y, x);
    }
}
static const int& first_of(const int& a, const int&) { return a; }
void returned_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int x = s[i] & 1023, y = 9;
        d[i] = tripled(first_of(x, y), x);
    }
}
void cast_object(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Derived o;
        static_cast<Base&>(o).set(s[i] & 255);
        d[i] = o.x + o.y;
    }
}
template <class T>
static void forwarded(T&& t, int v) {
    std::forward<T>(t).set(v);
}
void forwarded_object(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Base o;
        forwarded(o, s[i]);
        d[i] = o.x;
    }
}
static Base& itself(Base& b) { return b; }
void chosen_object(int* d, const int* s, int n, int k) {
    for (int i = 0; i < n; i++) {
        Base p, q;
        (k > i ? itself(p) : itself(q)).set(s[i] & 255);
        d[i] = p.x * 2 + q.x;
    }
}
struct Pair {
    int a, b;
};
void assigned_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Pair o{s[i] & 255, 1};
        const int& r = (o.a = 3);
        o.a += 5;
        d[i] = r;
    }
}
void increased_reference(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Pair o{s[i] & 255, 1};
        const int& r = ++o.a;
        o.a += 5;
        d[i] = r;
    }
}
struct Refers {
    int& v;
};
void reference_member(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int k = i;
        Refers r{d[k]};
        k = k + 1;
        r.v = s[i];
    }
}
void converted_range(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t a[3] = {1, 2, 3};
        int t = 0;
        for (const int& v : a) {
            a[0] = s[i];
            a[1] = 3;
            t += v;
        }
        d[i] = t;
    }
}
void changed_range(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int a[2][3] = {{1, 2, 3}, {s[i] & 255, 5, 6}};
        int k = 1, t = 0;
        for (int v : a[k]) {
            t += v;
            k = 0;
        }
        d[i] = t;
    }
}

// Orders, and what is done for its effect

void chosen_pointer(int* d, const int* s, int n, int k) {
    const int* p = s;
    const int* q = k > 3 ? p++ : p + 2;
    for (int i = 0; i < n; i++) d[i] = (q[i] & 255) + (p[i] & 255);
}
static Pair stored(int* p, int v) {
    *p = v;
    return {v, v + 1};
}
static const uint8_t identity[4] = {1, 2, 3, 4};
static int chosen_table(const uint8_t* t) { return t == identity; }
void known_table(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) d[i] = (s[i] & 255) + chosen_table(identity);
}
void bindings(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = 0;
        auto [a, b] = stored(d + i, s[i]);
        (void)a, (void)b;
    }
}
void counted_calls(int* d, const int* s, int n) {
    thread_local int calls = 0;
    calls++;
    for (int i = 0; i < n; i++) d[i] = (s[i] & 255) + calls;
}
void unsigned_planes(int* d, const int* s, int n) {
    const int* p[2] = {s, s + 8};
    for (int x = 0; x < n; x++) d[x] = 1;
    for (int i = -1; i < sizeof(p) / sizeof(*p) - 1; i++)
        for (int x = 0; x < n; x++) d[x] = p[i + 1][x];
}

struct Steps {
    int x = 0;
    Steps& next() {
        x++;
        return *this;
    }
    static int twice(int v) { return v * 2; }
    static constexpr int five = 5;
};
void static_call(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Steps o;
        int v = o.next().twice(s[i] & 255);
        d[i] = v + o.x;
    }
}
void static_member(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        Steps o;
        int v = o.next().five;
        d[i] = v + o.x + (s[i] & 255);
    }
}
void freed(int* d, const int* s, int n) {
    int k = 0;
    int* t = (int*)malloc(16);
    free((k++, t));
    for (int i = 0; i < n; i++) d[i] = (s[i] & 255) + k;
}
void expected(int* d, const int* s, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        int t = __builtin_expect(s[i] & 255, k++);
        d[i] = t + k;
    }
}
void swapped(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int a[4] = {s[i] & 255, 2, 3, 4};
        int j = 1;
        std::swap(a[j++], a[0]);
        d[i] = a[0] + 10 * a[1] + 100 * a[2] + j;
    }
}
static void finish(int** p) { **p = 7; }
void cleaned_up(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        __attribute__((cleanup(finish))) int* q = d + i;
        *q = s[i];
    }
}
void listed_effects(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        int k = 0;
        v4si v = {(k++, 3), s[i] & 255};
        d[i] = v[0] + v[1] + k;
    }
}
void bound_with_effects(int* d, const int* s, int n) {
    const int* p[2] = {s, s + 8};
    int k = 0;
    for (int x = 0; x < n; x++) d[x] = 0;
    for (int i = 0; i < (k++, 2); i++)
        for (int x = 0; x < n; x++) d[x] = p[i][x] & 255;
    for (int x = 0; x < n; x++) d[x] += k;
}

// Numbers

void long_quotient(int* d, const int* s, long n, long k) {
    for (long i = 0; i < n; i++) d[i] = s[(i - k) / 2 + 20];
}
void long_remainder(int* d, const int* s, long n, long k) {
    for (long i = 0; i < n; i++) d[i] = s[(i - k) % 5 + 20];
}
void stored_by_quotient(int* d, const int* s, long n, long k) {
    for (long i = 0; i < n; i++) d[i + (3 - k) / 2 + 20] = s[i];
}
void mixed_quotient(int* d, const int* s, int n, int k) {
    for (int i = 0; i < n; i++) d[i] = s[(long)(i - k) / 2 + 20];
}

typedef float v4sf __attribute__((vector_size(16)));
void converted_lanes(int* d, const int* s, int n) {
    for (int i = 0; i < n / 4; i++) {
        v4si v = *(const v4si*)(s + 4 * i) & 255;
        *(v4sf*)(d + 4 * i) = __builtin_convertvector(v, v4sf);
    }
}
void low_byte(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        float f = s[i] & 1023;
        d[i] = reinterpret_cast<unsigned char&>(f) + ((const unsigned char*)&f)[3];
    }
}
struct Fields {
    int a;
    uint8_t v[8];
    short w;
};
void offset_of_element(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) d[i] = (s[i] & 255) + __builtin_offsetof(Fields, v[2]);
}

// Memory that is updated and read

void counted_then_halved(int* d, int* s, int n) {
    for (int i = 0; i < n; i++) d[s[i] & 15]++;
    for (int i = 0; i < n; i++) s[i] = s[i] / 2;
}
void summed_then_moved(int* d, int* s, int n) {
    for (int i = 0; i < n; i++) d[0] += s[i] & 255;
    for (int i = 0; i < n; i++) s[i] = s[i + 1] / 2;
}
int counted_from_before(int* d, const uint8_t* s, int n) {
    int before = d[3];
    for (int i = 0; i < n; i++) d[s[i]]++;
    return d[3] - before;
}
void counted_beside(int* d, const int* s, int* e, int n) {
    for (int i = 0; i < n; i++) {
        d[1] += 1;
        e[i] = (s[i] & 255) * (d[0] & 255);
    }
    e[0] = d[1];
}

// The same memory

void twice_in_place(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i] ^ 7;
        uint8_t x = s[i];
        for (int k = 0; k < 1; k++) d[i] = x ^ 7;
    }
}

// Other views of the same bits

union Word {
    uint32_t whole;
    uint8_t bytes[4];
};
union Colour {
    struct {
        uint8_t red, green, blue, alpha;
    };
    uint32_t whole;
};
union Started {
    uint32_t whole = 5;
    uint8_t bytes[4];
};
void swapped_in_union(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        Word u;
        u.whole = s[i];
        std::swap(u.bytes[0], u.bytes[2]);
        d[i] = u.whole;
    }
}
void copied_union(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        Word u = {s[i]};
        u.bytes[1] ^= u.bytes[2];
        Word other = u;
        other.bytes[0]++;
        d[i] = other.whole + u.whole;
    }
}
void zeroed_union(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        Colour c{};
        c.whole += s[i];
        d[i] = c.whole + c.green;
    }
}
void started_union(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        Started u{};
        d[i] = u.bytes[0] + s[i];
    }
}
void half_of_union(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        Colour c;
        c.whole = s[i];
        if (s[i] & 1) c.alpha = c.red;
        d[i] = c.whole;
    }
}
void unions_in_memory(Word* d, const Word* s, int n) {
    for (int i = 0; i + 1 < n; i++) {
        Word u = s[i + 1];
        u.bytes[3] = u.bytes[0];
        d[i] = u;
    }
}
void bytes_of_local(uint32_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t v = s[i];
        auto* t = reinterpret_cast<uint8_t*>(&v);
        t++;
        std::swap(*t, t[2]);
        t[-1] = static_cast<uint8_t>(v >> 24);
        d[i] = v;
    }
}
void bytes_in_a_loop(uint8_t* d, const uint32_t* s, int n) {
    for (int i = 0; i < n; i++) {
        const uint32_t v = s[i] * 3;
        const uint8_t* t = reinterpret_cast<const uint8_t*>(&v);
        for (int k = 0; k < 4; k++) d[4 * i + k] = t[3 - k];
    }
}
void bytes_of_sum(uint8_t* d, const uint8_t* s, int n) {
    uint32_t sum = 0;
    const uint8_t* t = reinterpret_cast<const uint8_t*>(&sum);
    for (int i = 0; i < n; i++) {
        sum += s[i] * 77;
        d[i] = t[1];
    }
}
void parts_copied(uint64_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t v = s[i];
        const uint16_t two = static_cast<uint16_t>(s[i] * 259);
        memcpy(reinterpret_cast<uint8_t*>(&v) + 3, &two, 2);
        memcpy(reinterpret_cast<uint8_t*>(&v) + 1, &s[i], 1);
        d[i] = v;
    }
}
void bits_of_float(uint32_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) {
        const float f = s[i] * 0.37f;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        bits = (bits & 0xff800000u) | 0x1234u;
        float back;
        memcpy(&back, &bits, sizeof back);
        d[i] = (bits >> 23) + static_cast<uint32_t>(back);
    }
}
void ones_counted(uint32_t* d, const int32_t* s, int n) {
    for (int i = 0; i < n; i++)
        d[i] = __builtin_popcount(s[i]) + __builtin_popcountll(s[i]) * 100 + (__builtin_bswap32(s[i]) >> 8);
}
