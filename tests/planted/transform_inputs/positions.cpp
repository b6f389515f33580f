#include <cstdint>

void from_second(const uint8_t* s, int pitch, uint8_t* d, int w, int n) {
    int at[25];
    for (int k = 0; k < n; ++k) at[k + 1] = k * pitch;
    for (int x = 0; x < w; ++x) {
        int sum = 0;
        for (int k = 1; k < n; ++k) sum += s[at[k] + x];
        d[x] = sum;
    }
}
void given_twice(const uint8_t* s, int pitch, uint8_t* d, int w, int n) {
    int at[25];
    for (int k = 0; k < n; ++k) at[k] = k * pitch;
    for (int x = 0; x < w; ++x) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += s[at[k] + x];
        d[x] = sum;
    }
    for (int k = 0; k < n; ++k) at[k] = k * pitch + 1;
    for (int x = 0; x < w; ++x) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += s[at[k] + x];
        d[x + w] = sum;
    }
}
void those_of_the_row_before(const uint8_t* s, int pitch, uint8_t* d, int w, int h, int n) {
    int at[25];
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            int sum = 0;
            for (int k = 0; k < n; ++k) sum += y > 0 ? s[at[k] + x] : 0;
            d[y * w + x] = sum;
        }
        for (int k = 0; k < n; ++k) at[k] = (y + k) * pitch;
    }
}
