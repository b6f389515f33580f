#include <stdint.h>
#include <stdlib.h>
static int calls;
extern "C" void first(uint8_t* d, const uint8_t* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] + 1; }
extern "C" void second(uint8_t* d, const uint8_t* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] ^ 1; }
#ifdef BROKEN
extern "C" void broken(uint8_t* d, const uint8_t* s, int n) { abort(); }
#else
extern "C" void broken(uint8_t* d, const uint8_t* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] - 1; }
#endif
extern "C" void third(uint8_t* d, const uint8_t* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] & 7; }
