"""Loops over blocks of which the last may be cut: whole blocks have a version of their own.

    for xo in [0, +(n + 127)/128):                      for xo in [0, +(n + 127)/128):
      let m = min(n - xo*128, 128)                        if n - xo*128 >= 128:
      realize f over [x0, +m + 2]:               ->         realize f over [x0, +130]:
        for x in [x0, +m + 2): f(x) = ...                     for x in [x0, +130): f(x) = ...
        for xi in [0, +m): ...                                for xi in [0, +128): ...
                                                          else: as before

so that loops, storage and the stages inside have constant extents, and no masks.  After Halide's `PartitionLoops`, but
before storage has strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const_value
from halide_core.ir.identities import Bounds
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import key, post_order, substitute, variables
from halide_core.ir.sums import build_sum, is_coordinate, linear_terms

_MOST_STATEMENTS = 400
"""Of a loop's body: a version is as large again."""
_KINDS = (st.ForKind.SERIAL, st.ForKind.PARALLEL)


def whole_blocks(s: st.Stmt) -> st.Stmt:
    """`s` with a version for whole blocks in each loop over blocks that has storage inside: other loops are split where
    their conditions change (`partition`).  The same object back where there are none.

    Assumes no overflow of int32 coordinates."""
    if isinstance(s, st.For) and s.kind in _KINDS:
        found = _left(s)
        if found:
            # Versions within versions: of whole blocks only, as most are.
            body = _assumed(s, found)
            condition: Expr = ir.make_bool(True)
            for left, factor in found:
                condition = simplify(ir.And(BOOL, condition, left >= factor))
            return replace(s, body=st.IfThenElse(condition, whole_blocks(body), s.body))
    parts = {id(x): whole_blocks(x) for x in st.bodies(s)}
    if all(parts[id(x)] is x for x in st.bodies(s)):
        return s
    return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)


def _left(loop: st.For) -> list[tuple[Expr, int]]:
    """(What is left of a range, size of a block), where loops inside run over the smaller of the two and what is left
    goes down with the variable of `loop`, a block at a time."""
    inside = list(st.walk(loop.body))
    if len(inside) > _MOST_STATEMENTS or not any(isinstance(x, st.Realize) for x in inside):
        return []
    bound = {x.name for x in inside if isinstance(x, st.For | st.LetStmt)}
    found: dict[int, tuple[Expr, int]] = {}
    for x in inside:
        for e in (x.extent,) if isinstance(x, st.For) else ():
            for n in post_order(e):
                factor = const_value(n.b) if isinstance(n, ir.Min) else None
                if factor is None or not isinstance(n, ir.Min) or n.type != I32 or not is_coordinate(n.a):
                    continue
                terms, _ = linear_terms(n.a)
                step = next((c for t, c in terms.values() if _is(t, loop.name)), 0)
                others = {v for t, _ in terms.values() if not _is(t, loop.name) for v in variables(t)}
                if step == -factor and not others & (bound | {loop.name}):
                    found[key(n.a)] = (n.a, int(factor))
    return list(found.values())


def _is(e: Expr, name: str) -> bool:
    return isinstance(e, Variable) and e.name == name


def _assumed(loop: st.For, found: list[tuple[Expr, int]]) -> st.Stmt:
    """The body of `loop` where all of what is left is at least a block."""
    bounds: dict[str, tuple[int | None, int | None]] = {}
    known: dict[str, Expr] = {}
    back: dict[str, Expr] = {}
    for number, (left, factor) in enumerate(found):
        terms, constant = linear_terms(left)
        size = next((t.name for t, c in terms.values()
                     if isinstance(t, Variable) and c == 1 and t.name not in known), None)
        if size is None:
            if len(terms) == 1:  # constant - loop * factor >= factor
                low, high = bounds.get(loop.name, (const_value(loop.min), None))
                last = (constant - factor) // factor
                bounds[loop.name] = (None if low is None else int(low), last if high is None else min(high, last))
            continue
        more = Variable(I32, f"{loop.name}.left{number}")
        rest = build_sum({k: x for k, x in terms.items() if not _is(x[0], size)}, constant, I32)
        known[size] = simplify_index(substitute(more + factor - rest, known))
        bounds[more.name] = (0, None)
        back[more.name] = simplify_index(left - factor)
    if loop.name not in bounds and const_value(loop.min) is not None:
        bounds[loop.name] = (int(const_value(loop.min) or 0), None)
    return _Assumption(known, back).statement(loop.body, bounds, {})


@dataclass(frozen=True, slots=True)
class _Assumption:
    """That sizes are what `known` says, in terms of variables that are not negative and that `back` gives."""

    known: Mapping[str, Expr]
    back: Mapping[str, Expr]

    def statement(self, s: st.Stmt, bounds: Bounds, fixed: Mapping[str, Expr]) -> st.Stmt:
        """`s` with its coordinates simplified; `fixed`: lets that are constants."""

        def index(e: Expr) -> Expr:
            e = substitute(e, fixed)
            if not is_coordinate(e):
                return e
            e = simplify_index(simplify_index(substitute(e, self.known), bounds))
            return simplify_index(substitute(e, self.back))

        match s:
            case st.LetStmt():
                value = index(s.value)
                inner = {k: v for k, v in fixed.items() if k != s.name}
                if const_value(value) is not None and value.type == I32:
                    inner[s.name] = value
                return st.LetStmt(s.name, value, self.statement(s.body, bounds, inner))
            case st.For():
                low, extent = index(s.min), index(s.extent)
                first, count = const_value(low), const_value(extent)
                within = {k: v for k, v in bounds.items() if k != s.name}
                if first is not None and count is not None:
                    within[s.name] = (int(first), int(first + count) - 1)
                return st.For(s.name, low, extent, s.kind, self.statement(s.body, within, fixed))
            case st.IfThenElse():
                condition = self._condition(substitute(s.condition, fixed), bounds)
                then = self.statement(s.then_case, bounds, fixed)
                other = None if s.else_case is None else self.statement(s.else_case, bounds, fixed)
                holds = const_value(condition)
                if holds is not None:
                    return then if holds else other if other is not None else st.Block(())
                return st.IfThenElse(condition, then, other)
            case st.Realize():
                sizes = tuple((index(a), index(b)) for a, b in s.bounds)
                return replace(s, bounds=sizes, body=self.statement(s.body, bounds, fixed))
        return st.rebuild(s, lambda x: self.statement(x, bounds, fixed), lambda e: substitute(e, fixed))

    def _condition(self, e: Expr, bounds: Bounds) -> Expr:
        """A condition without those of its parts that hold."""
        if isinstance(e, ir.And):
            return simplify(ir.And(BOOL, self._condition(e.a, bounds), self._condition(e.b, bounds)))
        if isinstance(e, ir.LT | ir.LE | ir.GT | ir.GE) and is_coordinate(e.a) and is_coordinate(e.b):
            assumed = simplify_index(substitute(e, self.known), bounds)
            if const_value(assumed) is not None:
                return assumed
        return e
