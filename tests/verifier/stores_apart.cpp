/* Several stores to one array in one loop, which cannot meet. */
#include <cstdint>

void two_sums(const uint8_t* a, int n, uint64_t* s) {
    s[0] = 0;
    s[1] = 0;
    for (int i = 0; i < n; i++) {
        s[0] += a[i];
        s[1] += a[i] * a[i];
    }
}

void banks_of_a_histogram(const uint8_t* a, int n, uint32_t* h) {
    for (int j = 0; j < 512; j++) h[j] = 0;
    for (int i = 0; i + 1 < n; i += 2) {
        h[a[i]]++;
        h[256 + a[i + 1]]++;
    }
}

void two_counts_of_an_iteration(const uint8_t* a, const uint8_t* b, int n, uint32_t* h) {
    for (int j = 0; j < 256; j++) h[j] = 0;
    for (int i = 0; i < n; i++) {
        h[a[i]]++;
        h[b[i]] += 2;
    }
}

void pairs_and_the_last_one_of_an_odd_number(const uint8_t* a, int w, int h, uint32_t* count) {
    for (int j = 0; j < 256; j++) count[j] = 0;
    for (int y = 0; y < h; y++, a += w) {
        int x = 0;
        for (; x < (w & ~1); x += 2) {
            count[a[x]]++;
            count[a[x + 1]]++;
        }
        for (; x < w; x++) count[a[x]]++;
    }
}

void a_sum_of_each_row_started_where_it_is_added_up(const uint8_t* a, int w, int h, int* s) {
    for (int y = 0; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < w; x++) s[y] += a[y * w + x];
    }
}

void a_sum_that_is_scaled_where_it_was_added_up(const float* a, const float* k, int n, int r, float* s) {
    for (int i = 0; i < n; i++) {
        s[i] = 0;
        for (int j = 0; j < r; j++) s[i] += a[i + j] * k[j];
        s[i] *= 2;
    }
}

void a_sum_that_is_read_where_it_was_added_up(const uint8_t* a, int w, int h, int* s, int* d) {
    for (int y = 0; y < h; y++) {
        s[y] = 0;
        for (int x = 0; x < w; x++) s[y] += a[y * w + x];
        d[y] = s[y] / w;
    }
}

void a_histogram_of_each_row(const uint8_t* a, int w, int h, uint32_t* s) {
    for (int y = 0; y < h; y++) {
        for (int b = 0; b < 256; b++) s[y * 256 + b] = 0;
        for (int x = 0; x < w; x++) s[y * 256 + a[y * w + x]]++;
    }
}

void both_directions_of_a_row_from_its_first_pixel(const float* a, int w, int h, float k, float* d) {
    for (int y = 0; y < h; y++) {
        d[y * w] = a[y * w];
        for (int x = 1; x < w; x++) d[y * w + x] = d[y * w + x - 1] * k + a[y * w + x];
        for (int x = w - 2; x >= 0; x--) d[y * w + x] += d[y * w + x + 1] * k;
    }
}

void a_border_column_beside_sums_of_the_rows_above(const uint8_t* a, int w, int h, uint32_t* s) {
    int p = w + 1;
    for (int x = 0; x <= w; x++) s[x] = 0;
    for (int y = 1; y <= h; y++) {
        uint32_t row = 0;
        s[y * p] = 0;
        for (int x = 1; x <= w; x++) {
            row += a[(y - 1) * w + x - 1];
            s[y * p + x] = s[(y - 1) * p + x] + row;
        }
    }
}
