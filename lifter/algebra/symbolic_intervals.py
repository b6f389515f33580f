"""Intervals of integer expressions, with polynomials for ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from halide_core.ir.constant_intervals import absolute
from halide_core.ir.expr import (
    I32,
    Add,
    Call,
    Cast,
    Div,
    Expr,
    Load,
    Max,
    Min,
    Mod,
    Mul,
    Select,
    Sub,
    Variable,
    children,
    const,
    const_value,
)
from halide_core.ir.structural import contains, key, post_order, substitute, transform
from lifter.algebra.fold import clauses, negate
from lifter.algebra.polynomial import (
    Poly,
    ahead_of,
    atom_of,
    ceil_div,
    from_poly,
    is_power_of_two,
    poly_max,
    poly_min,
    quotient,
    to_poly,
)
from lifter.algebra.wrapping import reads_memory

Interval = tuple[Poly, Poly]


class Unbounded(Exception):
    """No finite interval is known; the text names the expression."""


def interval(
    p: Poly, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]
) -> Interval:
    """Smallest and largest value of `p` when each variable of `env` runs over its closed interval.

    `non_negative` decides the sign of factors made of parameters.  Raises Unbounded."""
    remainder = _remainder(p, env)
    if remainder is not None:
        divisor, times, rest = remainder
        low, high = interval(rest, env, non_negative)
        return low, high + Poly.constant((divisor - 1) * times)
    low = high = Poly()
    factors: dict[int, Poly] = {}
    for m, c in p.terms.items():
        varying = [a for a in m if not _fixed(atom_of(a), env)]
        factor = Poly({tuple(a for a in m if a not in varying): c})
        if not varying:
            low, high = low + factor, high + factor
        elif len(varying) > 1:
            a, b = _product([_atom_interval(atom_of(v), env, non_negative) for v in varying], p)
            low, high = (x + y for x, y in zip((low, high), _scaled(factor, a, b, non_negative), strict=True))
        else:
            factors[varying[0]] = factors.get(varying[0], Poly()) + factor
    for atom, factor in factors.items():
        a, b = _scaled(factor, *_atom_interval(atom_of(atom), env, non_negative), non_negative)
        low, high = low + a, high + b
    return low, high


def _scaled(factor: Poly, a: Poly, b: Poly, non_negative: Callable[[Poly], bool]) -> Interval:
    """`factor` times what lies between `a` and `b`.  To ask whether something is not negative may ask it of the caller:
    what is minus a parameter is asked last."""
    up, down = (factor, factor * a, factor * b), (factor.scale(-1), factor * b, factor * a)
    for sign, low, high in (down, up) if all(c < 0 for c in factor.terms.values()) else (up, down):
        if non_negative(sign):
            return low, high
    raise Unbounded(f"the sign of {factor} is not known")


def _product(factors: Sequence[Interval], p: Poly) -> Interval:
    """Of things that vary and of which each lies between numbers."""
    ends = [(a.constant_value(), b.constant_value()) for a, b in factors]
    if any(x is None for both in ends for x in both):
        raise Unbounded(str(p))
    corners = [math.prod(x for x in corner if x is not None) for corner in itertools.product(*ends)]
    return Poly.constant(min(corners)), Poly.constant(max(corners))


def _remainder(p: Poly, env: Mapping[str, Interval]) -> tuple[int, int, Poly] | None:
    """(c, n, rest) with p = n * (a - c * floor(a / c)) + rest, for an `a` that varies and n > 0."""
    for m, coefficient in p.terms.items():
        e = atom_of(m[0]) if len(m) == 1 else None
        if not isinstance(e, Div) or coefficient >= 0 or _fixed(e, env):
            continue
        divisor = to_poly(e.b).constant_value()
        if divisor is None or divisor <= 0 or coefficient % divisor:
            continue
        times = -coefficient // divisor
        rest = p - (to_poly(e.a) - Poly({m: divisor})).scale(times)
        if m not in rest.terms and len(rest.terms) < len(p.terms):
            return divisor, times, rest
    return None


def interval_by_choices(e: Expr, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]) -> Interval:
    """As `interval`, of an expression whose choices say what it lies between: `i < 0 ? 0 : i > w - 1 ? w - 1 : i`."""
    return _chosen(e, (), env, non_negative)


def _chosen(
    e: Expr, given: tuple[Expr, ...], env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]
) -> Interval:
    if isinstance(e, Select):
        arms = []
        for arm, condition in ((e.true_value, e.condition), (e.false_value, negate(e.condition))):
            known = (_with_arm(c, e.condition, arm is e.true_value) for c in given)
            arms.append(_chosen(arm, (*known, *clauses(condition)), env, non_negative))
        (a1, b1), (a2, b2) = arms
        return poly_min(a1, a2), poly_max(b1, b2)
    inner = _choice_as_word(e)
    if inner is not None:
        arms_as = (Cast(e.type, x) for x in (inner.true_value, inner.false_value))
        return _chosen(Select(e.type, inner.condition, *arms_as), given, env, non_negative)
    p = to_poly(e.value if isinstance(e, Cast) and e.value.type.is_uint() else e)  # what is given is of that
    ahead = [a for c in given if (a := ahead_of(c)) is not None]
    lows = [p - a for a in ahead if _is_fixed(p - a, env)]
    highs = [p + a for a in ahead if _is_fixed(p + a, env)]
    if lows and highs and of_floats(p):
        return lows[0], highs[0]
    of_data = p.terms and all(any(reads_memory(atom_of(a)) for a in m) for m in p.terms)
    try:
        low, high = interval(p, env, non_negative)
    except Unbounded:
        if not lows and (e.type.is_uint() or (isinstance(e, Cast) and e.value.type.is_uint())):
            lows = [Poly()]
        if not lows or not highs:
            raise
        return lows[0], highs[0]
    # What conditions say of data says more than its type.
    return lows[0] if of_data and lows else low, highs[0] if of_data and highs else high


def _choice_as_word(e: Expr) -> Select | None:
    """The choice that is converted to a type in which nothing wraps that is asked about."""
    wide = isinstance(e, Cast) and e.type.is_int_or_uint() and e.type.bits >= 32
    return e.value if wide and isinstance(e, Cast) and isinstance(e.value, Select) else None


def _with_arm(condition: Expr, test: Expr, holds: bool) -> Expr:
    """What is given of a choice by `test`, as one of the arm that is taken."""
    wanted = key(test)

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Select) and key(n.condition) == wanted:
            return n.true_value if holds else n.false_value
        return n

    return transform(condition, rewrite)


def of_floats(p: Poly) -> bool:
    """Whether an integer is made of floating-point numbers."""
    return any(n.type.is_float() for a in p.atoms().values() for n in post_order(a))


def _is_fixed(p: Poly, env: Mapping[str, Interval]) -> bool:
    return all(_fixed(a, env) for a in p.atoms().values())


def _fixed(e: Expr, env: Mapping[str, Interval]) -> bool:
    varying = (
        isinstance(n, Load)
        or (isinstance(n, Call) and not is_power_of_two(n))
        or (isinstance(n, Variable) and n.name in env)
        for n in post_order(e)
    )
    return not any(varying)


def _atom_interval(e: Expr, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]) -> Interval:
    if isinstance(e, Variable):
        return env[e.name]
    if isinstance(e, Min | Max):
        return _extremum(e, env, non_negative)
    if isinstance(e, Div):
        divisor = to_poly(e.b).constant_value()
        if divisor is not None and divisor > 0:
            a, b = interval(to_poly(e.a), env, non_negative)
            down = Poly.constant(divisor)
            return _floor(a, down), _floor(b, down)
    if isinstance(e, Div | Mod):
        return _by_parameter(e, env, non_negative)
    if isinstance(e, Select) or _choice_as_word(e) is not None:
        return _chosen(e, (), env, non_negative)
    known = _constant_interval(e, env, non_negative)
    if known is not None:
        return Poly.constant(known[0]), Poly.constant(known[1])
    corners = float_corners(e, env)
    if corners:
        zero, others = Poly() in corners, [c for c in corners if not c.is_zero()]
        if others and all(float_sign(c, non_negative) for c in others):  # at zero there is the least of them
            return Poly() if zero else reduce(poly_min, others), reduce(poly_max, others)
        return reduce(poly_min, corners), reduce(poly_max, corners)
    t = e.type
    if t.is_int_or_uint() and (t.bits <= 16 or (t.is_uint() and t.bits <= 32)):
        return Poly.constant(t.min()), Poly.constant(t.max())
    raise Unbounded(str(e))


_MOST_CORNERS = 4


def float_corners(e: Expr, env: Mapping[str, Interval]) -> list[Poly]:
    """Of a floating-point number made an integer, what it is where each variable has its least or its greatest value:
    `(int)(x * scale)` runs from one to the other, whatever the sign of `scale`, for each operation is monotone in each
    of its operands, rounding included.  Nothing where a variable stands twice, or under what is not monotone."""
    if not isinstance(e, Cast) or not e.value.type.is_float() or not e.type.is_int_or_uint():
        return []
    names = _monotone(e.value, env)
    if not names or len(set(names)) < len(names) or 1 << len(names) > _MOST_CORNERS:
        return []
    out = []
    for ends in itertools.product(*(env[n] for n in names)):
        values = {n: from_poly(p, I32) for n, p in zip(names, ends, strict=True)}
        out.append(to_poly(transform(substitute(e, values), _settled)))
    return list(dict.fromkeys(out))


def _settled(e: Expr) -> Expr:
    """Sums of integers in one form; nothing times anything is nothing, for whatever is no number is not converted."""
    if e.type == I32 and isinstance(e, Add | Sub | Mul):
        return from_poly(to_poly(e), I32)
    if isinstance(e, Cast) and (e.type.is_float() or e.value.type.is_float()) and const_value(e.value) == 0:
        return const(0, e.type)
    if e.type.is_float() and isinstance(e, Mul | Div) and (const_value(e.a) == 0 or _is_zero_factor(e)):
        return const(0, e.type)
    return e


def _is_zero_factor(e: Mul | Div) -> bool:
    return isinstance(e, Mul) and const_value(e.b) == 0


def float_sign(p: Poly, non_negative: Callable[[Poly], bool]) -> bool:
    """Whether an integer made of a floating-point number is not negative, as sums, products and quotients of what is
    not negative are."""
    atoms = list(p.atoms().values())
    if len(atoms) != 1 or p != Poly.atom(atoms[0]) or not isinstance(atoms[0], Cast):
        return non_negative(p)
    return _positive(atoms[0].value, non_negative)


def _positive(e: Expr, non_negative: Callable[[Poly], bool]) -> bool:
    value = const_value(e)
    if value is not None:
        return value >= 0
    if isinstance(e, Cast) and e.type.is_float():
        if e.value.type.is_float():
            return _positive(e.value, non_negative)
        return e.value.type.is_int_or_uint() and non_negative(to_poly(e.value))
    if e.type.is_float() and isinstance(e, Add | Mul | Div):
        return _positive(e.a, non_negative) and _positive(e.b, non_negative)
    return False


def _monotone(e: Expr, env: Mapping[str, Interval]) -> list[str] | None:
    """The variables of `env` in an expression that is monotone in each of them, as often as they stand there; None for
    any other."""
    if isinstance(e, Variable):
        return [e.name] if e.name in env else []
    if _fixed(e, env) and not contains(e, Call, Load):
        return []
    if isinstance(e, Div) and not _fixed(e.b, env):
        return None
    whole = isinstance(e, Call) and e.name in ("floor_f32", "floor_f64", "floor", "ceil", "trunc")
    grows = isinstance(e, Add | Sub | Mul | Div) and (e.type.is_float() or e.type == I32)
    kept = isinstance(e, Cast) and (e.type.is_float() or (e.type == I32 and e.value.type == I32))
    if not (whole or grows or kept):
        return None
    found = [_monotone(c, env) for c in children(e)]
    return [n for names in found for n in names or ()] if None not in found else None


def _by_parameter(
    e: Div | Mod, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]
) -> Interval:
    """Of a quotient or a remainder by something positive that does not vary, of what is not negative."""
    one, divisor = Poly.constant(1), to_poly(e.b)
    if not _fixed(e.b, env) or not non_negative(divisor - one):
        raise Unbounded(str(e))
    if isinstance(e, Mod):
        return Poly(), divisor - one
    low, high = interval(to_poly(e.a), env, non_negative)
    if isinstance(e.b, Call) and is_power_of_two(e.b):  # a shift, which grows with what is shifted
        return quotient(low, divisor), quotient(high, divisor)
    if not non_negative(low):
        raise Unbounded(str(e))
    whole, rest = high.divide_by(divisor) if len(divisor.terms) == 1 else (Poly(), high)
    if non_negative(rest.scale(-1) - one):
        return Poly(), whole - one
    return (Poly(), whole) if non_negative(divisor - one - rest) else (Poly(), high)


def _extremum(e: Min | Max, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]) -> Interval:
    """Of a clamp also where nothing is known of what is clamped."""
    combine, other = (poly_min, Max) if isinstance(e, Min) else (poly_max, Min)
    ends: list[Interval] = []
    for c, d in ((e.a, e.b), (e.b, e.a)):
        try:
            ends.append(interval(to_poly(c), env, non_negative))
        except Unbounded:
            known = [x for x in (c.a, c.b) if _bounded(x, env, non_negative)] if isinstance(c, other) else []
            if not known:
                raise
            # min(high, max(low, x)) lies between the smaller of them and `high`.
            inner, outer = interval(to_poly(known[0]), env, non_negative), interval(to_poly(d), env, non_negative)
            low, high = poly_min(inner[0], outer[0]), poly_max(inner[1], outer[1])
            return (low, outer[1]) if isinstance(e, Min) else (outer[0], high)
    (a1, b1), (a2, b2) = ends
    return combine(a1, a2), combine(b1, b2)


def _bounded(e: Expr, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]) -> bool:
    try:
        interval(to_poly(e), env, non_negative)
    except Unbounded:
        return False
    return True


def _constant_interval(
    e: Expr, env: Mapping[str, Interval], non_negative: Callable[[Poly], bool]
) -> tuple[int, int] | None:
    """The bounds of a conversion that changes no value, and of abs, where those of the operand are numbers."""
    if isinstance(e, Cast):
        operand = e.value
    elif isinstance(e, Call) and e.name == "abs":
        operand = e.args[0]
    else:
        return None
    if not e.type.is_int_or_uint() or not operand.type.is_int_or_uint() or operand.type.is_bool():
        return None
    try:
        low, high = (p.constant_value() for p in interval(to_poly(operand), env, non_negative))
    except Unbounded:
        return None
    if low is None or high is None or not operand.type.min() <= low <= high <= operand.type.max():
        return None
    if isinstance(e, Call):
        low, high = absolute((low, high))
    return (low, high) if e.type.min() <= low and high <= e.type.max() else None


def _floor(a: Poly, divisor: Poly) -> Poly:
    value = divisor.constant_value()
    assert value is not None
    return ceil_div(a - Poly.constant(value - 1), value)



def settled(p: Poly, non_negative: Callable[[Poly], bool]) -> Poly:
    """`p` with each min and max that `non_negative` decides replaced by the operand that it is."""
    out = Poly()
    for m, c in p.terms.items():
        product = Poly.constant(c)
        for atom in map(atom_of, m):
            product = product * (_operand(atom, non_negative) if isinstance(atom, Min | Max) else Poly.atom(atom))
        out = out + product
    return out


def _operand(e: Min | Max, non_negative: Callable[[Poly], bool]) -> Poly:
    a, b = settled(to_poly(e.a), non_negative), settled(to_poly(e.b), non_negative)
    greater, less = (a, b) if isinstance(e, Max) else (b, a)
    if non_negative(greater - less):
        return a
    if non_negative(less - greater):
        return b
    return poly_max(a, b) if isinstance(e, Max) else poly_min(a, b)


__all__ = [
    "Interval",
    "Unbounded",
    "float_corners",
    "float_sign",
    "interval",
    "interval_by_choices",
    "of_floats",
    "settled",
]
