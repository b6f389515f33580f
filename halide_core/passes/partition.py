"""Loops whose body is a choice by linear conditions on the loop variable become up to three loops without it.

    for x in [0, n): if c <= m - x*32: full else: tail

becomes a loop over full vectors, then one over the tail.  A choice that the loop has no part in is made before it."""

from __future__ import annotations

import itertools

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import contains, key, substitute, variables
from halide_core.ir.sums import build_sum, difference, is_coordinate, linear_terms


def partition_loops(s: st.Stmt) -> st.Stmt:
    """`s` with serial loops split where their bodies' conditions change."""
    return _Partition().statement(s)


class _Partition:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def statement(self, s: st.Stmt) -> st.Stmt:
        if isinstance(s, st.For) and s.kind is st.ForKind.SERIAL and const_value(s.extent) != 1 and not s.at_edges:
            body = _hoisted(s.body, s.name)
            if isinstance(body, st.IfThenElse) and _is_fixed(body.condition, s.name):
                return self.statement(_unswitched(s, body))
            ends = _range(body.condition, s.name) if isinstance(body, st.IfThenElse) else None
            if ends is not None:
                assert isinstance(body, st.IfThenElse)
                return self.split(s, body, *ends)
        out = st.rebuild(s, self.statement, lambda e: e)
        # What was taken out of a loop inside may be a choice of this one.
        met = isinstance(s, st.For) and isinstance(s.body, st.For)
        again = met and isinstance(out, st.For) and isinstance(out.body, st.IfThenElse)
        return self.statement(out) if again else out

    def split(self, s: st.For, body: st.IfThenElse, lows: list[Expr], highs: list[Expr]) -> st.Stmt:
        """`s` before, between and after the bounds of the condition."""
        number = next(self.numbers)
        end = simplify_index(ir.Add(I32, s.min, s.extent))
        a, b = Variable(I32, f"{s.name}.first{number}"), Variable(I32, f"{s.name}.last{number}")
        # In 64 bits, clamped to the loop: at least empty, at most all of it.
        first: Expr = s.min
        for low in lows:
            first = _clamped(ir.Max, low, first)
        first = simplify(ir.Min(I32, first, ir.Max(I32, s.min, end)))
        start: Expr = a if lows else s.min
        last: Expr = end
        for high in highs:
            last = _clamped(ir.Min, high, last)
        last = simplify(ir.Max(I32, last, start))
        parts: list[st.Stmt] = []

        def part(low: Expr, high: Expr, chosen: st.Stmt | None) -> st.Stmt:
            extent = simplify_index(ir.Sub(I32, high, low))
            return st.For(s.name, low, extent, s.kind, chosen if chosen is not None else st.Block(()))

        if lows and body.else_case is not None:
            parts.append(st.rebuild(part(s.min, a, body.else_case), self.statement, lambda e: e))
        parts.append(self.statement(part(start, b, body.then_case)))
        if highs and body.else_case is not None:
            if not lows and _at_most_one(body, s.name):
                once = st.map_expressions(body.else_case, lambda e: substitute(e, {s.name: b}))
                parts.append(st.IfThenElse(ir.LT(BOOL, b, end), once))
            else:
                parts.append(st.rebuild(part(b, end, body.else_case), self.statement, lambda e: e))
        out: st.Stmt = st.LetStmt(b.name, last, st.block(*parts))
        return st.LetStmt(a.name, first, out) if lows else out


def _is_fixed(condition: Expr, name: str) -> bool:
    """Whether all iterations of loop `name` find the same, and nothing they store has a say in it."""
    return name not in variables(condition) and not contains(condition, ir.Load, ir.Call)


def _unswitched(s: st.For, body: st.IfThenElse) -> st.Stmt:
    """The loop `s` in each case of its body."""
    other = None if body.else_case is None else st.For(s.name, s.min, s.extent, s.kind, body.else_case)
    return st.IfThenElse(body.condition, st.For(s.name, s.min, s.extent, s.kind, body.then_case), other)


def _at_most_one(choice: st.IfThenElse, name: str) -> bool:
    """Whether the other case, a guard over the tail, holds for one value of the variable only."""
    tail = choice.else_case
    if not isinstance(tail, st.IfThenElse) or tail.else_case is not None:
        return False
    one, two = _range(choice.condition, name), _range(tail.condition, name)
    if one is None or two is None or len(one[1]) != 1 or not two[1]:
        return False
    for high in two[1]:
        gap = simplify_index(high - one[1][0])
        if isinstance(gap, ir.Sub) and _quotients_meet(gap.a, gap.b):
            return True
    return False


def _quotients_meet(a: Expr, b: Expr) -> bool:
    """Whether a - b is at most 1, for quotients by one constant."""
    if not isinstance(a, ir.Div) or not isinstance(b, ir.Div):
        return False
    by, apart = const_value(a.b), difference(a.a, b.a)
    return by is not None and by == const_value(b.b) and apart is not None and apart <= by


def _clamped(op: type[ir.Min] | type[ir.Max], limit: Expr, old: Expr) -> Expr:
    wide = op(I64, limit, ir.Cast(I64, old))
    return ir.Cast(I32, ir.Max(I64, ir.Min(I64, wide, const(I32.max(), I64)), const(I32.min(), I64)))


def _hoisted(s: st.Stmt, name: str) -> st.Stmt:
    """A block of choices by one and the same condition as one choice."""
    if isinstance(s, st.Produce):
        return _hoisted(s.body, name)
    if not isinstance(s, st.Block) or not s.stmts:
        return s
    parts = [x for x in s.stmts if isinstance(x, st.IfThenElse)]
    if len(parts) != len(s.stmts) or len({key(x.condition) for x in parts}) != 1:
        return s
    if name not in variables(parts[0].condition) and not _is_fixed(parts[0].condition, name):
        return s
    other = [x.else_case for x in parts if x.else_case is not None]
    return st.IfThenElse(
        parts[0].condition, st.block(*(x.then_case for x in parts)), st.block(*other) if other else None
    )


def _range(condition: Expr, name: str) -> tuple[list[Expr], list[Expr]] | None:
    """int64 bounds (at least, below) between which the condition holds, and outside of which it does not."""
    lows: dict[int, Expr] = {}
    highs: dict[int, Expr] = {}
    work = [condition]
    while work:
        c = work.pop()
        if isinstance(c, ir.And):
            work += [c.a, c.b]
            continue
        match c:
            case ir.LE(a=a, b=b) | ir.GE(a=b, b=a):
                strict = 0
            case ir.LT(a=a, b=b) | ir.GT(a=b, b=a):
                strict = 1
            case _:
                return None
        # a + strict <= b
        if a.type not in (I32, I64):
            return None
        if isinstance(b, ir.Min):
            work += [ir.LT(c.type, a, x) if strict else ir.LE(c.type, a, x) for x in (b.a, b.b)]
            continue
        if isinstance(a, ir.Max):
            work += [ir.LT(c.type, x, b) if strict else ir.LE(c.type, x, b) for x in (a.a, a.b)]
            continue
        known_a, known_b = const_value(a), const_value(b)
        if known_a is not None and known_b is not None:
            if known_a + strict > known_b:
                return None
            continue
        if not is_coordinate(a) or not is_coordinate(b):
            return None
        terms, constant = linear_terms(_wide(ir.Sub(a.type, b, a)))
        mine = [(k, f) for k, (t, f) in terms.items() if name in variables(t)]
        if len(mine) != 1 or not _is_variable(terms[mine[0][0]][0], name):
            return None
        number, factor = mine[0]
        del terms[number]
        rest = build_sum(terms, constant - strict, I64)
        if any(t.type != I64 for t, _ in terms.values()):
            return None
        if factor < 0:
            high = simplify_index(ir.Div(I64, rest, const(-factor, I64)) + const(1, I64))
            highs[key(high)] = high
        else:
            low = simplify_index(const(0, I64) - ir.Div(I64, rest, const(factor, I64)))
            lows[key(low)] = low
    return (list(lows.values()), list(highs.values())) if lows or highs else None


def _wide(e: Expr) -> Expr:
    return simplify_index(ir.Cast(I64, e)) if e.type == I32 else e


def _is_variable(e: Expr, name: str) -> bool:
    inner = e.value if isinstance(e, ir.Cast) else e
    return isinstance(inner, Variable) and inner.name == name
