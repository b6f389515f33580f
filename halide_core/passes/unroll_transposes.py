"""Loops over the rows of a transposed block are written out, so that the block is loaded along its own rows.

    for y in [0, +8): f[ramp(x*8 + y*s, 1, 8)] = g[ramp(x*8*t + y, t, 8)]

loads eight lanes from as many rows in each iteration; as eight statements, which `group_stores` joins, it loads each
row once, and interleaves."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import post_order
from halide_core.passes.group_stores import is_far_apart
from halide_core.passes.lanes import linear_in
from halide_core.passes.unroll import substituted

# Vectors that the back end transposes.
_SIDES = (8, 16)


def unroll_transposes(s: st.Stmt, arguments: set[str], groups: Mapping[str, int]) -> st.Stmt:
    """`s` with such loops written out, where they run as often as vectors have lanes; the same object back where there
    are none.

    `arguments` are arrays that may lie in each other's memory, unless `groups` has different numbers for them."""
    parts = {id(x): unroll_transposes(x, arguments, groups) for x in st.bodies(s)}
    if any(parts[id(x)] is not x for x in st.bodies(s)):
        s = st.rebuild(s, lambda x: parts[id(x)], lambda e: e)
    if not isinstance(s, st.For) or s.kind is not st.ForKind.SERIAL or not _is_transposing(s):
        return s
    assert isinstance(s.body, st.Store)
    loaded = {n.name for n in post_order(s.body.value) if isinstance(n, ir.Load)}
    if any(_may_meet(s.body.name, n, arguments, groups) for n in loaded):
        return s
    lanes = s.body.value.type.lanes
    rows = st.block(*(substituted(s.body, s.name, simplify_index(s.min + const(k, ir.I32))) for k in range(lanes)))
    return rows if const_value(s.extent) == lanes else st.IfThenElse(simplify_index(s.extent >= lanes), rows, s)


def _may_meet(stored: str, loaded: str, arguments: set[str], groups: Mapping[str, int]) -> bool:
    if not {stored, loaded} <= arguments:
        return False
    return stored not in groups or loaded not in groups or groups[stored] == groups[loaded]


def _is_transposing(loop: st.For) -> bool:
    """Whether each iteration stores a dense vector of what lies next to what the iteration before loaded."""
    store = loop.body
    if not isinstance(store, st.Store) or store.predicate is not None or not isinstance(store.index, ir.Ramp):
        return False
    lanes = store.value.type.lanes
    if lanes not in _SIDES or const_value(store.index.stride) != 1 or upper_bound(loop.extent, {}) != lanes:
        return False
    loads = [n for n in post_order(store.value) if isinstance(n, ir.Load)]
    turned = [n for n in loads if is_far_apart(n)]
    if not turned or any(n.name == store.name or n.predicate is not None for n in loads):
        return False
    steps = [linear_in(n.index.base, loop.name) for n in turned if isinstance(n.index, ir.Ramp)]
    return all(found is not None and const_value(found[0]) == 1 for found in steps)
