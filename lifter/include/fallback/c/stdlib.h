/* Declarations for systems without C headers. */
#ifndef LIFT_STDLIB_H
#define LIFT_STDLIB_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
int abs(int);
long labs(long);
long long llabs(long long);
int rand(void);
void srand(unsigned);
void exit(int);
void abort(void);
int atoi(const char *);
double atof(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#ifdef __cplusplus
}
#endif
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
