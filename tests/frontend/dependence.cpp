struct Rows { int a[4]; };
int *begin(Rows &r) { return r.a; }
int *end(Rows &r) { return r.a + 4; }
struct Small { int v; Small(int x); operator int() const; };
int plain(int x) { return x; }
int other(int x) { return x + 1; }
Small::Small(int x) : v(plain(x)) {}
Small::operator int() const { return v; }
template <class T> T doubled(T x) { return x + other(x); }
int sum(Rows &r) { int s = 0; for (int x : r) s += x; return s; }
int converted(int x) { return Small(x); }
int instance(int x) { return doubled(x); }
int alone(int x) { return x * 5; }
int over(int x) { return 1; }
int over(float x) { return 2; }
