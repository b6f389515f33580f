/* What is read of a local array that nothing is stored to, on one of the paths, and that an earlier iteration stores to. */
#include <cstdint>

void of_two_kinds(uint8_t* out, const uint8_t* in, int kind) {
    uint8_t block[4];
    if (kind == 0)
        for (int i = 0; i < 4; i++) block[i] = in[i];
    else if (kind == 1)
        for (int i = 0; i < 4; i++) block[i] = in[i + 1];
    for (int i = 0; i < 4; i++) out[i] = block[i] >> 1;
}

void stored_before(uint8_t* out, const uint8_t* in, int n, int kind) {
    uint8_t last[4];
    if (kind == 0) {
        out[0] = 1;
        return;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) out[4 * i + k] = i ? last[3 - k] : 0;
        for (int k = 0; k < 4; k++) last[k] = in[4 * i + k];
    }
}

void of_no_kind(uint8_t* out, int n) {
    uint8_t block[4];
    for (int i = 0; i < n; i++) out[i] = block[i & 3];
}
