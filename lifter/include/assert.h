/* No include guard, as in the standard header; asserts stay visible under NDEBUG too. */
#undef assert
#ifdef __cplusplus
extern "C" void __lift_assert(bool) noexcept;
#define assert(expression) (__lift_assert(static_cast<bool>(expression)))
#else
void __lift_assert(_Bool);
#define assert(expression) (__lift_assert((_Bool)(expression)))
#ifndef static_assert
#define static_assert _Static_assert
#endif
#endif
