"""Lanes that have nothing to store stand aside from the beginning, and shuffles do without them.

    if thread.x < 17: a[0] = ...                if thread.x < 17:
    let t = shuffle_down(a[0], 1, 32)     ->      a[0] = ...
    if thread.x < 16: f[...] = a[0] - t           let t = shuffle_down(a[0], 1, 32, 17)
                                                  if thread.x < 16: f[...] = a[0] - t

A row has as many lanes as the next power of two, for those of a shuffle must all be in one warp; what lies beyond the
last one that computes anything is asked for by none whose result is used."""

from __future__ import annotations

from dataclasses import replace

from halide_core.gpu.kernel import THREAD, Triple, is_barrier
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const, const_value
from halide_core.ir.named_calls import is_shuffle
from halide_core.ir.ranges import upper_bound
from halide_core.ir.structural import nodes, transform

_LANE = THREAD[0]


def release_idle_lanes(s: st.Stmt, threads: Triple) -> st.Stmt:
    """A kernel's body, for blocks of these extents, in which lanes that store nothing take no part."""
    lanes = const_value(threads[0])
    widths = _widths(s)
    if lanes is None or lanes > 32 or widths != {lanes} or any(map(is_barrier, st.walk(s))):
        return s
    working = _working(s, int(lanes))
    if not 0 < working < lanes:
        return s
    return st.IfThenElse(ir.LT(BOOL, _LANE, const(working, I32)), _among(s, working))


def _widths(s: st.Stmt) -> set[int | float | None]:
    """How many lanes belong together in the shuffles of `s`."""
    calls = (n for x in st.walk(s) for e in st.expressions(x) for n in nodes(e, ir.Call))
    return {const_value(n.args[2]) for n in calls if is_shuffle(n)}


def _working(s: st.Stmt, most: int) -> int:
    """Of so many lanes that come to `s`, how many there are before the first behind all that store anything."""
    match s:
        case st.Store() | st.Stores():
            return most
        case st.IfThenElse():
            inner = _working(s.then_case, min(most, _bound(s.condition, most)))
            return inner if s.else_case is None else max(inner, _working(s.else_case, most))
    return max((_working(x, most) for x in st.bodies(s)), default=0)


def _bound(e: Expr, most: int) -> int:
    """How many lanes may meet a condition."""
    if isinstance(e, ir.And):
        return min(_bound(e.a, most), _bound(e.b, most))
    if _is_of_lane(e):
        assert isinstance(e, ir.LT)
        high = upper_bound(e.b, {})
        return most if high is None else max(min(most, high), 0)
    if isinstance(e, ir.EQ) and _is_lane(e.a):
        value = const_value(e.b)
        return most if value is None else int(value) + 1
    return most


def _is_lane(e: Expr) -> bool:
    return isinstance(e, Variable) and e.name == _LANE.name


def _is_of_lane(e: Expr) -> bool:
    return isinstance(e, ir.LT) and _is_lane(e.a)


def _among(s: st.Stmt, working: int) -> st.Stmt:
    """`s` where so many lanes come to it."""

    def one(n: Expr) -> Expr:
        if isinstance(n, ir.Call) and is_shuffle(n):
            return replace(n, args=(*n.args, const(working, I32)))
        return n

    def holds(e: Expr) -> bool:
        end = const_value(e.b) if isinstance(e, ir.LT) and _is_lane(e.a) else None
        return end is not None and end >= working

    def visit(x: st.Stmt) -> st.Stmt:
        if isinstance(x, st.IfThenElse) and holds(x.condition):
            return visit(x.then_case)
        return st.rebuild(x, visit, lambda e: transform(e, one) if nodes(e, ir.Call) else e)

    return visit(s)
