"""Neighbouring strided stores that fill a dense range between them are stored together.

    f[ramp(3*x, 3, 8)] = a; f[ramp(3*x + 1, 3, 8)] = b; f[ramp(3*x + 2, 3, 8)] = c

becomes one Stores, which the back end writes as one interleaved vector."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import const_value
from halide_core.ir.structural import key, post_order


def group_stores(s: st.Stmt, groups: Mapping[str, int]) -> st.Stmt:
    """`s` with such stores joined; arrays of one number in `groups` may overlap, and no others."""
    new = st.rebuild(s, lambda x: group_stores(x, groups), lambda e: e)
    if not isinstance(new, st.Block):
        return new
    out: list[st.Stmt] = []
    k = 0
    while k < len(new.stmts):
        first = new.stmts[k]
        n = _stride(first)
        run = new.stmts[k : k + n] if n else ()
        if n and len(run) == n and _joins(run, groups):
            out.append(st.Stores(tuple(x for x in run if isinstance(x, st.Store))))
            k += n
        else:
            out.append(first)
            k += 1
    return st.block(*out)


def _stride(s: st.Stmt) -> int:
    if isinstance(s, st.Store) and isinstance(s.index, ir.Ramp) and s.predicate is None:
        stride = const_value(s.index.stride)
        if stride is not None and 2 <= stride <= 4:
            return int(stride)
    return 0


def _joins(run: tuple[st.Stmt, ...], groups: Mapping[str, int]) -> bool:
    from halide_core.backend.llvm_stmt import interleaves

    stores = tuple(x for x in run if isinstance(x, st.Store))
    if len(stores) != len(run) or not interleaves(stores):
        return False
    written = stores[0].name
    for s in stores:
        for n in post_order(s.value):
            if not isinstance(n, ir.Load):
                continue
            overlaps = n.name == written or (
                groups.get(n.name) is not None and groups.get(n.name) == groups.get(written)
            )
            if overlaps and key(n.index) != key(s.index):
                return False
    return True
