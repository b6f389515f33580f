"""Steps that are taken in some iterations only, which come at equal distances: `if (y & 1) src += stride;`, and
`src += y & 1;`.

What such a variable has gone on by is how many of these iterations lie before the present one, a quotient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from halide_core.ir.expr import (
    BOOL,
    EQ,
    I32,
    I64,
    NE,
    Add,
    Call,
    Cast,
    Div,
    Expr,
    Mod,
    Mul,
    Select,
    Sub,
    children,
    const,
    const_value,
    with_children,
)
from lifter.algebra.polynomial import Obligation, Poly, atom_of, ceil_div, from_poly, to_poly

Forms = Mapping[str, Poly]
"""What variables are in an iteration, over its number."""


def conditional_steps(
    after: Poly, head: Poly, fixed: Callable[[Poly], bool], met: list[Obligation]
) -> tuple[Poly, list[tuple[Expr, Poly]]] | None:
    """The step that a variable takes in any case, and those that it takes where conditions hold; None where these are
    not the same in each iteration.  `after`: its value at the end of an iteration that starts with `head`."""
    found: list[tuple[Expr, Poly]] = []
    while not fixed(after - head):
        choice = next((e for m, c in after.terms.items() if c == 1 and len(m) == 1
                       for e in [atom_of(m[0])] if isinstance(e, Select) and e.type.is_int_or_uint()), None)
        if choice is None:
            return None
        no = to_poly(choice.false_value, met)
        step = to_poly(choice.true_value, met) - no
        if not fixed(step):
            return None
        found.append((choice.condition, step))
        after = after - Poly.atom(choice) + no
    return after - head, found


def parities_as_choices(e: Expr) -> Expr:
    """A sum with each `x & 1`, and `x % 2` of what has no sign, as a choice between one and nothing."""
    if isinstance(e, Add | Sub | Mul | Cast) and e.type.is_int_or_uint():
        return with_children(e, tuple(map(parities_as_choices, children(e))))
    if not isinstance(e, Call) or len(e.args) != 2 or not e.type.is_int_or_uint():
        return e
    bit = e.name == "bitwise_and" and const_value(e.args[1]) == 1
    rest = e.name == "mod_round_to_zero" and const_value(e.args[1]) == 2 and e.type.is_uint()
    if not bit and not rest:
        return e
    return Select(e.type, NE(BOOL, e, const(0, e.type)), const(1, e.type), const(0, e.type))


@dataclass(frozen=True, slots=True)
class Period:
    """A condition that holds where `number`, which goes on by `direction` (1 or -1) an iteration, is `remainder` modulo
    `length`, or where it is not.  masked: the remainder is taken by a mask, which asks for a power of two."""

    number: Poly
    direction: int
    length: Poly
    remainder: Poly
    equal: bool
    masked: bool = False

    def before(self, counter: str, met: list[Obligation]) -> Poly:
        """In how many of the iterations before the one of number `counter` it holds."""
        k = Poly.variable(counter, I32)
        start = self.number.substitute({counter: Poly()})
        if self.direction > 0:
            low, high = start, start + k
        else:
            low, high = start - k + Poly.constant(1), start + Poly.constant(1)
        count = self._up_to(high, met) - self._up_to(low, met)
        return count if self.equal else k - count

    def parts(self, counter: str) -> tuple[Poly, Poly, Poly]:
        """What it is made of but for the iteration's number."""
        return self.number.substitute({counter: Poly()}), self.length, self.remainder

    def _up_to(self, end: Poly, met: list[Obligation]) -> Poly:
        """How many numbers below `end` have the remainder, but for a constant."""
        shifted = end - Poly.constant(1) - self.remainder + self.length
        length = self.length.constant_value()
        if length is not None:
            return ceil_div(shifted - Poly.constant(length - 1), length)
        return to_poly(Div(I64, from_poly(shifted), from_poly(self.length)), met)


def period(condition: Expr, forms: Forms, counter: str, met: list[Obligation]) -> Period | None:
    """What a condition asks of an iteration, if it is for a remainder."""
    if isinstance(condition, Cast) and condition.type.is_bool():
        difference, equal = to_poly(condition.value, met), False
    elif isinstance(condition, EQ | NE) and condition.a.type.is_int_or_uint():
        difference = to_poly(condition.a, met) - to_poly(condition.b, met)
        equal = isinstance(condition, EQ)
    else:
        return None
    difference = difference.substitute(forms)
    for p in (difference, difference.scale(-1)):
        for m, c in p.terms.items():
            e = atom_of(m[0]) if len(m) == 1 else None
            found = _remainder(p, e, c) if e is not None else None
            step = found[0].coefficient(counter) if found is not None else None
            direction = step.constant_value() if step is not None else None
            if found is None or direction not in (1, -1):
                continue
            number, length, remainder, masked = found
            if counter in length.names() | remainder.names():
                continue
            if not equal and length.constant_value() == 2:  # not the one is the other
                return Period(number, direction, length, Poly.constant(1) - remainder, True)
            return Period(number, direction, length, remainder, equal, masked)
    return None


def _remainder(p: Poly, e: Expr, coefficient: int) -> tuple[Poly, Poly, Poly, bool] | None:
    """(number, length, remainder, whether by a mask) where `p`, with `coefficient` times the atom `e`, is zero where
    the number has the remainder."""
    one = Poly.constant(1)
    if isinstance(e, Div):
        length = const_value(e.b)
        if length is None or length < 2 or coefficient != -length:
            return None
        number = to_poly(e.a)
        left = (p - number + Poly.atom(e).scale(int(length))).constant_value()
        fits = left is not None and 0 <= -left < length
        return (number, Poly.constant(int(length)), Poly.constant(-left), False) if fits and left is not None else None
    rest = (p - Poly.atom(e)).scale(-1)
    if coefficient != 1:
        return None
    if isinstance(e, Mod):
        length_ = to_poly(e.b)
        known = rest.is_zero() or rest == length_ - one
        return (to_poly(e.a), length_, rest, False) if known else None
    if isinstance(e, Call) and e.name == "bitwise_and":
        for number_, mask in (e.args, e.args[::-1]):
            if rest.is_zero() or rest == to_poly(mask):
                return to_poly(number_), to_poly(mask) + one, rest, True
    return None


@dataclass(frozen=True, slots=True)
class TakenOff:
    """What is left of `moved` once its whole units have been taken off; `whole` is the atom that counts them."""

    moved: Poly
    unit: int
    whole: int


def taken_off(p: Poly) -> TakenOff | None:
    """A number as what is left of another one (`x & 0xffff`), if it is that."""
    for m, c in p.terms.items():
        e = atom_of(m[0]) if len(m) == 1 else None
        unit = const_value(e.b) if isinstance(e, Div) else None
        if isinstance(e, Div) and unit is not None and unit > 1 and c == -unit:
            moved = to_poly(e.a)
            if p + Poly({m: int(unit)}) == moved:
                return TakenOff(moved, int(unit), m[0])
    return None


__all__ = ["Period", "conditional_steps", "parities_as_choices", "period", "taken_off"]
