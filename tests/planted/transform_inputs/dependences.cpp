// Functions whose stores may not change places, or not as they seem to: each is close to one that a transform rewrites.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// Strips whose results the next strips read.
void strips_in_place(uint8_t* d, int n) {
    uint8_t t[64];
    for (int i = 0; i < n; i += 64) {
        int m = std::min(64, n - i);
        for (int x = 0; x < m; x++) t[x] = d[i + x + 3] / 2 + d[i + x];
        for (int x = 0; x < m; x++) d[i + x + 3] = t[x] + 1;
    }
}

// Strips that reach into the next one's elements.
void strips_that_meet(uint8_t* d, const uint8_t* s, int n) {
    uint8_t t[4];
    for (int i = 0; i < n; i += 4) {
        int m = std::min(4, n - i);
        for (int x = 0; x < m; x++) t[x] = s[i + x] / 2;
        for (int x = 0; x < m; x++) d[i + x] = t[x] + 1;
        for (int x = 0; x < m; x++) d[i + x + 4] = t[x] + 7;
    }
}

// What is stored in one arm is read before the other is.
void arms_with_a_reader_between(uint8_t* d, uint8_t* e, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        if (y < 2)
            for (int x = 0; x < w; x++) d[y * w + x] = 3;
        for (int x = 0; x < w; x++) e[y * w + x] = d[y * w + x] + 1;
        if (y >= 2)
            for (int x = 0; x < w; x++) d[y * w + x] = s[(y - 2) * w + x];
    }
}

// What is stored in one arm is stored over before the other arm.
void arms_with_a_store_between(uint8_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++) {
        if (y < 2)
            for (int x = 0; x < w; x++) d[y * w + x] = 3;
        for (int x = 0; x < w; x += 2) d[y * w + x] = 1;
        if (y >= 2)
            for (int x = 0; x < w; x++) d[y * w + x] = s[(y - 2) * w + x];
    }
}

// Arms over rows of two lengths.
void arms_of_two_lengths(uint8_t* d, const uint8_t* s, int w, int v, int h) {
    for (int y = 0; y < h; y++) {
        if (y < 2)
            for (int x = 0; x < v; x++) d[y * w + x] = 3;
        else
            for (int x = 0; x < w; x++) d[y * w + x] = s[(y - 2) * w + x];
    }
}

// Words at every third byte, of an array that is read.
void words_that_are_read(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) memcpy(d + 3 * i, s + 4 * i, 4);
    for (int i = 0; i < n; i++) d[3 * n + 1 + i] = d[3 * i + 3];
}

// Words at every fifth byte.
void words_that_do_not_meet(uint8_t* d, const uint8_t* s, int n) {
    for (int i = 0; i < n; i++) memcpy(d + 5 * i, s + 4 * i, 4);
}

// Words taken from the end.
void words_backwards(uint8_t* d, const uint8_t* s, int n) {
    for (int i = n - 1; i >= 0; i--) memcpy(d + 3 * i, s + 4 * i, 4);
}

// Spoiled bytes that a later loop stores over, but for one column.
void columns_left_spoiled(uint8_t* d, const uint8_t* s, int w, int h, int stride) {
    for (int x = 0; x < w; x++)
        for (int y = 0; y < h - 1; y++) {
            uint8_t* q = d + x * stride + 3 * y;
            for (int c = 0; c < 3; c++) q[c] = s[(y * w + x) * 3 + c];
            q[3] = 7;
        }
    for (int x = 0; x < w - 1; x++)
        for (int c = 0; c < 3; c++) d[x * stride + 3 * (h - 1) + c] = s[((h - 1) * w + x) * 3 + c];
}

// Spoiled bytes that the next pixel does not store over.
void spoiled_beyond(uint8_t* d, const uint8_t* s, int n) {
    for (int y = 0; y < n; y++) {
        uint8_t* q = d + 3 * y;
        for (int c = 0; c < 2; c++) q[c] = s[2 * y + c];
        q[5] = 7;
    }
}

// Spoiled bytes that are read before the next pixel stores over them.
void spoiled_and_read(uint8_t* d, uint8_t* e, const uint8_t* s, int n, int m) {
    for (int k = 0; k < n; k++) {
        d[3 * k] = s[k];
        d[3 * k + 3] = s[k] / 2;
        for (int c = 0; c < m; c++) e[m * k + c] = d[3 * k + 3 + c];
    }
}

// Spoiled bytes that their own pixel mends.
void spoiled_and_mended(uint8_t* d, const uint8_t* s, int n, int m) {
    for (int k = 0; k < n; k++) {
        d[3 * k + 3] = 0;
        d[3 * k] = s[k];
        for (int c = 0; c < m; c++) d[3 * k + 2 + c] = 9;
    }
}

// A store behind the loop, past the last spoiled byte.
void tail_beyond(uint8_t* d, const uint8_t* s, int n) {
    for (int k = 0; k < n; k++) {
        d[3 * k] = s[k];
        d[3 * k + 3] = 0;
    }
    d[3 * n + 3] = 5;
}

// A block's sum begins with one.
uint32_t blocks_that_begin_with_one(const uint8_t* s, int n) {
    uint32_t sum = 0;
    for (int b = 0; b < n; b += 256) {
        uint32_t part = 1;
        for (int c = b; c < std::min(n, b + 256); c++) part += s[c];
        sum += part;
    }
    return sum;
}

// A block's sum that wraps.
uint32_t blocks_that_wrap(const uint8_t* s, int n) {
    uint32_t sum = 0;
    for (int b = 0; b < n; b += 16) {
        uint8_t part = 0;
        for (int c = b; c < std::min(n, b + 16); c++) part += s[c];
        sum += part;
    }
    return sum;
}

// Blocks with a hole after each.
uint32_t blocks_with_holes(const uint8_t* s, int n) {
    uint32_t sum = 0;
    for (int b = 0; b < n; b += 16) {
        uint32_t part = 0;
        for (int c = b; c < std::min(n, b + 15); c++) part += s[c];
        sum += part;
    }
    return sum;
}

// What a block adds is stored by the block before.
uint32_t blocks_that_store(uint8_t* s, int n) {
    uint32_t sum = 0;
    for (int b = 0; b < n; b += 16) {
        uint32_t part = 0;
        for (int c = b; c < std::min(n, b + 16); c++) part += s[c];
        sum += part;
        s[b + 16] = 9;
    }
    return sum;
}

// Blocks of sums of what the sums are added to.
void blocks_of_the_sum_itself(uint32_t* d, int n) {
    for (int b = 0; b < n; b += 16) {
        uint32_t part = 0;
        for (int c = b; c < std::min(n, b + 16); c++) part += d[c];
        d[20] += part;
    }
}

// A plane in one loop that reads what earlier iterations have stored.
void plane_that_reads_itself(uint8_t* d, const uint8_t* s, int w, int h) {
    int* t = new int[w * h + 5];
    for (int i = 0; i < w * h + 5; i++) t[i] = 1;
    for (int i = 0; i < w * h; i++) t[i + 5] = t[i] / 2 + s[i];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)t[y * w + x];
    delete[] t;
}

// Rows whose columns depend on each other.
void columns_that_depend(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = s[x];
    for (int y = 0; y < h; y++)
        for (int x = 1; x < w; x++) {
            a[x] = a[x] * 2 + s[y * w + x];
            d[y * w + x] = (uint8_t)(a[x] - a[x - 1]);
        }
    delete[] a;
}

// Columns that are stored to in every second row.
void columns_now_and_then(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = s[x];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++)
            if ((x + y) & 1) a[x] = a[x] / 2 + s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] + a[w - 1 - x]);
    }
    delete[] a;
}

// A row older than the ring is long.
void row_older_than_the_ring(uint8_t* d, const uint8_t* s, int w, int h) {
    int* ring = new int[2 * w];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) ring[y % 2 * w + x] = s[y * w + x];
        if (y >= 1)
            for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)ring[(y + 3) % 4 / 2 * w + x];
    }
    delete[] ring;
}

// A ring of which the newest row is read before it is stored to.
void row_read_before_it_is_stored(uint8_t* d, const uint8_t* s, int w, int h) {
    int* ring = new int[3 * w];
    for (int x = 0; x < 3 * w; x++) ring[x] = 4;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(ring[y % 3 * w + x] + ring[(y + 2) % 3 * w + x]);
        for (int x = 0; x < w; x++) ring[y % 3 * w + x] = s[y * w + x];
    }
    delete[] ring;
}

// Two stores of an iteration that meet, one loop after the other.
void stores_that_meet(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = s[x];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) a[x] += s[y * w + x];
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[x];
        for (int x = 0; x < w; x++) a[x] = a[x] / 2 + 1;
    }
    delete[] a;
}

// A row that is kept and another that is made of it and of what the loop stores to the image.
void row_of_the_image_itself(uint8_t* d, int w, int h) {
    int* a = new int[w];
    for (int x = 0; x < w; x++) a[x] = d[x];
    for (int y = 1; y < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(d[y * w + x] + a[x]);
        for (int x = 0; x < w; x++) a[x] = d[(y - 1) * w + x] / 2 + a[x] / 2;
    }
    delete[] a;
}

// A row's copy of itself beside it, stored to before and after.
void copies_of_rows(uint8_t* d, const uint8_t* s, int w, int h) {
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

// Three rows, two of them copies of the first.
void copies_of_three_rows(uint8_t* d, const uint8_t* s, int w, int h) {
    int* m = new int[3 * w];
    int *a = m, *b = m + w, *c = m + 2 * w;
    for (int x = 0; x < w; x++) a[x] = s[x] + 1;
    memcpy(b, a, w * sizeof(int));
    memcpy(c, a, w * sizeof(int));
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x] + 3 * c[x]);
        for (int x = 0; x < w; x++) a[x] = s[y * w + x] + 1;
        int* t = a;
        a = b;
        b = c;
        c = t;
    }
    delete[] m;
}

// A value that is carried and made of what the same iteration stores.
void carried_from_what_is_stored(uint8_t* p, int n) {
    int sum = 0;
    for (int x = 2; x < n; x++) {
        sum = (sum + p[x - 2]) & 255;
        p[x] = (uint8_t)sum;
    }
}

// A value that is carried, of elements that are stored later.
void carried_from_what_is_stored_later(uint8_t* p, int n) {
    int sum = 0;
    for (int x = 0; x < n; x++) {
        p[x] = (uint8_t)sum;
        sum = (sum + p[x + 2]) & 255;
    }
}

// A value that is carried over all rows, read in each pixel.
void carried_over_rows(uint8_t* d, const uint8_t* s, int w, int h) {
    int sum = 5;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            sum = (sum * 3 + s[y * w + x]) & 1023;
            d[y * w + x] = (uint8_t)(sum / 4);
        }
}

// Additions that do not commute with the others.
void additions_between_stores(int* d, int* e, int n, int m) {
    for (int j = 0; j < m; j++) {
        int t[4];
        for (int c = 0; c < 4; c++) t[c] = j * c;
        int i = 0;
        for (; i + 2 <= n; i += 2) {
            d[i + j] += d[i + 40];
            d[i + 1 + j] += d[i + 41];
        }
        for (; i < n; i++) d[i + j] += d[i + 40];
        e[j] = t[j & 3];
    }
}

// Additions to elements that the loop around reads.
void additions_that_are_read(int* d, int* e, const int* s, int n, int m) {
    for (int j = 0; j < m; j++) {
        int t[4];
        for (int c = 0; c < 4; c++) t[c] = j * c + d[2];
        int i = 0;
        for (; i + 2 <= n; i += 2) {
            d[i + j] += s[i];
            d[i + 1 + j] += s[i + 1];
        }
        e[j] = d[j + 1];
        for (; i < n; i++) d[i + j] += s[i];
        e[j + m] = t[j & 3];
    }
}

// Two stores to an element with a store of the row above between them.
void repeated_with_another_between(uint8_t* d, const uint8_t* s, int w, int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            d[y * w + x] = s[y * w + x];
            d[(y + 1) * w + x] = d[y * w + x] + 1;
            if (y > 0) d[y * w + x] += d[(y + 1) * w + x];
        }
}

// The second store reads an element at a distance that may be zero.
void repeated_at_a_distance(int* d, const int* s, int n, int k) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i];
        d[i] = d[i + k] + 1;
    }
}

// The first store is read before the second.
void repeated_with_a_reader_between(int* d, int* e, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i];
        e[i] = d[n - 1 - i];
        d[i] = d[i] * 2 + 1;
    }
}

// The second store reads the element on the other side, which is its own in the middle.
void repeated_at_a_mirror(int* d, const int* s, int n) {
    for (int i = 0; i < n; i++) {
        d[i] = s[i];
        d[i] = d[n - 1 - i] + 1;
    }
}

// Parts of one buffer that reach into each other.
void parts_that_meet(uint8_t* d, const uint8_t* s, int w, int h) {
    int* a = new int[2 * w + 4];
    int* b = a + w;
    for (int x = 0; x < 2 * w + 4; x++) a[x] = 3;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w + 2; x++) a[x] = s[y * w + x];
        for (int x = 0; x < w; x++) b[x + 2] = s[y * w + x] / 2;
        for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x + 1] + b[x]);
    }
    delete[] a;
}

// A row is mirrored where it lies: the second half reads what the first has stored.
void mirrored_in_place(int* d, const int* s) {
    int t[8];
    for (int x = 0; x < 8; x++) t[x] = s[x];
    for (int x = 0; x < 8; x++) t[x] = t[x] + 3 * t[7 - x];
    for (int x = 0; x < 8; x++) d[x] = t[x];
}

// Every iteration but the first four reads what one before it has stored.
void four_places_on(int* d, const int* s) {
    int t[12];
    for (int x = 0; x < 12; x++) t[x] = s[x];
    for (int x = 0; x < 8; x++) {
        int a = t[x], b = t[x + 4];
        t[x] = a - b;
        t[x + 4] = a + 2 * b;
    }
    for (int x = 0; x < 12; x++) d[x] = t[x];
}

// Part of a row is computed anew, the rest stays.
void part_of_a_row(int* d, const int* s) {
    int t[16];
    for (int x = 0; x < 16; x++) t[x] = s[x];
    for (int x = 0; x < 6; x++) {
        int a = t[x], b = t[x + 6];
        t[x] = a + b;
        t[x + 6] = a - b;
    }
    for (int x = 0; x < 16; x++) d[x] = t[x];
}

// Half of an output is stored, all of it is computed anew, from the caller's other half.
void half_of_an_output(int* d, const int* s) {
    for (int x = 0; x < 8; x++) d[x] = s[x];
    for (int x = 0; x < 8; x++) {
        int a = d[x], b = d[x + 8];
        d[x] = a + b;
        d[x + 8] = a - b;
    }
}

// A buffer that is filled in each row, after what the row before has left in it was used.
void row_before_in_a_buffer(int* d, const int* s, int h) {
    int t[8];
    for (int x = 0; x < 8; x++) t[x] = x;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < 8; x++) d[8 * y + x] = t[7 - x];
        for (int x = 0; x < 8; x++) t[x] = s[8 * y + x];
        for (int x = 0; x < 4; x++) {
            int a = t[x], b = t[x + 4];
            t[x] = a + b;
            t[x + 4] = a - b;
        }
    }
}
