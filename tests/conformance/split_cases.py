"""Splits and their tails: every strategy at extents below, at and above a block, in pure and update stages."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import Script, add, case, refusal

EXACT = ["GuardWithIf", "Predicate"]
TAILS = [
    *EXACT,
    "ShiftInwards",
    "RoundUp",
    "PredicateLoads",
    "PredicateStores",
    "ShiftInwardsAndBlend",
    "RoundUpAndBlend",
    "Auto",
]


def variables(hl: Any, names: str) -> list[Any]:
    return [hl.Var(n) for n in names.split()]


def tailed(tail: str, size: int, vector: bool) -> Script:
    def script(hl: Any) -> Any:
        x, y, xo, xi = variables(hl, "x y xo xi")
        f = hl.Func("f")
        f[x, y] = hl.u16(x * 7 + y * 31)
        f.split(x, xo, xi, 8, getattr(hl.TailStrategy, tail))
        if vector:
            f.vectorize(xi).parallel(y)
        return f.realize([size, 3])

    return script


for _tail in TAILS:
    for _size in (1, 8, 13):
        add(f"split.{_tail}.{_size}", tailed(_tail, _size, _size != 8))


def of_buffer(tail: str, size: int) -> Script:
    """Over a buffer whose size is given, so that nothing can be computed beyond it."""

    def script(hl: Any) -> Any:
        x, xo, xi = variables(hl, "x xo xi")
        f = hl.Func("f")
        f[x] = x * x
        f.split(x, xo, xi, 4, getattr(hl.TailStrategy, tail)).vectorize(xi)
        out = hl.Buffer(hl.Int(32), [size])
        out.fill(-1)
        f.realize(out)
        return out

    return script


add("split.buffer.shift", of_buffer("ShiftInwards", 7))
add("split.buffer.shift_and_blend", of_buffer("ShiftInwardsAndBlend", 7))
add("split.buffer.guard", of_buffer("GuardWithIf", 3))
add("split.buffer.predicate", of_buffer("PredicateStores", 3))
add("split.buffer.round", of_buffer("RoundUp", 8))

for _tail, _what in [("ShiftInwards", "before the min"), ("RoundUp", "beyond the max"), ("Auto", "before the min")]:

    def _too_small(hl: Any, tail: str = _tail) -> Any:
        return of_buffer(tail, 3)(hl)

    _too_small.__name__ = f"buffer_too_small_{_tail}"
    refusal(_what)(_too_small)

for _tail in ("PredicateLoads", "RoundUpAndBlend", "ShiftInwardsAndBlend"):

    def _too_small(hl: Any, tail: str = _tail) -> Any:
        return of_buffer(tail, 3)(hl)

    _too_small.__name__ = f"buffer_too_small_{_tail}"
    refusal("Output buffer f")(_too_small)


def updated(tail: str, size: int) -> Script:
    def script(hl: Any) -> Any:
        x, y, xo, xi = variables(hl, "x y xo xi")
        f = hl.Func("f")
        f[x, y] = hl.i16(x - y)
        f[x, y] = f[x, y] * 3 + hl.i16(1)
        f.update().split(x, xo, xi, 8, getattr(hl.TailStrategy, tail)).vectorize(xi)
        return f.realize([size, 2])

    return script


for _tail in TAILS:
    if _tail != "ShiftInwards":
        add(f"split.update.{_tail}", updated(_tail, 11))
        add(f"split.update.{_tail}.small", updated(_tail, 3))


@refusal("twice")
def shift_inwards_in_an_update(hl: Any) -> Any:
    return updated("ShiftInwards", 16)(hl)


def reduced(tail: str, factor: int) -> Script:
    def script(hl: Any) -> Any:
        (x,) = variables(hl, "x")
        r = hl.RDom([(0, 10)])
        ro, ri = hl.RVar("ro"), hl.RVar("ri")
        f = hl.Func("f")
        f[x] = 1
        f[x] = f[x] * 3 + r.x * x
        f.update().split(r.x, ro, ri, factor, getattr(hl.TailStrategy, tail)).unroll(ri)
        return f.realize([5])

    return script


for _tail in (*EXACT, "Auto"):
    add(f"split.reduction.{_tail}", reduced(_tail, 4))
add("split.reduction.exact", reduced("Auto", 5))
for _tail in TAILS:
    if _tail not in (*EXACT, "Auto"):

        def _reduced(hl: Any, tail: str = _tail) -> Any:
            return reduced(tail, 4)(hl)

        _reduced.__name__ = f"reduction_split_{_tail}"
        refusal("GuardWithIf")(_reduced)


def nested(tails: tuple[str, str], factors: tuple[int, int], size: int) -> Script:
    def script(hl: Any) -> Any:
        x, y, xo, xi, xm, xj = variables(hl, "x y xo xi xm xj")
        f = hl.Func("f")
        f[x, y] = hl.f32(x) * hl.f32(0.5) + hl.f32(y)
        t = [getattr(hl.TailStrategy, n) for n in tails]
        f.split(x, xo, xi, factors[0], t[0]).split(xi, xm, xj, factors[1], t[1]).vectorize(xj)
        return f.realize([size, 2])

    return script


for _tails in [
    ("GuardWithIf", "GuardWithIf"),
    ("GuardWithIf", "ShiftInwards"),
    ("RoundUp", "GuardWithIf"),
    ("GuardWithIf", "RoundUp"),
    ("ShiftInwards", "ShiftInwards"),
    ("Auto", "Auto"),
]:
    add(f"split.nested.{'.'.join(_tails)}", nested(_tails, (10, 4), 23))
for _tails in [("ShiftInwards", "RoundUp"), ("RoundUp", "RoundUp")]:
    add(f"split.nested.{'.'.join(_tails)}", nested(_tails, (12, 4), 23))


@case
def vectorize_then_unroll_the_same_loop(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x ^ y
    f.vectorize(x, 8).unroll(x, 4)
    return f.realize([12, 3])


@case
def unroll_then_vectorize_the_same_loop(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x ^ y
    f.unroll(x, 4).vectorize(x, 8)
    return f.realize([12, 3])


@case
def two_dimensions_vectorized(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * 10 + y
    f.vectorize(x, 4).vectorize(y, 2)
    return f.realize([9, 5])


@case
def tile_with_names(hl: Any) -> Any:
    x, y, xo, yo, xi, yi = variables(hl, "x y xo yo xi yi")
    f = hl.Func("f")
    f[x, y] = x * 100 + y
    f.tile(x, y, xo, yo, xi, yi, 4, 3).unroll(yi).vectorize(xi).parallel(yo)
    return f.realize([11, 7])


@case
def tile_of_lists(hl: Any) -> Any:
    x, y, z, xo, yo, zo, xi, yi, zi = variables(hl, "x y z xo yo zo xi yi zi")
    f = hl.Func("f")
    f[x, y, z] = x * 100 + y * 10 + z
    f.tile([x, y, z], [xo, yo, zo], [xi, yi, zi], [4, 2, 3])
    return f.realize([7, 5, 4])


@case
def fuse_and_split_again(hl: Any) -> Any:
    x, y, t, to, ti = variables(hl, "x y t to ti")
    f = hl.Func("f")
    f[x, y] = x * 100 + y
    f.fuse(x, y, t).split(t, to, ti, 6, hl.TailStrategy.GuardWithIf).vectorize(ti).parallel(to)
    return f.realize([7, 5])


@case
def fuse_a_loop_that_a_guard_cuts_short(hl: Any) -> Any:
    x, y, t, yo, yi = variables(hl, "x y t yo yi")
    f = hl.Func("f")
    f[x, y] = x * 10 + y
    f.split(y, yo, yi, 2, hl.TailStrategy.GuardWithIf).fuse(x, yi, t).parallel(yo)
    return f.realize([7, 5])


@case
def fuse_under_the_inner_name(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * 100 + y
    f.fuse(x, y, x).parallel(x)
    return f.realize([7, 5])


@case
def fuse_reduction_variables(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r, t = hl.RDom([(0, 4), (1, 3)]), hl.RVar("t")
    f = hl.Func("f")
    f[x] = 1
    f[x] = f[x] * 2 + r.x - r.y * x
    f.update().fuse(r.x, r.y, t).unroll(t, 2)
    return f.realize([5])


@case
def rename_and_use_the_new_name(hl: Any) -> Any:
    x, y, u = variables(hl, "x y u")
    f = hl.Func("f")
    f[x, y] = x * 100 + y
    f.rename(x, u).vectorize(u, 4)
    return f.realize([7, 5])


@case
def rename_a_reduction_variable(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r, u = hl.RDom([(2, 7)]), hl.RVar("u")
    f = hl.Func("f")
    f[x] = 1
    f[x] = f[x] * 3 - r.x
    f.update().rename(r.x, u).unroll(u, 3)
    return f.realize([4])


@case
def reorder_pure_and_reduction_loops(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    r = hl.RDom([(0, 5)])
    f = hl.Func("f")
    f[x, y] = 1
    f[x, y] = f[x, y] * 2 + r.x * y
    f.update().reorder(x, r.x, y).vectorize(x, 4)
    return f.realize([6, 3])


@case
def reorder_the_loops_of_a_sum(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 5), (0, 3)])
    f = hl.Func("f")
    f[x] = hl.f32(0)
    f[x] = f[x] + (hl.f32(r.x * 3 + r.y) + hl.f32(0.1))
    f.update().reorder(r.y, r.x, x)
    return f.realize([3])


@refusal("reorder")
def reorder_that_changes_the_result(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 5), (0, 3)])
    f = hl.Func("f")
    f[x] = 0
    f[x] = f[x] * 2 + r.x
    f.update().reorder(r.y, r.x)
    return f.realize([3])


def atomic(kind: str, value: str, type_: str) -> Script:
    def script(hl: Any) -> Any:
        (x,) = variables(hl, "x")
        data = hl.Buffer(np.arange(53, dtype=np.int32) * 7 % 31)
        r = hl.RDom([(0, 53)])
        f = hl.Func("f")
        cast = getattr(hl, type_)
        f[x] = cast(1 if value == "product" else 0)
        e = cast(data[r.x]) + cast(x)
        if value == "sum":
            f[x] += e
        elif value == "max":
            f[x] = hl.max(f[x], e)
        elif value == "histogram":
            f[hl.clamp(data[r.x], 0, 30)] += cast(1)
        else:
            f[x] *= e | cast(1)
        stage = f.update().atomic()
        if kind == "vector":
            stage.vectorize(r.x, 8)
        else:
            stage.parallel(r.x)
        return f.realize([31])

    return script


for _kind in ("vector", "parallel"):
    for _value in ("sum", "max", "histogram", "product"):
        add(f"atomic.{_kind}.{_value}", atomic(_kind, _value, "i32"))
    add(f"atomic.{_kind}.bytes", atomic(_kind, "sum", "u8"))
add("atomic.vector.exact_floats", atomic("vector", "sum", "f32"))


@refusal("associative")
def atomic_of_what_is_not_associative(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] = f[x] * 2 + r.x
    f.update().atomic().vectorize(r.x, 4)
    return f.realize([3])


@refusal("cannot be parallel")
def parallel_reduction(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().parallel(r.x)
    return f.realize([3])


@refusal("cannot be vectorized")
def vectorized_reduction(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().vectorize(r.x, 4)
    return f.realize([3])


@case
def race_conditions_that_do_no_harm(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[r.x / 10] = 5
    f.update().allow_race_conditions().parallel(r.x)
    return f.realize([3])


@refusal("no loop z")
def split_of_an_unknown_loop(hl: Any) -> Any:
    x, z, xo, xi = variables(hl, "x z xo xi")
    f = hl.Func("f")
    f[x] = x
    f.split(z, xo, xi, 4)
    return f.realize([4])


@refusal("already has a loop y")
def split_into_a_loop_that_exists(hl: Any) -> Any:
    x, y, xi = variables(hl, "x y xi")
    f = hl.Func("f")
    f[x, y] = x
    f.split(x, y, xi, 4)
    return f.realize([4, 4])


@refusal("positive")
def split_by_zero(hl: Any) -> Any:
    x, xo, xi = variables(hl, "x xo xi")
    f = hl.Func("f")
    f[x] = x
    f.split(x, xo, xi, 0)
    return f.realize([4])


@refusal("cannot become Var")
def split_of_a_reduction_variable_into_vars(hl: Any) -> Any:
    x, xo, xi = variables(hl, "x xo xi")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().split(r.x, xo, xi, 4)
    return f.realize([4])


@refusal("twice")
def fuse_of_one_loop(hl: Any) -> Any:
    x, y, t = variables(hl, "x y t")
    f = hl.Func("f")
    f[x, y] = x
    f.fuse(x, x, t)
    return f.realize([4, 4])


@refusal("mix")
def fuse_of_a_pure_and_a_reduction_loop(hl: Any) -> Any:
    x, t = variables(hl, "x t")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().fuse(x, r.x, t)
    return f.realize([4])


@refusal("twice")
def reorder_of_a_loop_named_twice(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x
    f.reorder(x, x)
    return f.realize([4, 4])


@refusal("constant extent")
def vectorize_without_a_factor(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    f = hl.Func("f")
    f[x] = x
    f.vectorize(x)
    return f.realize([4])


@refusal("constant extent")
def unroll_without_a_factor(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    f = hl.Func("f")
    f[x] = x
    f.unroll(x)
    return f.realize([4])


@refusal("no loop q")
def partition_of_an_unknown_loop(hl: Any) -> Any:
    x, q = variables(hl, "x q")
    f = hl.Func("f")
    f[x] = x
    f.partition(q, hl.Partition.Never)
    return f.realize([4])


@case
def hints_that_change_nothing(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y
    g[x, y] = f[x, y] + f[x + 1, y]
    f.compute_root().store_in(hl.MemoryType.Heap).memoize().never_partition_all()
    g.partition(x, hl.Partition.Never).never_partition([y]).prefetch(f, y, y, 2)
    g[x, y] += 1
    g.update().unscheduled()
    return g.realize([9, 4])
