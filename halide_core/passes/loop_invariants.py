"""Costly values that no iteration of a loop changes are computed before it.

    parallel y:                                   let a = exp(p)
      for x:                                      parallel y:
        f[x] = g[x] * exp(p) + y % n       ->       let b = y % n
                                                    for x:
                                                      f[x] = g[x] * a + b

Nothing is moved that reads memory: what stores in the loop might meet, and what loads before a loop that does not run
might fault.  What is cheap is LLVM's business, see `movable`."""

from __future__ import annotations

import itertools

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.structural import key, replace, variables
from halide_core.passes.movable import is_costly, is_movable

_PREFIX = "hl.invariant"


def hoist_loop_invariants(s: st.Stmt) -> st.Stmt:
    """`s` with such values in lets around its loops; the same object back where there are none."""
    return _Hoist().statement(s)


class _Hoist:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def statement(self, s: st.Stmt) -> st.Stmt:
        """`s` with its loops done, the innermost first."""
        inner = {id(x): self.statement(x) for x in st.bodies(s)}
        if any(inner[id(x)] is not x for x in st.bodies(s)):
            s = st.rebuild(s, lambda x: inner[id(x)], lambda e: e)
        if not isinstance(s, st.For):
            return s
        lifted = _Lifted(self.numbers)
        body = lifted.statement(s.body, frozenset((s.name,)))
        if not lifted.lets:
            return s
        out: st.Stmt = st.For(s.name, s.min, s.extent, s.kind, body)
        for name, value in reversed(lifted.lets):
            out = st.LetStmt(name, value, out)
        return out


class _Lifted:
    """What is taken out of one loop: lets, in an order in which each comes after those that it uses."""

    def __init__(self, numbers: itertools.count[int]) -> None:
        self.numbers = numbers
        self.lets: list[tuple[str, Expr]] = []
        self.known: dict[int, Variable] = {}

    def statement(self, s: st.Stmt, bound: frozenset[str]) -> st.Stmt:
        """`s` without its invariants; `bound` has the names that the loop and what is in it bind."""
        if isinstance(s, st.LetStmt) and s.name.startswith(_PREFIX) and variables(s.value).isdisjoint(bound):
            # Out of a loop inside; its name is its own.
            self.lets.append((s.name, s.value))
            self.known.setdefault(key(s.value), Variable(s.value.type, s.name))
            return self.statement(s.body, bound)
        inner = bound
        if isinstance(s, st.LetStmt | st.For):
            inner = bound | {s.name}
        if isinstance(s, st.ExternCall):
            inner = bound.union(s.bound())
        parts = {id(x): self.statement(x, inner) for x in st.bodies(s)}
        values = {id(e): self.value(e, bound) for e in st.expressions(s)}
        if all(parts[id(x)] is x for x in st.bodies(s)) and all(values[id(e)] is e for e in st.expressions(s)):
            return s
        return st.rebuild(s, lambda x: parts[id(x)], lambda e: values[id(e)])

    def value(self, e: Expr, bound: frozenset[str]) -> Expr:
        """`e` with what is invariant as Variables."""

        def invariant(x: Expr) -> Expr | None:
            if not is_costly(x):
                return x
            # Of what all lanes share the scalar.
            if isinstance(x, ir.Broadcast) or not is_movable(x) or not variables(x).isdisjoint(bound):
                return None
            return self.named(x)

        return replace(e, invariant)

    def named(self, e: Expr) -> Variable:
        if key(e) not in self.known:
            name = f"{_PREFIX}{next(self.numbers)}"
            self.lets.append((name, e))
            self.known[key(e)] = Variable(e.type, name)
        return self.known[key(e)]
