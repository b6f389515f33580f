"""What a kernel is given: values that are the same for all threads of all blocks, which the host computes once.

    kernel(n, m):                                      kernel(a, b):      a = (n + 7)/8, b = n*m
      if block.x < (n + 7)/8: f[block.x + n*m] = ... ->  if block.x < a: f[block.x + b] = ..."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.named_calls import is_atomic
from halide_core.ir.structural import contains, holds_effect, key, nodes, replace, substitute, variables


@dataclass(slots=True)
class Captured:
    """The Variables that a kernel is given, and the host's values of them."""

    bound: Collection[str]
    """Names that the kernel binds itself, the numbers of blocks and threads among them."""
    given: dict[int, tuple[Variable, Expr]] = field(default_factory=dict)

    def statement(self, s: st.Stmt) -> st.Stmt:
        """`s` in the Variables that are given; lets of values that are the same everywhere are gone."""
        return self._visit(s, {}, frozenset(self.bound))

    def expression(self, e: Expr) -> Expr:
        """An expression of the host's in the Variables that are given."""
        return self._rewritten(e, {}, frozenset(self.bound))

    def _visit(self, s: st.Stmt, lets: dict[str, Expr], bound: frozenset[str]) -> st.Stmt:
        if isinstance(s, st.LetStmt):
            value = _expanded(s.value, lets)
            if self._is_fixed(value, bound):
                return self._visit(s.body, {**lets, s.name: value}, bound)
        inner = bound | {s.name} if isinstance(s, st.For | st.LetStmt) else bound
        return st.rebuild(s, lambda x: self._visit(x, lets, inner), lambda e: self._rewritten(e, lets, bound))

    def _is_fixed(self, e: Expr, bound: frozenset[str]) -> bool:
        if e.type.is_vector() or variables(e) & bound:
            return False
        if any(map(is_atomic, nodes(e, ir.Call))):
            return False
        return not contains(e, ir.Load) and not holds_effect(e) and not contains(e, ir.StringImm)

    def _rewritten(self, e: Expr, lets: dict[str, Expr], bound: frozenset[str]) -> Expr:
        def given(n: Expr) -> Expr | None:
            if not variables(n) or not self._is_fixed(n, bound):
                return None
            return self._given(n)

        return replace(_expanded(e, lets), given)

    def _given(self, e: Expr) -> Variable:
        number = key(e)
        if number not in self.given:
            name = e.name if isinstance(e, Variable) else f"gpu.given.{len(self.given)}"
            self.given[number] = Variable(e.type, name), e
        return self.given[number][0]


def _expanded(e: Expr, lets: dict[str, Expr]) -> Expr:
    names = variables(e) & lets.keys()
    return substitute(e, {n: lets[n] for n in names}) if names else e
