"""Choices in loops over the vectors of a tile, made once for the tile.

    for yi in [0, +16):                               if x0 >= 0 && x0 + 31 <= w - 1:
      for xi in [0, +2):                                for yi in [0, +16):
        if x0 + xi*16 >= 0 && x0 + xi*16 + 15 < w: ->     for xi in [0, +2): load
          load                                          else:
        else: gather                                      the same as before, chosen for each vector

Where a row of a tile is a few vectors, finding out for each row where its choices change (`partition`) costs more than
the vectors do, and in the tiles at the edges more code than they are worth."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, const_value
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import contains, key, substitute, variables
from halide_core.passes.conjunctions import all_of, strictest
from halide_core.passes.whole_blocks import MOST_VECTORS, at_edges, least_in_loops

_MOST_STATEMENTS = 60
_MOST_TESTS = 24
_Ends = Mapping[str, tuple[Expr, Expr]]


def whole_tiles(s: st.Stmt) -> st.Stmt:
    """`s` with a version of the loops of a tile in which choices between versions go the first way everywhere.

    Assumes no overflow of int32 coordinates."""
    if isinstance(s, st.For) and _is_fixed(s) and sum(1 for _ in st.walk(s)) <= _MOST_STATEMENTS:
        tests: dict[int, Expr] = {}
        chosen = _Chooser(tests).statement(s, {})
        if tests and chosen is not s:
            condition = all_of(tests.values())
            return st.IfThenElse(condition, chosen, at_edges(s)) if const_value(condition) != 0 else s
        return s
    return st.rebuild(s, whole_tiles, lambda e: e)


def _is_fixed(s: st.For) -> bool:
    return s.kind is st.ForKind.SERIAL and const_value(s.extent) is not None


def _holds_choice(s: st.Stmt) -> bool:
    """Whether a choice stands in `s` outside of loops."""
    if isinstance(s, st.For):
        return False
    return isinstance(s, st.IfThenElse) or any(_holds_choice(x) for x in st.bodies(s))


class _Chooser:
    """Takes the first version of the choices in a tile, and enters what must hold for it in `tests`."""

    def __init__(self, tests: dict[int, Expr]) -> None:
        self.tests = tests

    def statement(self, s: st.Stmt, ends: _Ends) -> st.Stmt:
        if isinstance(s, st.For):
            if not _is_fixed(s) or (_holds_choice(s.body) and int(const_value(s.extent) or 0) > MOST_VECTORS):
                return s
            return self.rebuilt(s, {**ends, s.name: (s.min, simplify_index(s.min + s.extent - 1))})
        # What no loop of the tile has a part in is chosen before them anyway.
        if isinstance(s, st.IfThenElse) and s.else_case is not None and not variables(s.condition).isdisjoint(ends):
            found = self.everywhere(s.condition, ends)
            needed = strictest((self.tests | found).values()) if found is not None else None
            if needed is not None and len(needed) <= _MOST_TESTS:
                self.tests.clear()
                self.tests.update((key(t), t) for t in needed)
                return self.statement(s.then_case, ends)
        if isinstance(s, st.LetStmt | st.Allocate | st.ExternCall):
            return s
        return self.rebuilt(s, ends)

    def rebuilt(self, s: st.Stmt, ends: _Ends) -> st.Stmt:
        parts = {id(x): self.statement(x, ends) for x in st.bodies(s)}
        if all(parts[id(x)] is x for x in st.bodies(s)):
            return s
        return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)

    def everywhere(self, condition: Expr, ends: _Ends) -> dict[int, Expr] | None:
        """What shows that a conjunction of comparisons holds in all iterations of the loops of `ends`; None where that
        cannot be told."""
        if isinstance(condition, ir.And):
            parts = [self.everywhere(c, ends) for c in (condition.a, condition.b)]
            return None if parts[0] is None or parts[1] is None else parts[0] | parts[1]
        if contains(condition, ir.Load, ir.Call):
            return None
        if variables(condition).isdisjoint(ends):
            return {key(condition): condition}
        if not isinstance(condition, ir.LT | ir.LE | ir.GT | ir.GE) or condition.a.type != ir.I32:
            return None
        if least_in_loops(simplify_index(condition.b - condition.a), ends) is None:
            return None
        # At all corners, not at the least one: a coordinate that overflows at one of them does not at the others.
        corners: list[Expr] = [condition]
        for name, limits in reversed(list(ends.items())):
            if any(name in variables(c) for c in corners):
                corners = [simplify_index(substitute(c, {name: end})) for c in corners for end in limits]
        return {key(c): c for c in corners}
