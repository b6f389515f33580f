"""Names that parameters and helpers of the source may not have in emitted text, or in compiled code."""

from __future__ import annotations

import keyword

PYTHON = {
    *keyword.kwlist, "__debug__", "hl", "np", "r", "build", "regions", "variant", "float", "int", "min", "max",
}

_CPP_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
_PRINTED = """
abs absd Bool Buffer cast ceil clamp count_leading_zeros count_trailing_zeros div_round_to_zero exp Expr
fast_inverse_sqrt Float floor Func Generator Halide halving_add Input Int int16_t int32_t INT64_MIN int64_t int8_t
Internal is_nan lerp likely log max min mod_round_to_zero mul_shift_right Output popcount pow RDom reinterpret round
rounding_halving_add rounding_mul_shift_right rounding_shift_left rounding_shift_right saturating_add saturating_cast
saturating_sub select sqrt std strict_float trunc UInt uint16_t uint32_t uint64_t uint8_t undef Var widening_add
widening_mul widening_shift_left widening_shift_right widening_sub
"""
_MEMBERS = "configure generate schedule build_pipeline"
CPP = {"r", *_CPP_KEYWORDS.split(), *_PRINTED.split(), *_MEMBERS.split()}
"""Keywords, what the text says of Halide, and the members of its generators that it overrides."""

RUNTIME_PREFIX = "halide_"
"""Of the names of Halide's run time, which compiled code defines."""


def apart(name: str, reserved: set[str]) -> str:
    """A name that is not reserved; different names stay different."""
    return f"{name}_" if name.rstrip("_") in reserved or name in reserved else name
