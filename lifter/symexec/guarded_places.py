"""Places that are stored to under guards: which are one, though the source has other words for them.

    if (x == 0) d[0] = s[0]; else d[x] = s[x] - s[x - 1];

Where `x == 0`, `d[0]` is `d[x]`; and what one arm stores the other one does not see."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import EQ, GE, GT, I32, LE, LT, Add, Cast, Expr, Mul, Sub
from halide_core.ir.structural import key, post_order
from lifter.algebra.fold import negate, parts
from lifter.algebra.polynomial import Poly, ahead_of, to_poly
from lifter.ir.effects import LoopInfo, loads


def exclude(a: Expr | None, b: Expr | None) -> bool:
    """Whether two guards are those of different arms: one has among its conjuncts the opposite of the other, or of one
    of the other's."""
    if a is None or b is None:
        return False
    one, two = {key(c) for c in parts(a)}, {key(c) for c in parts(b)}
    return key(negate(a)) in two or key(negate(b)) in one or any(key(negate(c)) in two for c in parts(a))


def is_there(index: Poly, guard: Expr | None, place: Poly, loops: Sequence[LoopInfo]) -> bool:
    """Whether an index is another one wherever a guard holds that says what counters are: `j` is 0 where `j == 0`."""
    fixed = _fixed(guard, {loop.counter for loop in loops})
    return bool(fixed) and index.substitute(fixed) == place.substitute(fixed)


def _fixed(guard: Expr | None, counters: set[str]) -> dict[str, Poly]:
    """What counters are, which are never less than zero, where a guard holds."""
    out: dict[str, Poly] = {}
    for c in parts(guard):
        if not isinstance(c, EQ | LE | LT | GE | GT) or not c.a.type.is_int_or_uint():
            continue
        if loads(c) or any(map(_may_wrap, post_order(c))):
            continue
        unsigned = c.a.type.is_uint()
        ahead = to_poly(c.a) - to_poly(c.b) if isinstance(c, EQ) else ahead_of(c)
        if ahead is None or (unsigned and not isinstance(c, EQ)):
            continue
        for name in counters & ahead.names():
            step = ahead.coefficient(name)
            number = None if step is None else step.constant_value()
            if number not in (1, -1):
                continue
            value = (Poly.variable(name, I32).scale(number) - ahead).scale(number)
            known = isinstance(c, EQ) or (number == -1 and value.is_zero())
            if unsigned:  # the bits of a number that may be below zero
                constant = value.constant_value()
                known = constant is not None and 0 <= constant < 1 << 31
            if known and not value.names() & counters:
                out[name] = value
    return out


def _may_wrap(n: Expr) -> bool:
    """Whether an integer may be another one than its operands say, in a way that C defines."""
    if isinstance(n, Cast):
        both = n.type.is_int_or_uint() and n.value.type.is_int_or_uint()
        return not both or n.type.bits < n.value.type.bits
    return isinstance(n, Add | Sub | Mul) and n.type.is_uint()
