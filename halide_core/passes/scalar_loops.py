"""Loops that run one iteration after the other, as scans do, without the clamps and choices of their borders.

    for x: f[x] = f[max(x - 1, 0)] + g[x]     becomes     for x: if x >= 1: f[x] = f[x - 1] + g[x] else: ...

of which `partition_loops` makes loops, so that the compiler can keep in a register what the next iteration reads."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Variable, const, const_value
from halide_core.ir.structural import post_order, substitute
from halide_core.passes.interior import uniform_versions

_FEW = 4
# Of larger bodies what is saved is less than what a second one costs to compile.
_MOST_NODES = 400


def separate_borders(s: st.Stmt) -> st.Stmt:
    """`s` with the likeliest version of such a body in front of the one that serves all."""
    s = st.rebuild(s, separate_borders, lambda e: e)
    if not isinstance(s, st.For) or s.kind is not st.ForKind.SERIAL or not _goes_on(s.body):
        return s
    extent = const_value(s.extent)
    if extent is not None and extent <= _FEW:
        return s
    # One iteration as a loop of a single lane.
    own, lane = Variable(I32, s.name), Variable(I32, f"{s.name}.lane")
    once = st.map_expressions(s.body, lambda e: substitute(e, {s.name: lane}))
    versions = uniform_versions(st.For(lane.name, own, const(1, I32), s.kind, once), 1)
    if not versions:
        return s
    condition, body = versions[0]
    inside = st.map_expressions(body, lambda e: substitute(e, {lane.name: own}))
    return st.For(s.name, s.min, s.extent, s.kind, st.IfThenElse(condition, inside, s.body))


def _goes_on(body: st.Stmt) -> bool:
    """Whether a body stores scalars only, in no loop of its own, and loads from where it stores."""
    stores: set[str] = set()
    loads: set[str] = set()
    nodes = 0
    for x in st.walk(body):
        if isinstance(x, st.For | st.Allocate | st.ExternCall):
            return False
        if isinstance(x, st.Store):
            stores.add(x.name)
        for e in st.expressions(x):
            for n in post_order(e):
                nodes += 1
                if n.type.is_vector():
                    return False
                if isinstance(n, ir.Load):
                    loads.add(n.name)
    return nodes <= _MOST_NODES and bool(stores & loads)
