"""Which points of a stage a later one makes Halide compute: an interval for each dimension, whatever choices say.

Bounds inference takes `row(select(x + 1 < w, x + 1, x))` for reads of row(0) to row(w), and computes all of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import key, post_order
from lifter.algebra.polynomial import Poly, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Definition, Dim, FuncSummary


@dataclass(frozen=True, slots=True)
class Demand:
    """Along `dim` of the Func called, the points from `low` to `high`; None where that is not known."""

    call: Call
    dim: Dim
    ends: Interval | None


def demands(
    function: Function, f: FuncSummary, d: Definition, funcs: Mapping[str, FuncSummary],
    non_negative: Callable[[Poly], bool],
) -> Iterator[Demand]:
    """What a definition demands of Funcs, of its own one too, over its whole box."""
    one = Poly.constant(1)
    env = {x.name: (x.min, x.min + x.extent - one) for x in f.layout.dims}
    env |= {r.name: (Poly(), r.extent - one) for r in d.rdom}
    nodes: dict[int, Expr] = {key(n): n for x in d.expressions() for n in post_order(x)}
    for n in nodes.values():
        if not isinstance(n, Call) or n.call_type is not CallType.HALIDE:
            continue
        for a, dim in zip(n.args, funcs[n.name].layout.dims, strict=True):
            try:
                yield Demand(n, dim, interval(to_poly(inline_all(a, function.functions)), env, non_negative))
            except Unbounded:
                yield Demand(n, dim, None)


__all__ = ["Demand", "demands"]
