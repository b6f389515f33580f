/* No include guard, as in the standard header; asserts stay visible under NDEBUG too. */
#undef assert
#ifdef __cplusplus
extern "C" void __lift_assert(bool) noexcept;
extern "C" void __lift_assumed(bool) noexcept;
#ifdef NDEBUG
#define assert(expression) (__lift_assumed(static_cast<bool>(expression)))
#else
#define assert(expression) (__lift_assert(static_cast<bool>(expression)))
#endif
#else
void __lift_assert(_Bool);
void __lift_assumed(_Bool);
#ifdef NDEBUG
#define assert(expression) (__lift_assumed((_Bool)(expression)))
#else
#define assert(expression) (__lift_assert((_Bool)(expression)))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
#endif
