"""Costly values that several statements of one block compute are computed once, before it.

    f[x] = a * exp(p)              let e = exp(p)
    g[x] = b + exp(p) / 2    ->    f[x] = a * e
                                   g[x] = b + e / 2

Within one statement equal expressions are one already: the back end emits each once.  Nothing is shared that reads
memory, for what stands between may store there; what is cheap is LLVM's business, see `movable`."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.structural import key, post_order, replace, variables
from halide_core.passes.movable import is_costly, is_movable


def share_common_subexpressions(s: st.Stmt) -> st.Stmt:
    """`s` with a let around each block for what its statements share; the same object back where nothing is shared.

    Of a block's loops the ends belong to it; what is in them is a block of its own."""
    return _Sharing().block(s)


@dataclass(slots=True)
class _Found:
    """The expressions of one block: how many statements have each, and all, smaller ones first."""

    count: dict[int, int] = field(default_factory=dict)
    shared: dict[int, Expr] = field(default_factory=dict)


class _Sharing:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def block(self, s: st.Stmt) -> st.Stmt:
        """`s`, a block by itself; lets that lead it stay in front."""
        if isinstance(s, st.LetStmt):
            body = self.block(s.body)
            return s if body is s.body else st.LetStmt(s.name, s.value, body)
        found = _Found()
        self.collect(s, frozenset(), found)
        if not found.shared:
            return self.inside(s, {})
        names: dict[int, Expr] = {}
        lets: list[tuple[str, Expr]] = []
        for number, e in sorted(found.shared.items(), key=lambda item: sum(1 for _ in post_order(item[1]))):
            value = replace(e, lambda x: names.get(key(x)))
            name = f"hl.shared{next(self.numbers)}"
            names[number] = Variable(e.type, name)
            lets.append((name, value))
        out = self.inside(s, names)
        for name, value in reversed(lets):
            out = st.LetStmt(name, value, out)
        return out

    def collect(self, s: st.Stmt, bound: frozenset[str], found: _Found) -> None:
        """Enters the expressions of `s` that do not depend on the names `bound` within the block."""
        seen: set[int] = set()
        work = list(st.expressions(s))
        while work:
            e = work.pop()
            number = key(e)
            if number in seen:
                continue
            seen.add(number)
            if not is_costly(e):
                continue
            if not isinstance(e, ir.Broadcast) and is_movable(e) and variables(e).isdisjoint(bound):
                found.count[number] = found.count.get(number, 0) + 1
                if found.count[number] > 1:
                    found.shared[number] = e
                    continue
            work.extend(ir.children(e))
        if isinstance(s, st.For):
            return
        if isinstance(s, st.LetStmt):
            bound = bound | {s.name}
        if isinstance(s, st.ExternCall):
            bound = bound.union(s.bound())
        for x in st.bodies(s):
            self.collect(x, bound, found)

    def inside(self, s: st.Stmt, names: dict[int, Expr]) -> st.Stmt:
        """`s` with `names` for what it shares, and the blocks in it done."""
        done: dict[int, Expr] = {}

        def expression(e: Expr) -> Expr:
            return replace(e, lambda x: names.get(key(x)), done) if names else e

        def statement(x: st.Stmt) -> st.Stmt:
            if isinstance(x, st.For):
                body = st.map_expressions(x.body, expression) if names else x.body
                new = self.block(body)
                if new is x.body and not names:
                    return x
                return st.For(x.name, expression(x.min), expression(x.extent), x.kind, new)
            parts = {id(y): statement(y) for y in st.bodies(x)}
            if not names and all(parts[id(y)] is y for y in st.bodies(x)):
                return x
            return st.rebuild(x, lambda y: parts[id(y)], expression)

        return statement(s)
