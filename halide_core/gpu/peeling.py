"""The first iteration of loops that do more in it than in others, as a window of rows does that slides.

    for y in [low, +n):                                if 0 < n:
      for r in [select(y <= low, y, y + 2), ...):        let y = low: for r in [y, +3): g[r] = ...; f[y] = ...
        g[r] = ...                                 ->    for y in [low + 1, +n - 1):
      f[y] = ...                                           for r in [y + 2, +1): g[r] = ...
                                                           f[y] = ...

Only in the code of one thread, in which no barrier stands."""

from __future__ import annotations

from dataclasses import replace

from halide_core.gpu.kernel import Leaf
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import ForKind
from halide_core.ir.structural import key, nodes, substitute, transform

_SERIAL = (ForKind.SERIAL, ForKind.UNROLLED)


def peel_first(s: st.Stmt) -> st.Stmt:
    """`s`, in Leaves of which loops that ask whether an iteration is the first one have it apart."""
    if isinstance(s, Leaf):
        return Leaf(_peeled(s.body), s.masks)
    return st.rebuild(s, peel_first, lambda e: e)


def _peeled(s: st.Stmt) -> st.Stmt:
    s = st.rebuild(s, _peeled, lambda e: e)
    if not isinstance(s, st.For) or s.kind not in _SERIAL:
        return s
    first = key(ir.LE(BOOL, Variable(s.min.type, s.name), s.min))
    if not any(key(n) == first for x in st.walk(s.body) for e in st.expressions(x) for n in nodes(e, ir.LE)):
        return s
    begin = st.LetStmt(s.name, s.min, _answered(s.body, first, True))
    rest = replace(
        s,
        min=simplify_index(s.min + 1),
        extent=simplify_index(s.extent - 1),
        body=_answered(s.body, first, False),
    )
    return st.IfThenElse(simplify(ir.LT(BOOL, const(0, s.extent.type), s.extent)), st.block(begin, rest))


def _answered(s: st.Stmt, question: int, answer: bool) -> st.Stmt:
    """`s` where the answer to the condition of number `question` is known."""

    def one(n: Expr) -> Expr:
        return const(int(answer), BOOL) if key(n) == question else n

    def expression(e: Expr) -> Expr:
        out = transform(e, one)
        return e if out is e else simplify(out)

    def statement(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, statement, expression)
        if isinstance(out, st.LetStmt) and out.value.type == I32:
            value = simplify_index(out.value)
            if const_value(value) is not None:
                return _settled(st.map_expressions(out.body, lambda e: substitute(e, {out.name: value})))
            return replace(out, value=value)
        return out

    return statement(s)


def _settled(s: st.Stmt) -> st.Stmt:
    """`s` without loops of one iteration."""
    s = st.rebuild(s, _settled, lambda e: e)
    if isinstance(s, st.For) and const_value(s.extent) == 1 and s.kind in _SERIAL:
        return st.LetStmt(s.name, s.min, s.body)
    return s
