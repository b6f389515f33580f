/* Several stores to one array in one loop, which may meet. */
#include <cstdint>

void marks_the_later_wins(const uint8_t* a, const uint8_t* b, int n, uint8_t* m) {
    for (int j = 0; j < 256; j++) m[j] = 0;
    for (int i = 0; i < n; i++) {
        m[a[i]] = 1;
        m[b[i]] = 2;
    }
}

void banks_that_overlap(const uint8_t* a, int n, uint32_t* h) {
    for (int j = 0; j < 512; j++) h[j] = 0;
    for (int i = 0; i + 1 < n; i += 2) {
        h[a[i]]++;
        h[255 + a[i + 1]] = 7;
    }
}

void a_mark_and_a_count(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
    for (int j = 0; j < 256; j++) m[j] = 0;
    for (int i = 0; i < n; i++) {
        m[a[i]] += 1;
        m[b[i]] = 2;
    }
}

void a_sum_and_a_product(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
    for (int j = 0; j < 256; j++) m[j] = 1;
    for (int i = 0; i < n; i++) {
        m[a[i]] += 1;
        m[b[i]] *= 3;
    }
}

void a_count_of_a_count(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
    for (int j = 0; j < 256; j++) m[j] = 0;
    for (int i = 0; i < n; i++) {
        m[a[i]] += 1;
        m[b[i]] += m[3];
    }
}

void sums_of_floats(const uint8_t* a, const uint8_t* b, int n, float* m) {
    for (int j = 0; j < 256; j++) m[j] = 0;
    for (int i = 0; i < n; i++) {
        m[a[i]] += 0.1f;
        m[b[i]] += 1e8f;
    }
}

void a_running_total_of_a_sum(const uint8_t* a, int n, uint32_t* s) {
    s[0] = 0;
    s[1] = 0;
    for (int i = 0; i < n; i++) {
        s[0] += a[i];
        s[1] += s[0];
    }
}

void a_start_that_another_loop_has_given(uint8_t* s, uint8_t* t, int n) {
    for (int x = 0; x < 16; x++) t[x] = 1;
    for (int x = 16; x < n; x++) {
        t[x] = 2;
        s[x] = t[x & 15];
    }
}

void an_element_that_another_loop_has_given(uint8_t* s, uint8_t* t, int n) {
    for (int x = 0; x < 1; x++) t[x] = 1;
    for (int x = 1; x < n; x++) {
        t[x] = 2;
        s[x] = t[0];
    }
}

void a_mark_and_a_clearing(const uint8_t* a, int n, uint8_t* m) {
    for (int i = 0; i < n; i++) {
        m[i] = 0;
        m[a[i]] = 5;
    }
}

void a_sum_started_again_and_again(const int* a, int n, int t, int* s) {
    for (int r = 0; r < t; r++)
        for (int i = 0; i < n; i++) {
            s[i] = r;
            for (int k = 0; k < 3; k++) s[i] += a[i * 3 + k];
        }
}

void a_sum_that_takes_in_the_row_above(const uint8_t* a, int w, int h, int* s) {
    for (int y = 1; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < w; x++) s[y] += a[x] + s[y - 1];
    }
}

void sums_that_overlap(const uint8_t* a, int w, int h, int* s) {
    for (int y = 0; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < 3; x++) s[y + x] += a[y * w + x];
    }
}

void a_sum_that_is_read_before_all_of_it_is_there(const uint8_t* a, int w, int h, int* s, int* d) {
    for (int y = 0; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < w; x++) {
            s[y] += a[y * w + x];
            d[y * w + x] = s[y];
        }
    }
}

void sums_of_other_rows(const uint8_t* a, int w, int h, int* s, int* d) {
    for (int y = 0; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < w; x++) s[y] += a[y * w + x];
        d[y] = s[h - 1 - y];
    }
}

void a_border_column_that_the_row_above_reaches(const uint8_t* a, int w, int h, uint32_t* s) {
    int p = w + 1;
    for (int x = 0; x <= w; x++) s[x] = 0;
    for (int y = 1; y <= h; y++) {
        s[y * p] = 0;
        for (int x = 1; x <= w + 1; x++) s[y * p + x] = s[(y - 1) * p + x] + a[(y - 1) * w + x - 1];
    }
}
