/* Local arrays that carry values from one iteration of a loop to the next. */
#include <cstdint>
#include <cstring>
#include <utility>

void a_ring_of_three_rows(uint8_t* d, const uint8_t* s, int w, int h) {
    int* ring = new int[3 * w];
    for (int y = 0; y < h; y++) {
        int* row = ring + y % 3 * w;
        for (int x = 0; x < w; x++) row[x] = s[y * w + x] * 3;
        if (y >= 2)
            for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(row[x] - ring[(y - 2) % 3 * w + x]);
    }
    delete[] ring;
}

void rows_of_a_fixed_length_masked(uint8_t* d, const uint8_t* s, int w, int h) {
    int rows[2][640];
    for (int x = 0; x < w; x++) rows[1][x] = 5 + s[x];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) rows[y & 1][x] = 5 + s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(rows[y & 1][x] * rows[(y + 1) & 1][x]);
    }
}

void pointers_that_change_places(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[3 * w];
    int *a = m, *b = a + w, *c = b + w;
    for (int x = 0; x < w; x++) {
        a[x] = s[x];
        b[x] = s[w + x];
    }
    for (int y = 2; y < h; y++) {
        for (int x = 0; x < w; x++) c[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x] + 2 * c[x]);
        int* t = a;
        a = b;
        b = c;
        c = t;
    }
    delete[] m;
}

void two_pointers_swapped(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[2 * w];
    int *a = m + w, *b = m;
    for (int x = 0; x < w; x++) a[x] = s[x] / 3;
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w; x++) {
            b[x] = s[y * w + x] / 3;
            d[y * w + x] = (uint8_t)(a[x] + b[x]);
        }
        std::swap(a, b);
    }
    delete[] m;
}

void a_row_read_before_it_is_stored_to(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w]();
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            d[y * w + x] = (uint8_t)(a[x] / 2);
            a[x] = s[y * w + x];
        }
    }
    delete[] a;
}

void two_parts_of_one_buffer(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[2 * w];
    int* b = a + w;
    for (int x = 0; x < w; x++) {
        a[x] = s[x];
        b[x] = s[w + x];
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            d[y * w + x] = (uint8_t)(a[x] ^ b[x]);
            a[x] = b[x];
            b[x] = s[y * w + x] | 1;
        }
    delete[] a;
}

void sums_of_columns(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = s[x] + s[w + x];
    for (int y = 0; y + 2 < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] / 2);
        for (int x = 0; x < w; x++) a[x] += s[(y + 2) * w + x] - s[y * w + x];
    }
    delete[] a;
}

void rows_enter_and_leave_under_conditions(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w]();
    for (int y = 0; y < h; y++) {
        if (y + 1 < h)
            for (int x = 0; x < w; x++) a[x] += s[(y + 1) * w + x];
        if (y > 1)
            for (int x = 0; x < w; x++) a[x] -= s[(y - 2) * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[x];
    }
    delete[] a;
}

void columns_that_stay_as_they_were_filled(uint8_t* d, const uint8_t* s, int w, int h) {
    int* ring = new int[2 * (w + 1)]();
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) ring[y % 2 * (w + 1) + x + 1] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(ring[y % 2 * (w + 1) + x] / 2);
    }
    delete[] ring;
}

void arrays_whose_pointers_change_places(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    int* b = new int[w];
    int* c = new int[w];
    for (int x = 0; x < w; x++) {
        a[x] = s[x];
        b[x] = s[w + x];
    }
    for (int y = 2; y < h; y++) {
        for (int x = 0; x < w; x++) c[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x] + 2 * c[x]);
        int* t = a;
        a = b;
        b = c;
        c = t;
    }
    delete[] a;
    delete[] b;
    delete[] c;
}

void a_row_number_that_goes_round(uint8_t* d, const uint8_t* s, int w, int h) {
    int rows[3][100];
    int now = 0;
    for (int x = 0; x < w; x++) rows[2][x] = 5;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) rows[now][x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(rows[now][x] - rows[(now + 2) % 3][x]);
        if (++now == 3) now = 0;
    }
}

void a_row_number_that_is_turned_over(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[2 * w];
    unsigned i = 1;
    for (int x = 0; x < w; x++) m[x] = s[x];
    for (int y = 0; y < h; y++, i ^= 1) {
        for (int x = 0; x < w; x++) m[i * w + x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(m[i * w + x] - m[(i ^ 1) * w + x]);
    }
    delete[] m;
}

void the_first_row_a_copy(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[2 * w];
    int *a = m, *b = m + w;
    for (int x = 0; x < w; x++) a[x] = s[x] + 1;
    memcpy(b, a, w * sizeof(int));
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x]);
        for (int x = 0; x < w; x++) a[x] = s[y * w + x] + 1;
        std::swap(a, b);
    }
    delete[] m;
}

void a_row_older_than_the_ring(uint8_t* d, const uint8_t* s, int w, int h) {
    int* ring = new int[2 * w];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) ring[y % 2 * w + x] = s[y * w + x];
        if (y >= 1)
            for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)ring[(y + 3) % 4 * w + x];
    }
    delete[] ring;
}

void columns_that_are_stored_to_in_some_rows_only(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w]();
    for (int y = 0; y < h; y++) {
        for (int x = y; x < w; x++) a[x] = s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[w - 1 - x];
    }
    delete[] a;
}

void rows_that_change_places_now_and_then(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[2 * w]();
    int *a = m, *b = m + w;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) a[x] += s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x]);
        if (s[y]) std::swap(a, b);
    }
    delete[] m;
}

void a_row_that_nothing_has_filled(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[x];
        for (int x = 0; x < w; x++) a[x] = s[y * w + x];
    }
    delete[] a;
}

void a_column_that_the_loop_leaves_out(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = s[x];
    for (int y = 0; y < h; y++)
        for (int x = 1; x < w; x++) {
            a[x] = a[x] * 2 + s[y * w + x];
            d[y * w + x] = (uint8_t)(a[x] - a[x - 1]);
        }
    delete[] a;
}

void arrays_of_two_sizes(int* d, int w) {
    int* a = new int[w];
    int* b = new int[w + 1];
    a[0] = 1;
    for (int y = 0; y < w; y++) {
        b[0] = y;
        d[y] = a[0] + b[0];
        std::swap(a, b);
    }
    delete[] a;
    delete[] b;
}
