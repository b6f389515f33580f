"""Neighbouring loop nests over the same ranges that read the same arrays become one.

    for y: for x: a[..] = f(in[..])        for y: for x: a[..] = f(in[..]); b[..] = g(in[..])
    for y: for x: b[..] = g(in[..])"""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, Variable
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, post_order, substitute

_MOST = 4


def fuse_outputs(s: st.Stmt, known: Mapping[str, Expr], groups: Mapping[str, int]) -> st.Stmt:
    """`s` with such nests joined; `known` gives the sizes of arrays, arrays of one number in `groups` may overlap."""
    if not isinstance(s, st.Block):
        return st.rebuild(s, lambda x: fuse_outputs(x, known, groups), lambda e: e)
    out: list[st.Stmt] = []
    counts: list[int] = []
    for x in s.stmts:
        joined = _join(out[-1], x, known, groups) if out and counts[-1] < _MOST else None
        if joined is not None:
            out[-1] = joined
            counts[-1] += 1
        else:
            out.append(x)
            counts.append(1)
    return st.block(*out)


def _join(a: st.Stmt, b: st.Stmt, known: Mapping[str, Expr], groups: Mapping[str, int]) -> st.Stmt | None:
    if not isinstance(a, st.Produce) or not isinstance(b, st.Produce):
        return None
    if not isinstance(a.body, st.For) or not isinstance(b.body, st.For) or not _independent(a, b, groups):
        return None
    fused = _fuse(a.body, b.body, known)
    return None if fused is None else st.Produce(a.name, fused)


def _fuse(a: st.For, b: st.For, known: Mapping[str, Expr]) -> st.Stmt | None:
    """One nest down to the innermost loops; None where their ranges or shapes differ."""
    ends = ((a.min, b.min), (a.extent, b.extent))
    if a.kind is not b.kind or any(_size(x, known) != _size(y, known) for x, y in ends):
        return None
    other = st.map_expressions(b.body, lambda e: substitute(e, {b.name: Variable(ir.I32, a.name)}))
    if isinstance(a.body, st.For) or isinstance(other, st.For):
        if not isinstance(a.body, st.For) or not isinstance(other, st.For):
            return None
        inner = _fuse(a.body, other, known)
        return None if inner is None else st.For(a.name, a.min, a.extent, a.kind, inner)
    nested = st.For | st.Allocate | st.LetStmt | st.ExternCall
    if any(isinstance(x, nested) for body in (a.body, other) for x in st.walk(body)):
        return None
    return st.For(a.name, a.min, a.extent, a.kind, st.block(a.body, other))


def _size(e: Expr, known: Mapping[str, Expr]) -> int:
    return key(simplify(substitute(e, dict(known))))


def _independent(a: st.Stmt, b: st.Stmt, groups: Mapping[str, int]) -> bool:
    """Whether neither stores what the other touches, and both load something in common."""
    (loads_a, stores_a), (loads_b, stores_b) = _touched(a), _touched(b)

    def overlap(x: set[str], y: set[str]) -> bool:
        return any(m == n or (m in groups and groups.get(m) == groups.get(n)) for m in x for n in y)

    return bool(loads_a & loads_b) and not (
        overlap(stores_a, stores_b | loads_b) or overlap(stores_b, loads_a)
    )


def _touched(s: st.Stmt) -> tuple[set[str], set[str]]:
    loads: set[str] = set()
    stores: set[str] = set()
    for x in st.walk(s):
        if isinstance(x, st.Store):
            stores.add(x.name)
        if isinstance(x, st.ExternCall):
            stores |= {n.name for e in x.args for n in post_order(e) if isinstance(n, ir.Load)}
        for e in st.expressions(x):
            loads |= {n.name for n in post_order(e) if isinstance(n, ir.Load)}
    return loads, stores
