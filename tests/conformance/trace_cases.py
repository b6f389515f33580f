"""What trace_loads, trace_stores and trace_realizations print."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.conformance.cases import case
from tests.conformance.effect_cases import printed


def told(run: Callable[[], Any], but: str = "nothing") -> str:
    """The lines that `run` prints, without those that begin with the word `but`.

    The package may give a Func another name, trace_a$1; that is left out."""
    text = re.sub(r"(trace_[a-z])(?:\$|_)\d+", r"\1", printed(run)[1])
    return "\n".join(line for line in text.splitlines() if not line.startswith(but))


@case
def stores_of_an_output(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f = hl.Func("trace_a")
    f[x, y] = x * 10 + y
    f.trace_stores()
    return told(lambda: f.realize([3, 2]))


@case
def stores_of_vectors_stand_in_one_line(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f = hl.Func("trace_b")
    f[x, y] = hl.f32(x) / 4 + y
    f.vectorize(x, 4).trace_stores()
    return told(lambda: f.realize([6, 2]))


@case
def stores_under_a_guard(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("trace_c")
    f[x] = x * 3
    f.vectorize(x, 8, hl.TailStrategy.GuardWithIf).trace_stores()
    return told(lambda: f.realize([11]))


@case
def stores_of_every_type(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("trace_d")
    f[x] = (x > 1, hl.i64(x) - 5, hl.f64(x) * 1e10, hl.u8(x), hl.u64(x), hl.cast(hl.Float(16), x))
    f.trace_stores()
    return told(lambda: f.realize([3]), "Warning")


@case
def loads_go_from_left_to_right(hl: Any) -> Any:
    x = hl.Var("x")
    p, c = hl.Func("trace_e"), hl.Func("trace_f")
    p[x] = hl.u8(x * 3)
    c[x] = hl.u16(p[x]) + p[x + 1]
    p.compute_root().trace_loads()
    c.trace_stores()
    return told(lambda: c.realize([3]))


@case
def loads_and_stores_of_an_update(hl: Any) -> Any:
    x = hl.Var("x")
    f, r = hl.Func("trace_g"), hl.RDom([(0, 3)])
    f[x] = 0
    f[x] += r
    f.trace_loads().trace_stores()
    return told(lambda: f.realize([2]))


@case
def loads_of_an_image(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.ImageParam(hl.UInt(8), 1, "trace_h")
    b = hl.Buffer(hl.UInt(8), [4])
    b.fill(3)
    p.set(b)
    p.trace_loads()
    f = hl.Func("trace_i")
    f[x] = p[x] + p[x + 1]
    f.trace_stores()
    return told(lambda: f.realize([3]))


@case
def realizations_of_a_producer(hl: Any) -> Any:
    x, y = hl.vars("x y")
    p, c = hl.Func("trace_j"), hl.Func("trace_k")
    p[x, y] = x * y
    c[x, y] = p[x, y] + p[x, y + 1]
    p.compute_at(c, y).trace_realizations()
    p.add_trace_tag("a tag")
    c.trace_realizations()
    return told(lambda: c.realize([2, 2]))


@case
def stores_of_a_sliding_window(hl: Any) -> Any:
    x, y = hl.vars("x y")
    p, c = hl.Func("trace_l"), hl.Func("trace_m")
    p[x, y] = x * y
    c[x, y] = p[x, y] + p[x, y + 1]
    p.store_root().compute_at(c, y).trace_stores().trace_loads()
    # The package's tag has the box without folding.
    return told(lambda: c.realize([2, 4]), "Tag")


@case
def inlined_funcs_are_not_traced(hl: Any) -> Any:
    x = hl.Var("x")
    p, c = hl.Func("trace_n"), hl.Func("trace_o")
    p[x] = x * 2
    c[x] = p[x] + 1
    p.trace_stores().trace_loads()
    return told(lambda: c.realize([3]))


@case
def everything_by_features_of_the_target(hl: Any) -> Any:
    x = hl.Var("x")
    p, c = hl.Func("trace_p"), hl.Func("trace_q")
    p[x] = x * 2
    c[x] = p[x] + 1
    p.compute_root()
    out = []
    for feature in (hl.TargetFeature.TraceStores, hl.TargetFeature.TraceLoads, hl.TargetFeature.TracePipeline):
        target = hl.get_jit_target_from_environment().with_feature(feature)
        out.append(told(lambda t=target: c.realize([2], t)))
    return out


@case
def nothing_is_printed_when_nothing_is_traced(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("trace_r")
    f[x] = x
    return told(lambda: f.realize([3]))
