/* Loops in every shape, whose functions are verified. */
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <algorithm>
typedef uint8_t u8;

void kept_from_one_iteration_to_the_next(u8* p, int n) {
    int a = 7;
    for (int i = 0; i < n; i++) {
        int c = p[i];
        p[i] = (c + a) / 2;
        a = c;
    }
}

void local_changed_twice_after_continue(u8* d, const u8* s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i] < 10) continue;
        int v = s[i] * 3;
        if (v > 200) {
            v = 200;
        }
        d[i] = v;
    }
}

void flattened(u8* d, const u8* s, int w, int h) {
    for (int i = 0; i < w * h; i++) d[i] = s[i] ^ 1;
}

void reversed_order(u8* d, const u8* s, unsigned n) {
    for (unsigned i = n; i > 0; i--) d[n - i] = s[i - 1];
}

void strided(u8* d, const u8* s, int n) {
    for (int i = 0; i < n; i += 2) d[i] = s[i];
}

void narrow_counter(u8* d, u8 n) {
    for (u8 i = 0; i < n; i++) d[i] = i;
}

void odd_tail(u8* d, const u8* s, size_t n) {
    for (size_t i = 0; i < (n & ~(size_t)1); i += 2) {
        d[i] = s[i] >> 1;
        d[i + 1] = s[i + 1] >> 1;
    }
    if (n & 1) d[n - 1] = s[n - 1] >> 1;
}

void peeled(u8* d, const u8* s, int n) {
    d[0] = s[0];
    for (int i = 1; i < n - 1; i++) d[i] = (s[i - 1] + 2 * s[i] + s[i + 1]) >> 2;
    d[n - 1] = s[n - 1];
}

void cleared_first(u8* d, const u8* s, int w, int h, int p) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) d[y * p + x] = 0;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) d[y * p + x] = s[y * p + x];
}

void prefix_sum(int* p, int n) {
    for (int i = 1; i < n; i++) p[i] += p[i - 1];
}

void recursive_filter(float* d, const float* s, float a, int n) {
    float p = 0;
    for (int i = 0; i < n; i++) {
        p = p * a + s[i] * (1 - a);
        d[i] = p;
    }
}

void row_scan(int* d, const u8* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        int acc = 0;
        for (int x = 0; x < w; x++) {
            acc += s[y * w + x];
            d[y * w + x] = acc;
        }
    }
}

void shifted_in_place(u8* p, int n) {
    for (int i = 0; i < n - 1; i++) p[i] = p[i + 1];
}

void swapped(u8* a, u8* b, int n) {
    for (int i = 0; i < n; i++) {
        u8 t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void data_choose_an_offset(u8* d, const u8* t, int n) {
    int lo = 0, hi = 1;
    if (t[0] > 3) {
        lo = 1;
        hi = 2;
    }
    for (int i = 0; i < n; i++) d[i] = t[i + lo] + hi;
}

void modes(u8* d, const u8* s, const u8* m, int n, int mode) {
    for (int i = 0; i < n; i++) {
        int v = s[i];
        if (mode == 2 && m[i] > 3)
            v = 255 - v;
        else if (mode == 1)
            v = v * m[2 * i] >> 8;
        d[i] = v;
    }
}

void table_by_signed_byte(u8* d, const signed char* s, const u8* t, int n) {
    for (int i = 0; i < n; i++) d[i] = t[(unsigned char)s[i]];
}

void declared_after_continue(float* p, int n) {
    for (int i = 0; i < n; i++, p += 2) {
        if (p[1] == 0) continue;
        float t = 1 / p[1];
        p[0] *= t;
    }
}

void channels_after_their_sum(u8* p, int n) {
    for (int i = 0; i < n; i++) {
        int m = (p[3 * i] + p[3 * i + 1] + p[3 * i + 2]) / 3;
        for (int c = 0; c < 3; c++) p[3 * i + c] = (p[3 * i + c] + m) / 2;
    }
}

void channels_of_two_layouts(u8* d, const u8* s, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) d[3 * i + c] = s[4 * i + c] ^ s[4 * i + 3];
}

void mask_of_bits(u8* d, const u8* s, const u8* m, int n) {
    for (int i = 0; i < n; i++)
        if (m[i >> 3] & (128 >> (i & 7))) d[i] = s[i];
}

void large_tiles(u8* d, const u8* s, int w, int h) {
    for (int t = 0; t < h; t += 64)
        for (int u = 0; u < w; u += 64)
            for (int y = t; y < std::min(t + 64, h); y++)
                for (int x = u; x < std::min(u + 64, w); x++) d[y * w + x] = s[y * w + x] ^ 1;
}

void odd_tail_where_the_data_say_so(u8* d, const u8* s, int w, int h, int p) {
    for (int y = 0; y < h; y++) {
        int x;
        for (x = 0; x < w - (w & 1); x += 2) {
            if (s[x] < d[x]) d[x] = s[x];
            if (s[x + 1] < d[x + 1]) d[x + 1] = s[x + 1];
        }
        if (w & 1)
            if (s[x] < d[x]) d[x] = s[x];
        d += p;
        s += p;
    }
}

void a_row_filled_anew(u8* d, const u8* s, int w, int h) {
    int* row = (int*)calloc(w, 4);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) row[x] = s[y * w + x] * 3;
        for (int x = 0; x < w; x++) d[y * w + x] = row[w - 1 - x] >> 1;
    }
}

void two_dimensional_table(u8* d, const u8* a, const u8* b, const u8* t, int n) {
    for (int i = 0; i < n; i++) d[i] = t[a[i] * 256 + b[i]];
}

void unsigned_range_trick(u8* d, const u8* s, int w, int lo) {
    for (int x = 0; x < w; x++)
        if ((unsigned)(x - lo) < 10u) d[x] = s[x];
}

void update_guarded_by_the_counter(int* p, int n) {
    for (int i = 0; i < n; i++)
        if (i < n - 1) p[i + 1] += p[i];
}

void read_guarded_by_the_counter(int* p, int n) {
    for (int i = 0; i < n; i++) p[i] = i > 0 ? p[i - 1] : 0;
}

void running_index_over_continue(u8* d, const u8* s, int w, int h) {
    int i = 0;
    for (int y = 0; y < h; y++) {
        if (y & 1) continue;
        for (int x = 0; x < w; x++) d[i++] = s[x];
    }
}

void read_for_some_counters(u8* d, const u8* s, const u8* m, int n) {
    for (int i = 0; i < n; i++) d[i] = (m[i] & (i & 8)) ? s[i] : 0;
}

void threshold(u8* d, const u8* s, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] > 9 ? 255 : 0;
}

void sum_that_saturates(u8* d, const u8* a, const u8* b, int n) {
    for (int i = 0; i < n; i++) {
        int t = a[i] + b[i];
        d[i] = t > 255 ? 255 : t;
    }
}

void mixed_by_a_mask(u8* d, const u8* a, const u8* b, const u8* m, int n) {
    for (int i = 0; i < n; i++) d[i] = (a[i] * m[i] + b[i] * (255 - m[i])) / 255;
}

void counter_wraps(u8* d, int n) {
    for (u8 i = 0; i < n; i++) d[i] = i;
}

void cast_in_the_step(u8* d, int n) {
    int i = 0;
    for (int k = 0; k < n; k++) {
        d[i] = 1;
        i = (u8)(i + 1);
    }
}

void looked_up_by_halves(u8* d, const u8* s, const u8* table, int n) {
    for (int y = 0; y < n; y++) {
        u8 halves[16];
        for (int i = 0; i < 16; i++) halves[i] = s[16 * y + i] >> 1;
        for (int i = 0; i < 16; i++) d[16 * y + i] = table[halves[i]] + table[halves[15 - i]];
    }
}

void arms_of_like_steps(u8* d, const u8* s, int step, int n) {
    while (n-- > 0) {
        if (*s++) {
            *d = 1;
            d += step;
        } else {
            d += 3;
        }
    }
}


void ends_in_other_modes(u8* d, const u8* s, int n, int mode) {
    for (int i = 0; i < n; i++) {
        switch (mode) {
            case 0: d[i] = s[i]; break;
            case 1: d[i] = 255 - s[i]; break;
            default: do { __builtin_abort(); } while (0);
        }
    }
}
