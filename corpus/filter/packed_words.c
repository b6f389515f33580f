/* Pixels of one, two, eight and sixteen bits in words of 32 bits, most significant first, as libraries for scanned pages
   have them: bytes are reached by changing the lowest bits of their addresses. */
#include <stdint.h>

#define BIT(line, n) (((line)[(n) >> 5] >> (31 - ((n) & 31))) & 1)
#define SET_BIT(line, n) ((line)[(n) >> 5] |= 0x80000000u >> ((n) & 31))
#define CLEAR_BIT(line, n) ((line)[(n) >> 5] &= ~(0x80000000u >> ((n) & 31)))
#define DIBIT(line, n) (((line)[(n) >> 4] >> (2 * (15 - ((n) & 15)))) & 3)
#define BYTE(line, n) (*(uint8_t *)((uintptr_t)((uint8_t *)(line) + (n)) ^ 3))
#define TWO_BYTES(line, n) (*(uint16_t *)((uintptr_t)((uint16_t *)(line) + (n)) ^ 2))

void packed_threshold(uint32_t *bits, const uint32_t *gray, int w, int h, int bit_words, int gray_words, int limit) {
  for (int y = 0; y < h; y++) {
    uint32_t *to = bits + y * bit_words;
    const uint32_t *from = gray + y * gray_words;
    for (int x = 0; x < w; x++) {
      if (BYTE(from, x) < limit)
        SET_BIT(to, x);
      else
        CLEAR_BIT(to, x);
    }
  }
}

void packed_unpack_bits(uint32_t *gray, const uint32_t *bits, int w, int h, int gray_words, int bit_words, int off, int on) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      BYTE(gray + y * gray_words, x) = BIT(bits + y * bit_words, x) ? on : off;
}

void packed_unpack_dibits(uint32_t *gray, const uint32_t *dibits, int w, int h, int gray_words, int dibit_words) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      BYTE(gray + y * gray_words, x) = 85 * DIBIT(dibits + y * dibit_words, x);
}

void packed_halve(uint32_t *small, const uint32_t *large, int w, int h, int small_words, int large_words) {
  for (int y = 0; y < h; y++) {
    const uint32_t *above = large + 2 * y * large_words;
    const uint32_t *below = above + large_words;
    for (int x = 0; x < w; x++) {
      int sum = BYTE(above, 2 * x) + BYTE(above, 2 * x + 1) + BYTE(below, 2 * x) + BYTE(below, 2 * x + 1);
      BYTE(small + y * small_words, x) = sum >> 2;
    }
  }
}

void packed_high_bytes(uint32_t *to, const uint32_t *from, int w, int h, int to_words, int from_words) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      BYTE(to + y * to_words, x) = TWO_BYTES(from + y * from_words, x) >> 8;
}

int packed_count(const uint32_t *bits, int w, int h, int words) {
  int count = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      count += BIT(bits + y * words, x);
  return count;
}

/* Nibbles in bytes, the first one above. */
void packed_nibbles(uint8_t *to, const uint8_t *from, int w, int h, int to_stride, int from_stride) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      uint8_t *place = &to[y * to_stride + (x >> 1)];
      int shift = 4 * (~x & 1);
      *place = (uint8_t)((*place & ~(15 << shift)) | ((from[y * from_stride + x] >> 4) << shift));
    }
}

/* Rows at distances in bytes, as numbers. */
void packed_rows_of_bytes(uint16_t *to, const uint16_t *from, int w, int h, intptr_t to_pitch, intptr_t from_pitch) {
  for (int y = 0; y < h; y++) {
    uint16_t *row = (uint16_t *)((intptr_t)to + y * to_pitch);
    const uint16_t *source = (const uint16_t *)((intptr_t)from + y * from_pitch);
    for (int x = 0; x < w; x++)
      row[x] = source[x] >> 2;
  }
}
