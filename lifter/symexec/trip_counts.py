"""How often a loop runs: closed forms from its condition."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir.expr import EQ, GE, GT, I64, LE, LT, NE, And, Cast, Div, Expr, Not, const, const_value
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Obligation, Poly, atom_of, ceil_div, from_poly, is_power_of_two, poly_min, to_poly
from lifter.algebra.wrapping import reads_memory


class NoTrip(Exception):
    """The condition is outside what has a closed form; the text says which."""


def trip_count(
    condition: Expr, heads: Mapping[str, Poly], counter: str, obligations: list[Obligation] | None = None
) -> Poly:
    """Number of iterations k = 0, 1, ... before `condition` first fails, for a condition monotone in `counter`.

    `heads` replaces variables by their closed forms.  The result may be negative where the loop does not run; the
    caller proves or assumes that it is not, nor the dividend of a quotient by a parameter."""
    if isinstance(condition, And):
        return poly_min(
            trip_count(condition.a, heads, counter, obligations), trip_count(condition.b, heads, counter, obligations)
        )
    if isinstance(condition, Not):
        pushed = negate(condition.a)
        if not isinstance(pushed, Not):
            return trip_count(pushed, heads, counter, obligations)
    if isinstance(condition, Cast) and condition.type.is_bool():
        zero = Poly()
        return _until_equal(to_poly(condition.value, obligations).substitute(heads), zero, counter, obligations)
    if isinstance(condition, LT | LE | GT | GE | NE) and condition.a.type.is_int_or_uint():
        a = to_poly(condition.a, obligations).substitute(heads)
        b = to_poly(condition.b, obligations).substitute(heads)
        if isinstance(condition, NE):
            return _until_equal(a, b, counter, obligations)
        if isinstance(condition, GT | GE):
            a, b = b, a
        room = b - a if isinstance(condition, LT | GT) else b - a + Poly.constant(1)
        return _while_positive(_without_floor(room, counter), counter, obligations)
    if isinstance(condition, EQ):
        raise NoTrip("it runs while two values are equal")
    raise NoTrip(f"condition {condition}")


def _without_floor(room: Poly, counter: str) -> Poly:
    """What is positive just where `room` is, whose counter is in one quotient by what is positive: x - a / m > 0 where
    x * m - a > 0."""
    for m, coefficient in room.terms.items():
        e = atom_of(m[0]) if len(m) == 1 and abs(coefficient) == 1 else None
        if not isinstance(e, Div) or counter not in Poly({m: 1}).names():
            continue
        divisor = const_value(e.b)
        if not (is_power_of_two(e.b) or (divisor is not None and divisor > 0)):
            continue
        rest, a, by = room - Poly({m: coefficient}), to_poly(e.a), to_poly(e.b)
        if counter in rest.names():
            return room
        one = Poly.constant(1)
        return rest * by - a if coefficient < 0 else a - (one - rest) * by + one
    return room


def _remainder(p: Poly) -> tuple[Poly, int] | None:
    """x and m of x - x / m * m."""
    for atom in p.atoms().values():
        m = const_value(atom.b) if isinstance(atom, Div) else None
        if isinstance(atom, Div) and m is not None and m > 1:
            x = to_poly(atom.a)
            if (p - x + Poly.atom(atom).scale(int(m))).is_zero():
                return x, int(m)
    return None


def _until_multiple(start: Poly, step: Poly, m: int, obligations: list[Obligation] | None) -> Poly:
    """Iterations until start + k * step is a multiple of m: up to an address that is aligned."""
    amount = step.constant_value()
    if amount is None or amount <= 0 or m % amount or obligations is None:
        raise NoTrip(f"it runs until a multiple of {m}, by steps of {step}")
    distance = ceil_div(start, m).scale(m) - start
    exact = distance.exact_quotient(Poly.constant(amount))
    if exact is not None:
        return exact
    count = to_poly(Div(I64, from_poly(distance), const(amount, I64)))
    obligations.append(Obligation(count.scale(amount) - distance, None))  # it divides the distance
    return count


def _split(p: Poly, counter: str) -> tuple[Poly, Poly]:
    step = p.coefficient(counter)
    if step is None:
        raise NoTrip(f"the condition is not linear in the iteration number ({p})")
    return p.substitute({counter: Poly()}), step


def _while_positive(room: Poly, counter: str, obligations: list[Obligation] | None) -> Poly:
    start, step = _split(room, counter)
    shrink = step.scale(-1)
    amount = shrink.constant_value()
    if amount is not None:
        if amount <= 0:
            raise NoTrip("the loop variable does not move towards its bound")
        return ceil_div(start, amount)
    if obligations is not None:
        obligations.append(Obligation(shrink - Poly.constant(1), None))
    exact = start.exact_quotient(shrink)
    if exact is not None:
        return exact
    if obligations is None or any(reads_memory(a) for a in shrink.atoms().values()):
        raise NoTrip(f"the step {shrink} is not constant")
    return to_poly(Div(I64, from_poly(start + shrink - Poly.constant(1)), from_poly(shrink)))


def _until_equal(a: Poly, b: Poly, counter: str, obligations: list[Obligation] | None) -> Poly:
    found = _remainder(a - b)
    if found is not None:
        start, step = _split(found[0], counter)
        return _until_multiple(start, step, found[1], obligations)
    start, step = _split(a - b, counter)
    amount = step.constant_value()
    if amount is not None and amount != 0:
        distance = start.scale(-1) if amount > 0 else start
        if abs(amount) == 1:
            return distance
        exact = distance.exact_quotient(Poly.constant(abs(amount)))
        if exact is not None:
            return exact
        if obligations is None or any(reads_memory(a) for a in distance.atoms().values()):
            raise NoTrip(f"'!=' with a step of {abs(amount)} may step over its bound")
        count = to_poly(Div(I64, from_poly(distance), const(abs(amount), I64)))
        obligations.append(Obligation(count.scale(abs(amount)) - distance, None))  # it divides the distance
        return count
    exact = start.scale(-1).exact_quotient(step) if not step.is_zero() and len(step.terms) == 1 else None
    if exact is None:
        raise NoTrip("the condition never changes" if step.is_zero() else f"the step {step} is not constant")
    if obligations is not None:  # a step of zero never gets there
        upwards = all(c > 0 for c in step.terms.values())
        obligations.append(Obligation((step if upwards else step.scale(-1)) - Poly.constant(1), None))
    return exact
