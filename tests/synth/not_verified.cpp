/* What must not be called verified. */
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <algorithm>
typedef uint8_t u8;

void later_write_differs(u8* d, const u8* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i];
        if (s[i] > 9) d[i + 1] = s[i] >> 1;
    }
}

void data_dependent_store(u8* d, const u8* s, int* p, int n) {
    for (int i = 0; i < n; p[i++] = 0) d[p[i]] = s[i];
}

void read_beyond_what_was_computed(u8* d, const u8* s, int n) {
    int* t = new int[n];
    for (int i = 0; i < n; i++) t[i] = s[i];
    for (int i = 0; i < n; i++) d[i] = t[i + 1];
}

void kept_over_continue(u8* d, const u8* s, int n) {
    int t;
    for (int i = 0; i < n; d[i] = t, i++) {
        if (s[i] == 0) continue;
        t = s[i];
    }
}

void state_from_what_it_has_stored(u8* p, int n) {
    int sum = 0;
    for (int x = 2; x < n; x++) {
        sum = (sum + p[x - 2]) & 255;
        p[x] = sum;
    }
}

void state_from_what_it_stores_next(u8* p, int n) {
    int sum = 3;
    for (int x = 0; x < n; x++) {
        p[2 * x + 2] = sum;
        sum = (sum + p[2 * x]) & 255;
    }
}

void a_row_filled_from_its_second_element(u8* d, const u8* s, int w, int h) {
    int* row = (int*)calloc(w, 4);
    for (int y = 0; y < h; y++) {
        for (int x = 1; x < w; x++) row[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = row[x];
    }
}

void carried_from_row_to_row(int* o, int* p, const int* a, int n, int m) {
    int s = 7;
    for (int r = 0; r < m; r++) {
        p[r] = s;
        s = 0;
        for (int k = 0; k < n; k++) {
            s += a[k];
            o[r * n + k] = s;
        }
    }
}

void begun_in_the_first_row_only(int* o, const int* a, const int* w, int n, int m) {
    int s;
    for (int r = 0; r < m; r++) {
        if (r == 0) s = 0;
        for (int j = 0; j < 3; j++) s += w[j];
        for (int k = 0; k < n; k++) {
            s += a[k];
            o[r * n + k] = s;
        }
    }
}

int uninitialised(const u8* s, int n) {
    int a;
    for (int i = 0; i < n; i++) a += s[i];
    return a;
}

void arms_of_unlike_steps(u8* d, const u8* s, int n) {
    while (n-- > 0) {
        if (*s++)
            *d++ = 1;
        else
            d += 2;
    }
}

void arms_of_data_steps(u8* d, const u8* s, int n) {
    while (n-- > 0) {
        if (*s++)
            *d++ = 1;
        else
            d += *s;
    }
}


// Arms that end the program: by data, by the iteration, by what the loop changes.
void ends_by_data(u8* d, const u8* s, int n, int m) {
    for (int i = 0; i < n; i++) {
        if (s[i] == m) __builtin_abort();
        d[i] = s[i];
    }
}

void ends_by_iteration(u8* d, const u8* s, int n, int m) {
    for (int i = 0; i < n; i++) {
        if (i == m) __builtin_abort();
        d[i] = s[i];
    }
}

void ends_by_what_changes(u8* d, const u8* s, int n, int m) {
    for (int i = 0; i < n; i++, m++) {
        if (m == 3) __builtin_abort();
        d[i] = s[i];
    }
}

void ends_by_data_under_a_mode(u8* d, const u8* s, int n, int m) {
    for (int i = 0; i < n; i++) {
        if (m > 2) {
            if (s[i] > 9) __builtin_abort();
            d[i] = 1;
        } else {
            d[i] = s[i];
        }
    }
}

// The guard of the first store reads what the second one makes.
void guarded_by_the_other(u8* d, u8* mask, const u8* s, int n) {
    for (int i = 1; i < n; i++) {
        if (mask[i - 1] && i != n - 1) d[i] = s[i + 1];
        mask[i] = s[i] > 9;
    }
}
