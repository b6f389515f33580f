"""Functions of integers that C lacks: saturating, widening, halving and rounding arithmetic, and bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from halide_core.dsl.functions import cast, match, saturating_cast
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, Expr, const, const_value, intrinsic
from halide_core.ir.operators import as_expr, cast_to, match_bitwise, shift
from halide_core.ir.types import Int, Type, UInt


def _unsigned(t: Type) -> Type:
    return t.with_code(UInt(8).code)


def _integers(name: str, *exprs: Expr) -> None:
    for e in exprs:
        if not e.type.is_int_or_uint():
            raise HalideError(f"{name} is defined for integers only, and {e} has type {e.type}")


def _widened(name: str, t: Type) -> Type:
    if t.bits > 32:
        raise HalideError(f"{name} of {t}: there is no type of {2 * t.bits} bits")
    return t.with_bits(8 if t.is_bool() else 2 * t.bits)


def abs(value: Any) -> Expr:
    """The absolute value; unsigned for integers."""
    e = as_expr(value)
    if e.type.is_uint():
        return e
    return intrinsic("abs", e.type if e.type.is_float() else _unsigned(e.type), e)


def absd(a: Any, b: Any) -> Expr:
    """|a - b| without overflow; unsigned for integers."""
    x, y = match(a, b)
    return intrinsic("absd", x.type if x.type.is_float() else _unsigned(x.type), x, y)


def _same(name: str, floats: bool) -> Callable[[Any, Any], Expr]:
    def build(a: Any, b: Any) -> Expr:
        x, y = match(a, b)
        if not floats:
            _integers(name, x, y)
        return intrinsic(name, x.type, x, y)

    build.__name__ = name
    return build


div_round_to_zero = _same("div_round_to_zero", False)
mod_round_to_zero = _same("mod_round_to_zero", False)
saturating_add = _same("saturating_add", True)
saturating_sub = _same("saturating_sub", True)
halving_add = _same("halving_add", False)
halving_sub = _same("halving_sub", False)
rounding_halving_add = _same("rounding_halving_add", False)


def widening_add(a: Any, b: Any) -> Expr:
    """a + b in twice the bits."""
    x, y = match(a, b)
    return intrinsic("widening_add", _widened("widening_add", x.type), x, y)


def widening_sub(a: Any, b: Any) -> Expr:
    """a - b in twice the bits, signed."""
    x, y = match(a, b)
    wide = _widened("widening_sub", x.type)
    return intrinsic("widening_sub", wide if wide.is_float() else wide.with_code(Int(8).code), x, y)


def widening_mul(a: Any, b: Any) -> Expr:
    """a * b in twice the bits; signed where either is."""
    x, y = as_expr(a), as_expr(b)
    if x.type.is_float() or y.type.is_float():
        x, y = match(x, y)
    else:
        x, y = match_bitwise(x, y)
    wide = _widened("widening_mul", x.type)
    if x.type.code is not y.type.code:
        wide = wide.with_code(Int(8).code)
        return ir.Mul(wide, cast_to(wide, x), cast_to(wide, y))
    return intrinsic("widening_mul", wide, x, y)


def _widen_right(name: str, a: Any, b: Any) -> tuple[Expr, Expr]:
    x, y = as_expr(a), as_expr(b)
    _integers(name, x, y)
    if y.type.bits > 32 or x.type != _widened(name, y.type):
        raise HalideError(f"{name} type mismatch: {x} has type {x.type}, which is not twice as wide as {y.type} of {y}")
    return x, cast_to(x.type, y)


def widen_right_add(a: Any, b: Any) -> Expr:
    """a + b, with `b` of half the bits of `a`."""
    x, y = _widen_right("widen_right_add", a, b)
    return x + y


def widen_right_sub(a: Any, b: Any) -> Expr:
    """a - b, with `b` of half the bits of `a`."""
    x, y = _widen_right("widen_right_sub", a, b)
    return x - y


def widen_right_mul(a: Any, b: Any) -> Expr:
    """a * b, with `b` of half the bits of `a`."""
    x, y = _widen_right("widen_right_mul", a, b)
    return x * y


def _shift_call(name: str, a: Any, b: Any, negative: str) -> Call:
    call = shift("shift_" + name.rsplit("_", 1)[1], "shift_" + negative.rsplit("_", 1)[1])(a, b)
    assert isinstance(call, Call)
    _integers(name, *call.args)
    return call


def rounding_shift_right(a: Any, b: Any) -> Expr:
    """a >> b, rounding half up; a negative b shifts left."""
    call = _shift_call("rounding_shift_right", a, b, "rounding_shift_left")
    if call.name == "shift_left":
        return call
    return intrinsic("rounding_shift_right", call.type, *call.args)


def rounding_shift_left(a: Any, b: Any) -> Expr:
    """a << b; a negative b shifts right and rounds half up."""
    call = _shift_call("rounding_shift_left", a, b, "rounding_shift_right")
    value, amount = call.args
    if call.name == "shift_right":
        return intrinsic("rounding_shift_right", call.type, value, amount)
    if amount.type.is_uint():
        return call
    right = intrinsic("rounding_shift_right", call.type, value, -amount)
    return ir.Select(call.type, amount < 0, right, call)


def widening_shift_left(a: Any, b: Any) -> Expr:
    """a << b in twice the bits."""
    return _widening_shift("widening_shift_left", "widening_shift_right", a, b)


def widening_shift_right(a: Any, b: Any) -> Expr:
    """a >> b in twice the bits, in which a negative b loses nothing."""
    return _widening_shift("widening_shift_right", "widening_shift_left", a, b)


def _widening_shift(name: str, negative: str, a: Any, b: Any) -> Expr:
    call = _shift_call(name, a, b, negative)
    value, amount = call.args
    bits = _widened(name, value.type).bits
    wide = cast_to(value.type.with_bits(bits), value)
    return intrinsic(call.name, wide.type, wide, cast_to(amount.type.with_bits(bits), amount))


def _multiplied(name: str, a: Any, b: Any, shift_by: Any) -> tuple[Expr, Expr, Expr]:
    x, y = match(a, b)
    _integers(name, x, y)
    if isinstance(shift_by, int):
        unsigned = _unsigned(x.type)
        q = as_expr(shift_by, unsigned)
    else:
        q = as_expr(shift_by)
    if not q.type.is_uint():
        raise HalideError(f"{name} shift must be unsigned, and {q} has type {q.type}")
    x, q = match_bitwise(x, q)
    x, y = match(x, y)
    return x, y, q


def mul_shift_right(a: Any, b: Any, shift_by: Any) -> Expr:
    """(a * b) >> shift_by without overflow, saturated."""
    x, y, q = _multiplied("mul_shift_right", a, b, shift_by)
    if const_value(q) is not None:
        return intrinsic("mul_shift_right", x.type, x, y, q)
    product = widening_mul(x, y)
    return saturating_cast(x.type, product >> cast_to(product.type.with_code(q.type.code), q))


def rounding_mul_shift_right(a: Any, b: Any, shift_by: Any) -> Expr:
    """(a * b) >> shift_by without overflow, rounding half up, saturated."""
    x, y, q = _multiplied("rounding_mul_shift_right", a, b, shift_by)
    product = widening_mul(x, y)
    amount = cast_to(_unsigned(product.type), q)
    return saturating_cast(x.type, intrinsic("rounding_shift_right", product.type, product, amount))


def popcount(a: Any) -> Expr:
    """The number of one bits."""
    e = as_expr(a)
    _integers("popcount", e)
    return intrinsic("popcount", e.type, e)


def count_leading_zeros(a: Any) -> Expr:
    """The number of zero bits above the highest one bit; all of them for 0."""
    e = as_expr(a)
    _integers("count_leading_zeros", e)
    return intrinsic("count_leading_zeros", e.type, e)


def count_trailing_zeros(a: Any) -> Expr:
    """The number of zero bits below the lowest one bit; all of them for 0."""
    e = as_expr(a)
    _integers("count_trailing_zeros", e)
    if e.type.is_bool():
        return ~e
    below = intrinsic("bitwise_and", e.type, intrinsic("bitwise_not", e.type, e), e - 1)
    return intrinsic("popcount", e.type, below)


def concat_bits(values: Sequence[Any]) -> Expr:
    """One integer of the bits of several of one type, the first lowest."""
    items = [as_expr(v) for v in values]
    if not items or len(items) & (len(items) - 1):
        raise HalideError(f"concat_bits received {len(items)} arguments, which is not a power of two")
    t = items[0].type
    if any(e.type != t for e in items):
        raise HalideError("All arguments to concat_bits must have the same type")
    if t.bits * len(items) > 64 or t.is_bool():
        raise HalideError(f"concat_bits of {len(items)} values of {t}: there is no type of {t.bits * len(items)} bits")
    wide = _unsigned(t).with_bits(t.bits * len(items))
    out: Expr = const(0, wide)
    for k, e in enumerate(items):
        bits = cast(wide, e if e.type.is_uint() else ir.Reinterpret(_unsigned(t), e))
        out = out | (bits << (t.bits * k))
    result = t.with_bits(wide.bits)
    return out if result == wide else ir.Reinterpret(result, out)


def extract_bits(type_: Type, value: Any, lsb: Any) -> Expr:
    """The bits of `value` from number `lsb` as a `type_`; bits past its end are zero."""
    e, low = as_expr(value), as_expr(lsb)
    unsigned = _unsigned(e.type)
    bits = e if e.type == unsigned else ir.Reinterpret(unsigned, e)
    shifted = bits >> cast_to(unsigned, low)
    if type_.is_float():
        return ir.Reinterpret(type_, cast_to(UInt(type_.bits), shifted))
    return cast_to(type_, shifted)


__all__ = [
    "abs",
    "absd",
    "concat_bits",
    "count_leading_zeros",
    "count_trailing_zeros",
    "div_round_to_zero",
    "extract_bits",
    "halving_add",
    "halving_sub",
    "mod_round_to_zero",
    "mul_shift_right",
    "popcount",
    "rounding_halving_add",
    "rounding_mul_shift_right",
    "rounding_shift_left",
    "rounding_shift_right",
    "saturating_add",
    "saturating_sub",
    "widen_right_add",
    "widen_right_mul",
    "widen_right_sub",
    "widening_add",
    "widening_mul",
    "widening_shift_left",
    "widening_shift_right",
    "widening_sub",
]
