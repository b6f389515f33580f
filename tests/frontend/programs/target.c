/* What `-E` prints here is not what is compiled. */
#pragma GCC push_options
#pragma GCC target("avx2")
#ifdef __AVX2__
int refused_avx2(void) { return 1; }
#else
int refused_avx2(void) { return 2; }
#endif
#pragma GCC pop_options
