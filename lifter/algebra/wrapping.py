"""What integer expressions depend on, and whether they are mathematical integers as they stand."""

from __future__ import annotations

from halide_core.ir.constant_intervals import inside
from halide_core.ir.expr import Add, Call, CallType, Cast, Expr, Load, Mul, Sub, children
from halide_core.ir.structural import key, post_order
from lifter.algebra.value_ranges import interval, node_range

_READS: dict[int, bool] = {}


def reads_memory(e: Expr) -> bool:
    """Whether an expression depends on the contents of arrays."""
    number = key(e)
    if number not in _READS:
        _READS[number] = any(
            isinstance(n, Load) or (isinstance(n, Call) and n.call_type is not CallType.INTRINSIC)
            for n in post_order(e)
        )
    return _READS[number]


def may_wrap(e: Expr) -> bool:
    """Whether an integer operation on image data is done at a type where it can wrap, so that it must not be read as a
    mathematical integer without an obligation.

    On counters and parameters 32 bits count as enough: the contract bounds coordinates and addresses."""
    if not e.type.is_int_or_uint():
        return False
    if isinstance(e, Cast):
        source = e.value.type
        if not source.is_int_or_uint() or source.is_bool() or e.type.can_represent(source):
            return False
        if isinstance(e.value, Call) and e.value.name == "abs" and e.value.args[0].type == e.type:
            return False  # C's abs of the least integer is undefined
        return (e.type.bits < 32 or reads_memory(e.value)) and not _fits(e)
    if isinstance(e, Add | Sub | Mul) or (isinstance(e, Call) and e.name == "shift_left"):
        return (e.type.bits < 32 or (e.type.is_uint() and reads_memory(e))) and not _fits(e)
    return False


def _fits(e: Expr) -> bool:
    """Whether the types of what an operation is made of say that its value fits its own."""
    found = node_range(e, [interval(c) for c in children(e)], {})
    return found is not None and inside(found, e.type)


__all__ = ["may_wrap", "reads_memory"]
