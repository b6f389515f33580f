"""What the bindings make of Python: keywords, Tuples, representations, Buffers as sequences, warnings."""

from __future__ import annotations

import re
import warnings
from typing import Any

from tests.conformance.cases import case, refusal
from tests.conformance.effect_cases import printed


class Pair:
    """An object with a length and elements, which a Func takes for a Tuple."""

    def __init__(self, a: Any, b: Any) -> None:
        self.parts = a, b

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return self.parts[index]


@case
def schedules_by_keywords(hl: Any) -> Any:
    x, y, xi, yi, xo = hl.vars("x y xi yi xo")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y
    g[x, y] = f[x, y] + f[x + 1, y]
    g.tile(x=x, y=y, xi=xi, yi=yi, xfactor=4, yfactor=2, tail=hl.TailStrategy.GuardWithIf)
    g.bound(var=x, min=0, extent=8).parallel(var=y, task_size=2)
    f.compute_at(f=g, var=x).split(old=x, outer=xo, inner=xi, factor=2).vectorize(var=xi)
    f.rename(old_name=xo, new_name=yi)
    return g.realize(sizes=[8, 5])


@case
def loops_named_as_lists(hl: Any) -> Any:
    x, y, xi, yi = hl.vars("x y xi yi")
    f = hl.Func("f")
    f[x, y] = x - y
    f[x, y] += x
    f.tile(previous=[x, y], inners=[xi, yi], factors=[4, 4]).reorder(vars=[yi, xi])
    f.update(idx=0).partition(var=x, partition_policy=hl.Partition.Never)
    out = hl.Buffer(type=hl.Int(32), sizes=[8, 8], name="out")
    f.realize(dst=out)
    return out


@case
def levels_by_keywords(hl: Any) -> Any:
    x, y = hl.vars("x y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + 2 * y
    g[x, y] = f[x, y] * 2
    h[x, y] = g[x, y] + f[x, y]
    g.compute_at(loop_level=hl.LoopLevel(func=h, var=y))
    f.in_(f=g).compute_root()
    f.in_(fs=[h]).store_at(f=h, var=y).compute_at(f=h, var=x)
    f.compute_root()
    return h.realize([4, 3])


@case
def boundary_conditions_by_keywords(hl: Any) -> Any:
    x = hl.Var("x")
    b = hl.Buffer(hl.Int(32), [4])
    b.for_each_element(lambda at: b.__setitem__(at, at[0] * at[0]))
    out = []
    for f in (
        hl.BoundaryConditions.constant_exterior(f=b, exterior=-7),
        hl.BoundaryConditions.repeat_edge(f=b, bounds=[(0, 4)]),
        hl.BoundaryConditions.mirror_image(f=b),
    ):
        g = hl.Func()
        g[x] = f[x - 3]
        out.append(g.realize([10]))
    return out


@case
def reductions_by_keywords(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom(region=[(0, 4)], name="r")
    f = hl.Func("f")
    f[x] = hl.sum(expr=r * x, name="s") + hl.product(rdom=r, expr=x * 2 - r)
    return f.realize([5])


@case
def an_object_with_elements_is_a_tuple(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = Pair(hl.Expr(x) + 1, hl.f32(x))
    return f.realize([3])


@case
def tuples_that_functions_return(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 3)])
    f = hl.Func("f")
    f[x] = (x, x + 1)
    found = hl.argmin(r * x), hl.argmax(r * x), hl.select(x > 1, (x, x), (x + 1, x + 2)), f.values()
    f[x] = (f[x][0] * 2, f[x][1])
    return [type(t) is tuple for t in (*found, f.update_values())]


@case
def elements_of_a_reference(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = (x, hl.f32(x) / 2)
    ref = f[x]
    g[x] = ref[1] + hl.f32(ref[0])
    kinds = [type(ref[k]) is hl.FuncTupleElementRef for k in range(2)]
    return [kinds, [ref[k].index() for k in range(2)], g.realize([4])]


@refusal("may not mix Expr and Tuple for the condition elements.")
def conditions_of_two_kinds(hl: Any) -> Any:
    x, y = hl.vars("x y")
    hl.select((x < 3, y < 3), (x, y), x + y < 9, (x - 1, y - 2), (x - 3, y - 4))


@refusal("Tuple index out of range")
def an_element_before_the_first(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (x, x)
    return f[x][-1]


@case
def representations(hl: Any) -> Any:
    x, y = hl.vars("x y")
    g = hl.Func("repr_g")
    g[x] = x
    p = hl.ImageParam(hl.UInt(16), 2, "repr_p")
    made = [
        hl.Int(32), hl.Float(64, 4), hl.Type(), x, hl.RDom([(0, 3), (1, 4)], "repr_r"), hl.RDom([(0, 3)], "repr_s").x,
        hl.RDom(), hl.Func("repr_f"), p, hl.ImageParam(), hl.OutputImageParam(), g.output_buffer(), hl.Pipeline([g]),
        hl.Pipeline(), hl.Buffer(), hl.Buffer(hl.Int(8), [2, 3], "b"), hl.Expr(), hl.Tuple((x, y)), hl.LoopLevel(g, x),
        hl.Target(), hl.Param(hl.Int(32), "repr_q"), g.compile_to_module([]),
    ]  # fmt: skip
    texts = [repr(item) for item in made] + [str(x), str(hl.Int(16)), str(hl.Type()), str(hl.Pipeline([g]))]
    # The package may number names.
    return [re.sub(r"\$\d+|_\d+(?=')", "", t) for t in texts]


@case
def a_type_of_which_nothing_is_known(hl: Any) -> Any:
    t = hl.Type()
    return [t.bits(), t.lanes(), t.code() == hl.TypeCode.Handle, t == hl.Handle()]


@case
def elements_of_a_buffer_in_order(hl: Any) -> Any:
    b = hl.Buffer(hl.Int(32), [4])
    b.for_each_element(lambda at: b.__setitem__(at, at[0] * 3))
    shifted = hl.Buffer(hl.Int(32), [2])
    shifted.fill(1)
    shifted.set_min([2])
    return [list(b), 6 in b, 7 in b, sum(b), list(shifted)]


@refusal("Incorrect number of dimensions")
def a_plane_in_order(hl: Any) -> Any:
    list(hl.Buffer(hl.Int(32), [4, 2]))


@refusal("convert it")
def a_float_in_a_buffer_of_integers(hl: Any) -> Any:
    hl.Buffer(hl.Int(32), [4])[1] = 2.0


@refusal("lies outside of uint8")
def a_number_too_large_for_a_buffer(hl: Any) -> Any:
    hl.Buffer(hl.UInt(8), [4]).fill(256)


@refusal("")
def a_dimension_before_the_first(hl: Any) -> Any:
    return hl.RDom([(0, 3)])[-1]


@refusal("")
def a_dimension_by_a_name(hl: Any) -> Any:
    return hl.RDom([(0, 3)])["x"]


@refusal("cannot be converted to a bool")
def a_condition_of_python(hl: Any) -> Any:
    x, y = hl.vars("x y")
    return x + 1 > 0 and y > 0


@case
def quotients_of_floats_are_rounded_down(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    a, b = hl.f32(x) - 3, hl.f64(x) / 2 - 1
    p = hl.Param(hl.Float(32), "p", -3.0)
    f[x] = (a // 2.0, b // 0.75, 7.0 // (a + 10), (x - 3) // 2, hl.u8(x) // 3, a % 2.0, p // 2)
    return f.realize([8])


@case
def values_of_several_expressions(hl: Any) -> Any:
    p, q = hl.Param(hl.Float(32), "ev_p", -32.0), hl.Param(hl.Float(64), "ev_q", 64.0)
    return [hl.evaluate((p / q, p // q)), hl.evaluate(p // q), hl.evaluate_may_gpu(p * 2)]


def warned(hl: Any, build: Any) -> list[str]:
    """What Python is warned of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        build()
    return sorted(f"{w.category.__name__}: {w.message}" for w in found)


@case
def literals_that_lose_precision(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.f32(x)
    builds = [
        lambda: x + 0.1, lambda: f * 0.75, lambda: hl.f32(0.1), lambda: hl.f64(0.1), lambda: hl.Expr(0.1),
        lambda: hl.f64(x) * 0.1, lambda: hl.select(x > 0, 0.1, 0.25), lambda: hl.sin(0.3), lambda: x + 16777217.0,
        lambda: f * float("inf"), lambda: f * float("nan"), lambda: hl.Tuple((x, 0.1)), lambda: hl.fast_exp(f),
        lambda: hl.fast_log(f), lambda: hl.fast_sin(f), lambda: hl.lerp(f, f + 1, 0.25), lambda: hl.pow(f, 0.5),
        lambda: hl.Param(hl.Float(32), "lit_p", 0.1), lambda: hl.Buffer(hl.Float(32), [3]).fill(0.1),
    ]  # fmt: skip
    return [str(warned(hl, b)) for b in builds]


def said(run: Any) -> str:
    """The different lines that `run` prints, in order: the package repeats some; names without their numbers."""
    lines = re.sub(r"(warn_[a-z])\$\d+", r"\1", printed(run)[1]).splitlines()
    return "\n".join(dict.fromkeys(lines))


@case
def an_update_without_a_schedule(hl: Any) -> Any:
    x = hl.Var("x")
    out = []
    for name, on_purpose in (("warn_a", False), ("warn_b", True)):
        f = hl.Func(name)
        f[x] = 0
        f[x] += 5
        f.vectorize(x, 8)
        if on_purpose:
            f.update(0).unscheduled()
        out.append(said(lambda f=f: f.realize([64])))
    f = hl.Func("warn_c")
    f[x] = 0
    f[x] += 5
    f.bound(x, 0, 64)
    return [*out, said(lambda: f.realize([64]))]


@case
def schedules_of_what_is_inlined(hl: Any) -> Any:
    x, xo, xi = hl.vars("x xo xi")
    out = []
    for k, name in enumerate("defg"):
        f, g = hl.Func(f"warn_{name}"), hl.Func("g")
        f[x] = x * 2
        if k == 0:
            f.bound(x, 0, 127)
        elif k == 1:
            f.align_bounds(x, 4)
        elif k == 2:
            f.split(x, xo, xi, 4)
        g[x] = f[x] + 1
        out.append(said(lambda g=g: g.realize([16])))
    return out


@case
def a_definition_that_hides_another(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 3)])

    def build() -> None:
        f, g, h = hl.Func("warn_h"), hl.Func("warn_i"), hl.Func("warn_j")
        f[x] = 0
        f[x] = 5
        g[x] = 0
        g[r.x] = 5
        h[x] = (0, 1)
        h[x] = (3, 4)

    return said(build)


@refusal("unscheduled")
def a_schedule_that_is_none_on_purpose(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = 0
    f[x] += 1
    f.update().vectorize(x, 4).unscheduled()
