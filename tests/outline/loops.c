/* Functions whose loops are made functions of their own: each returns what depends on everything that its loops leave. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TWICE(v) ((v) * 2)
#define EACH(i, n) for (i = 0; i < (n); i++)

struct point { int x, y; };
typedef struct { int w, h; uint8_t *data; } Image;

long counters_left(const int *p, int n) {
    int i, j = 7, sum = 0;
    for (i = 0; i < n; i++) sum += p[i];
    for (; j < i; j++) sum ^= j;
    return sum * 100L + i * 10 + j;
}

long set_on_some_ways(const int *p, int n) {
    int last = -1, found = 0, k;
    for (k = 0; k < n; k++) {
        if (p[k] > 3) last = k;
        if (p[k] == 5) found = last;
    }
    if (n > 4) last = 9;
    for (k = 0; k < n; k++) found += last;
    return found * 1000L + last;
}

long kept_across_iterations(const int *p, int n) {
    int before = 0, total = 0, i, k = 0;
    for (i = 0; i < n; i++) {
        int own = p[i];
        for (k = 0; k < own % 5; k++) total += before * k;
        before = own;
    }
    return total * 7L + before + k;
}

long left_by_break(const int *p, int n) {
    int i, v = 0;
    for (i = 0; i < n; i++) {
        int k;
        for (k = 0; k < 3; k++) v += p[i] * k;
        if (v > 100) break;
        v = v / 2;
    }
    return v * 50L + i;
}

long left_by_continue(const int *p, int n) {
    int i, v = 1, sum = 0;
    for (i = 0; i < n; i++) {
        int k;
        for (k = 0; k < 2; k++) v += p[i];
        if (p[i] & 1) continue;
        v = 0;
        sum++;
    }
    return v * 50L + sum;
}

long pointers_moved(const int *p, int n) {
    int *out = malloc((n + 1) * sizeof(int)), *o = out;
    const int *s = p + n;
    long sum = 0;
    while (s > p) *o++ = TWICE(*--s);
    *o = 77;
    for (o = out; *o != 77; o++) sum = sum * 3 + *o;
    sum += (o - out) * 100000L;
    free(out);
    return sum;
}

long from_switch(const int *p, int n) {
    int i, mode = n % 4, k = 0, sum = 0;
    for (i = 0; i < n; i++) {
        switch (mode) {
        case 0: k = 3; /* falls through */
        case 1:
            for (; k < 4; k++) sum += p[i] + k;
            break;
        default:
            for (k = 0; k < 2; k++) sum -= p[i];
        }
        mode = (mode + 1) % 3;
    }
    return sum * 20L + k;
}

long done_once(const int *p, int n) {
    int i = 0, last;
    do {
        last = i < n ? p[i] : 4;
        i++;
    } while (i < n && last != 4);
    return last * 10L + i;
}

long arrays_of_its_own(const int *p, int n) {
    int counts[8] = {0}, i, k;
    int table[2][3];
    long sum = 0;
    EACH(i, n) counts[p[i] & 7]++;
    for (i = 0; i < 2; i++)
        for (k = 0; k < 3; k++) table[i][k] = counts[i * 3 + k] + i;
    EACH(i, 8) sum = sum * 5 + counts[i];
    for (i = 1; i >= 0; i--) sum += table[i][2 - i] * 1000;
    return sum;
}

long sizes_of_arrays(const int *p, int n) {
    int held[6] = {1, 2, 3, 4, 5, 6}, sum = 0;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) sum += held[i] + n;
    return sum;
}

long objects(const int *p, int n) {
    struct point at = {2, 5};
    Image *im = malloc(sizeof *im);
    int i;
    long sum = 0;
    im->w = n;
    im->h = 2;
    for (i = 0; i < im->w; i++) sum += p[i] * at.x + at.y;
    for (i = 0; i < n; i++) at.x += p[i];
    for (i = 0; i < n; i++) im->h += p[i];
    sum = sum * 3 + at.x + im->h;
    free(im);
    return sum;
}

long aliased(const int *p, int n) {
    int v = 3, *other = &v;
    for (int i = 0; i < n; i++) {
        *other += p[i];
        v *= 2;
    }
    return v;
}

static void counted(int *n) { *n += 1; }

long lent(const int *p, int n) {
    int v = 3, w = 1;
    counted(&v);
    counted(&w);
    for (int i = 0; i < n; i++) v += p[i];
    for (int i = 0; i < n; i++) n -= p[i] > 100 * w;
    return v + n;
}

typedef short unit;
#define UNIT sizeof(unit)
long size_that_changes(const int *p, int n) {
    typedef char unit;
    long sum = 0;
    for (int i = 0; i < n; i++) sum += p[i] * (long)UNIT;
    return sum;
}

long with_labels(const int *p, int n) {
    int i = 0, v = 0;
again:
    for (; i < n; i++) {
        v += p[i];
        if (v == 6) { i++; v++; goto again; }
    }
    return v;
}

long returns_inside(const int *p, int n) {
    int i, k, v = 0;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 4; k++) v += p[i] * k;
        if (v > 60) return v + i;
    }
    return v;
}

long static_inside(const int *p, int n) {
    static const int weights[3] = {1, 4, 9};
    long sum = 0;
    for (int i = 0; i < n; i++) sum += p[i] * weights[i % 3];
    return sum;
}

long assigned_in_conditions(const int *p, int n) {
    int i = 0, v, sum = 0;
    while (i < n && (v = p[i++]) != 8) sum += v;
    if (n > 0) sum = sum * 10 + v;
    for (i = n; i-- > 0;) sum += i;
    return sum * 10L + i;
}

#define STEP 1
long macro_before(const int *p, int n) {
#undef STEP
#define STEP 2
    long sum = 0;
    for (int i = 0; i < n; i += STEP) sum += p[i];
    return sum;
}

static int helper(int x) { return x ^ 21; }

long with_calls(const int *p, int n) {
    long sum = 0;
    int i = n, even = 0, odd = 0;
    while (i--) {
        if (p[i] & 1) odd += helper(p[i]);
        else even += helper(i);
    }
    for (i = 0; i < 3; i++) sum += even + i * odd;
    return sum + i;
}
