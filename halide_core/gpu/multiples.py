"""What must be multiples for a sum to be one."""

from __future__ import annotations

from collections.abc import Collection
from math import gcd

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, Variable, const_value

Needed = dict[str, int]
"""Variables, by name, and powers of two that they must be multiples of."""


def needed_for(e: Expr, multiple: int, given: Collection[str]) -> Needed | None:
    """What must hold of the Variables `given` for the integer `e` to be a multiple of a power of two; None where that
    cannot be told by them."""
    value = const_value(e)
    if multiple == 1 or value is not None:
        return {} if value is None or int(value) % multiple == 0 else None
    match e:
        case Variable():
            return {e.name: multiple} if e.name in given else None
        case ir.Cast() if e.type.is_int_or_uint() and e.value.type.is_int_or_uint() and e.type.bits >= multiple:
            return needed_for(e.value, multiple, given)
        case ir.Add() | ir.Sub() | ir.Min() | ir.Max():
            return both(needed_for(e.a, multiple, given), needed_for(e.b, multiple, given))
        case ir.Select():
            return both(needed_for(e.true_value, multiple, given), needed_for(e.false_value, multiple, given))
        case ir.Mul():
            return _of_product(e.a, e.b, multiple, given)
    return None


def both(a: Needed | None, b: Needed | None) -> Needed | None:
    """What two need together."""
    if a is None or b is None:
        return None
    return {n: max(a.get(n, 1), b.get(n, 1)) for n in a.keys() | b.keys()}


def _of_product(a: Expr, b: Expr, multiple: int, given: Collection[str]) -> Needed | None:
    for one, other in ((a, b), (b, a)):
        value = const_value(one)
        if value is not None:
            return needed_for(other, multiple // gcd(int(value), multiple), given)
    # Either factor does; that which asks for less is it.
    found = [n for n in (needed_for(x, multiple, given) for x in (a, b)) if n is not None]
    return min(found, key=len, default=None)
