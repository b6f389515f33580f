"""Constant bounds of what needs constants: the extents of unrolled and vectorized loops, of those over threads, and of
small allocations.

    let n = min(m - xo*4, 4)                        let n = min(m - xo*4, 4)
    realize f over [x0, +n]:                        realize f over [x0, +4]:
      unrolled x in [x0, +n): ...          ->         unrolled x in [x0, +min(n, 4)): ...

so that the loop can be written out four times under `n >= 4`, and `f` lives on the stack with constant strides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from halide_core.ir import expr as ir
from halide_core.ir import ranges
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Expr, const, const_value
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import substitute, variables

STACK_BYTES = 16 * 1024
"""The most that a Func stored on the stack takes."""
_STEPS = 500
_FEW_STEPS = 60
# For loops that would be refused otherwise.
_MANY_STEPS = 5_000
# How often names of lets are replaced before all are at once.
_LEVELS = 4
_LANES = st.THREAD_KINDS | {st.ForKind.UNROLLED, st.ForKind.VECTORIZED}
# The most that a block of a device has, on any of them.
_SHARED_BYTES = 227 * 1024


def bound_extents(s: st.Stmt) -> st.Stmt:
    """`s` with extents that have a constant bound, and need one, as Min of themselves and it; see above.

    Assumes no overflow of int32 coordinates."""
    return _visit(s, _Scope({}, ()))


@dataclass(slots=True)
class _Definition:
    """A let: its value in the scope where it stands; `expanded` once it was asked for."""

    value: Expr
    scope: _Scope
    expanded: Expr | None = None


@dataclass(frozen=True, slots=True)
class _Scope:
    """The lets around a statement, and the loops, outermost first, each with its first and last value."""

    lets: dict[str, _Definition]
    loops: tuple[tuple[str, _Definition, _Definition], ...]
    # Whether they are of a device.
    on_device: bool = False

    def partly_expanded(self, e: Expr) -> Iterator[Expr]:
        """`e`, and again with the names of lets replaced by their values once, twice and so on."""
        for _ in range(_LEVELS):
            yield e
            names = variables(e) & self.lets.keys()
            if not names:
                return
            e = simplify_index(substitute(e, {n: self.lets[n].value for n in names}))

    def expand(self, e: Expr) -> Expr:
        """`e` without the names of lets."""
        names = variables(e) & self.lets.keys()
        return simplify_index(substitute(e, {n: _expanded(self.lets[n]) for n in names})) if names else e


def _expanded(d: _Definition) -> Expr:
    if d.expanded is None:
        d.expanded = d.scope.expand(d.value)
    return d.expanded


def _visit(s: st.Stmt, scope: _Scope) -> st.Stmt:
    match s:
        case st.LetStmt():
            inner = replace(scope, lets={**scope.lets, s.name: _Definition(s.value, scope)})
            return st.LetStmt(s.name, s.value, _visit(s.body, inner))
        case st.For():
            extent = _loop_extent(s, scope) if s.kind in _LANES else s.extent
            ends = _Definition(s.min, scope), _Definition(simplify_index(s.min + extent - 1), scope)
            lets = {k: v for k, v in scope.lets.items() if k != s.name}
            inner = _Scope(lets, (*scope.loops, (s.name, *ends)), scope.on_device or s.kind in st.GPU_KINDS)
            return st.For(s.name, s.min, extent, s.kind, _visit(s.body, inner))
        case st.Realize():
            return replace(s, bounds=_small(s, scope), body=_visit(s.body, scope))
    return st.rebuild(s, lambda x: _visit(x, scope), lambda e: e)


def _loop_extent(loop: st.For, scope: _Scope) -> Expr:
    if ranges.upper_bound(loop.extent, {}) is not None:
        return loop.extent
    # What cancels does so best before everything is written out; what is left unbounded may need that.
    for e in scope.partly_expanded(loop.extent):
        bound = upper_bound(e, scope, _FEW_STEPS)
        if bound is not None and const_value(e) is None:
            return ir.Min(I32, loop.extent, const(max(bound, 0), I32))
    exact = scope.expand(loop.extent)
    if const_value(exact) is not None:
        return exact
    bound = upper_bound(exact, scope)
    for e in scope.partly_expanded(loop.extent):
        bound = upper_bound(e, scope, _MANY_STEPS) if bound is None else bound
    return loop.extent if bound is None else ir.Min(I32, loop.extent, const(max(bound, 0), I32))


def _small(s: st.Realize, scope: _Scope) -> tuple[tuple[Expr, Expr], ...]:
    """The bounds of `s`, with constant extents where all have a constant bound and little is stored."""
    if not scope.loops or all(const_value(extent) is not None for _, extent in s.bounds):
        return s.bounds
    size = max((t.bytes() for t in s.types), default=1)
    found: list[tuple[Expr, Expr]] = []
    for low, extent in s.bounds:
        bound = upper_bound(scope.expand(extent), scope)
        if bound is None:
            return s.bounds
        size *= max(bound, 1)
        found.append((low, const(max(bound, 1), I32)))
        if size > (_SHARED_BYTES if scope.on_device else STACK_BYTES):
            return s.bounds
    return tuple(found)


def upper_bound(e: Expr, scope: _Scope, steps: int = _STEPS) -> int | None:
    """A constant that the int32 `e` never exceeds in the loops of `scope`; None if none is found in so many steps."""
    loops = {name: (partial(_expanded, first), partial(_expanded, last)) for name, first, last in scope.loops}
    return ranges.upper_bound(e, {}, loops, steps, simplify_index)
