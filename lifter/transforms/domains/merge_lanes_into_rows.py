"""Loops over the lanes of the registers of a row, with those of its masked end, as loops over the row's elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import (
    BOOL,
    EQ,
    I32,
    LT,
    NE,
    Add,
    Call,
    Cast,
    Div,
    Expr,
    Load,
    Mul,
    Select,
    Sub,
    Variable,
    children,
    const,
    const_value,
    intrinsic,
    make_bool,
)
from halide_core.ir.structural import key, post_order, transform, variables
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import Poly, floor_div, from_poly, to_poly
from lifter.algebra.value_ranges import ranges
from lifter.ir.effect_edits import timeless
from lifter.ir.effects import Effect, LoopInfo, loads
from lifter.ir.names import array_of
from lifter.simd.simplify import simplify_node

_MOST_SAMPLES = 1 << 16


def over_row(e: Effect, body: Expr) -> tuple[Effect, Expr]:
    """An effect in a loop over registers and one over their lanes in a loop over elements, where `body` is of them."""
    if len(e.loops) < 2:
        return e, body
    register, lane = e.loops[-2:]
    count = lane.trip.constant_value()
    if count is None or register.counter in (variables(e.guard) if e.guard is not None else ()):
        return e, body
    x = Poly.variable(lane.counter, I32)
    for n in loads(body):
        index = to_poly(n.index)
        each, whole = index.coefficient(lane.counter), index.coefficient(register.counter)
        if each is None or whole is None or each.scale(count) != whole:
            return e, body
    moved = _at(body, {register.counter: Poly(), lane.counter: x})
    if register.counter in variables(moved) or lane.counter in variables(_without_loads(moved)):
        return e, body
    loop = LoopInfo(lane.counter + "x", register.trip.scale(count), register.line)
    return replace(e, loops=(*e.loops[:-2], loop)), _at(moved, {lane.counter: Poly.variable(loop.counter, I32)})


def extended(before: Effect, body: Expr, after: Effect, last: Expr) -> Effect | None:
    """`before`, whose loop computes `body` of a row's elements, over those too of which `after` computes the same: the
    elements behind them, or the last ones of the row by a mask."""
    if not before.loops or not after.loops or before.loops[:-1] != after.loops[:-1]:
        return None
    x, lane = before.loops[-1], after.loops[-1]
    if _key(before.guard) == _key(after.guard):
        place = x.trip + Poly.variable(lane.counter, I32)
        if key(settled(_at(body, {x.counter: place}))) == key(settled(last)):
            return replace(before, loops=(*before.loops[:-1], replace(x, trip=x.trip + lane.trip)))
    if before.guard is not None:
        return None
    for condition in _masks(last):
        if const_value(_given(last, condition, False)) != 0:
            continue
        there = _given(last, condition, True)
        found = _place(body, x.counter, there, lane.counter)
        if found is None or key(settled(_at(body, {x.counter: found}))) != key(settled(there)):
            continue
        end = found.substitute({lane.counter: lane.trip})
        if _reaches(x.trip, end, lane, condition, after.guard):
            return replace(before, loops=(*before.loops[:-1], replace(x, trip=end)))
    return None


def settled(e: Expr) -> Expr:
    """An expression in a simple form, with comparisons decided that the ranges of what they compare decide."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, LT) and n.a.type.is_int_or_uint():
            known = ranges(n, {})
            a, b = known[id(n.a)], known[id(n.b)]
            if a[1] < b[0] or b[1] <= a[0]:
                return make_bool(a[1] < b[0])
        n = simplify_node(fold_node(n))
        if isinstance(n, Select) and isinstance(n.condition, NE):
            return Select(n.type, EQ(BOOL, n.condition.a, n.condition.b), n.false_value, n.true_value)
        return n

    return transform(timeless(e), rewrite)


def _key(e: Expr | None) -> int | None:
    return None if e is None else key(e)


def _at(e: Expr, places: dict[str, Poly]) -> Expr:
    """An expression that reads at other places."""

    def moved(n: Expr) -> Expr:
        return replace(n, index=from_poly(to_poly(n.index).substitute(places))) if isinstance(n, Load) else n

    return transform(e, moved)


def _without_loads(e: Expr) -> Expr:
    return transform(e, lambda n: const(0, n.type) if isinstance(n, Load) else n)


def _masks(e: Expr) -> Iterator[Expr]:
    """Conditions on the number of the lane in an expression."""
    seen: set[int] = set()
    for n in post_order(e):
        if n.type.is_bool() and key(n) not in seen and not loads(n) and variables(n):
            seen.add(key(n))
            yield n


def _given(value: Expr, condition: Expr, holds: bool) -> Expr:
    number = key(condition)

    def decided(n: Expr) -> Expr:
        return const(int(holds), BOOL) if key(n) == number else simplify_node(fold_node(n))

    return transform(value, decided)


def _place(body: Expr, counter: str, other: Expr, lane: str) -> Poly | None:
    """The element whose value `other` is where `body` is that of element `counter`, by what they read first."""
    for n in loads(body):
        index = to_poly(n.index)
        step = index.coefficient(counter)
        each = step.constant_value() if step is not None else None
        if not each:
            continue
        array = array_of(n)
        start = index.substitute({counter: Poly()})
        for m in loads(other):
            if array_of(m) != array:
                continue
            distance = to_poly(m.index) - start
            if all(c % each == 0 for c in distance.terms.values()):
                place = Poly({t: c // each for t, c in distance.terms.items()})
                moves = place.coefficient(lane)
                if moves is not None and moves.constant_value() == 1:
                    return place
    return None


def _reaches(start: Poly, end: Poly, lane: LoopInfo, condition: Expr, guard: Expr | None) -> bool:
    """Whether the lanes for which a condition holds, of the last ones before `end`, are those from `start` on, which is
    `end` rounded down: by trying all remainders, on which alone the condition and the guard depend."""
    count = lane.trip.constant_value()
    length = next((n for n in (4, 8, 16, 32, 64, 128) if start == floor_div(end, n).scale(n)), None)
    names = sorted(end.names())
    if not all(isinstance(a, Variable) for a in end.atoms().values()):
        return False  # what a quotient leaves over has another period
    if count is None or length is None or length > count or not names or length ** len(names) * count > _MOST_SAMPLES:
        return False
    types = {n.name: n.type for a in end.atoms().values() for n in post_order(a) if isinstance(n, Variable)}
    conditions = [_lowest(c) for c in (condition, guard) if c is not None]
    if set(types) != set(names) or not all(_periodic(c, set(names), length) for c in conditions):
        return False
    if not set().union(*(variables(c) for c in conditions)) <= {*names, lane.counter}:
        return False
    for values in itertools.product(range(4 * length, 5 * length), repeat=len(names)):
        at = dict(zip(names, values, strict=True))
        left = int(evaluate(from_poly(end), at)) % length
        taken = guard is None or bool(evaluate(conditions[1], at))
        if not taken and left:
            return False
        if taken and any(
            bool(evaluate(conditions[0], {**at, lane.counter: j})) != (j >= count - left) for j in range(count)
        ):
            return False
    return True


def _lowest(e: Expr) -> Expr:
    """An expression with what `n` leaves of a power of two as its lowest bits: n - (n & ~15), n != n / 16 * 16."""

    def lowest(whole: Expr, rounded: Expr) -> Expr | None:
        if isinstance(rounded, Mul) and isinstance(rounded.a, Div) and key(rounded.a.a) == key(whole):
            length = const_value(rounded.b)
            if whole.type.is_uint() and length is not None and length == const_value(rounded.a.b) and length > 0:
                left = int(length) - 1
                if left & int(length) == 0:
                    return intrinsic("bitwise_and", whole.type, whole, const(left, whole.type))
        if not isinstance(rounded, Call) or rounded.name != "bitwise_and" or not whole.type.is_uint():
            return None
        for value, mask in (rounded.args, rounded.args[::-1]):
            bits = const_value(mask)
            if bits is not None and key(value) == key(whole):
                left = (1 << whole.type.bits) - 1 - int(bits)
                return replace(rounded, args=(value, const(left, whole.type)))
        return None

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Sub):
            found = lowest(n.a, n.b)
            return n if found is None else found
        if isinstance(n, EQ | NE):
            found = next((x for x in (lowest(n.a, n.b), lowest(n.b, n.a)) if x is not None), None)
            return n if found is None else replace(n, a=found, b=const(0, found.type))
        return n

    return transform(e, rewrite)


def _periodic(e: Expr, names: set[str], period: int) -> bool:
    """Whether a value depends on variables by what they leave of a power of two only."""
    if not variables(e) & names:
        return True
    if isinstance(e, Call) and e.name == "bitwise_and":
        for value, mask in (e.args, e.args[::-1]):
            bits = const_value(mask)
            if bits is not None and 0 <= bits < period and (int(bits) + 1) & int(bits) == 0:
                return _wraps(value, int(bits))
    if isinstance(e, Variable | Load):
        return False
    return all(_periodic(c, names, period) for c in children(e))


def _wraps(e: Expr, bits: int) -> bool:
    """Whether the lowest bits of a value depend on those of its variables only."""
    if not e.type.is_int_or_uint() or e.type.is_bool() or (1 << e.type.bits) <= bits:
        return False
    if isinstance(e, Variable) or const_value(e) is not None:
        return True
    return isinstance(e, Add | Sub | Mul | Cast) and all(_wraps(c, bits) for c in children(e))


__all__ = ["extended", "over_row", "settled"]
