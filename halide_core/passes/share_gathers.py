"""Gathers that several stores of one block make are made once, before it.

    f[ramp(x)]     = a[i] * b[j]           let g = a[i]
    f[ramp(x + s)] = a[i] * b[k]    ->     f[ramp(x)]     = g * b[j]
                                           f[ramp(x + s)] = g * b[k]

Required: after vectorize and partition.  Ensured: the same stores in the same order.  Only where the block stores to
storage of the pipeline's own alone, of which the gathers read nothing: LLVM cannot tell what a gather does not read,
and so makes it again after each store.  Where there is one, other vector loads are shared too, for what gathers need of
them, their coordinates, is then shared as well."""

from __future__ import annotations

import itertools

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.structural import key, post_order, replace


def share_gathers(s: st.Stmt) -> st.Stmt:
    """`s` with a let for each gather that stores of a block share; the same object back where there is none."""
    return _Sharing().statement(s, frozenset())


class _Sharing:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def statement(self, s: st.Stmt, own: frozenset[str]) -> st.Stmt:
        """`s`, where `own` are the arrays that the pipeline has allocated."""
        if isinstance(s, st.Allocate):
            own = own | {s.name}
        if isinstance(s, st.Block):
            stores = [x for x in s.stmts if isinstance(x, st.Store)]
            if len(stores) > 1 and len(stores) == len(s.stmts) and own.issuperset(x.name for x in stores):
                return self.block(s, stores)
        bodies = {id(x): self.statement(x, own) for x in st.bodies(s)}
        if all(bodies[id(x)] is x for x in st.bodies(s)):
            return s
        return st.rebuild(s, lambda x: bodies[id(x)], lambda e: e)

    def block(self, s: st.Block, stores: list[st.Store]) -> st.Stmt:
        stored = {x.name for x in stores}
        count: dict[int, int] = {}
        found: dict[int, Expr] = {}
        for x in stores:
            for k, n in {key(n): n for e in st.expressions(x) for n in post_order(e) if _is_free(n, stored)}.items():
                count[k] = count.get(k, 0) + 1
                found[k] = n
        shared = [n for k, n in found.items() if count[k] > 1]
        if not any(map(_is_gather, shared)):
            return s
        names: dict[int, Expr] = {}
        lets: list[tuple[str, Expr]] = []
        for e in sorted(shared, key=lambda e: sum(1 for _ in post_order(e))):
            lets.append((f"hl.gathered{next(self.numbers)}", replace(e, lambda m: names.get(key(m)))))
            names[key(e)] = Variable(e.type, lets[-1][0])
        done: dict[int, Expr] = {}
        out: st.Stmt = st.map_expressions(s, lambda e: replace(e, lambda m: names.get(key(m)), done))
        for name, value in reversed(lets):
            out = st.LetStmt(name, value, out)
        return out


def _is_free(e: Expr, stored: set[str]) -> bool:
    """Whether `e` loads a vector, and nothing from the arrays `stored`."""
    if not isinstance(e, ir.Load) or e.type.lanes == 1:
        return False
    return not any(isinstance(n, ir.Let) or (isinstance(n, ir.Load) and n.name in stored) for n in post_order(e))


def _is_gather(e: Expr) -> bool:
    return isinstance(e, ir.Load) and not isinstance(e.index, ir.Ramp | ir.Broadcast)
