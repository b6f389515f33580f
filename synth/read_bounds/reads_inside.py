"""Whether what a candidate reads of earlier Funcs lies inside of them: a test at a few points, before any proof."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from halide_core.ir.expr import Call, CallType
from halide_core.ir.structural import post_order
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import PureFunction
from lifter.ir.summary import Dim, FuncSummary
from synth.sampling.samples import Env, NotConcrete, compiled_poly

_SAMPLES = 3


def reads_inside(
    func: FuncSummary, funcs: list[FuncSummary], functions: Mapping[str, PureFunction], samples: list[Env]
) -> bool:
    """False where a read is outside at some corner of `func`'s box, under one of the first samples.

    A layout of rows of pixels reads one of pixels and channels so: f(x, 0, y) with an x beyond the channels."""
    known = {f.name: f.layout for f in funcs}
    for d in func.definitions:
        calls = {n for n in post_order(d.value) if isinstance(n, Call) and n.call_type is CallType.HALIDE}
        reads = [(n.name, tuple(to_poly(inline_all(a, dict(functions))) for a in n.args)) for n in calls]
        if d.rdom or d.update:
            continue
        for env in samples[:_SAMPLES]:
            for corner in _corners(func, env):
                if any(name in known and not _inside(coords, known[name].dims, corner) for name, coords in reads):
                    return False
    return True


def _corners(func: FuncSummary, env: Env) -> list[Env]:
    ends = []
    for dim in func.layout.dims:
        low, extent = _value(dim.min, env), _value(dim.extent, env)
        if low is None or extent is None or extent <= 0:
            return []
        ends.append([(dim.name, v) for v in dict.fromkeys((low, low + extent - 1))])
    return [{**env, **dict(point)} for point in itertools.product(*ends)]


def _inside(coords: tuple[Poly, ...], dims: tuple[Dim, ...], env: Env) -> bool:
    for c, dim in zip(coords, dims, strict=True):
        place, low, extent = (_value(p, env) for p in (c, dim.min, dim.extent))
        if place is not None and low is not None and extent is not None and not low <= place < low + extent:
            return False
    return True


def _value(p: Poly, env: Env) -> int | None:
    """None where it depends on data."""
    try:
        return compiled_poly(p)(env)
    except (NotConcrete, KeyError):
        return None
