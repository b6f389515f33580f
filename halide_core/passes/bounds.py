"""Interval arithmetic: the boxes of Funcs and images that a statement touches."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box, Interval
from halide_core.ir.expr import (
    I32,
    CallType,
    Expr,
    Variable,
    const,
    const_value,
    has_effect,
    is_buffer,
    is_scatter,
)
from halide_core.ir.simplify import difference, is_coordinate, simplify_index
from halide_core.ir.structural import key, post_order, same, substitute, transform, variables
from halide_core.ir.types import Type
from halide_core.passes.float_bounds import float_bounds

# Inclusive; None where unbounded.
Scope = Mapping[str, Interval]
# Minima and maxima in a sum up to which they are spread out: each may double it.
_MOST_CHOICES = 4
# Known ranges of variables that a schedule's guards enforce: name -> (min, max).
Promises = Mapping[str, tuple[Expr, Expr]]
# Sums of coordinates and the intervals that conditions around leave them.
Facts = tuple[tuple[Expr, Interval], ...]


def _low(values: list[Expr | None]) -> Expr | None:
    out: Expr | None = None
    for v in values:
        if v is None:
            return None
        out = v if out is None else ir.Min(v.type, out, v)
    return out


def _high(values: list[Expr | None]) -> Expr | None:
    out: Expr | None = None
    for v in values:
        if v is None:
            return None
        out = v if out is None else ir.Max(v.type, out, v)
    return out


def union(a: Interval, b: Interval) -> Interval:
    """The smallest interval around both."""
    return _low([a[0], b[0]]), _high([a[1], b[1]])


def intersect(a: Interval, b: Interval) -> Interval:
    """The points in both."""
    low = b[0] if a[0] is None else a[0] if b[0] is None else ir.Max(a[0].type, a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else ir.Min(a[1].type, a[1], b[1])
    return low, high


def bounds_of(e: Expr, scope: Scope, memo: dict[int, Interval] | None = None, facts: Facts = ()) -> Interval:
    """The interval of the values of the integer `e` when the Variables of `scope` range over theirs.

    Assumes no overflow of int32 coordinates.  Values of narrower types are within their type."""
    memo = {} if memo is None else memo
    for node in post_order(e):
        if id(node) not in memo:
            low, high = _bounds_of_node(node, scope, memo)
            low = None if low is None else simplify_index(low)
            high = None if high is None else simplify_index(high)
            if facts and node.type == I32 and isinstance(node, ir.Add | ir.Sub):
                low, high = _with_facts(node, (low, high), facts)
            memo[id(node)] = (low, high)
    return memo[id(e)]


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
    return None, None


def _is_constant(i: Interval) -> bool:
    return i[0] is not None and i[1] is not None and const_value(i[0]) is not None and const_value(i[1]) is not None


_OF_A_STAGE = re.compile(r"\.s\d+\.")


def _is_fixed(e: Expr, scope: Scope) -> bool:
    """Whether an expression is made of parameters and sizes only: of no loop's, whose steps others want to compare."""
    if any(isinstance(n, ir.Load | ir.Call) and not _is_pure_arithmetic(n) for n in post_order(e)):
        return False
    return not any(name in scope or _OF_A_STAGE.search(name) for name in variables(e))


def _is_pure_arithmetic(n: Expr) -> bool:
    bits = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right", "abs")
    return isinstance(n, ir.Call) and n.call_type is CallType.INTRINSIC and n.name in bits


def _bounds_of_node(e: Expr, scope: Scope, memo: dict[int, Interval]) -> Interval:
    t = e.type
    if t.is_float():
        return float_bounds(e, [memo.get(id(c), (None, None)) for c in ir.children(e)])
    if not t.is_int_or_uint():
        return None, None
    parts = [memo.get(id(c), (None, None)) for c in ir.children(e)]
    if isinstance(e, ir.Select | ir.Div | ir.Mod) and _is_fixed(e, scope):
        return e, e
    match e:
        case ir.IntImm() | ir.UIntImm():
            return e, e
        case ir.Variable():
            return scope.get(e.name, (e, e))
        case ir.Cast():
            return _cast(e, parts[0])
        case ir.Min():
            (la, ha), (lb, hb) = parts
            return _low([la, lb]), intersect((None, ha), (None, hb))[1]
        case ir.Max():
            (la, ha), (lb, hb) = parts
            return intersect((la, None), (lb, None))[0], _high([ha, hb])
        case ir.Select():
            return union(parts[1], parts[2])
        case ir.Call(call_type=CallType.INTRINSIC, name="likely" | "strict_float"):
            return parts[0]
        case ir.Call() if has_effect(e):
            return parts[1]
        case ir.Call() if is_scatter(e):
            return _low([p[0] for p in parts]), _high([p[1] for p in parts])
    if t.bits < 32 or t.is_uint():
        # Narrow arithmetic wraps: only constant ranges that stay inside the type are kept.
        exact = _exact_constants(e, parts)
        return exact if exact is not None else _type_range(t)
    return _wide_arithmetic(e, parts)


def _exact_constants(e: Expr, parts: list[Interval]) -> Interval | None:
    ends: list[tuple[int, int]] = []
    for low, high in parts:
        a, b = (None if v is None else const_value(v) for v in (low, high))
        if a is None or b is None:
            return None
        ends.append((int(a), int(b)))
    if not ends:
        return None
    return _constant_rule(e, ends)


def _constant_rule(e: Expr, ends: list[tuple[int, int]]) -> Interval | None:
    low: int
    high: int
    match e:
        case ir.Add():
            low, high = ends[0][0] + ends[1][0], ends[0][1] + ends[1][1]
        case ir.Mul():
            corners = [a * b for a in ends[0] for b in ends[1]]
            low, high = min(corners), max(corners)
        case ir.Div() if ends[1][0] == ends[1][1] and ends[1][0] > 0:
            low, high = ends[0][0] // ends[1][0], ends[0][1] // ends[1][0]
        case ir.Mod() if ends[1][0] == ends[1][1] and ends[1][0] > 0:
            low, high = 0, ends[1][0] - 1
        case ir.Call(name="shift_right") if ends[1][0] == ends[1][1] and 0 <= ends[1][0] < e.type.bits:
            low, high = ends[0][0] >> ends[1][0], ends[0][1] >> ends[1][0]
        case ir.Call(name="bitwise_and") if ends[0][0] >= 0 and ends[1][0] >= 0:
            low, high = 0, min(ends[0][1], ends[1][1])
        case _:
            return None
    if low < e.type.min() or high > e.type.max():
        return None
    return const(low, e.type), const(high, e.type)


def _cast(e: ir.Cast, inner: Interval) -> Interval:
    source = e.value.type
    if source.is_float() and _is_constant(inner):
        ends = [math.trunc(const_value(x) or 0) for x in inner if x is not None]
        if e.type.min() <= ends[0] and ends[1] <= e.type.max():
            return const(ends[0], e.type), const(ends[1], e.type)
    if not source.is_int_or_uint():
        return _type_range(e.type)
    fits = e.type.can_represent(source) or (source.is_int() and source.bits >= 32 and e.type.bits >= 32)
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
    found = _exact_constants(e, parts)
    return found if found is not None else (None, None)


def _point(e: ir._Binary, parts: list[Interval]) -> Expr | None:
    """The one value of `e` where each operand has one, else None."""
    values: list[Expr] = []
    for low, high in parts:
        if low is None or high is None or key(low) != key(high):
            return None
        values.append(low)
    return type(e)(e.type, values[0], values[1])


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
    found = _exact_constants(e, parts)
    return found if found is not None else (None, None)


# Names called or provided in statements, by their ids; the statements are kept, so that the ids stay theirs.
Mentions = dict[int, tuple[st.Stmt, frozenset[str]]]


def boxes_touched(
    s: st.Stmt, promises: Promises, only: frozenset[str] | None = None, known: Mentions | None = None
) -> dict[str, Box]:
    """For every Func or image called or provided in `s` (or `only` these), the box of coordinates.

    `known` remembers what statements mention from one call to the next."""
    found: dict[str, Box] = {}
    _Boxes(promises, found, only, {} if known is None else known).visit(s, _Around({}, {}, (), ()))
    return found


def mentions(s: st.Stmt, known: Mentions) -> frozenset[str]:
    """The Funcs and images that are called or provided in `s`."""
    entry = known.get(id(s))
    if entry is not None:
        return entry[1]
    names = {s.name} if isinstance(s, st.Provide | st.ExternCall) else set()
    for e in st.expressions(s):
        names |= {n.name for n in post_order(e) if isinstance(n, ir.Call) and n.call_type in _STORED}
    for x in st.bodies(s):
        names |= mentions(x, known)
    known[id(s)] = s, frozenset(names)
    return known[id(s)][1]


_STORED = (CallType.HALIDE, CallType.IMAGE)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known at a statement: intervals of variables, values of lets, conditions on sums.

    `cut`: loops (name, min, upper limits of the variable) that are shorter in some iterations of the loops around;
    the limits are in terms of these, which an interval of its own would lose."""

    scope: dict[str, Interval]
    defined: dict[str, Expr]
    facts: Facts
    cut: tuple[tuple[str, Expr, tuple[Expr, ...]], ...]

    def with_interval(self, name: str, interval: Interval) -> _Around:
        return replace(self, scope={**self.scope, name: interval})


def queried(name: str, argument: int, dim: int) -> tuple[Expr, Expr]:
    """(min, max) of dimension `dim` of a buffer argument, as the external stage `name` gives it when it is asked for
    all that a statement needs of it: Variables that `passes.extern_stages` gives values."""
    return Variable(I32, f"{name}.query.{argument}.min.{dim}"), Variable(I32, f"{name}.query.{argument}.max.{dim}")


class _Boxes:
    """Visits statements with the intervals of loop variables and the definitions of lets, which are substituted:
    a box's min and extent only cancel against each other as expressions."""

    def __init__(
        self, promises: Promises, found: dict[str, Box], only: frozenset[str] | None, known: Mentions
    ) -> None:
        self.promises = promises
        self.found = found
        self.only = only
        self.known = known

    def visit(self, s: st.Stmt, at: _Around) -> None:
        if self.only is not None and self.only.isdisjoint(mentions(s, self.known)):
            return
        if isinstance(s, st.ExternCall):
            self._external(s, at)
            return
        memo: dict[int, Interval] = {}
        expressions = [_expand(e, at.defined) for e in st.expressions(s)]
        for e in expressions:
            self._calls(e, at, memo)
        match s:
            case st.Provide() if self.wanted(s.name):
                coordinates = expressions[len(s.values) :]
                _touch(s.name, [self.bounds(a, at, memo) for a in coordinates], self.found)
            case st.For():
                self.visit(s.body, self._in_loop(s.name, expressions[0], expressions[1], at, memo))
                return
            case st.LetStmt():
                self._let(s, expressions[0], at)
                return
            case st.IfThenElse():
                inner, more = _assume(expressions[0], at.scope)
                self.visit(s.then_case, replace(at, scope=inner, facts=at.facts + more))
                if s.else_case is not None:
                    self.visit(s.else_case, at)
                return
        for x in st.bodies(s):
            self.visit(x, at)

    def wanted(self, name: str) -> bool:
        return self.only is None or name in self.only

    def _external(self, s: st.ExternCall, at: _Around) -> None:
        """What the stage reads; or in the body of a query its findings, which lie within what it finds when asked for
        all that `s` and the loops around it need (Halide takes this for granted, too)."""
        if s.body is None:
            for k, a in enumerate(s.args):
                element = a.args[0] if isinstance(a, ir.Call) and is_buffer(a) else None
                if isinstance(element, ir.Call) and element.name != s.name and self.wanted(element.name):
                    _touch(element.name, [queried(s.name, k, d) for d in range(len(element.args))], self.found)
            return
        scope = dict(at.scope)
        for name in s.bound():
            argument, _, dim = name[len(s.prefix) + 1 :].split(".")
            scope[name] = queried(s.name, int(argument), int(dim))
        self.visit(s.body, replace(at, scope=scope))

    def bounds(self, e: Expr, at: _Around, memo: dict[int, Interval] | None = None) -> Interval:
        """The interval of `e`, the variables of cut loops going before those of the loops around them."""
        names = variables(e) if at.cut else frozenset()
        for name, low, limits in reversed(at.cut):
            if name in names:
                ends = [bounds_of(e, {name: (low, high)}, None, at.facts) for high in limits]
                lows = [None if a is None else self.bounds(a, at)[0] for a, _ in ends[:1]]
                highs = [self.bounds(b, at)[1] for _, b in ends if b is not None]
                least: Expr | None = None
                for h in highs:
                    if h is not None:
                        least = h if least is None else ir.Min(h.type, least, h)
                return lows[0], None if least is None else simplify_index(least)
        return bounds_of(e, at.scope, memo, at.facts)

    def _in_loop(self, name: str, low: Expr, extent: Expr, at: _Around, memo: dict[int, Interval]) -> _Around:
        last = simplify_index(low + extent - 1)
        inner = at.with_interval(name, (self.bounds(low, at, memo)[0], self._limit(last, at)))
        parts = _smaller_of(extent)
        if parts and variables(extent) & at.scope.keys() and low.type == I32:
            limits = tuple(simplify_index(low + part - 1) for part in parts)
            inner = replace(inner, cut=(*inner.cut, (name, low, limits)))
        return inner

    def _calls(self, e: Expr, at: _Around, memo: dict[int, Interval]) -> None:
        for node in post_order(e):
            if isinstance(node, ir.Call) and node.call_type in _STORED and self.wanted(node.name):
                _touch(node.name, [self.bounds(a, at, memo) for a in node.args], self.found)

    def _limit(self, last: Expr, at: _Around) -> Expr | None:
        """The greatest value of `last`."""
        return self.bounds(_spread(last, at.scope.keys()), at)[1]

    def _let(self, s: st.LetStmt, value: Expr, at: _Around) -> None:
        if s.name not in self.promises:
            self.visit(s.body, replace(at, defined={**at.defined, s.name: simplify_index(value)}))
            return
        low, high = self.bounds(value, at)
        exact = low is not None and high is not None and key(low) == key(high)
        if not exact:
            # Splits start at the range's min; only at its end may arithmetic overshoot what guards allow.
            first, last = (_expand(p, at.defined) for p in self.promises[s.name])
            low = self.bounds(first, at)[0] if low is None else low
            limit = self._limit(last, at)
            narrower = high is not None and not variables(high) <= (variables(last) | variables(first))
            high = intersect((None, high), (None, limit))[1] if narrower else limit
        value_range = (None if low is None else simplify_index(low), None if high is None else simplify_index(high))
        self.visit(s.body, at.with_interval(s.name, value_range))


def _expand(e: Expr, defined: dict[str, Expr]) -> Expr:
    names = variables(e) & defined.keys()
    return simplify_index(substitute(e, {n: defined[n] for n in names})) if names else e


def _spread(e: Expr, names: Set[str]) -> Expr:
    """`e` with what is added to minima and maxima of the same variables `names` added within them, so that it may
    cancel there: y * 32 + min(n - y * 32, 32) is min(n, y * 32 + 32).  Within quotients too, where it does cancel:
    y * 8 + min(n - y * 32, 32) / 4 is min(n, y * 32 + 32) / 4."""

    def rewrite(n: Expr) -> Expr:
        terms = _terms(n) if isinstance(n, ir.Add | ir.Sub) and n.type == I32 else []
        for k, (added, term) in enumerate(terms):
            others = terms[:k] + terms[k + 1 :]
            if isinstance(term, ir.Min | ir.Max):
                rest = _sum(others)
                if variables(term) & variables(rest) & names:
                    parts = [simplify_index(rest + p if added else rest - p) for p in (term.a, term.b)]
                    least = isinstance(term, ir.Min) == added
                    return (ir.Min if least else ir.Max)(I32, rewrite(parts[0]), rewrite(parts[1]))
            elif isinstance(term, ir.Div) and added:
                shared = variables(term) & names
                near = _sum([t for t in others if variables(t[1]) & shared])
                inner = _within_quotient(near, term) if variables(near) else None
                if inner is not None:
                    return _sum([t for t in others if not variables(t[1]) & shared]) + ir.Div(I32, inner, term.b)
        return n

    if not 1 <= sum(isinstance(n, ir.Min | ir.Max) for n in post_order(e)) <= _MOST_CHOICES:
        return e
    return simplify_index(transform(e, rewrite))


def _within_quotient(near: Expr, quotient: ir.Div) -> Expr | None:
    """The dividend of near + quotient, where `near` cancels in a minimum or maximum of it, else None: what does not
    cancel might overflow once it is multiplied."""
    divisor = const_value(quotient.b)
    if divisor is None or divisor <= 0:
        return None
    terms, scaled = _terms(quotient.a), near * quotient.b
    for k, (added, choice) in enumerate(terms):
        if isinstance(choice, ir.Min | ir.Max):
            parts = [simplify_index(scaled + p if added else scaled - p) for p in (choice.a, choice.b)]
            if any(variables(p).isdisjoint(variables(near)) for p in parts):
                least = isinstance(choice, ir.Min) == added
                return _sum(terms[:k] + terms[k + 1 :]) + (ir.Min if least else ir.Max)(I32, *parts)
    return None


def _sum(terms: list[tuple[bool, Expr]]) -> Expr:
    """The sum that consists of `terms`, as `_terms` tells them."""
    out: Expr = const(0, I32)
    for added, t in terms:
        out = out + t if added else out - t
    return out


def _terms(e: Expr) -> list[tuple[bool, Expr]]:
    """What a sum consists of; whether each is added."""
    out, work = [], [(True, e)]
    while work:
        added, n = work.pop()
        if isinstance(n, ir.Add | ir.Sub):
            work += [(added, n.a), (added == isinstance(n, ir.Add), n.b)]
        else:
            out.append((added, n))
    return out


def _smaller_of(e: Expr) -> tuple[Expr, ...]:
    """The two of which `e` is the smaller one, or that plus a number."""
    if isinstance(e, ir.Min):
        return e.a, e.b
    if isinstance(e, ir.Add | ir.Sub) and isinstance(e.a, ir.Min) and const_value(e.b) is not None:
        return tuple(simplify_index(type(e)(e.type, part, e.b)) for part in (e.a.a, e.a.b))
    return ()


def _assume(condition: Expr, scope: dict[str, Interval]) -> tuple[dict[str, Interval], Facts]:
    """`scope` tightened by comparisons of variables in `condition`, and what it says of sums."""
    work, out = [condition], dict(scope)
    facts: list[tuple[Expr, Interval]] = []
    while work:
        c = work.pop()
        if isinstance(c, ir.And):
            work += [c.a, c.b]
            continue
        if isinstance(c, ir.GT | ir.GE):
            c = (ir.LT if isinstance(c, ir.GT) else ir.LE)(c.type, c.b, c.a)
        if not isinstance(c, ir.LT | ir.LE) or c.a.type != I32:
            continue
        slack = 1 if isinstance(c, ir.LT) else 0
        high = bounds_of(c.b, scope)[1]
        low = bounds_of(c.a, scope)[0]
        if isinstance(c.a, ir.Variable) and c.a.name in out and high is not None:
            out[c.a.name] = intersect(out[c.a.name], (None, high - slack))
        if isinstance(c.b, ir.Variable) and c.b.name in out and low is not None:
            out[c.b.name] = intersect(out[c.b.name], (low + slack, None))
        if isinstance(c.a, ir.Add | ir.Sub) and high is not None and is_coordinate(c.a):
            facts.append((c.a, (None, high - slack)))
        if isinstance(c.b, ir.Add | ir.Sub) and low is not None and is_coordinate(c.b):
            facts.append((c.b, (low + slack, None)))
    return out, tuple(facts)


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


def _touch(name: str, dims: list[Interval], found: dict[str, Box]) -> None:
    old = found.get(name)
    if old is None:
        found[name] = Box(dims)
        return
    merged = [union(a, b) for a, b in zip(old.dims, dims, strict=True)]
    found[name] = Box(
        [(None if a is None else simplify_index(a), None if b is None else simplify_index(b)) for a, b in merged]
    )
