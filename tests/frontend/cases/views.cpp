// Memory used at other widths than it is declared with, and structures of scalars.
#include <stdint.h>
#include <string.h>

struct Pixel { uint8_t r, g, b; };
struct Tables { uint8_t u[16]; uint8_t v[16]; int16_t bias[8]; };
struct Mixed { uint8_t tag; int32_t value; uint16_t extra; };
struct Nested { Pixel first; Pixel rest[2]; };
struct Point { float x, y; };
union Word { uint32_t all; uint8_t parts[4]; };

void copy_words(const uint8_t* src, uint8_t* dst, int size) {
    const uint32_t* s = (const uint32_t*)src;
    uint32_t* d = (uint32_t*)dst;
    for (int i = 0; i < size / 4; i++) d[i] = s[i];
}

void swap_channels(const uint8_t* src, uint8_t* dst, int size) {
    for (int i = 0; i < size / 4; i++) {
        uint32_t p = *(const uint32_t*)(src + 4 * i);
        *(uint32_t*)(dst + 4 * i) = (p & 0xff00ff00u) | ((p & 0xff) << 16) | ((p >> 16) & 0xff);
    }
}

void in_place_words(uint8_t* p, int size) {
    for (int i = 0; i + 4 <= size; i += 4) *(uint32_t*)(p + i) = *(uint32_t*)(p + i) * 3 + 1;
}

void alpha_bytes(uint32_t* px, int size) {
    for (int i = 0; i < size; i++) ((uint8_t*)&px[i])[3] = 255;
}

void signed_halves(const int32_t* src, int16_t* dst, int size) {
    for (int i = 0; i < size; i++) dst[i] = ((const int16_t*)src)[2 * i + 1];
}

void join_signed(const int16_t* src, int32_t* dst, int size) {
    for (int i = 0; i < size / 2; i++) dst[i] = ((const int32_t*)src)[i] / 3;
}

void wide_steps(const uint8_t* src, uint8_t* dst, int size) {
    const uint16_t* p = (const uint16_t*)src;
    const uint16_t* end = p + size / 2;
    uint16_t* d = (uint16_t*)dst;
    while (p < end) *d++ = (uint16_t)(*p++ >> 3);
}

int distance_of_words(const uint8_t* src, int size) {
    const uint32_t* p = (const uint32_t*)src;
    const uint32_t* q = p + size / 4;
    return (int)(q - p);
}

void copy_into_scalar(const uint8_t* s, uint32_t* d, int size) {
    for (int i = 0; i < size / 4; i++) {
        uint32_t v;
        memcpy(&v, s + 4 * i, 4);
        d[i] = v ^ 0xffu;
    }
}

void copy_from_scalar(const uint32_t* s, uint8_t* d, int size) {
    for (int i = 0; i < size / 4; i++) {
        uint16_t v = (uint16_t)(s[i] >> 5);
        memcpy(d + 2 * i, &v, sizeof v);
    }
}

void copy_across(const uint32_t* s, uint8_t* d, int size) {
    memcpy(d, s, (size / 4) * 4);
}

void local_words(const uint8_t* s, uint8_t* d, int size) {
    for (int i = 0; i < size / 4; i++) {
        uint16_t t[2];
        memcpy(t, s + 4 * i, 4);
        d[2 * i] = (uint8_t)(t[0] >> 4);
        d[2 * i + 1] = (uint8_t)(t[1] >> 4);
    }
}

void grey(const uint8_t* in, uint8_t* out, int size) {
    const Pixel* p = (const Pixel*)in;
    for (int i = 0; i < size / 3; i++) out[i] = (uint8_t)((p[i].r * 77 + p[i].g * 150 + p[i].b * 29) >> 8);
}

void fill_pixels(uint8_t* out, int size, uint8_t r, uint8_t g) {
    Pixel* p = (Pixel*)out;
    for (int i = 0; i < size / 3; i++) {
        p[i].r = r;
        p[i].g = g;
        p->b = r;
        (*(p + i)).b = (uint8_t)(p[i].r + p[i].g);
    }
}

void tables(const uint8_t* memory, int16_t* out, int size) {
    const Tables* t = (const Tables*)memory;
    if (size < 64) return;
    for (int i = 0; i < 8; i++) out[i] = (int16_t)(t->u[i] * t->v[8 + i] + t->bias[i]);
}

void mixed(uint8_t* memory, int size) {
    Mixed* m = (Mixed*)memory;
    for (int i = 0; i < size / 12; i++) {
        m[i].value = m[i].value / 2 - m[i].tag;
        m[i].extra = (uint16_t)(m[i].value >> 4);
    }
}

void nested(uint8_t* memory, int size) {
    Nested* m = (Nested*)memory;
    for (int i = 0; i < size / 9; i++) m[i].rest[1].g = (uint8_t)(m[i].first.r ^ m[i].rest[0].b);
}

float points(const float* memory, int size) {
    const Point* p = (const Point*)memory;
    float total = 0;
    for (int i = 0; i < size / 2; i++) total += p[i].x - p[i].y;
    return total;
}

void words(uint32_t* memory, int size) {
    Word* w = (Word*)memory;
    for (int i = 0; i < size; i++) {
        w[i].all += 0x01010101u;
        w[i].parts[2] = (uint8_t)(w[i].parts[0] | 1);
    }
}

void low_byte_written(uint32_t* d, int size) {
    for (int i = 0; i < size; i++) {
        uint32_t x = d[i];
        *(uint8_t*)&x = 7;
        d[i] = x;
    }
}

static void halve(int16_t* p) { *p = (int16_t)(*p / 2); }

void low_half_by_call(int32_t* d, int size) {
    for (int i = 0; i < size; i++) {
        int32_t x = d[i];
        halve((int16_t*)&x);
        d[i] = x;
    }
}

void low_byte_read(const int32_t* s, int8_t* d, int size) {
    for (int i = 0; i < size; i++) {
        int32_t x = s[i] * 3;
        d[i] = *(int8_t*)&x;
    }
}

struct Unnamed { int32_t a; union { struct { uint8_t b, c; }; uint16_t w; }; struct { uint8_t y; struct { uint8_t z; }; }; };
struct __attribute__((packed)) Packed { uint8_t a; uint16_t b; };

void unnamed_members(uint8_t* memory, int size) {
    Unnamed* s = (Unnamed*)memory;
    for (int i = 0; i < size / 8; i++) {
        s[i].w = (uint16_t)(s[i].w + 513);
        s[i].z = (uint8_t)(s[i].c ^ s[i].y);
        s[i].a -= s[i].b;
    }
}

void packed_members(uint8_t* memory, int size) {
    Packed* s = (Packed*)memory;
    for (int i = 0; i < size / 3; i++) s[i].b = (uint16_t)(s[i].b + s[i].a * 300);
}

static int sum_of_parts(uint32_t v) {
    uint16_t t[2];
    t[0] = (uint16_t)v;
    t[1] = (uint16_t)(v >> 16);
    const uint8_t* p = (const uint8_t*)t;
    return p[0] + p[1] + p[2] + p[3];
}

void parts_in_a_helper(const uint32_t* s, int32_t* d, int size) {
    for (int i = 0; i < size; i++) d[i] = sum_of_parts(s[i]);
}

// Bytes and memory of no type that are nothing but wider elements, and some that are not.
void words_by_bytes(const uint8_t *src, uint8_t *dst, int n) {
  const int16_t *s = (const int16_t *)src;
  for (int i = 0; i < n; i++) ((int16_t *)dst)[i] = (int16_t)(s[i] * 3 + 1);
}
void floats_by_bytes(const uint8_t *src, uint8_t *dst, int n) {
  float *d = (float *)dst;
  for (int i = 0; i < n; i++) d[i] = ((const float *)src)[i] + 1.0f;
}
void words_of_void(const void *src, void *dst, int n) {
  const uint16_t *s = (const uint16_t *)src;
  uint32_t *d = (uint32_t *)dst;
  for (int i = 0; i < n; i++) d[i] = s[i] * 65537u;
}
void bytes_and_words(const void *src, uint8_t *dst, int n) {
  for (int i = 0; i < n; i++) dst[i] = ((const uint8_t *)src)[i] ^ (uint8_t)((const uint16_t *)src)[i];
}
void words_at_bytes(const uint8_t *src, uint16_t *dst, int n) {
  for (int i = 0; i < n; i++) dst[i] = *(const uint16_t *)(src + i);
}
void cleared_bytes_and_words(uint8_t *dst, int n) {
  memset(dst, 7, (size_t)n | 1);
  for (int i = 0; i < n / 2; i++) ((int16_t *)dst)[i] += 300;
}
