"""Which expressions may be computed at another place than where they stand, and which are worth it."""

from __future__ import annotations

from halide_core.interp.libm import split_name
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr, const_value
from halide_core.ir.structural import cached

_MOVABLE: dict[int, bool] = {}
_COSTLY: dict[int, bool] = {}
# What the target has instructions for.
_INSTRUCTIONS = ("sqrt", "floor", "ceil", "trunc", "round", "is_nan", "is_inf", "is_finite")


def is_movable(e: Expr) -> bool:
    """Whether neither memory nor control has a say in `e`: it reads nothing, prints nothing and never traps (a division
    by zero gives 0), so that it may be computed earlier, and where it was not."""
    return cached(_MOVABLE, e, _is_movable)


def _is_movable(e: Expr, inner: list[bool]) -> bool:
    if not all(inner) or e.type.is_handle() or isinstance(e, ir.Load | ir.Let):
        return False
    if isinstance(e, ir.Call):
        known = e.call_type is CallType.INTRINSIC and e.name in ir.INTRINSICS and e.name != "undef"
        return known or e.call_type is CallType.PURE_EXTERN
    return True


def is_costly(e: Expr) -> bool:
    """Whether `e` calls a function of floats or divides integers by something that is not constant.

    LLVM moves and shares sums and products by itself, and knows better than we which of them an address holds or a
    register has no room for; it leaves these, or what is under a condition of them, where they stand."""
    return cached(_COSTLY, e, _is_costly)


def _is_costly(e: Expr, inner: list[bool]) -> bool:
    if any(inner):
        return True
    if isinstance(e, ir.Div | ir.Mod):
        return not e.type.is_float() and const_value(e.b) is None
    if not isinstance(e, ir.Call):
        return False
    if e.name in ("div_round_to_zero", "mod_round_to_zero"):
        return const_value(e.args[1]) is None
    if ir.is_mathematics(e):
        return True
    parts = split_name(e.name)
    return e.call_type is CallType.PURE_EXTERN and parts is not None and parts[0] not in _INSTRUCTIONS
