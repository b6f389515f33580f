/* What depends on order. */
#include <cmath>
#include <cstdint>
#include <cstdlib>
typedef uint8_t u8;

/* Outputs that lie where others still read. */

void exchange(u8* a, u8* b, int n) {
    for (int i = 0; i < n; i++) {
        u8 t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void rotation(u8* a, u8* b, u8* c, int n) {
    for (int i = 0; i < n; i++) {
        u8 t = a[i];
        a[i] = b[i];
        b[i] = c[i];
        c[i] = t;
    }
}

void in_place_beside_a_reader(u8* a, u8* b, int w, int h, int p) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            u8 t = a[y * p + x];
            a[y * p + x] = t + 1;
            b[y * p + x] += t;
        }
}

void one_after_the_other(u8* a, u8* b, int n) {
    for (int i = 1; i < n; i++) b[i] = b[i] + a[i - 1];
    for (int i = 1; i < n; i++) a[i] = 2 * a[i - 1] ^ b[i];
}

void each_from_the_next_one(u8* a, u8* b, u8* c, int n) {
    for (int i = 0; i < n; i++) {
        c[i] ^= b[i + 1];
        b[i] += a[i + 1];
        a[i] = 3 * a[i];
    }
}

void a_step_of_speed(float* w, float* v, const float* g, int n, float k) {
    for (int i = 0; i < n; i++) {
        v[i] = k * v[i] - g[i];
        w[i] += v[i];
    }
}

void a_butterfly_read_by_another(u8* a, u8* b, u8* c, int n) {
    for (int i = 0; i < n; i++) {
        u8 s = a[i] + b[i], d = a[i] - b[i];
        c[i] += a[i + 2];
        a[i] = s;
        b[i] = d;
    }
}

void of_two_widths(uint16_t* a, u8* b, int w, int h, int p) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int k = y * p + x;
            uint16_t t = a[k];
            a[k] = t + b[k];
            b[k] = t >> 8;
        }
}

void of_two_pitches(u8* a, u8* b, int w, int h, int p, int q) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            u8 t = a[y * p + x];
            a[y * p + x] = b[y * q + x];
            b[y * q + x] = t;
        }
}

void turned(u8* a, u8* b, int n) {
    for (int i = 0; i < n; i++) {
        u8 t = a[i];
        a[i] = b[n - 1 - i];
        b[n - 1 - i] = t;
    }
}

void pixels_exchanged(u8* a, u8* b, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            u8 t = a[3 * i + c];
            a[3 * i + c] = b[3 * i + c] ^ 1;
            b[3 * i + c] = t;
        }
}

void both_ends_exchanged(u8* a, int n) {
    for (int i = 0; i < n / 2; i++) {
        u8 t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}

/* Dear values: they are not kept for later. */
void bytes_of_long_words(uint64_t* a, unsigned n) {
    uint32_t* p = (uint32_t*)a;
    for (unsigned i = 0; i < n; i++) {
        uint32_t s = *p, t = p[1];
        s = ((s >> 24) & 0xff) | ((s >> 8) & 0xff00) | ((s << 8) & 0xff0000) | (s << 24);
        t = ((t >> 24) & 0xff) | ((t >> 8) & 0xff00) | ((t << 8) & 0xff0000) | (t << 24);
        *p++ = t;
        *p++ = s;
    }
}

void rows_upside_down(uint16_t* a, int w, int h, int p) {
    for (int y = 0; y < h / 2; y++)
        for (int x = 0; x < w; x++) {
            uint16_t t = a[y * p + x];
            a[y * p + x] = a[(h - 1 - y) * p + x];
            a[(h - 1 - y) * p + x] = t;
        }
}

void turned_half_way(float* a, int w, int h) {
    for (int i = 0; i < w * h / 2; i++) {
        float t = a[i];
        a[i] = a[w * h - 1 - i];
        a[w * h - 1 - i] = t;
    }
}

int returned(u8* a, int n) {
    if (n <= 0) return 0;
    int t = a[0];
    for (int i = 0; i < n; i++) a[i] = a[i] + 1;
    return t;
}

void three_planes(u8* r, u8* g, u8* b, int n) {
    for (int i = 0; i < n; i++) {
        int m = (r[i] + g[i] + b[i]) / 3;
        r[i] = r[i] + m;
        g[i] = g[i] + m;
        b[i] = b[i] + m;
    }
}

/* States that are carried, some of them in place. */

void sliding_window(u8* d, const u8* s, int n, int radius) {
    int size = 2 * radius + 1, sum = 0;
    for (int k = 0; k < size; k++) sum += s[k];
    for (int x = radius; x < n - radius - 1; x++) {
        d[x] = sum / size;
        sum += s[x + radius + 1] - s[x - radius];
    }
}

void stored_before_it_is_updated(u8* d, const u8* s, int n) {
    int sum = 0;
    for (int x = 0; x < n; x++) {
        d[x + 3] = sum;
        sum += s[x + 3] - s[x];
    }
}

void two_states_in_place(u8* p, int n) {
    int a = 0, b = 9;
    for (int i = 0; i < n; i++) {
        a = (a * 3 + p[2 * i]) >> 2;
        b = (b + p[2 * i + 1]) >> 1;
        p[2 * i] = a;
        p[2 * i + 1] = b;
    }
}

void read_ahead_in_place(u8* p, int n) {
    int sum = 0;
    for (int x = 0; x < n; x++) {
        sum = (sum + p[x + 2]) & 255;
        p[x] = sum;
    }
}

void from_the_end_in_place(u8* p, int n) {
    int sum = 3;
    for (int x = n - 1; x >= 0; x--) {
        sum = (sum + p[x]) & 255;
        p[x] = sum;
    }
}

void rows_in_place(u8* p, int w, int h, int stride) {
    for (int y = 0; y < h; y++) {
        int state = 0;
        for (int x = 0; x < w; x++) {
            state = (state * 3 + p[y * stride + x]) >> 2;
            p[y * stride + x] = state;
        }
    }
}

void columns_in_place(uint32_t* p, int w, int h) {
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++) p[y * w + x] += p[(y - 1) * w + x];
}

int carried_and_returned(const u8* s, u8* d, int n, int m) {
    int a = 1;
    for (int i = 0; i < m; i++) a = a * 3 + s[i];
    for (int i = 0; i < n; i++) {
        d[i] = a;
        a = a * 5 + s[i];
    }
    return a;
}

/* Positions, and what is looked up. */

void sums_of_rows_counted_by_size_t(const u8* s, size_t stride, size_t w, size_t h, uint64_t* sum) {
    *sum = 0;
    for (size_t y = 0; y < h; y++) {
        int row = 0;
        for (size_t x = 0; x < w; x++) row += s[x] * s[x];
        *sum += row;
        s += stride;
    }
}

void unsigned_position(u8* d, const u8* s, int n, unsigned step) {
    unsigned at = step >> 1;
    for (int i = 0; i < n; i++) {
        d[i] = s[at >> 16];
        at += step;
    }
}

void row_pointer_up_to_its_end(u8* d, const u8* s, int w, int h, int p) {
    for (const u8* e = s + h * p; s != e; s += p, d += p)
        for (int x = 0; x < w; x++) d[x] = s[x] ^ 1;
}

void table_by_a_difference(u8* d, const u8* a, const u8* t, int n) {
    for (int i = 1; i < n; i++) d[i] = t[abs(a[i] - a[i - 1])];
}

/* Functions of the C library. */

void rounded(float* d, const float* s, int n) {
    for (int i = 0; i < n; i++) d[i] = std::round(8.0f * s[i]) + std::rint(4.0f * s[i]) + floorf(s[i]);
}

void root(double* d, const double* s, int n) {
    for (int i = 0; i < n; i++) d[i] = std::sqrt(s[i]);
}

void nearest(u8* d, const float* s, int n) {
    for (int i = 0; i < n; i++) d[i] = lroundf(s[i] * 5.0f + 3.0f);
}
