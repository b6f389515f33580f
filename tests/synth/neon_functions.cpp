/* Functions in NEON intrinsics and in vectors of GNU C, each with its scalar version. */
#include <arm_neon.h>
#include <cstddef>
#include <cstring>

void luma(const uint8_t* rgb, uint8_t* gray, int n) {
    const uint8x8_t r = vdup_n_u8(77), g = vdup_n_u8(150), b = vdup_n_u8(29);
    int i = 0;
    for (; i <= n - 8; i += 8) {
        uint8x8x3_t v = vld3_u8(rgb + 3 * i);
        uint16x8_t s = vmull_u8(v.val[0], r);
        s = vmlal_u8(s, v.val[1], g);
        s = vmlal_u8(s, v.val[2], b);
        vst1_u8(gray + i, vshrn_n_u16(s, 8));
    }
    for (; i < n; i++) gray[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
}

void luma_scalar(const uint8_t* rgb, uint8_t* gray, int n) {
    for (int i = 0; i < n; i++) gray[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
}

void threshold(const uint8_t* s, uint8_t* d, int n, uint8_t limit, uint8_t high, uint8_t low) {
    uint8x16_t l = vdupq_n_u8(limit), a = vdupq_n_u8(high), b = vdupq_n_u8(low);
    int i = 0;
    for (; i + 16 <= n; i += 16) vst1q_u8(d + i, vbslq_u8(vcgtq_u8(vld1q_u8(s + i), l), a, b));
    for (; i < n; i++) d[i] = s[i] > limit ? high : low;
}

void threshold_scalar(const uint8_t* s, uint8_t* d, int n, uint8_t limit, uint8_t high, uint8_t low) {
    for (int i = 0; i < n; i++) d[i] = s[i] > limit ? high : low;
}

void interleave(const uint8_t* u, const uint8_t* v, uint8_t* uv, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint8x16x2_t both = {{vld1q_u8(u + i), vld1q_u8(v + i)}};
        vst2q_u8(uv + 2 * i, both);
    }
    for (; i < n; i++) {
        uv[2 * i] = u[i];
        uv[2 * i + 1] = v[i];
    }
}

void interleave_scalar(const uint8_t* u, const uint8_t* v, uint8_t* uv, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uv[2 * i] = u[i];
        uv[2 * i + 1] = v[i];
    }
}

void tent(const uint8_t* s, uint8_t* d, int w) {
    int x = 1;
    for (; x + 8 < w; x += 8) {
        uint16x8_t sum = vaddl_u8(vld1_u8(s + x - 1), vld1_u8(s + x + 1));
        sum = vaddq_u16(sum, vshll_n_u8(vld1_u8(s + x), 1));
        vst1_u8(d + x, vrshrn_n_u16(sum, 2));
    }
    for (; x < w - 1; x++) d[x] = (s[x - 1] + 2 * s[x] + s[x + 1] + 2) >> 2;
}

void tent_scalar(const uint8_t* s, uint8_t* d, int w) {
    for (int x = 1; x < w - 1; x++) d[x] = (s[x - 1] + s[x + 1] + (s[x] << 1) + 2) >> 2;
}

typedef uint8_t bytes __attribute__((vector_size(16)));
void average(const uint8_t* a, const uint8_t* b, uint8_t* d, int n) {
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes x, y;
        memcpy(&x, a + i, 16);
        memcpy(&y, b + i, sizeof y);
        bytes r = (x & y) + ((x ^ y) >> 1);
        memcpy(d + i, &r, 16);
    }
    for (; i < n; i++) d[i] = (a[i] & b[i]) + ((a[i] ^ b[i]) >> 1);
}

void average_scalar(const uint8_t* a, const uint8_t* b, uint8_t* d, int n) {
    for (int i = 0; i < n; i++) d[i] = (a[i] + b[i]) >> 1;
}

void flip(const uint8_t* s, uint8_t* d, int w) {
    for (int x = 0; x < w / 16 * 16; x += 16) {
        uint8x16_t v = vrev64q_u8(vld1q_u8(s + w / 16 * 16 - 16 - x));
        vst1q_u8(d + x, vextq_u8(v, v, 8));
    }
}

void flip_scalar(const uint8_t* s, uint8_t* d, int w) {
    for (int x = 0; x < w / 16 * 16; x++) d[x] = s[w / 16 * 16 - 1 - x];
}

static inline void fold(const uint32x4_t* acc, uint32_t* r, int k) {
    r[k] = vaddvq_u32(acc[0]);
}
void sums(const uint8_t* s, uint32_t* r, int n) {
    uint32x4_t acc[1], other;
    memset(acc, 0, sizeof(acc));
    for (int i = 0; i < n; i++) acc[0] = vpadalq_u16(acc[0], vpaddlq_u8(vld1q_u8(s + 16 * i)));
    other = acc[0];
    fold(&other, r, 0);
}

void sums_scalar(const uint8_t* s, uint32_t* r, int n) {
    uint32_t acc_0 = 0;
    for (int i = 0; i < 16 * n; i++) acc_0 += s[i];
    r[0] = acc_0;
}

void through_bytes(const uint8_t* s, uint8_t* d, int n, uint8_t k) {
    for (int i = 0; i < n / 16; i++) {
        uint8x16x2_t v = {{vdupq_n_u8(k), vdupq_n_u8(k)}};
        vst2q_u8((uint8_t*)&v, v);
        vst1q_u8(d + 16 * i, veorq_u8(vld1q_u8(s + 16 * i), v.val[1]));
    }
}

void through_bytes_scalar(const uint8_t* s, uint8_t* d, int n, uint8_t k) {
    for (int i = 0; i < n / 16 * 16; i++) d[i] = s[i] ^ k;
}
