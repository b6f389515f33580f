/* Calls at the edges: what is called is said in test_edges.py. */
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <emmintrin.h>

static int at(__m128i v) {
    return _mm_cvtsi128_si32(v);
}
static int hs(__m128i v) {
    return at(v) + at(_mm_srli_si128(v, 4)) + at(_mm_srli_si128(v, 8)) + at(_mm_srli_si128(v, 12));
}

void a_number_made_smaller_in_a_minimum(uint8_t* d, const uint8_t* s, unsigned n) {
    int m = std::min((int)n, 100);
    for (int i = 0; i < m; i++) d[i] = s[i] + 1;
}

void a_number_made_smaller_in_a_count(uint8_t* d, unsigned n) {
    for (int i = 0; i < (int)n / 2; i++) d[i] = d[i] + 1;
}

void a_number_made_smaller_in_an_index(uint8_t* d, const uint8_t* s, int n, unsigned u) {
    for (int i = 0; i < n; i++) d[i] = s[std::min((int)u, i)] + 1;
}

void sizes_of_64_bits_in_a_minimum(uint8_t* d, const uint8_t* s, size_t n) {
    size_t m = std::min<size_t>(n, 4);
    for (size_t i = 0; i < m; i++) d[i] = s[i] + 1;
}

void the_less_of_two_sizes(uint8_t* d, size_t n, size_t m) {
    for (size_t i = 0; i < std::min(n, m); i++) d[i] += 1;
}

uint32_t a_count_that_coordinates_only_just_hold(uint32_t c, int n) {
    uint32_t a = 0;
    for (int i = 0; i < n; i++) a += (i * c) ^ (i >> 3);
    return a;
}

void a_temporary_that_a_sum_of_nothing_does_not_need(uint32_t* out, const uint8_t* s, int n) {
    uint32_t* t = (uint32_t*)malloc(sizeof(uint32_t) * 4 * n);
    for (int x = 0; x < 4 * n; x++) t[x] = s[x] * s[x] * 3 + s[x];
    uint32_t a = 0;
    for (int x = 0; x < n; x++) a += t[x] * t[x + 1] * t[x + 3];
    *out = a;
    free(t);
}

int a_result_that_reads_under_a_condition(const uint8_t* s, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) t += s[i];
    return n > 3 ? t + s[2] : t;
}

int a_result_that_reads_another_array(uint8_t* d, const uint8_t* s, const uint8_t* m, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] + 1;
    return n > 2 ? m[2] : 0;
}

int a_result_read_before_it_is_stored_over(uint8_t* d, const uint8_t* s, int n, int k) {
    int t = s[k];
    for (int i = 0; i < n; i++) d[i] = s[i] + 1;
    return t;
}

void a_count_under_a_condition_on_its_loop(int* h, const uint8_t* s, int n, int k) {
    for (int i = 0; i < n; i++)
        if (i < k) h[s[i]]++;
}

void a_sum_under_a_condition_on_its_loop(int* d, int n, int k) {
    for (int i = 0; i < n; i++)
        if (i < k) d[0] += i;
}

void a_count_of_numbers_that_are_small_enough(int* h, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++)
        if (s[i] < 10) h[s[i]]++;
}

void a_table_of_small_numbers(uint8_t* d, const uint8_t* s, const uint8_t* lut, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] < 10 ? lut[s[i]] : 0;
}

void a_table_for_all_but_one_number(uint8_t* d, const uint8_t* s, const uint8_t* lut, int n) {
    for (int i = 0; i < n; i++) d[i] = s[i] ? lut[s[i]] : 7;
}

int a_sum_read_before_it_goes_on(const uint8_t* s, int n) {
    int acc = 0;
    for (int i = 0; i < n; i++) acc += s[i];
    int v = acc;
    for (int i = 0; i < n; i++) acc += s[i] * (v & 3);
    return acc;
}

void a_sum_read_before_it_goes_on_in_a_scan(const uint8_t* s, int* out, int n) {
    int acc = 0;
    for (int i = 0; i < n; i++) acc += s[i];
    int v = acc;
    for (int i = 0; i < n; i++) {
        acc += s[i];
        out[i] = v + acc;
    }
}

void an_element_read_before_it_goes_on(const uint8_t* s, int* out, int w, int h) {
    for (int y = 0; y < h; y++) {
        out[y] = 0;
        for (int x = 0; x < w; x++) out[y] += s[y * w + x];
        if (out[y] > 150)
            for (int x = 0; x < w; x++) out[y] -= s[y * w + x] >> 1;
    }
}

void an_element_kept_while_it_goes_on(const uint8_t* s, int* out, int w, int h) {
    for (int y = 0; y < h; y++) {
        int k[1];
        k[0] = out[y];
        for (int x = 0; x < w; x++) out[y] += s[y * w + x] * k[0];
    }
}

void a_sum_seen_halfway(const uint8_t* s, int* v, int n) {
    int acc = 0;
    for (int x = 0; x < n; x++) acc += s[x];
    v[0] = acc;
    for (int x = 0; x < n; x++) acc += s[x];
    v[1] = acc;
}

void a_histogram_copied_halfway(const uint8_t* s, int* o, int n) {
    int t[32] = {0};
    for (int x = 0; x < n; x++) t[s[x] & 31]++;
    for (int c = 0; c < 32; c++) o[c] = t[c];
    for (int x = 0; x < n; x++) t[s[x + n] & 31]++;
    for (int c = 0; c < 32; c++) o[32 + c] = t[c];
}

void a_sum_of_a_row_seen_halfway(const uint8_t* s, uint32_t* o, int w, int h) {
    for (int y = 0; y < h; y++) {
        o[y] = 0;
        for (int x = 0; x < w; x++) o[y] += s[y * w + x];
        uint32_t v = o[y];
        for (int x = 0; x < w; x++) o[y] += 3 * s[y * w + x];
        o[y] = o[y] * 5 + v;
    }
}

void a_start_that_is_a_quotient(int* d, int n, int m) {
    int i = n / 2;
    for (int k = 0; k < m; k++) {
        d[k] = i;
        i++;
    }
}

void a_start_that_is_a_remainder(int* d, int n, int m) {
    int i = n % 5;
    for (int k = 0; k < m; k++) {
        d[k] = i;
        i++;
    }
}

void a_first_number_that_is_a_quotient(int* d, const uint8_t* s, int n, int m) {
    for (int k = n / 2; k < 5; k++) d[0] += 1;
}

void an_odd_number_below_zero(int* d, int n) {
    int i = n / 2 * 2;
    if (n & 1) i++;
    d[0] = i;
}

void a_start_that_wraps(uint32_t* d, const uint8_t* s, int n, unsigned q) {
    long i = (long)(q - 5u);
    for (int k = 0; k < n; k++) {
        d[k] = s[k] + (i >> 20);
        i++;
    }
}

void a_start_that_is_a_quotient_of_wide_numbers(int* d, const uint8_t* s, int n, int m) {
    int i = (int)((long)n * n / 1000000);
    for (int k = 0; k < m; k++) {
        d[k] = s[k] + i;
        i++;
    }
}

void a_step_that_is_a_quotient_of_wide_numbers(int* d, const uint8_t* s, int n, int m) {
    int step = (int)(((long)n << 18) / (m + 100000)), x = 0;
    for (int k = 0; k < m; k++) {
        d[k] = s[k] + x;
        x += step;
    }
}

int a_count_of_wide_steps(int* d, const uint8_t* s, long n, int m) {
    int c = 0;
    for (long i = 0; i < n; i += 1000000000) {
        d[c] = 5;
        c++;
    }
    return c;
}

void a_start_that_is_shifted_without_a_sign(int* d, const uint8_t* s, unsigned n, int m) {
    int i = (int)(n >> 16);
    for (int k = 0; k < m; k++) {
        d[k] = s[k] + i;
        i++;
    }
}

void an_element_written_twice_in_one_step(const uint8_t* s, uint8_t* d, int n) {
    int i;
    for (i = 0; i + 1 < n; i += 2) {
        d[i] = s[i];
        d[i + 1] = 7;
        d[i + 1] = s[i + 1];
    }
    for (; i < n; i++) d[i] = s[i];
}

uint32_t a_comparison_that_wraps(const uint8_t* s, uint32_t* d, unsigned n) {
    uint32_t u = 1;
    for (unsigned i = n - 2; i < n; i++) {
        u = u * 3 + s[0];
        d[0] = u;
    }
    return u;
}

void a_cell_that_the_data_let_be(const uint8_t* s, int* d, int n) {
    int acc = 3;
    for (int i = 0; i < n; i++) {
        if (s[i] > 12) acc = acc * 3 + s[i];
        d[i] = acc;
    }
}

void a_row_kept_where_the_data_let_it_be(uint8_t* d, const uint8_t* s, int w, int h) {
    uint8_t c[64] = {};
    if (w < 1 || w > 60) return;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++)
            if (s[y * w + x] > 12) c[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = c[x];
    }
}

void a_row_kept_in_every_other_one(uint8_t* d, const uint8_t* s, int w, int h) {
    uint8_t c[64] = {};
    if (w < 1 || w > 60) return;
    for (int y = 0; y < h; y++) {
        if (y % 2 == 0)
            for (int x = 0; x < w; x++) c[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = c[x] + s[y * w + x];
    }
}

void lanes_read_while_they_are_added_to(int* d, const int* s, int n, int m) {
    __m128i acc = _mm_setzero_si128();
    for (int i = 0; i < n; i++) {
        acc = _mm_add_epi32(acc, _mm_loadu_si128((const __m128i*)(s + 4 * i)));
        for (int j = 0; j < m; j++) d[i * m + j] = hs(acc);
    }
}

int lanes_with_and_without_a_sign(const uint8_t* s, int n) {
    __m128i acc = _mm_setzero_si128(), z = acc;
    for (int i = 0; i < n; i++)
        acc = _mm_add_epi16(acc, _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(s + (8 * i & 1023))), z));
    __m128i lo = _mm_unpacklo_epi16(acc, z), hi = _mm_srai_epi32(_mm_unpackhi_epi16(acc, acc), 16);
    return hs(_mm_add_epi32(lo, hi));
}

void a_size_that_is_cut_to_a_buffer_s(uint8_t* d, int n) {
    uint8_t t[256];
    if (n > 256) n = 256;
    if (n < 1) return;
    for (int i = 0; i < n; i++) t[i] = d[i];
    for (int i = 0; i < n; i++) d[i] = t[n - 1 - i];
}

void a_parameter_that_is_carried_on(uint8_t* d, const uint8_t* s, int n, int e) {
    for (int i = 0; i < n; i++) {
        e = (e * 3 + s[i]) >> 2;
        d[i] = e;
    }
}

void an_output_that_may_be_missing(uint8_t* d, uint8_t* m, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i] + 1;
        if (m) m[i] = s[i] > 9;
    }
}

void a_parameter_named_as_what_an_output_held(uint8_t* d, uint8_t* d_in, int n) {
    for (int i = 0; i < n; i++) {
        d[i] += 3;
        d_in[i] += d[i];
    }
}

int a_state_that_goes_on_from_row_to_row(int* d, const uint8_t* s, int w, int h) {
    int a = 5;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            a = a * 3 % 1000 + s[y * w + x];
            d[y * w + x] = a;
        }
    return a;
}

void sums_of_nothing_where_there_is_no_place_for_them(int* r, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) r[y] += s[y * w + x];
}

void a_total_of_nothing_without_a_place_for_it(int* t, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) *t += s[i];
}

void a_total_of_words_of_nothing_without_a_place_for_it(int* t, const int* s, int n) {
    for (int i = 0; i < n; i++) *t += s[i];
}

void running_sums_of_nothing_beside_another_output(int* a, int* b, const uint8_t* s, int n, int m) {
    int acc = 0;
    for (int i = 0; i < n; i++) {
        acc += s[i];
        a[i] = acc;
    }
    for (int j = 0; j < m; j++) b[j] = j * 3;
}

void rows_of_four_that_follow_each_other(uint8_t* d, const uint8_t* s, int n, int st) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < 4; x++) d[y * st + x] = s[y * st + x] + 1;
}

void three_rows_that_follow_each_other(uint8_t* d, const uint8_t* s, int w) {
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < w; x++) d[y * w + x] = s[y * w + x] + 1;
}

void colours_of_pixels_that_follow_each_other(uint8_t* d, const uint8_t* s, int n, int st) {
    for (int x = 0; x < n; x++)
        for (int c = 0; c < 3; c++) d[x * st + c] = s[x * st + c] * 2;
}
