#ifndef LIFT_STDDEF_H
#define LIFT_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifdef __cplusplus
typedef decltype(nullptr) nullptr_t;
#else
typedef __WCHAR_TYPE__ wchar_t;
#endif
typedef struct {
  long long ll __attribute__((__aligned__(__alignof__(long long))));
  long double ld __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
#define offsetof(t, d) __builtin_offsetof(t, d)
#endif
#undef NULL
#ifdef __cplusplus
#define NULL __null
#else
#define NULL ((void *)0)
#endif
#ifdef __need_wint_t
#ifndef LIFT_WINT_T
#define LIFT_WINT_T
typedef __WINT_TYPE__ wint_t;
#endif
#undef __need_wint_t
#endif
