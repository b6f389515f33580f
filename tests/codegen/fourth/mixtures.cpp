// Several kinds at once: what is converted is shifted, compared, summed and looked up.
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdlib>

void mix_float_sign(uint32_t* out, const float* a, const int* b, int n) {
    for (int i = 0; i < n; i++) {
        int v = a[i] > -1e9f && a[i] < 1e9f ? (int)a[i] : -7;
        out[i] = (uint32_t)v + (uint32_t)b[i];
    }
}

void mix_quantise(int16_t* out, const float* a, int n, float scale) {
    for (int i = 0; i < n; i++) {
        float v = a[i] * scale;
        v = v > 32767.0f ? 32767.0f : v;
        v = v >= -32768.0f ? v : -32768.0f;
        out[i] = (int16_t)lrintf(v);
    }
}

void mix_pack(uint32_t* out, const uint8_t* r, const uint8_t* g, const uint8_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = 0xFF000000u | (uint32_t)r[i] << 16 | (uint32_t)g[i] << 8 | b[i];
}

void mix_unpack(uint8_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(((a[i] >> 24) * ((a[i] >> 8) & 0xFF) + 127) / 255);
}

void mix_sign(int8_t* out, const double* a, const double* b, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > b[i] ? 1 : a[i] < b[i] ? -1 : a[i] == b[i] ? 0 : 100;
}

void mix_not(uint8_t* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = !(a[i] >= b[i]) && !(a[i] < 0.0f) ? 9 : (a[i] <= b[i]) + 2 * (a[i] >= 1.0f);
}

void mix_fixed(int* out, const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (int)(((int64_t)a[i] * b[i] + 32768) >> 16);
}

void mix_hash(uint32_t* out, const uint32_t* a, int n) {
    for (int i = 0; i < n; i++) {
        uint32_t h = a[i] * 2654435761u;
        h ^= h >> 15;
        h *= 0x85EBCA6Bu;
        out[i] = (h << 7 | h >> 25) % 1000003u;
    }
}

void mix_hash_long(uint64_t* out, const uint64_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (a[i] ^ (a[i] >> 31)) * 0x9E3779B97F4A7C15ull / 3u;
}

void mix_int_min(int* out, const int* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] == INT32_MIN ? INT32_MIN : a[i] % 7 - (a[i] / -3);
}

void mix_long_quotient(int64_t* out, const int64_t* a, const int64_t* b, int n) {
    for (int i = 0; i < n; i++) out[i] = b[i] > 1 || b[i] < -1 ? a[i] / b[i] + a[i] % b[i] : 42;
}

void mix_mask_shift(int* out, const int* a, const int* s, int n) {
    for (int i = 0; i < n; i++) out[i] = s[i] >= 0 && s[i] < 31 ? (a[i] & ((1 << s[i]) - 1)) : a[i];
}

void mix_rounding_shift(int16_t* out, const int16_t* a, int n, int bits) {
    assert(bits >= 1 && bits <= 15);
    for (int i = 0; i < n; i++) out[i] = (int16_t)((a[i] + (1 << (bits - 1))) >> bits);
}

void mix_small_float(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] > -1e-38f && a[i] < 1e-38f ? a[i] * 0.5f : -a[i] - 0.0f;
}

void mix_zero_signs(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] == 0.0f ? -a[i] : b[i] == -0.0f ? -0.0f : 0.0f;
}

void mix_double_sum(float* out, const float* a, const float* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (float)((double)a[i] + (double)b[i] * 0.1);
}

void mix_normalise(float* out, const uint16_t* a, int n) {
    for (int i = 0; i < n; i++) out[i] = (float)a[i] / 65535.0f * 2.0f - 1.0f;
}

void mix_luma(uint8_t* out, const uint8_t* rgb, int n) {
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2] + 0.5f);
}

void mix_blend(uint8_t* out, const uint8_t* a, const uint8_t* b, int n, float alpha) {
    assert(alpha >= 0.0f && alpha <= 1.0f);
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] * alpha + b[i] * (1.0f - alpha));
}

void mix_gain_int(uint8_t* out, const uint8_t* a, int n, int gain, int offset) {
    for (int i = 0; i < n; i++) {
        int64_t v = ((int64_t)a[i] * gain >> 8) + offset;
        out[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

void mix_bool_logic(bool* out, const uint8_t* a, const bool* b, int n) {
    for (int i = 0; i < n; i++) out[i] = (a[i] > 100) ^ b[i] ? a[i] & 1 : !b[i];
}

void mix_table_two(int* out, const uint8_t* a, const int* lut, int n) {
    for (int i = 0; i < n; i++) out[i] = lut[a[i]] - lut[255 - a[i]];
}

void mix_joint_histogram(int* counts, const uint8_t* a, const uint8_t* b, int n) {
    for (int i = 0; i < 4096; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) counts[(a[i] >> 2) * 64 + (b[i] >> 2)]++;
}

int mix_minimum(const int* a, int n) {
    int best = 2147483647;
    for (int i = 0; i < n; i++) if (a[i] < best) best = a[i];
    return best;
}

int64_t mix_energy(const int16_t* a, const int16_t* b, int n) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (int64_t)(a[i] - b[i]);
    return sum;
}

double mix_mean(const float* a, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i];
    return sum * 0.125;
}

void mix_gradient(uint8_t* out, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) out[y * width + x] = (uint8_t)((x * 3 + y * 5) ^ (x & y));
}

void mix_checkers(float* out, int width, int height, float low, float high) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) out[y * width + x] = ((x >> 2) + (y >> 2)) & 1 ? low : high;
}

void mix_prefix(int* out, const int16_t* a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        out[i] = sum;
    }
}

void mix_in_place(int16_t* a, int n, int k) {
    assert(k > 0);
    for (int i = 0; i < n; i++) a[i] = (int16_t)(a[i] / k * k);
}

void mix_power(float* out, const float* a, int n) {
    for (int i = 0; i < n; i++) out[i] = powf(a[i], 1.0f / 2.2f) + expf(-a[i]);
}

void mix_sine(double* out, const double* a, int n) {
    for (int i = 0; i < n; i++) out[i] = sin(a[i]) * cos(a[i]) + log(a[i]);
}
