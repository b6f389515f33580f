"""Integer arithmetic in a type that has the bits which are kept of it.

    uint8((int32(a) - int32(b)) * w >> 8)   with a, b of uint8 and w of int32

keeps bits 8 to 15 of a product, which the product of the factors' lower 16 bits has too."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, const, const_value, intrinsic
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type, UInt

_LOGICAL = ("bitwise_and", "bitwise_or", "bitwise_xor")


def low_bits(e: Expr, count: int, t: Type, exact: Callable[[Expr], Expr | None]) -> Expr | None:
    """An expression of the unsigned type `t` with the same lowest `count` bits as `e`; None where that has to compute
    anything with data in a wider type.  `exact`: a part's own value in a type no wider than `t`, if it has one."""
    if count > t.bits:
        return None
    value = const_value(e)
    if value is not None:
        return const(int(value) & t.max(), t)
    if not has_data(e):
        return cast_to(t, e)
    found = exact(e)
    if found is not None:
        return cast_to(t, found)
    if isinstance(e, ir.Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
        if e.type.bits < count:
            return None
        narrow = e.value.type.bits <= t.bits
        return cast_to(t, e.value) if narrow else low_bits(e.value, count, t, exact)
    return _operation(e, count, t, exact)


def has_data(e: Expr) -> bool:
    """Whether an expression is made of more than parameters and coordinates."""
    return any(
        isinstance(n, ir.Load) or (isinstance(n, Call) and n.call_type is not CallType.INTRINSIC)
        for n in post_order(e)
    )


def _operation(e: Expr, count: int, t: Type, exact: Callable[[Expr], Expr | None]) -> Expr | None:
    if isinstance(e, ir.Add | ir.Sub | ir.Mul):
        a, b = low_bits(e.a, count, t, exact), low_bits(e.b, count, t, exact)
        return None if a is None or b is None else type(e)(t, a, b)
    if isinstance(e, ir.Select):
        yes, no = low_bits(e.true_value, count, t, exact), low_bits(e.false_value, count, t, exact)
        return None if yes is None or no is None else ir.Select(t, e.condition, yes, no)
    if not isinstance(e, Call) or e.call_type is not CallType.INTRINSIC or len(e.args) != 2:
        return None
    if e.name in _LOGICAL:
        a, b = (low_bits(x, count, t, exact) for x in e.args)
        return None if a is None or b is None else intrinsic(e.name, t, a, b)
    amount = const_value(e.args[1])
    if e.name not in ("shift_left", "shift_right") or amount is None or not 0 <= amount < t.bits:
        return None
    lower = e.name == "shift_right"
    a = low_bits(e.args[0], count + int(amount) if lower else count, t, exact)
    return None if a is None else intrinsic(e.name, t, a, const(int(amount), UInt(t.bits)))
