/* Declarations for systems without C headers. */
#ifndef LIFT_MATH_H
#define LIFT_MATH_H
#ifdef __cplusplus
extern "C" {
#endif
double sqrt(double);
float sqrtf(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double round(double);
float roundf(float);
double trunc(double);
float truncf(float);
double rint(double);
float rintf(float);
double nearbyint(double);
float nearbyintf(float);
double exp(double);
float expf(float);
double exp2(double);
float exp2f(float);
double expm1(double);
float expm1f(float);
double log(double);
float logf(float);
double log2(double);
float log2f(float);
double log10(double);
float log10f(float);
double log1p(double);
float log1pf(float);
double sin(double);
float sinf(float);
double cos(double);
float cosf(float);
double tan(double);
float tanf(float);
double asin(double);
float asinf(float);
double acos(double);
float acosf(float);
double atan(double);
float atanf(float);
double sinh(double);
float sinhf(float);
double cosh(double);
float coshf(float);
double tanh(double);
float tanhf(float);
double asinh(double);
float asinhf(float);
double acosh(double);
float acoshf(float);
double atanh(double);
float atanhf(float);
double cbrt(double);
float cbrtf(float);
double erf(double);
float erff(float);
double erfc(double);
float erfcf(float);
double tgamma(double);
float tgammaf(float);
double lgamma(double);
float lgammaf(float);
double fabs(double);
float fabsf(float);
double pow(double, double);
float powf(float, float);
double atan2(double, double);
float atan2f(float, float);
double fmod(double, double);
float fmodf(float, float);
double hypot(double, double);
float hypotf(float, float);
double fmin(double, double);
float fminf(float, float);
double fmax(double, double);
float fmaxf(float, float);
double copysign(double, double);
float copysignf(float, float);
double fdim(double, double);
float fdimf(float, float);
double remainder(double, double);
float remainderf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
long lround(double);
long lroundf(float);
long long llround(double);
long long llroundf(float);
long lrint(double);
long lrintf(float);
long long llrint(double);
long long llrintf(float);
#ifdef __cplusplus
}
#else
#define isnan(x) __builtin_isnan(x)
#endif
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
