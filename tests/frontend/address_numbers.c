/* Pointers made from numbers: what they point to, or why that is not known. */
#include <stdint.h>
#include <string.h>

void put(uint8_t *p, int v) { *p = v; }

uint8_t start_of_word(uint32_t *p, int n) { return *(uint8_t *)((uintptr_t)((uint8_t *)p + n) & ~(uintptr_t)3); }
void last_of_two(uint16_t *p, int n) {
  for (int i = 0; i < n; i++) *(uint8_t *)((uintptr_t)((uint8_t *)p + 2 * i) | 1) = 7;
}
void increment(uint32_t *p, int n) {
  for (int i = 0; i < n; i++) (*(uint8_t *)((uintptr_t)((uint8_t *)p + i) ^ 3))++;
}
void by_call(uint32_t *p, int n) {
  for (int i = 0; i < n; i++) put((uint8_t *)((uintptr_t)((uint8_t *)p + i) ^ 3), i);
}
void by_pointer(uint32_t *p, int n) {
  for (int i = 0; i < n; i++) {
    uint8_t *place = (uint8_t *)((uintptr_t)((uint8_t *)p + i) ^ 3);
    i++;
    *place = i;
  }
}
void halves(uint32_t *to, const uint32_t *from, int n) {
  for (int i = 0; i < n; i++)
    *(uint16_t *)((uintptr_t)((uint16_t *)to + i) ^ 2) = *(const uint16_t *)((uintptr_t)((const uint16_t *)from + i) ^ 2);
}
void floats(float *to, const float *from, int n) {
  for (int i = 0; i < n; i++) *(float *)((uintptr_t)to + 4 * (uintptr_t)i) = *(const float *)((uintptr_t)from + i * 4);
}
void rows(uint16_t *to, const uint16_t *from, int n, int pitch) {
  for (int i = 0; i < n; i++) *(uint16_t *)((intptr_t)to + i * pitch) = *(const uint16_t *)((intptr_t)from + i * pitch);
}
void bytes_of_words(uint32_t *p, int n) {
  for (int i = 0; i < n; i++) *(uint8_t *)((uintptr_t)((uint8_t *)p + i)) = i;
}

/* More than the address of an element is a multiple of. */
uint8_t far_down(uint8_t *p, int n) { return ((uint8_t *)((uintptr_t)p & ~(uintptr_t)15))[n]; }
uint8_t part_of_aligned(uint32_t *p, int n) { return *(uint8_t *)((uintptr_t)((uint8_t *)p + n) ^ 1); }
/* Numbers that are no addresses, or those of two arrays. */
uint8_t low_bits(uint8_t *p) { return *(uint8_t *)((uintptr_t)p & 0xffff); }
uint8_t two_arrays(uint8_t *p, uint8_t *q, int n) { return *(uint8_t *)((uintptr_t)p + (uintptr_t)q + n); }
uint8_t negative(uint8_t *p, int n) { return *(uint8_t *)(n - (uintptr_t)p); }
void moved(uint32_t *p, int n) {
  uint8_t *place = (uint8_t *)((uintptr_t)((uint8_t *)p + n) ^ 3);
  for (int i = 0; i < n; i++) *place++ = i;
}
uint8_t *kept(uint32_t *p, int n) { return (uint8_t *)((uintptr_t)((uint8_t *)p + n) ^ 3); }
int compared(uint32_t *p, int n) {
  return (uint8_t *)((uintptr_t)((uint8_t *)p + n) ^ 3) == (uint8_t *)p;
}
/* A size of which something is lost. */
void lost(uint32_t *to, const uint32_t *from, long n) { memcpy(to, from, (int)(n * 4)); }
void whole(uint32_t *to, const uint32_t *from, int n) { memcpy(to, from, 4 * n); }
