"""Stores that bypass the cache, where more memory is touched than the cache holds.

    parallel y: for x: f[ramp(..)] = e     becomes     parallel y: if big and aligned: for x: stream f[ramp(..)] = e
                                                                   else: for x: f[ramp(..)] = e"""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, CallType, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import nodes, substitute, variables
from halide_core.ir.sums import linear_terms
from halide_core.ir.types import Type
from halide_core.ir.well_typed import ALIGNED

LINE = 64
# Bytes of all arrays together from which stores bypass the cache: with more than this a copy runs at a third of memcpy.
_BIG = 12 << 20
_FLAG = "hl.big"


def stream_stores(s: st.Stmt, outputs: set[str], arrays: list[tuple[str, Type, int]]) -> st.Stmt:
    """`s` with such a choice around innermost loops that fill `outputs`, arrays that nothing reads.

    `arrays` has the owner, type and number of dimensions of each array whose size counts."""
    found = [False]

    def visit(x: st.Stmt, parallel: bool) -> st.Stmt:
        if isinstance(x, st.For):
            if x.kind is st.ForKind.SERIAL and parallel:
                streamed = _streamed(x, outputs)
                if streamed is not None:
                    found[0] = True
                    return streamed
            return st.rebuild(x, lambda y: visit(y, parallel or x.kind is st.ForKind.PARALLEL), lambda e: e)
        return st.rebuild(x, lambda y: visit(y, parallel), lambda e: e)

    out = visit(s, False)
    if not found[0]:
        return s
    total: Expr = const(0, I64)
    for owner, t, rank in arrays:
        size: Expr = const(t.bytes(), I64)
        for d in range(rank):
            size = ir.Mul(I64, size, ir.Cast(I64, Variable(I32, f"{owner}.extent.{d}")))
        total = ir.Add(I64, total, size)
    return st.LetStmt(_FLAG, ir.LE(BOOL, const(_BIG, I64), simplify(total)), out)


def _streamed(loop: st.For, outputs: set[str]) -> st.Stmt | None:
    stores = loop.body.stmts if isinstance(loop.body, st.Block) else (loop.body,)
    condition: Expr = Variable(BOOL, _FLAG)
    new: list[st.Stmt] = []
    for s in stores:
        inside = s.stores if isinstance(s, st.Stores) else (s,)
        if not all(isinstance(x, st.Store) and x.predicate is None and x.name in outputs for x in inside):
            return None
        first = min((x for x in inside if isinstance(x, st.Store)), key=_offset)
        width = len(inside) * first.value.type.lanes * first.value.type.bytes()
        if not isinstance(first.index, ir.Ramp) or const_value(first.index.stride) != len(inside) or width % LINE:
            return None
        terms, _ = linear_terms(simplify_index(first.index.base))
        mine = [(t, f) for t, f in terms.values() if loop.name in variables(t)]
        if len(mine) != 1 or mine[0][1] * first.value.type.bytes() % LINE or not _is_variable(mine[0][0], loop.name):
            return None
        start = simplify_index(substitute(first.index.base, {loop.name: loop.min}))
        element = ir.Load(first.value.type.element_of(), first.name, start)
        condition = ir.And(BOOL, condition, ir.Call(BOOL, ALIGNED, (element,), CallType.INTRINSIC))
        if isinstance(s, st.Stores):
            new.append(st.Stores(tuple(replace(x, streaming=True) for x in s.stores)))
        else:
            new.append(replace(first, streaming=True))
    if not new:
        return None
    fast = st.For(loop.name, loop.min, loop.extent, loop.kind, st.block(*new))
    return st.IfThenElse(condition, fast, loop)


def _offset(s: st.Store) -> int:
    return linear_terms(s.index.base)[1] if isinstance(s.index, ir.Ramp) else 0


def _is_variable(e: Expr, name: str) -> bool:
    inner = e.value if isinstance(e, ir.Cast) else e
    return isinstance(inner, Variable) and inner.name == name


def loaded_arrays(s: st.Stmt) -> set[str]:
    """Names of all arrays that `s` loads from."""
    return {n.name for x in st.walk(s) for e in st.expressions(x) for n in nodes(e, ir.Load)}
