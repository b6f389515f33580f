// Loops over objects of C++.
#include <cstddef>
#include <vector>

struct Totals { long sum; int most; };

extern "C" long of_vectors(const int *p, int n) {
    std::vector<int> held(n + 1), more;
    Totals t{0, -1};
    for (int i = 0; i < n; i++) held[i] = p[i] * 3;
    for (size_t i = 0; i < held.size(); i++) t.sum += held[i];
    for (int v : held)
        if (v > t.most) t.most = v;
    int &most = t.most;
    for (int i = 0; i < 3; i++) most += i;
    for (int i = 0; i < n; i++) more.push_back(p[i]);
    return t.sum * 10 + t.most + (long)more.size();
}

extern "C" long with_other_names(const int *p, int n) {
    int v = 1, &other = v;
    for (int i = 0; i < n; i++) {
        v += p[i];
        other *= 2;
    }
    return v;
}

namespace inner {
static long twice(const int *p, int n) {
    long sum = 0;
    for (const int *q = p; q != p + n; ++q) sum += *q * 2L;
    return sum;
}
}

extern "C" long in_a_namespace(const int *p, int n) { return inner::twice(p, n) + n; }
