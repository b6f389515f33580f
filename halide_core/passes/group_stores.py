"""Neighbouring strided stores that fill a dense range between them are stored together.

    f[ramp(3*x, 3, 8)] = a; f[ramp(3*x + 1, 3, 8)] = b; f[ramp(3*x + 2, 3, 8)] = c

becomes one Stores, which the back end writes as one interleaved vector, under a mask where a few elements of the range
are left out: the alpha of pixels whose colours are stored."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import const_value
from halide_core.ir.structural import key, post_order

# The greatest stride of loads that are shuffles of dense ones.
FAR = 8


def group_stores(s: st.Stmt, groups: Mapping[str, int]) -> st.Stmt:
    """`s` with such stores joined; arrays of one number in `groups` may overlap, and no others."""
    new = st.rebuild(s, lambda x: group_stores(x, groups), lambda e: e)
    if not isinstance(new, st.Block):
        return new
    out: list[st.Stmt] = []
    k = 0
    while k < len(new.stmts):
        first = new.stmts[k]
        stride = _stride(first)
        lengths = range(min(stride, len(new.stmts) - k), 1, -1)
        n = next((m for m in lengths if _joins(new.stmts[k : k + m], groups)), 0)
        together = _transposing_run(new.stmts[k:], groups)
        if together >= 8:
            out.append(st.Stores(tuple(x for x in new.stmts[k : k + together] if isinstance(x, st.Store))))
            k += together
        elif n:
            out.append(st.Stores(tuple(x for x in new.stmts[k : k + n] if isinstance(x, st.Store))))
            k += n
        else:
            out.append(first)
            k += 1
    return st.block(*out)


def _transposing_run(stmts: tuple[st.Stmt, ...], groups: Mapping[str, int]) -> int:
    """How many leading stores of dense vectors load vectors of one non-constant stride and nothing they store."""
    count = 0
    for s in stmts:
        if not isinstance(s, st.Store) or not isinstance(s.index, ir.Ramp) or s.predicate is not None:
            break
        loads = [n for n in post_order(s.value) if isinstance(n, ir.Load)]
        strided = [n for n in loads if is_far_apart(n)]
        overlaps = any(
            n.name == s.name or (n.name in groups and groups.get(n.name) == groups.get(s.name)) for n in loads
        )
        if not strided or overlaps or const_value(s.index.stride) != 1 or s.value.type.lanes not in (8, 16):
            break
        first = stmts[0]
        assert isinstance(first, st.Store)
        if s.name != first.name or count == 16:
            break
        count += 1
    return count


def is_far_apart(e: ir.Load) -> bool:
    """Whether the lanes of `e` lie at even distances, of which a few vectors do not hold several."""
    stride = const_value(e.index.stride) if isinstance(e.index, ir.Ramp) else 1
    return stride is None or abs(stride) > FAR


def _stride(s: st.Stmt) -> int:
    if isinstance(s, st.Store) and isinstance(s.index, ir.Ramp):
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
