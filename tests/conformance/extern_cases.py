"""define_extern: stages that C functions compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal
from tests.halide_core.extern_stages import library


def shifted(hl: Any, count: int = 1, used: bool = True) -> tuple[Any, list[Any], Any]:
    """(source, stages each of the one before, a Func that uses the last at x and x + 2)."""
    library()
    x = hl.Var("x")
    source, out = hl.Func("source"), hl.Func("out")
    source[x] = x * x - 7 * x
    stages: list[Any] = []
    for k in range(count):
        f = hl.Func(f"stage{k}")
        given = stages[-1] if stages else source
        arguments = [hl.ExternFuncArgument(v) for v in (given, 3 - 5 * k)]
        f.define_extern("stage_shift", arguments, hl.Int(32), [x])
        stages.append(f)
    if used:
        out[x] = stages[-1][x] - stages[-1][x + 2]
    return source, stages, out


def _at_root(hl: Any, source: Any, f: Any, out: Any) -> None:
    source.compute_root()
    f.compute_root()


def _in_strips(hl: Any, source: Any, f: Any, out: Any) -> None:
    x, xo, xi = hl.Var("x"), hl.Var("xo"), hl.Var("xi")
    out.split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf)
    f.compute_at(out, xo)
    source.compute_at(out, xo)


def _source_outside(hl: Any, source: Any, f: Any, out: Any) -> None:
    _in_strips(hl, source, f, out)
    source.compute_root()


def _in_vectors(hl: Any, source: Any, f: Any, out: Any) -> None:
    _at_root(hl, source, f, out)
    source.vectorize(hl.Var("x"), 8)
    out.vectorize(hl.Var("x"), 8, hl.TailStrategy.GuardWithIf)


def _in_parallel(hl: Any, source: Any, f: Any, out: Any) -> None:
    _in_strips(hl, source, f, out)
    out.parallel(hl.Var("xo"))


def _not_scheduled(hl: Any, source: Any, f: Any, out: Any) -> None:
    source.compute_root()


def _source_in_it(hl: Any, source: Any, f: Any, out: Any) -> None:
    f.compute_root()
    source.compute_at(f, hl.Var.outermost())


def _scheduled(schedule: Callable[[Any, Any, Any, Any], None]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        source, (f,), out = shifted(hl)
        schedule(hl, source, f, out)
        return out.realize([21])

    return script


for _schedule in (
    _at_root, _in_strips, _source_outside, _in_vectors, _in_parallel, _not_scheduled, _source_in_it,
):  # fmt: skip
    add(f"extern_cases.scheduled{_schedule.__name__}", _scheduled(_schedule))


@case
def stages_of_stages(hl: Any) -> Any:
    x, xo, xi = hl.Var("x"), hl.Var("xo"), hl.Var("xi")
    source, stages, out = shifted(hl, 3)
    out.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)
    source.compute_root()
    stages[0].compute_root()
    stages[1].compute_at(out, xo)
    stages[2].compute_at(out, xo)
    return out.realize([30])


@case
def as_output(hl: Any) -> Any:
    source, (f,), _ = shifted(hl)
    source.compute_root()
    return [f.realize([9]), f.realize([1])]


@case
def updated(hl: Any) -> Any:
    x = hl.Var("x")
    source, (f,), _ = shifted(hl, 1, False)
    r, out = hl.RDom([(0, 5)]), hl.Func("out")
    f[x] += x * 100
    f[r.x] = f[r.x + 1] - 1
    out[x] = f[x] - f[x + 2]
    source.compute_root()
    f.compute_root()
    return out.realize([12])


def turned(hl: Any, given: Any) -> Any:
    library()
    f = hl.Func("f")
    f.define_extern("stage_turn", [hl.ExternFuncArgument(given)], hl.UInt(16), [hl.Var("x"), hl.Var("y")])
    return f


def picture() -> Any:
    return (np.arange(9 * 13, dtype=np.uint16) * 77).reshape(9, 13)


@case
def of_a_buffer(hl: Any) -> Any:
    b = hl.Buffer(picture())
    b.set_min([2, -6])
    f = turned(hl, b)
    out = hl.Buffer(hl.UInt(16), [5, 7])
    out.set_min([-1, 3])
    f.realize(out)
    return out


@case
def of_an_image(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(16), 2, "p")
    b = hl.Buffer(picture())
    b.set_min([0, -5])
    p.set(b)
    f, g = turned(hl, p), hl.Func("g")
    f.compute_root()
    g[x, y] = f[x + 1, y] + p[x, -y]
    return g.realize([4, 5])


@case
def bounds_of_an_image(hl: Any) -> Any:
    p = hl.ImageParam(hl.UInt(16), 2, "p")
    f, g = turned(hl, p), hl.Func("g")
    x, y = hl.Var("x"), hl.Var("y")
    f.compute_root()
    g[x, y] = f[x - 1, y + 2]
    g.infer_input_bounds([6, 8])
    return [[p.get().dim(d).min(), p.get().dim(d).extent()] for d in range(2)]


@refusal("p is accessed at 1, which is beyond the max (0) in dimension 1")
def an_image_too_small(hl: Any) -> Any:
    p = hl.ImageParam(hl.UInt(16), 2, "p")
    b = hl.Buffer(picture())
    b.set_min([0, -8])
    p.set(b)
    return turned(hl, p).realize([5, 5])


def blocks(hl: Any) -> tuple[Any, Any, Any]:
    library()
    x = hl.Var("x")
    p, q, f = hl.Func("p"), hl.Func("q"), hl.Func("f")
    p[x] = hl.u8(x * 3)
    q[x] = hl.f32(x) / 4
    argument = hl.ExternFuncArgument
    limit = hl.Param(hl.UInt(8), "limit", 40)
    f.define_extern(
        "stage_blocks", [argument(p), argument(q), argument(1.5), argument(limit)], [hl.Float(32), hl.UInt(8)], [x]
    )
    p.compute_root()
    q.compute_root()
    return p, q, f


@case
def values_on_whole_blocks(hl: Any) -> Any:
    x = hl.Var("x")
    _, _, f = blocks(hl)
    g = hl.Func("g")
    g[x] = hl.select(f[x + 3][1] != 0, f[x][0], f[x + 1][0])
    f.compute_root()
    return g.realize([21])


@case
def blocks_in_strips(hl: Any) -> Any:
    x, xo, xi = hl.Var("x"), hl.Var("xo"), hl.Var("xi")
    p, _, f = blocks(hl)
    g = hl.Func("g")
    g[x] = f[x][0] + f[x + 3][0]
    g.split(x, xo, xi, 5, hl.TailStrategy.GuardWithIf)
    f.compute_at(g, xo)
    p.compute_at(g, xo)
    return g.realize([23])


@case
def values_of_a_tuple_are_arguments(hl: Any) -> Any:
    library()
    x = hl.Var("x")
    pair, f, g = hl.Func("pair"), hl.Func("f"), hl.Func("g")
    pair[x] = (hl.u8(x), hl.f32(x * 2))
    arguments = [hl.ExternFuncArgument(v) for v in (pair, 0.5)] + [hl.ExternFuncArgument(hl.u8(7))]
    f.define_extern("stage_blocks", arguments, [hl.Float(32), hl.UInt(8)], 1)
    g[x] = f[x][0] + f[x][1]
    pair.compute_root()
    f.compute_root()
    return g.realize([16])


@case
def no_dimensions(hl: Any) -> Any:
    library()
    x = hl.Var("x")
    p, total, g = hl.Func("p"), hl.Func("total"), hl.Func("g")
    p[x] = x * 3
    arguments = [hl.ExternFuncArgument(p), hl.ExternFuncArgument(hl.i64(12))]
    total.define_extern("stage_total", arguments, hl.Int(32), 0)
    g[x] = p[x] * 100 + total[()]
    p.compute_root()
    total.compute_root()
    return g.realize([5])


@case
def scalars(hl: Any) -> Any:
    library()
    p = hl.Param(hl.Float(32), "p", 2.25)
    values = [
        p > 1, hl.u8(200), hl.i16(-500), p, hl.f64(p) / 3, hl.i64(1) << 40, hl.u32(4000000000), hl.i8(-100)
    ]  # fmt: skip
    f = hl.Func("f")
    f.define_extern("stage_scalars", [hl.ExternFuncArgument(v) for v in values], hl.Float(64), 0)
    return f.realize([])


@case
def attributes(hl: Any) -> Any:
    f, g, x = hl.Func("f"), hl.Func("g"), hl.Var("x")
    f.define_extern("stage_none", [], [hl.Int(32), hl.UInt(8)], 2)
    g[x] = x
    names = [f.extern_function_name() == "stage_none", g.extern_function_name() == ""]
    return [f.is_extern(), g.is_extern(), f.defined(), f.dimensions(), f.outputs(), f.num_update_definitions(), *names]


def failing(hl: Any, query: int, run: int) -> Any:
    library()
    f = hl.Func("f")
    f.define_extern("stage_fails", [hl.ExternFuncArgument(query), hl.ExternFuncArgument(run)], hl.Int(32), 1)
    return f


@refusal("Call to external stage stage_fails returned non-zero value: 7")
def a_call_that_fails(hl: Any) -> Any:
    return failing(hl, 0, 7).realize([5])


@refusal("Bounds inference call to external stage stage_fails returned non-zero value: -3")
def a_query_that_fails(hl: Any) -> Any:
    return failing(hl, -3, 0).realize([5])


@refusal("There is no function stage_unknown in this process")
def an_unknown_function(hl: Any) -> Any:
    f = hl.Func("f")
    f.define_extern("stage_unknown", [], hl.Int(32), 1)
    return f.realize([5])


@refusal("Func source cannot be scheduled to be computed inline, because it is used in the externally-computed")
def an_inlined_argument(hl: Any) -> Any:
    _, (f,), out = shifted(hl)
    f.compute_root()
    return out.realize([5])


@refusal("Externally defined Func stage0 cannot have loop type vectorized")
def vectors_of_a_stage(hl: Any) -> Any:
    source, (f,), out = shifted(hl)
    source.compute_root()
    f.compute_root().vectorize(hl.Var("x"), 4)
    return out.realize([5])


@refusal("Func with a pure definition cannot have an extern definition")
def two_definitions(hl: Any) -> None:
    f, x = hl.Func("f"), hl.Var("x")
    f[x] = x
    f.define_extern("stage_fails", [], hl.Int(32), [x])
