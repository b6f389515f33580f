"""The conversions of float16 that LLVM leaves to a library on x86: defined with the code that may call them.

LLVM converts with the instructions of F16C where the target has them, and calls compiler-rt's functions otherwise;
from double it always calls. Neither a process that runs compiled code nor a C program need have these."""

from __future__ import annotations

_EXTEND = """
define weak_odr hidden float @__extendhfsf2(half %h) noinline nounwind {
  %b = bitcast half %h to i16
  %w = zext i16 %b to i32
  %m = and i32 %w, 32767
  %s0 = and i32 %w, 32768
  %s = shl i32 %s0, 16
  %wide = shl i32 %m, 13
  ; The exponent's bias grows by 112; infinity and NaN go to the other end of the scale.
  %normal = add i32 %wide, 939524096
  %special = add i32 %wide, 1879048192
  %small.f0 = uitofp i32 %m to float
  %small.f = fmul float %small.f0, 0x3E70000000000000
  %small = bitcast float %small.f to i32
  %is.special = icmp uge i32 %m, 31744
  %is.small = icmp ult i32 %m, 1024
  %r0 = select i1 %is.special, i32 %special, i32 %normal
  %r1 = select i1 %is.small, i32 %small, i32 %r0
  %r = or i32 %r1, %s
  %f = bitcast i32 %r to float
  ret float %f
}"""

_TRUNCATE = """
define weak_odr hidden half @__truncsfhf2(float %f) noinline nounwind {
  %b = bitcast float %f to i32
  %s0 = lshr i32 %b, 16
  %s = and i32 %s0, 32768
  %a = and i32 %b, 2147483647
  ; Normal: to nearest, ties to even, in integers; the carry goes into the exponent, up to infinity.
  %last0 = lshr i32 %a, 13
  %last = and i32 %last0, 1
  %up0 = add i32 %a, 4095
  %up = add i32 %up0, %last
  %normal0 = sub i32 %up, 939524096
  %normal = lshr i32 %normal0, 13
  ; Denormal: the last bit of a float32 from 0.5 to 1 is that of the smallest float16, so that the sum rounds.
  %abs = bitcast i32 %a to float
  %sum = fadd float %abs, 5.0e-01
  %sum.b = bitcast float %sum to i32
  %small = sub i32 %sum.b, 1056964608
  %payload0 = lshr i32 %a, 13
  %payload = and i32 %payload0, 511
  %nan = or i32 %payload, 32256
  %is.small = icmp ult i32 %a, 947912704
  %is.large = icmp uge i32 %a, 1199570944
  %is.nan = icmp ugt i32 %a, 2139095040
  %r0 = select i1 %is.small, i32 %small, i32 %normal
  %r1 = select i1 %is.large, i32 31744, i32 %r0
  %r2 = select i1 %is.nan, i32 %nan, i32 %r1
  %r = or i32 %r2, %s
  %h = trunc i32 %r to i16
  %out = bitcast i16 %h to half
  ret half %out
}

define weak_odr hidden half @__truncdfhf2(double %d) noinline nounwind {
  ; To odd first: a float32 has bits enough that rounding it again is then rounding once.
  %f = fptrunc double %d to float
  %back = fpext float %f to double
  %exact = fcmp ueq double %back, %d
  ; Of one sign, so that their bits without it compare as they do.
  %back.b = bitcast double %back to i64
  %back.abs = shl i64 %back.b, 1
  %d.b = bitcast double %d to i64
  %d.abs = shl i64 %d.b, 1
  %beyond = icmp ugt i64 %back.abs, %d.abs
  %b = bitcast float %f to i32
  %less = sub i32 %b, 1
  %toward = select i1 %beyond, i32 %less, i32 %b
  %odd = or i32 %toward, 1
  %r = select i1 %exact, i32 %b, i32 %odd
  %g = bitcast i32 %r to float
  %h = call half @__truncsfhf2(float %g)
  ret half %h
}

@llvm.compiler.used = appending global [3 x ptr] [
  ptr @__extendhfsf2, ptr @__truncsfhf2, ptr @__truncdfhf2
], section "llvm.metadata"
"""


def conversions(arch: str) -> str:
    """LLVM IR of the functions for `arch`; empty where its instructions convert."""
    return _EXTEND + _TRUNCATE if arch == "x86" else ""
