"""Interval arithmetic on coordinates, its ends expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import (
    I32,
    CallType,
    Expr,
    const,
    const_value,
    make_bool,
)
from halide_core.ir.named_calls import has_effect, is_scatter
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import contains, key, nodes, post_order, same, substitute, variables
from halide_core.ir.sums import difference
from halide_core.ir.types import Type
from halide_core.passes.corner_bounds import constant_bounds
from halide_core.passes.float_bounds import float_bounds
from halide_core.passes.float_ends import Ends, float_ends, truncated, truncated_from
from halide_core.passes.intervals import ORDERED, choice, greatest, intersect, least, truth

# Inclusive; None where unbounded.
Scope = Mapping[str, Interval]
# Sums of coordinates and the intervals that conditions around leave them.
Facts = tuple[tuple[Expr, Interval], ...]


def value_name(func: str, index: int) -> str:
    """The name under which a Scope has the interval of value `index` of a Func."""
    return f"{func}.value.{index}"


def bounds_of(
    e: Expr, scope: Scope, memo: dict[int, Interval] | None = None, facts: Facts = (), exact: bool = False
) -> Interval:
    """The interval of the values of the integer `e` when the Variables of `scope` range over theirs; with `exact`,
    choices by loops that are not among them stay choices, which are harder to compare from step to step.

    Assumes no overflow of int32 coordinates.  Values of narrower types are within their type."""
    memo = {} if memo is None else memo
    for node in post_order(e):
        if key(node) not in memo:
            low, high = _bounds_of_node(node, scope, memo, exact)
            low = None if low is None else simplify_index(low)
            high = None if high is None else simplify_index(high)
            if facts and node.type == I32 and isinstance(node, ir.Add | ir.Sub):
                low, high = _with_facts(node, (low, high), facts)
            memo[key(node)] = (low, high)
    return memo[key(e)]


def _with_facts(e: Expr, found: Interval, facts: Facts) -> Interval:
    """`found` narrowed by the facts about sums that differ from `e` by a constant."""
    for known, (low, high) in facts:
        apart = difference(e, known)
        if apart is not None:
            shifted = (None if low is None else low + apart, None if high is None else high + apart)
            found = intersect(found, shifted)
    return tuple(None if x is None else simplify_index(x) for x in found)  # type: ignore[return-value]


def _type_range(t: Type) -> Interval:
    if t.is_int_or_uint() and (t.bits < 32 or t.is_bool()):
        return const(t.min(), t), const(t.max(), t)
    return (const(0, t) if t.is_uint() else None), None


def _is_constant(i: Interval) -> bool:
    return i[0] is not None and i[1] is not None and const_value(i[0]) is not None and const_value(i[1]) is not None


_OF_A_STAGE = re.compile(r"\.s\d+\.")


def _is_fixed(e: Expr, scope: Scope, exact: bool = False) -> bool:
    """Whether an expression is made of parameters and sizes only: of no loop's, whose steps others want to compare
    unless they are `exact`."""
    if contains(e, ir.Load) or not all(map(_is_pure_arithmetic, nodes(e, ir.Call))):
        return False
    return not any(name in scope or (not exact and _OF_A_STAGE.search(name)) for name in variables(e))


def _is_pure_arithmetic(n: Expr) -> bool:
    bits = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right", "abs")
    return isinstance(n, ir.Call) and n.call_type is CallType.INTRINSIC and n.name in bits


def _bounds_of_node(e: Expr, scope: Scope, memo: dict[int, Interval], exact: bool) -> Interval:
    t = e.type
    if isinstance(e, ir.Call) and e.call_type is CallType.HALIDE:
        return scope.get(value_name(e.name, e.value_index), _type_range(t))
    if t.is_float():
        return float_bounds(e, [memo.get(key(c), (None, None)) for c in ir.children(e)])
    if not t.is_int_or_uint():
        return None, None
    parts = [memo.get(key(c), (None, None)) for c in ir.children(e)]
    if isinstance(e, ir.Select | ir.Div | ir.Mod) and _is_fixed(e, scope, exact):
        return e, e
    match e:
        case ir.IntImm() | ir.UIntImm():
            return e, e
        case ir.Variable():
            return scope.get(e.name, (e, e))
        case ir.Cast() if e.value.type.is_float() and e.type == I32:
            return _truncated(e, parts[0], scope, memo)
        case ir.Cast(value=ir.Call(name="abs", args=(inner,))) if inner.type == e.type == I32:
            low, high = memo[key(inner)]
            return const(0, t), None if low is None or high is None else ir.Max(t, high, 0 - low)
        case ir.Cast():
            return _cast(e, parts[0])
        case ir.Min():
            (la, ha), (lb, hb) = parts
            return least([la, lb]), intersect((None, ha), (None, hb))[1]
        case ir.Max():
            (la, ha), (lb, hb) = parts
            return intersect((la, None), (lb, None))[0], greatest([ha, hb])
        case ir.Select() if (found := _truncated_again(e, scope, memo)) is not None:
            return found
        case ir.Select():
            return choice(t, parts[0], parts[1], parts[2])
        case ir.Call(call_type=CallType.INTRINSIC, name="likely" | "strict_float"):
            return parts[0]
        case ir.Call() if has_effect(e):
            return parts[1]
        case ir.Call() if is_scatter(e):
            return least([p[0] for p in parts]), greatest([p[1] for p in parts])
    if t.is_bool() and isinstance(e, ORDERED | ir.And | ir.Or | ir.Not):
        return truth(e, parts) if not e.a.type.is_float() else _float_truth(e, scope, memo)
    if t.bits < 32 or t.is_uint():
        # Narrow arithmetic wraps: only constant ranges that stay inside the type are kept, and what is one value.
        if isinstance(e, ir.Add | ir.Sub | ir.Mul) and _is_fixed(e, scope):
            return e, e
        narrow = constant_bounds(e, parts)
        return narrow if narrow is not None else _type_range(t)
    return _wide_arithmetic(e, parts)


def _float_truth(e: Expr, scope: Scope, memo: dict[int, Interval]) -> Interval:
    """Of a comparison of floats, which a NaN fails."""
    a, b = (_float_ends(c, scope, memo) for c in ir.children(e))
    if a is None or b is None:
        return make_bool(False), make_bool(True)
    if isinstance(e, ir.GT | ir.GE):
        a, b = b, a
    less, not_less = (ir.LT, ir.GE) if isinstance(e, ir.LT | ir.GT) else (ir.LE, ir.GT)
    return less(e.type, a.high, b.low), ir.Not(e.type, not_less(e.type, a.low, b.high))


def _float_ends(e: Expr, scope: Scope, memo: dict[int, Interval], only_clamped: bool = False) -> Ends | None:
    def interval(n: Expr) -> Interval:
        return scope.get(n.name, (n, n)) if isinstance(n, ir.Variable) else memo[key(n)]

    return float_ends(e, interval, only_clamped)


def _truncated(e: ir.Cast, constant: Interval, scope: Scope, memo: dict[int, Interval]) -> Interval:
    """A float as an int32: between constants, else what its ends are truncated to."""
    if _is_constant(constant):
        return _cast(e, constant)
    ends = _float_ends(e.value, scope, memo)
    if ends is None:
        return None, None
    clamped = _float_ends(e.value, scope, memo, only_clamped=True) if contains(e.value, ir.Min, ir.Max) else None
    otherwise = (None, None) if clamped is None else truncated(clamped, clamped.low, clamped.high)
    return truncated(ends, ends.low, ends.high, otherwise)


def _truncated_again(e: ir.Select, scope: Scope, memo: dict[int, Interval]) -> Interval | None:
    """The interval of an end of what a float was truncated to."""
    parts = truncated_from(e)
    if parts is None:
        return None
    value, first, last = (_float_ends(p, scope, memo) for p in (parts.value, parts.least, parts.greatest))
    if value is None or first is None or last is None:
        return None
    if all(key(x.low) == key(x.high) for x in (value, first, last)) and _is_one_value(memo[key(parts.otherwise)]):
        around = {n: scope[n] for n in variables(e) & scope.keys()}
        if all(map(_is_one_value, around.values())):
            one = substitute(e, {n: low for n, (low, _) in around.items() if low is not None})
            return one, one
    low, high = memo[key(parts.otherwise)]
    # A low end is above what it is otherwise, a high end below.
    return truncated(value, first.low, last.high, (low, None) if parts.is_low else (None, high))


def _cast(e: ir.Cast, inner: Interval) -> Interval:
    source = e.value.type
    if source.is_float() and _is_constant(inner):
        ends = [math.trunc(const_value(x) or 0) for x in inner if x is not None]
        if e.type.min() <= ends[0] and ends[1] <= e.type.max():
            return const(ends[0], e.type), const(ends[1], e.type)
    if not source.is_int_or_uint():
        return _type_range(e.type)
    # Coordinates are taken to fit; as unsigned numbers negative ones wrap.
    fits = e.type.can_represent(source) or (
        source.is_int() and source.bits >= 32 and e.type.is_int() and e.type.bits >= 32
    )
    if not fits and _is_constant(inner):
        assert inner[0] is not None and inner[1] is not None
        low, high = int(const_value(inner[0]) or 0), int(const_value(inner[1]) or 0)
        fits = e.type.min() <= low and high <= e.type.max()
    low_e, high_e = inner
    if not fits and low_e is not None and high_e is not None and same(low_e, high_e) and e.type == I32:
        return ir.Cast(e.type, low_e), ir.Cast(e.type, low_e)  # one value, whatever it wraps to
    if not fits:
        return _type_range(e.type)
    return (
        None if low_e is None else simplify_index(ir.Cast(e.type, low_e)),
        None if high_e is None else simplify_index(ir.Cast(e.type, high_e)),
    )


def _wide_arithmetic(e: Expr, parts: list[Interval]) -> Interval:
    t = e.type

    def both(node: type[ir._Binary], a: Expr | None, b: Expr | None) -> Expr | None:
        return None if a is None or b is None else node(t, a, b)

    match e:
        case ir.Add():
            return both(ir.Add, parts[0][0], parts[1][0]), both(ir.Add, parts[0][1], parts[1][1])
        case ir.Sub():
            return both(ir.Sub, parts[0][0], parts[1][1]), both(ir.Sub, parts[0][1], parts[1][0])
        case ir.Mul():
            return _product(e, parts)
        case ir.Div():
            c = const_value(e.b)
            if c is not None and c > 0:
                return both(ir.Div, parts[0][0], e.b), both(ir.Div, parts[0][1], e.b)
            if (point := _point(e, parts)) is not None:
                return point, point
            by = parts[1][0] if _is_one_value(parts[1]) else None
            ends = [both(ir.Div, x, by) for x in parts[0]]
            if ends[0] is not None and ends[1] is not None:  # which of them is less depends on the divisor's sign
                return ir.Min(t, ends[0], ends[1]), ir.Max(t, ends[0], ends[1])
        case ir.Mod():
            if (point := _point(e, parts)) is not None:
                return point, point
            c = const_value(e.b)
            if c is not None and c > 0:
                return const(0, t), const(int(c) - 1, t)
            if parts[1][1] is not None:
                return const(0, t), ir.Sub(t, ir.Max(t, parts[1][1], const(1, t)), const(1, t))
        case ir.Call(name="shift_right" | "shift_left") if isinstance(e, ir.Call):
            c = const_value(e.args[1])
            if c is not None and 0 <= c < 31:
                node = ir.Div if e.name == "shift_right" else ir.Mul
                k = const(1 << int(c), t)
                return both(node, parts[0][0], k), both(node, parts[0][1], k)
        case ir.Call(name="bitwise_and") if isinstance(e, ir.Call):
            for a in e.args:
                c = const_value(a)
                if c is not None and c >= 0:
                    return const(0, t), const(int(c), t)
    found = constant_bounds(e, parts)
    return found if found is not None else (None, None)


def _point(e: ir._Binary, parts: list[Interval]) -> Expr | None:
    """The one value of `e` where each operand has one, else None."""
    values: list[Expr] = []
    for part in parts:
        if not _is_one_value(part):
            return None
        assert part[0] is not None
        values.append(part[0])
    return type(e)(e.type, values[0], values[1])


def _is_one_value(i: Interval) -> bool:
    return i[0] is not None and i[1] is not None and key(i[0]) == key(i[1])


def _product(e: ir.Mul, parts: list[Interval]) -> Interval:
    t = e.type
    for (low, high), factor, (f_low, f_high) in ((parts[0], e.b, parts[1]), (parts[1], e.a, parts[0])):
        single = f_low is not None and f_high is not None and key(f_low) == key(f_high)
        if not single:
            continue
        assert f_low is not None
        a = None if low is None else ir.Mul(t, low, f_low)
        b = None if high is None else ir.Mul(t, high, f_low)
        c = const_value(factor)
        if c is not None:
            return (a, b) if c >= 0 else (b, a)
        if a is None or b is None:
            return None, None
        return (ir.Min(t, a, b), ir.Max(t, a, b))
    found = constant_bounds(e, parts)
    if found is not None:
        return found
    pairs = [(x, y) for x in parts[0] for y in parts[1]]
    corners: list[Expr | None] = [None if x is None or y is None else ir.Mul(t, x, y) for x, y in pairs]
    return least(corners), greatest(corners)


def never_true(condition: Expr, scope: Scope) -> bool:
    """Whether `condition` is known to be false when the Variables of `scope` range over theirs."""
    match condition:
        case ir.And():
            return never_true(condition.a, scope) or never_true(condition.b, scope)
        case ir.Or():
            return never_true(condition.a, scope) and never_true(condition.b, scope)
        case ir.GT() | ir.GE():
            turned = ir.LT if isinstance(condition, ir.GT) else ir.LE
            return never_true(turned(ir.BOOL, condition.b, condition.a), scope)
        case ir.LT() | ir.LE() if condition.a.type == I32:
            low, high = bounds_of(condition.a, scope)[0], bounds_of(condition.b, scope)[1]
            apart = None if low is None or high is None else const_value(simplify_index(low - high))
            return apart is not None and apart >= (0 if isinstance(condition, ir.LT) else 1)
    return False
