"""Funcs: definitions, Tuples, reductions, implicit variables, boundary conditions, attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal


def xyz(hl: Any) -> Any:
    return hl.Var("x"), hl.Var("y"), hl.Var("z")


def noise(hl: Any, *shape: int, dtype: str = "u1") -> Any:
    count = int(np.prod(shape))
    data = (np.arange(count, dtype=np.int64) * 7919 % 251).astype(dtype).reshape(shape)
    return hl.Buffer(data, "noise")


@case
def tuples(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (hl.u8(x + y), hl.f32(x) / 2, hl.i64(x) * y)
    g[x, y] = hl.Tuple((f[x, y][2], f[x + 1, y][0]))
    f.compute_root()
    return g.realize([7, 5])


@case
def tuples_inlined(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = (x * 2, x + 1)
    g[x] = f[x][0] * f[x + 1][1] + f[f[x][1]][0]
    return g.realize([9])


@case
def tuple_of_a_reference(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x] = (x, hl.f32(x))
    g[x] = f[x + 3]
    h[x] = hl.Tuple(g[x])
    return [h.realize([4]), f[x].size(), len(h.values()), h.outputs(), [str(t) for t in h.types()]]


@case
def tuple_updates(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, hl.f32(0))
    f[x] = (f[x][0] + 1, hl.f32(f[x][0]) * 2)
    r = hl.RDom([(1, 5)])
    f[r.x] = (f[r.x - 1][0] + f[r.x][0], f[r.x - 1][1] + f[r.x][1])
    f[2] = hl.Tuple((f[3][0] + 7, hl.f32(7.5) + f[2][1]))
    return f.realize([9])


@case
def tuple_sums(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    r = hl.RDom([(0, 4)])
    f[x] = (0, 1.0)
    f[x] = (f[x][0] + x * r, f[x][1] * (hl.f32(r) + 0.5))
    return f.realize([5])


@case
def tuples_swap(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, 100 - x)
    f[x] = (f[x][1], f[x][0])
    return f.realize([10])


@case
def selects_of_tuples(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x] = (x, x * 2)
    g[x] = hl.select(x > 3, hl.Tuple((x, 1)), hl.Tuple((0, x)))
    h[x] = hl.select((x > 2, x > 5), hl.Tuple(f[x]), hl.Tuple((-1, -2)))
    k = hl.Func("k")
    k[x] = hl.select(x < 2, hl.Tuple((1, 2)), x < 4, hl.Tuple((3, 4)), hl.Tuple((5, 6)))
    return [g.realize([8]), h.realize([8]), k.realize([8])]


@case
def selects_of_several(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = hl.select(x < 2, 10, x < 4, 20, x == 6, 30, 40)
    return f.realize([9])


@case
def multiplexers(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.mux(x - 1, [x * 1, x * 10, x * 100])
    g[x] = hl.mux(x, [hl.Tuple((1, x)), hl.Tuple((2, x + x)), hl.Tuple((3, x * x))])
    return [f.realize([6]), g.realize([5])]


@case
def undefined_first(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = hl.undef(hl.Int(32))
    every, r = hl.RDom([(0, 8)]), hl.RDom([(1, 4)])
    f[every.x] = every * 3
    f[r.x] += f[r.x - 1]
    return f.realize([8])


@case
def undefined_elements(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, x + 100)
    f[x] = (hl.undef(hl.Int(32)), f[x][0] * 2)
    return f.realize([6])


@case
def sums_define(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    n = noise(hl, 9, 7)
    r = hl.RDom([(0, 7), (0, 9)])
    f, g, h, k = (hl.Func(c) for c in "fghk")
    f[x] += hl.i32(n[r.x, r.y])
    g[n[r.x, r.y] / 64] += 1
    h[x, y] -= hl.f32(x) / 3
    k[x] *= r.x + 1
    return [f.realize([2]), g.realize([4]), h.realize([3, 2]), k.realize([1])]


@case
def sums_spelled_out(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    r = hl.RDom([(0, 5)])
    f = hl.Func("f")
    f[x] = f[x] + x * r
    f[x] = f[x] * 2
    return f.realize([6])


@case
def bytes_wrap_in_updates(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    r = hl.RDom([(0, 50)])
    f = hl.Func("f")
    f[x] = hl.u8(x)
    f[x] += 7
    f[x] = f[x] * 3 + hl.u8(r)
    f[3] += 255
    return f.realize([10])


@case
def histogram(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    n = noise(hl, 33, 17)
    r = hl.RDom(n)
    f = hl.Func("f")
    f[x] = 0
    f[hl.i32(n[r.x, r.y])] += 1
    return [f.realize([256]), r.x.name().endswith("$x"), len(r), r.dimensions(), r.defined(), hl.RDom().defined()]


@case
def prefix_sums(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    n = noise(hl, 8, 9)
    f = hl.Func("f")
    f[x, y] = hl.u32(n[x, y])
    a, b = hl.RDom([(1, 8)]), hl.RDom([(1, 7)])
    f[a, y] += f[a - 1, y]
    f[x, b] += f[x, b - 1]
    return f.realize([9, 8])


@case
def domains_with_conditions(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    r = hl.RDom([(0, 10), (0, 10), (1, 3)])
    r.where(r.x < r.y)
    r.where((r.x + r.y) % r.z == 0)
    f = hl.Func("f")
    f[x] = 0
    f[r.x] += r.y * r.z
    return f.realize([10])


@case
def conditions_on_data(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    n = noise(hl, 64)
    r = hl.RDom([(0, 64)])
    r.where(n[r] > 100)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = 0
    f[x] += hl.i32(n[r]) * (x + 1)
    g[()] = hl.sum(r, hl.i32(n[r]))
    return [f.realize([3]), g.realize()]


@case
def domains_of_four_dimensions(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    r = hl.RDom([(0, 3), (1, 2), (2, 2), (-1, 3)], "r")
    f = hl.Func("f")
    f[x, y] = 0
    f[r.x, r.y] += r[2] * 10 + r.w
    return [f.realize([3, 3]), len(f.rvars(0)), len(r)]


@case
def inline_reductions(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    n = noise(hl, 12, 12)
    r = hl.RDom([(0, 3), (0, 3)])
    e = n[x + r.x, y + r.y]
    f = hl.Func("f")
    f[x, y] = (
        hl.sum(hl.i32(e)),
        hl.product(hl.i32(e) % 5 + 1),
        hl.maximum(e),
        hl.minimum(hl.f32(e), "least"),
        hl.sum(hl.i32(e), name="total"),
    )
    return f.realize([10, 10])


@case
def best_places(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    n = noise(hl, 12, 12)
    r, s = hl.RDom([(0, 12)]), hl.RDom([(0, 4), (2, 5)])
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x] = hl.argmax(n[r, x])
    g[x] = hl.argmin(n[r, x])
    h[x] = hl.argmin(hl.f32(n[s.x + x, s.y]) * -1.5, "place")
    m = hl.Func("m")
    m[()] = hl.argmax(n[s.x, s.y])[1]
    return [f.realize([12]), g.realize([12]), h.realize([8]), m.realize()]


@case
def inline_reductions_over_given_domains(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    n = noise(hl, 40)
    outer, inner = hl.RDom([(0, 4)]), hl.RDom([(0, 5)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += hl.sum(inner, hl.i32(n[x + inner + outer]))
    return f.realize([8])


@case
def implicit_variables(hl: Any) -> Any:
    x, y, z = xyz(hl)
    f, g, h, k = (hl.Func(c) for c in "fghk")
    f[x, y, z] = x + 10 * y + 100 * z
    g[hl._] = f[hl._] * 2
    h[x, hl._] = g[x + 1, hl._]
    k[hl._, z] = h[hl._, z] + f[hl._0, hl._1, 2]
    names = [[v.name() for v in a.args()] for a in (f, g, h, k)]
    return [k.realize([3, 4, 2]), [len(n) for n in names], names[1], names[2]]


@refusal("_0")
def implicit_variables_in_an_update(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y
    g[x, y] = 0
    g[3, hl._] = f[hl._]


@case
def funcs_of_expressions(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    a = noise(hl, 4, 5)
    p = hl.ImageParam(hl.UInt(8), 2, "p")
    p.set(a)
    f, g = hl.Func(hl.Expr(7) * 6), hl.Func(p)
    k = hl.lambda_func(x, y, x * y + 1)
    h = hl.Func("h")
    h[x, y] = hl.Func(a)[x, y] + hl.i32(g[x, y])
    return [
        f.realize(),
        g.realize([5, 4]),
        k.realize([3, 3]),
        h.realize([5, 4]),
        f.dimensions(),
        g.dimensions(),

    ]


@case
def constants(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x] = 5
    g[x] = 0.1
    h[x] = True
    return [f.realize([2]), g.realize([2]), h.realize([2]), str(f.type()), str(g.type()), str(h.type())]


@case
def attributes(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    r = hl.RDom([(0, 3), (1, 2)], "dom")
    f = hl.Func("f_attributes")
    before = [f.defined(), f.name().startswith("f_attributes"), f.num_update_definitions(), f.has_update_definition()]
    f[x, y] = hl.f32(x)
    f[r.x, y] = f[r.x, y] + r.y
    f[x, 3] = 1.0
    found: list[Any] = [f.defined(), f.dimensions(), f.outputs(), str(f.type()), [v.name() for v in f.args()]]
    found += [str(f.value().type()), len(f.values()), f.num_update_definitions(), f.has_update_definition()]
    found += [len(f.update_args(0)), str(f.update_value(0).type()), len(f.update_values(1))]
    found += [len(f.rvars(0)), len(f.rvars(1)), f.is_extern(), f.realize([4, 4])]
    return before + found


@case
def required_types(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f = hl.Func(hl.UInt(8), 2, "f")
    g = hl.Func([hl.Int(32), hl.Float(32)], 1, "g")
    f[x, y] = hl.u8(x + y)
    g[x] = (x, hl.f32(x))
    return [f.realize([3, 3]), g.realize([3])]


@refusal("is constrained to only hold values of type uint8")
def another_type_than_required(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    hl.Func(hl.UInt(8), 2, "f")[x, y] = x


@refusal("is constrained to have exactly 2 dimensions")
def other_dimensions_than_required(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    hl.Func(hl.UInt(8), 2, "f")[x] = hl.u8(x)


@case
def names_used_twice(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g, h = hl.Func("f"), hl.Func("f"), hl.Func("f")
    n = hl.Buffer(np.arange(20, dtype=np.int32), "f")
    f[x] = x * 2 + n[x]
    g[x] = f[x] + 1
    h[x] = g[x] + f[x + 1]
    f.compute_root()
    g.compute_root()
    return h.realize([10])


@case
def coordinates_of_every_type(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    n = noise(hl, 256)
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x * 3
    f.compute_root()
    g[x] = f[n[x]] + f[hl.u16(n[x]) / 2]
    return g.realize([200])


@case
def scatter_and_gather(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = x * x
    r = hl.RDom([(0, 3)])
    f[hl.gather([r, 7 - r])] = hl.scatter([f[7 - r], f[r]])
    f[hl.gather([8, 9])] = hl.scatter([100, 200])
    f[hl.gather([1, 2])] += 1000
    return f.realize([10])


@case
def pipelines_of_several(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + y
    g[x, y] = hl.f32(f[x, y]) * 2
    h[x, y] = (f[x, y] * 3, hl.u8(x))
    f.compute_root()
    p = hl.Pipeline([g, h, f])
    return [p.realize([5, 4]), p.defined(), len(p.outputs()), p.get_func(0).name() == p.get_func(0).name()]


def boundary(name: str, explicit: bool) -> Any:
    def script(hl: Any) -> Any:
        x, y, _ = xyz(hl)
        p = hl.ImageParam(hl.UInt(8), 2, "p")
        b = noise(hl, 4, 5)
        b.set_min([2, -1])
        p.set(b)
        args = ([7] if name == "constant_exterior" else []) + ([[(3, 3), (0, 2)]] if explicit else [])
        f, g = hl.Func("f"), getattr(hl.BoundaryConditions, name)(p, *args)
        f[x, y] = g[x - 12, y - 11]
        return f.realize([33, 29])

    return script


CONDITIONS = ["repeat_edge", "constant_exterior", "repeat_image", "mirror_image", "mirror_interior"]
for name in CONDITIONS:
    add(f"func_cases.{name}", boundary(name, False))
    add(f"func_cases.{name}_of_a_region", boundary(name, True))


@case
def boundaries_of_funcs_and_buffers(hl: Any) -> Any:
    x, y, _ = xyz(hl)
    f = hl.Func("f")
    f[x, y] = x * 10 + y
    b = noise(hl, 3, 4)
    found = []
    for name in CONDITIONS:
        value = [3] if name == "constant_exterior" else []
        make = getattr(hl.BoundaryConditions, name)
        found.append(make(f, *value, [(0, 4), (1, 3)]).realize([9, 8]))
        found.append(make(f, *value, [(1, 4)]).realize([9, 3]))
        g = make(b, *(hl.u8(v) for v in value))
        h = hl.Func("h")
        h[x, y] = g[x - 3, y - 3]
        found.append(h.realize([10, 10]))
    return found


@case
def boundaries_of_tuples(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = (x, hl.f32(x) / 2)
    return [
        hl.BoundaryConditions.repeat_edge(f, [(2, 4)]).realize([9]),
        hl.BoundaryConditions.mirror_image(f, [(2, 4)]).realize([9]),
    ]


@case
def evaluated(hl: Any) -> Any:
    return [
        hl.evaluate(hl.Expr(3) * 4),
        hl.evaluate((hl.f32(1) / 3, hl.u8(200) + 100)),
        hl.evaluate(hl.sqrt(2.0)),
    ]


@case
def strict_and_likely(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    g = hl.f32(x) * 0.1
    f[x] = (hl.strict_float((g + 1e8) - 1e8), hl.likely(x), hl.likely_if_innermost(x > 3))
    return f.realize([10])


@case
def promised_clamps(hl: Any) -> Any:
    x, _, _ = xyz(hl)
    f, g = hl.Func("f"), hl.Func("g")
    n = noise(hl, 100)
    f[x] = x * x
    f.compute_root()
    g[x] = f[hl.unsafe_promise_clamped(hl.i32(n[x]), 0, 255)]
    return g.realize([100])


@case
def updates_that_never_run(hl: Any) -> Any:
    """Their domains are empty of points that meet the conditions; what only they use need not be computed."""
    out = []
    for place in ("inline", "in the update", "at root", "fused"):
        x, y, _ = xyz(hl)
        used, f, other, both = (hl.Func(n) for n in ("used", "f", "other", "both"))
        r = hl.RDom([(1, 3), (1, 2)])
        r.where(r.x + r.y < 2)
        used[x, y] = x + y
        f[x, y] = x
        f[x, y] += used[x + r.x, y]
        other[x, y] = x * y
        other[x, y] += used[x + 1, y]
        both[x, y] = f[x, y] + other[x, y]
        if place == "in the update":
            used.compute_at(f, r.x)
        elif place == "at root":
            used.compute_root()
        elif place == "fused":
            f.compute_root()
            other.compute_root()
            used.compute_root()
            other.compute_with(f, y)
            other.update(0).compute_with(f.update(0), y)
        f.update(0).vectorize(x, 8, hl.TailStrategy.GuardWithIf)
        out.append((f if place == "in the update" else both).realize([9, 5]))
    return out


@case
def domains_by_whole_floats(hl: Any) -> Any:
    """What Python's division leaves, `width / 2`, is a bound where it is a whole number."""
    x, _, _ = xyz(hl)
    f = hl.Func("f")
    f[x] = 0
    f[hl.RDom([(1.0, 10 / 2)]).x] += 1
    f[hl.RDom([(0, hl.f32(2))]).x] += 10
    return f.realize([8])
