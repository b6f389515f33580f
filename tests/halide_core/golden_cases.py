"""Pipelines for the golden texts of passes: tests/golden/<pass>/<case>.txt holds the statement before and after.

Run as a program, prints all texts as JSON.  Each case runs in a process of its own, since the order of the terms of
a sum depends on what the process saw before."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from typing import Any

import halide_core as hl
from halide_core import lower as lowering
from halide_core.dsl.definitions import define
from halide_core.ir import stmt as st
from halide_core.pass_log import PassLog

# (outputs, arguments of lower)
Build = Callable[[], tuple[list[Any], dict[str, Any]]]
CASES: dict[str, Build] = {}
AVX2 = "x86-64-linux-avx-avx2-f16c-fma-sse41"
AVX512 = AVX2 + "-avx512-avx512_skylake"
x, y, xo, yo, xi, yi = (hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi"))


def golden(pass_name: str) -> Callable[[Callable[[], Any]], Build]:
    """Registers a case of `pass_name`: it returns a Func, a list of Funcs, or that and the arguments of `lower`."""

    def register(build: Callable[[], Any]) -> Build:
        def both() -> tuple[list[Any], dict[str, Any]]:
            made = build()
            outputs, more = made if isinstance(made, tuple) else (made, {})
            return (outputs if isinstance(outputs, list) else [outputs]), more

        both.__doc__ = build.__doc__
        CASES[f"{pass_name}/{build.__name__}"] = both
        return both

    return register


def image(name: str = "im", type_: Any = None, dimensions: int = 2) -> Any:
    return hl.ImageParam(type_ or hl.UInt(8), dimensions, name)


def func(name: str, args: Any, value: Any) -> Any:
    f = hl.Func(name)
    f[args] = value
    return f


@golden("schedule_functions")
def inlined():
    """A Func without a schedule disappears."""
    im = image()
    g = func("g", (x, y), hl.u16(im[x, y]) * 2)
    return func("f", (x, y), g[x, y] + g[x, y + 1])


@golden("schedule_functions")
def computed_at_root():
    """Storage and loops before the consumer's."""
    g = func("g", (x, y), x * y)
    f = func("f", (x, y), g[x, y] + g[x + 1, y])
    g.compute_root()
    return f


@golden("schedule_functions")
def sliding():
    """Computed in a loop and stored outside of it: rows are computed once, in storage of two rows."""
    g = func("g", (x, y), x * y)
    f = func("f", (x, y), g[x, y] + g[x, y + 1])
    g.store_root().compute_at(f, y)
    return f


@golden("schedule_functions")
def sliding_sum():
    """A sum slides as what has no updates does: both of its stages run over the row that is left."""
    r = hl.RDom([(0, 3)], "r")
    g = func("g", (x, y), x * y)
    g[x, y] += r.x * x
    f = func("f", (x, y), g[x, y] + g[x, y + 1])
    g.store_root().compute_at(f, y)
    return f


@golden("schedule_functions")
def computed_together():
    """Two stages in common loops."""
    g, h = func("g", (x, y), x), func("h", (x, y), y)
    f = func("f", (x, y), g[x, y] + h[x, y])
    g.compute_root()
    h.compute_root().compute_with(g, y)
    return f


@golden("schedule_functions")
def wrapped():
    """A copy of an image in the order in which it is read."""
    g = func("g", (x, y), x * y)
    f = func("f", (x, y), g[y, x])
    g.compute_root()
    g.in_(f).compute_at(f, y)
    return f


@golden("schedule_functions")
def tails():
    """What is done at the end of a split that does not come out even."""
    g = func("g", (x, y), x)
    h = func("h", (x, y), g[x, y])
    f = func("f", (x, y), h[x, y])
    g.compute_root().split(x, xo, xi, 8, hl.TailStrategy.RoundUp)
    h.compute_root().split(x, xo, xi, 8, hl.TailStrategy.ShiftInwards)
    return f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)


@golden("schedule_functions")
def updates():
    """A definition, then an update over a domain with a condition."""
    r = hl.RDom([(0, 10), (0, 10)], "r")
    r.where(r.x <= r.y)
    f = func("f", x, 0)
    f[x] += r.x * r.y
    return f


@golden("answer_target_queries")
def a_feature():
    return func("f", x, hl.select(hl.target_has_feature(hl.TargetFeature.AVX2), x, 2 * x))


@golden("answer_target_queries")
def a_vector_width():
    return func("f", x, x * hl.target_natural_vector_size(hl.UInt(8)) + hl.target_bits())


@golden("flatten")
def an_image():
    im = image()
    return func("f", (x, y), im[x + 1, y] + im[x, y])


@golden("flatten")
def storage():
    """Strides and an offset for what is realized."""
    g = func("g", (x, y), x * y)
    f = func("f", (x, y), g[x, y])
    g.compute_at(f, y).reorder_storage(y, x)
    return f


@golden("flatten")
def a_tuple():
    """Every value is computed before any is stored."""
    f = func("f", x, (x, hl.f32(x)))
    f[x] = (f[x][0] + 1, f[x][1] * 2)
    return f


@golden("substitute_lets")
def a_split():
    return func("f", x, x * 2).split(x, xo, xi, 4)


@golden("substitute_lets")
def boxes():
    g = func("g", (x, y), x * y)
    f = func("f", (x, y), g[x - 1, y] + g[x + 1, y])
    g.compute_at(f, y)
    return f


@golden("fuse_outputs")
def one_input():
    im = image()
    a, b = func("a", x, im[x, 0] + 1), func("b", x, im[x, 0] * 2)
    return [a, b], {"groups": {"im": 0, "a": 1, "b": 2}, "known": _same_extents("a", "b")}


@golden("fuse_outputs")
def overlapping():
    """Stays as it is: what one stores the other may read."""
    im = image()
    a, b = func("a", x, im[x, 0] + 1), func("b", x, im[x, 0] * 2)
    return [a, b], {"groups": {"im": 1, "a": 1, "b": 2}, "known": _same_extents("a", "b")}


def _same_extents(first: str, second: str) -> dict[str, Any]:
    return {f"{second}.{what}.0": hl.Expr(_metadata(f"{first}.{what}.0")) for what in ("min", "extent")}


def _metadata(name: str) -> Any:
    from halide_core.ir.expr import I32, Variable

    return Variable(I32, name)


@golden("narrow")
def an_average():
    im = image()
    return func("f", (x, y), hl.u8((hl.i32(im[x, y]) + hl.i32(im[x + 1, y]) + 1) / 2))


@golden("narrow")
def a_blend():
    im, alpha = image(), image("alpha")
    return func("f", (x, y), hl.u8((hl.i32(im[x, y]) * hl.i32(alpha[x, y])) >> 8))


@golden("unroll")
def by_a_factor():
    return func("f", x, x * x).split(x, xo, xi, 3, hl.TailStrategy.RoundUp).unroll(xi)


@golden("unroll")
def a_short_block():
    """The last block runs as a loop."""
    return func("f", x, x * x).split(x, xo, xi, 3, hl.TailStrategy.GuardWithIf).unroll(xi)


@golden("accumulate")
def a_sum():
    im = image("im", hl.Int(32), 1)
    return _reduced(im, lambda f, e: f + e)


@golden("accumulate")
def a_sum_of_bytes():
    im = image("im", hl.UInt(8), 1)
    return _reduced(im, lambda f, e: f + hl.i32(e))


@golden("accumulate")
def a_sum_of_products():
    im = image("im", hl.Int(16), 1)
    return _reduced(im, lambda f, e: f + hl.i32(e) * hl.i32(e)), {"target": AVX2}


@golden("accumulate")
def a_minimum():
    im = image("im", hl.UInt(8), 1)
    return _reduced(im, lambda f, e: hl.min(f, hl.i32(e)))


def _reduced(im: Any, combine: Callable[[Any, Any], Any]) -> Any:
    r = hl.RDom([(0, 64)], "r")
    ro, ri = hl.RVar("ro"), hl.RVar("ri")
    f = func("f", (), 0)
    f[()] = combine(f[()], im[r])
    f.update().atomic().split(r, ro, ri, 16).vectorize(ri)
    return f


@golden("vectorize")
def quotients_and_remainders_of_lanes():
    """Dense loads for even and odd lanes; the remainder does not change with the outer loop."""
    im = image()
    return func("f", (x, y), im[(x + 1) / 2, y] + hl.u8(x % 2)).vectorize(x, 16)


@golden("vectorize")
def a_stencil():
    im = image()
    return func("f", (x, y), im[x, y] + im[x + 2, y]).vectorize(x, 16)


@golden("vectorize")
def a_tail_under_a_mask():
    im = image()
    f = func("f", x, im[x, 3] + hl.u8(1)).vectorize(x, 16, hl.TailStrategy.GuardWithIf)
    return f, {"target": AVX512}


@golden("vectorize")
def a_tail_as_a_loop():
    im = image()
    return func("f", x, im[x, 3] + hl.u8(1)).vectorize(x, 16, hl.TailStrategy.GuardWithIf)


@golden("vectorize")
def clamped_coordinates():
    """A version for the interior."""
    im = image()
    return func("f", x, im[hl.clamp(x - 1, 0, 99), 0]).vectorize(x, 8)


@golden("partition")
def a_tail():
    im = image()
    return func("f", x, im[x, 3] + hl.u8(1)).vectorize(x, 16, hl.TailStrategy.GuardWithIf)


@golden("partition")
def both_ends():
    im = image()
    return func("f", x, im[hl.clamp(x - 1, 0, 99), 0]).vectorize(x, 8, hl.TailStrategy.RoundUp)


def _inside(vector: int) -> Any:
    g = func("g", x, x * 3)
    f = func("f", x, g[x] + g[x + 1])
    f.split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf)
    g.compute_at(f, xo)
    return (g.vectorize(x, vector) if vector else g.unroll(x)), f


@golden("whole_blocks")
def a_stage_in_tiles():
    """Storage and loops of whole tiles have constant extents."""
    im = image()
    g = func("g", (x, y), hl.u16(im[x, y]) * 2)
    f = func("f", (x, y), g[x - 1, y] + g[x + 1, y])
    f.tile(x, y, xo, yo, xi, yi, 64, 16, hl.TailStrategy.GuardWithIf)
    g.compute_at(f, xo)
    return f


@golden("whole_blocks")
def a_known_size():
    """The last block is told by its number; one vectorized loop alone is left to `vectorize`."""
    im = image()
    g = func("g", (x, y), hl.u16(im[x, y]) * 2)
    f = func("f", (x, y), g[x, y] + g[x, y + 1])
    f.bound(y, 0, 100).split(y, yo, yi, 16, hl.TailStrategy.GuardWithIf).vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    g.compute_at(f, yo)
    return f


@golden("bound_extents")
def an_unrolled_block():
    return _inside(0)[1]


@golden("bound_extents")
def a_vectorized_block():
    return _inside(4)[1]


def _scan(left: Any) -> Any:
    r = hl.RDom([(0, 50)], "r")
    f = func("f", x, x * 3)
    f[r] += f[left(r.x)]
    return f


@golden("scalar_loops")
def a_clamp():
    """Of the first element and of the others."""
    return _scan(lambda r: hl.max(r - 1, 0))


@golden("scalar_loops")
def a_choice():
    """A choice of coordinates, near one end."""
    return _scan(lambda r: hl.select(r > 3, r - 4, r))


@golden("hoist_conditions")
def copies():
    return _inside(0)[1]


@golden("hoist_conditions")
def lanes():
    return _inside(4)[1]


@golden("group_stores")
def interleaved():
    """Three channels, one after another in memory."""
    im = image("im", hl.UInt(8), 2)
    c = hl.Var("c")
    f = func("f", (x, c), im[x, c]).reorder(c, x).bound(c, 0, 3).unroll(c).vectorize(x, 16)
    f.output_buffer().dim(0).set_stride(3)
    f.output_buffer().dim(1).set_stride(1)
    return f, {"known": _strides("f", 3, 1)}


@golden("group_stores")
def one_channel():
    """Stays as it is: one strided store fills nothing."""
    f = func("f", x, hl.u8(x)).vectorize(x, 16)
    return f, {"known": _strides("f", 3)}


def _strides(name: str, *values: int) -> dict[str, Any]:
    from halide_core.ir.expr import I64, const

    return {f"{name}.stride.{d}": const(v, I64) for d, v in enumerate(values)}


@golden("stream")
def a_copy():
    im = image()
    f = func("f", (x, y), im[x, y]).parallel(y).vectorize(x, 64, hl.TailStrategy.GuardWithIf)
    known = _strides("f", 1) | _strides("im", 1)
    return f, {"target": AVX512, "groups": {"im": 0, "f": 1}, "known": known}


@golden("stream")
def read_back():
    """Stays as it is: what is written is read."""
    im = image()
    f = func("f", (x, y), im[x, y]).parallel(y).vectorize(x, 64, hl.TailStrategy.GuardWithIf)
    known = _strides("f", 1) | _strides("im", 1)
    return f, {"target": AVX512, "groups": {"im": 0, "f": 0}, "known": known}


@golden("loop_invariants")
def calls_and_quotients():
    """Each out of as many loops as it does not depend on, the parallel one too; the sum stays."""
    im, p, n = image("im", hl.Float(32)), hl.Param(hl.Float(32), "p"), hl.Param(hl.Int(32), "n")
    value = im[x, y] * hl.sinh(p) + hl.f32(y % n + x) + hl.tan(hl.sinh(p) + hl.f32(y))
    return func("f", (x, y), value).parallel(y).vectorize(x, 8, hl.TailStrategy.RoundUp)


@golden("loop_invariants")
def under_a_condition():
    """Nothing traps, so that what only some iterations need is computed before all."""
    n = hl.Param(hl.Int(32), "n")
    r = hl.RDom([(0, 10)], "r")
    r.where(r % 3 == 1)
    f = func("f", x, 0)
    f[x] += r / n + 100 / n
    return f


@golden("loop_invariants")
def loads_stay():
    """A quotient of loaded values is computed in each iteration, for the loop stores to the array."""
    f = func("f", x, x)
    r = hl.RDom([(1, 10)], "r")
    define(f._function, [x], f[0] / f[1], reads_anywhere=True)
    f[r.x] = f[0] % f[2] + r
    return f


@golden("share_gathers")
def channels_gather_once():
    """Both channels of a sum share a gather and the coordinates that lead there; what is summed is not shared."""
    im = image()
    k = hl.RDom([(0, 5)], "k")
    f, g = func("f", (x, y), hl.u8(0)), hl.Func("g")
    f[x, y] += im[hl.clamp(hl.i32(im[x, 0]) * k.x, 0, 9), 1] * hl.u8(y + 1)
    g[x, y] = f[x, y] + 1
    f.compute_at(g, hl.Var.outermost()).bound(y, 0, 2)
    f.update(0).split(x, xo, xi, 8, hl.TailStrategy.RoundUp).reorder(xi, y, k.x, xo).vectorize(xi).unroll(y)
    return g


@golden("share_gathers")
def not_before_outputs():
    """Who calls may have put the output where the gather reads: it is made again after each store."""
    im = image()
    k = hl.RDom([(0, 5)], "k")
    f = func("f", (x, y), hl.u8(0))
    f[x, y] += im[hl.clamp(hl.i32(im[x, 0]) * k.x, 0, 9), 1] * hl.u8(y + 1)
    f.bound(y, 0, 2)
    f.update(0).split(x, xo, xi, 8, hl.TailStrategy.RoundUp).reorder(xi, y, k.x, xo).vectorize(xi).unroll(y)
    return f


@golden("common_subexpressions")
def of_stages():
    """One block has both stages once their loops are gone; each of the loops is a block of its own."""
    p = hl.Param(hl.Float(32), "p")
    f = func("f", x, hl.f32(x) * hl.tan(p))
    f[x] += hl.sin(hl.f32(x))
    f[x] = f[x] * hl.sin(hl.f32(x)) + hl.tan(p)
    f.bound(x, 0, 1)
    return f


@golden("common_subexpressions")
def of_unrolled_iterations():
    """The outer quotient has a let of its own, and not what is in it."""
    n = hl.Param(hl.Int(32), "n")
    f = func("f", (x, y), (x / n) % (n + 1) + y)
    return f.split(y, yo, yi, 3, hl.TailStrategy.RoundUp).reorder(yi, x, yo).unroll(yi)


@golden("regroup_sums")
def window():
    """Each row of the window is a sum of its own, in the order of its columns."""
    im = image()
    terms = [hl.u16(im[x + i, y + j]) * (2 - i * i) for i in (1, -1, 0) for j in range(2)]
    return func("f", (x, y), sum(terms[1:], terms[0] + 3) / 4)


@golden("regroup_sums")
def what_has_an_order():
    """Sums of floats stay as they are, and sums of one row, of columns, and of other arrays' elements."""
    im, other = image("im", hl.Float(32)), image("other", hl.UInt(16))
    g = func("g", (x, y), ((im[x, y] + im[x + 1, y]) + im[x, y + 1]) + im[x + 1, y + 1])
    h = func("h", (x, y), (other[x, y] + other[x + 1, y]) + other[x, y + 1])
    return [g, h]


@golden("partition")
def choice_outside():
    """The choice of rows is made before the loop over x, and that of vectors splits the loop in each case."""
    im = image()
    f = func("f", (x, y), im[x, y] + 1)
    f.split(y, yo, yi, 2, hl.TailStrategy.GuardWithIf).split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)
    return f.reorder(xi, yi, xo, yo).vectorize(xi).unroll(yi)


@golden("whole_tiles")
def clamped_once():
    """Whether a row's vectors are clamped is asked once for the tile."""
    im = image()
    n = hl.Param(hl.Int(32), "n")
    f = func("f", (x, y), im[hl.clamp(x - 1, 0, n - 1), y])
    return f.tile(x, y, xo, yo, xi, yi, 32, 4, hl.TailStrategy.RoundUp).vectorize(xi, 8)


@golden("whole_tiles")
def not_of_long_rows():
    """A row of many vectors is worth finding out where its choice changes."""
    im = image()
    n = hl.Param(hl.Int(32), "n")
    f = func("f", (x, y), im[hl.clamp(x - 1, 0, n - 1), y])
    return f.tile(x, y, xo, yo, xi, yi, 256, 4, hl.TailStrategy.RoundUp).vectorize(xi, 8)


@golden("partition")
def channels_of_a_sum():
    """The stores of all channels, in the loop of a sum, stand under one condition of the loop outside of it."""
    im = image()
    k = hl.RDom([(0, 5)], "k")
    f = func("f", (x, y), hl.u8(0))
    f[x, y] += im[x + k.x, y]
    f.bound(y, 0, 2)
    f.update(0).split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).reorder(xi, y, k.x, xo).vectorize(xi).unroll(y)
    return f


def _turned(f: Any) -> Any:
    f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).split(y, yo, yi, 8, hl.TailStrategy.GuardWithIf)
    return f.reorder(xi, yi, xo, yo).vectorize(xi)


@golden("unroll_transposes")
def block():
    """Eight rows are written out where there are eight, for what is loaded lies in memory of its own."""
    g = func("g", (x, y), x + y)
    g.compute_root()
    return _turned(func("f", (x, y), g[y, x] * 2)), {"known": _strides("f", 1)}


@golden("unroll_transposes")
def of_an_argument():
    """An image may lie where the output does, so that its rows are not loaded before they are needed."""
    return _turned(func("f", (x, y), image()[y, x] + 1)), {"known": _strides("f", 1)}


@golden("pad_shared")
def a_transposed_tile():
    """32 threads that read down a column are in as many banks."""
    im = image()
    g = func("g", (x, y), hl.i32(im[x, y]))
    f = func("f", (x, y), g[y, x])
    f.bound(x, 0, 32).bound(y, 0, 32).gpu_tile(x, y, xi, yi, 32, 8)
    g.compute_at(f, x).gpu_threads(x, y)
    return f, {"target": AVX2 + "-cuda"}


@golden("pad_shared")
def every_other_row():
    """Two rows of a warp, which would meet."""
    im = image()
    g = func("g", (x, y), hl.i32(im[x, y]))
    f = func("f", (x, y), g[x, y * 2] + g[x, y * 2 + 1] + g[x, y * 2 + 2])
    f.bound(x, 0, 16).bound(y, 0, 8).gpu_tile(x, y, xi, yi, 16, 8)
    g.compute_at(f, x).gpu_threads(x, y)
    return f, {"target": AVX2 + "-cuda"}


@golden("offload")
def one_kernel():
    """A nest over blocks and threads is launched; what it reads and writes is on the device meanwhile."""
    im = image()
    f = func("f", (x, y), im[x, y] + 1)
    f.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"target": AVX2 + "-cuda"}


@golden("offload")
def host_between_kernels():
    """What the host computes between two kernels is copied to it and back."""
    im = image()
    a = func("a", (x, y), im[x, y] + 1)
    b = func("b", (x, y), a[x, y] * 2)
    f = func("f", (x, y), b[x, y] + a[x, y])
    a.compute_root().gpu_tile(x, y, xi, yi, 8, 8)
    b.compute_root()
    f.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"target": AVX2 + "-cuda"}


def text(case: str) -> str:
    """The statement before and after the pass; of the first pass the definitions, and what comes of them."""
    wanted = case.partition("/")[0]
    outputs, more = CASES[case]()
    seen: list[tuple[str, str]] = []
    original = PassLog.after

    def after(self: PassLog, name: str, s: st.Stmt, *rest: Any) -> st.Stmt:
        seen.append((name, str(s)))
        return original(self, name, s, *rest)

    PassLog.after = after  # type: ignore[method-assign]
    try:
        target = hl.Target(more.pop("target", AVX2))
        definitions = "\n".join(_definitions([f._function for f in outputs]))
        lowering.lower([f._function for f in outputs], target, **more)
    finally:
        PassLog.after = original  # type: ignore[method-assign]
    names = [name for name, _ in seen]
    number = names.index(wanted)
    before = seen[number - 1][1] if number else definitions
    after_text = seen[number][1]
    if before == after_text:
        after_text = "unchanged"
    head = f"{CASES[case].__doc__}\n\n" if CASES[case].__doc__ else ""
    return f"{head}--- before\n{before}\n--- after\n{after_text}\n"


def _definitions(outputs: list[Any]) -> list[str]:
    from halide_core.passes.realization_order import build_environment
    from halide_core.passes.wrap_calls import wrap_calls

    wrap_calls(outputs)
    out = []
    for f in build_environment(outputs).order:
        for d in f.definitions():
            values = ", ".join(map(str, d.values))
            where = "".join(f" where {p}" for p in d.domain.predicates) if d.domain is not None else ""
            out.append(f"{f.name}({', '.join(map(str, d.args))}) = {values}{where}")
    return out


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        print(json.dumps(dict(zip(CASES, pool.map(text, CASES, chunksize=1), strict=True))))
