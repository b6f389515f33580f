// Containers as values: copies that are apart, lengths that change, vectors given to and returned by helpers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

struct Dot { uint8_t r, g, b; };
static std::vector<int> ramp(size_t n) { std::vector<int> v; for (size_t i = 0; i < n; i++) v.push_back((int)i * 3); return v; }
static std::vector<int> same(const std::vector<int>& v) { return v; }
static const std::vector<int>& refer(const std::vector<int>& v) { return v; }
static int sum(std::vector<int> v) { int s = 0; for (int& e : v) { e *= 2; s += e; } return s; }
static void extend(std::vector<int>& v, int k) { v.push_back(k); v[0] = k; }
static std::vector<std::vector<int>> table(int rows, int cols) {
    std::vector<std::vector<int>> t;
    for (int i = 0; i < rows; i++) {
        std::vector<int> r;
        for (int j = 0; j < cols; j++) r.push_back(i * 10 + j);
        t.push_back(r);
    }
    return t;
}

int pushed(const uint8_t* s, int n) { std::vector<int> v; for (int i = 0; i < n; i++) if (s[i] & 1) v.push_back(s[i]); int t = 0; for (int e : v) t += e; return t * 100 + (int)v.size(); }
int copies_are_apart(int k) { std::vector<int> a{1, 2, 3}, b = a; a[1] = k; b.push_back(7); return b[1] * 100 + (int)a.size() * 10 + (int)b.size(); }
int by_value(int k) { std::vector<int> a{k, 2, 3}; int s = sum(a); return s * 100 + a[0]; }
int by_reference(int k) { std::vector<int> a{1, 2}; extend(a, k); return a[0] * 100 + a[2] * 10 + (int)a.size(); }
int returned(int n) { std::vector<int> r = ramp(n & 7), t = same(r); r.push_back(1); t.push_back(2); return (int)r.size() * 1000 + (int)t.back() * 100 + (int)(t.size() > 1 ? t[t.size() - 2] : -1); }
int returned_reference(int k) { std::vector<int> a{1, 2}; std::vector<int> b = refer(a); const std::vector<int>& c = refer(a); a[0] = k; return b[0] * 100 + c[0]; }
int moved(int n) { std::vector<std::vector<int>> t; std::vector<int> r; for (int i = 0; i < 3; i++) { r.push_back(n); r.push_back(i); t.push_back(std::move(r)); r.clear(); } return t[2][0] * 100 + t[2][1] * 10 + (int)t.size(); }
int moved_from(int n) { std::vector<int> a{n, 2}, b = std::move(a); return (int)a.size() * 10 + (int)b.size(); }
int assigned(int n) { std::vector<int> a{1}, b(5, n); a = b; b[2] = 9; a = a; return a[2] * 100 + (int)a.size(); }
int resized(int n) { std::vector<int> a{1, 2}; a.resize(5, n); a.resize(3); a.resize(4); return a[1] * 1000 + a[2] * 10 + a[3] + (int)a.size(); }
int counted(int n) { std::vector<int> a(3, 1), b(a.begin(), a.end()); a.assign(4, n); b.pop_back(); return a[3] * 100 + (int)a.size() * 10 + (int)b.size() + (b.empty() ? 1 : 0) + b.front() + b.back(); }
int own_row(int n) { std::vector<std::vector<int>> t = table(3, 2); t[2] = t[0]; t[0][1] = n; t = t; return t[2][1] * 100 + t[0][1]; }
int rows(int n) { std::vector<std::vector<int>> t = table(4, 3), u = t; t[1][2] = n; std::vector<int> r = t[1]; t[1][0] = 5; return r[2] * 1000 + u[1][2] * 10 + r[0] + (int)t[0].size() + (int)u.size(); }
int rows_of_zeros(int n) { std::vector<std::vector<int>> t(3, std::vector<int>(4)); t[1][2] = n; auto& r = t[1]; r[3] = 1; int s = 0; for (const auto& row : t) for (int v : row) s += v; return s + (int)t.back().size(); }
int rows_filled(int n) { std::vector<std::vector<int>> t(2, std::vector<int>(2, n)); std::vector<int> own{8, 9}; t[1] = own; own[0] = 0; for (auto row : t) row[0] = 77; return t[0][0] * 100 + t[1][0] * 10 + t[1][1]; }
int listed_rows(int k) { std::vector<std::vector<int>> t = {{1, 2}, {3, k}}; return t[0][1] * 100 + t[1][1]; }
int arrays(int k) { std::array<int, 3> a = {1, 2, 3}, b = a; a[1] = k; a.fill(4); return b[1] * 10 + a[1] + (int)b.size(); }
void behind_a_pointer(uint8_t* d, const uint8_t* s, int n) { std::unique_ptr<int[]> t(new int[n + 1]); auto u = std::make_unique<int[]>(n + 1); for (int i = 0; i < n; i++) t[i] = s[i] + u[i]; for (int i = 0; i < n; i++) d[i] = t.get()[i] / 2; }
void dots(uint8_t* d, const Dot* s, int n) { std::vector<Dot> v; for (int i = 0; i < n; i++) { v.push_back(s[i]); v.push_back(Dot{1, 2, (uint8_t)i}); } std::vector<Dot> w = v; for (Dot& e : v) e.r = 0; for (int i = 0; i < 2 * n; i++) d[i] = w[i].r + v[i].r + w[i].b; }
void row_buffer(uint8_t* d, const uint8_t* s, int w, int h, int stride) { std::vector<int> line(w); for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) line[x] = s[y * stride + x] * 2; for (int x = 0; x < w; x++) d[y * stride + x] = line[w - 1 - x]; } }
int in_a_lambda(int k) { std::vector<int> v{1, 2, 3}; auto f = [&](int i) { return v[i] + k; }; v[1] = 9; return f(1) + (int)v.size(); }
struct Bag { std::vector<int> v; int n = 0; void add(int x) { v.push_back(x); n++; } int total() const { int s = n; for (int e : v) s += e; return s; } };
int member_vector(int k) { Bag b; b.add(k); b.add(2); return b.total(); }
struct Tinted { uint8_t r = 1, g = 2; };
int made_of_defaults(int n) { std::vector<Tinted> v(3); v[1].r = n; v.resize(4); std::vector<Tinted> w(2, Tinted{7, 8}); return v[0].g * 1000 + v[3].r * 100 + v[1].r + w[1].g; }
