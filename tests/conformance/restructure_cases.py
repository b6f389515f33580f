"""Directives that make other Funcs or other loops of one: rfactor, in_, clone_in, specialize, compute_with."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import Script, add, case, refusal


def variables(hl: Any, names: str) -> list[Any]:
    return [hl.Var(n) for n in names.split()]


def numbers(hl: Any, type_: str = "int32") -> Any:
    return hl.Buffer((np.random.default_rng(9).integers(0, 100, (13, 19))).astype(type_))


OPERATIONS: dict[str, tuple[str, Callable[[Any, Any, Any], Any], int]] = {
    "sum": ("i32", lambda hl, a, b: a + b, 0),
    "sum_bytes": ("u8", lambda hl, a, b: a + b, 3),
    "product": ("u32", lambda hl, a, b: a * (b | hl.u32(1)), 1),
    "least": ("i32", lambda hl, a, b: hl.min(a, b), 1000),
    "greatest": ("u16", lambda hl, a, b: hl.max(b, a), 0),
    "greatest_float": ("f32", lambda hl, a, b: hl.max(a, b), 0),
    "sum_float": ("f32", lambda hl, a, b: a + b, 0),
}


def factored(operation: str, split: bool) -> Script:
    type_, combine, start = OPERATIONS[operation]

    def script(hl: Any) -> Any:
        x, u, v = variables(hl, "x u v")
        data = numbers(hl)
        r = hl.RDom([(0, 19), (0, 13)])
        f = hl.Func("f")
        cast = getattr(hl, type_)
        f[x] = cast(start)
        f[x] = combine(hl, f[x], cast(data[r.x, r.y] * (x + 1) % 100))
        stage = f.update()
        if split:
            ro, ri = hl.RVar("ro"), hl.RVar("ri")
            part = stage.split(r.x, ro, ri, 4).rfactor([(ro, u), (r.y, v)])
            part.compute_root().update().parallel(v).vectorize(x, 4)
        else:
            part = stage.rfactor(r.y, u)
            part.compute_root().vectorize(u, 4).update().parallel(u)
        return f.realize([3])

    return script


for _operation in OPERATIONS:
    for _split in (False, True):
        add(f"rfactor.{_operation}.{'split' if _split else 'whole'}", factored(_operation, _split))


@case
def rfactor_of_a_histogram(hl: Any) -> Any:
    i, u = variables(hl, "i u")
    data = numbers(hl, "uint8")
    r = hl.RDom([(0, 19), (0, 13)])
    h = hl.Func("h")
    h[i] = 0
    h[hl.i32(data[r.x, r.y])] += 1
    part = h.update().rfactor(r.y, u)
    part.compute_root().update().parallel(u)
    h.update().vectorize(i, 8)
    return h.realize([100])


@case
def rfactor_of_a_scalar(hl: Any) -> Any:
    (u,) = variables(hl, "u")
    r = hl.RDom([(0, 19), (0, 13)])
    data = numbers(hl)
    f = hl.Func("f")
    f[()] = 0
    f[()] += data[r.x, r.y]
    f.update().rfactor(r.x, u).compute_root().vectorize(u, 8).update().vectorize(u, 8, hl.TailStrategy.GuardWithIf)
    return f.realize([])


@case
def rfactor_with_a_condition(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    r = hl.RDom([(0, 9), (0, 9)])
    r.where(r.x < r.y)
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * r.y + x
    f.update().rfactor(r.y, u).compute_root()
    return f.realize([4])


@case
def rfactor_of_all_variables(hl: Any) -> Any:
    x, u, v = variables(hl, "x u v")
    r = hl.RDom([(0, 9), (2, 5)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * r.y + x
    f.update().rfactor([(r.x, u), (r.y, v)]).compute_root()
    return f.realize([4])


@case
def rfactor_of_fused_variables(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    r, t, to, ti = hl.RDom([(0, 9), (2, 5)]), hl.RVar("t"), hl.RVar("to"), hl.RVar("ti")
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * r.y + x
    f.update().fuse(r.x, r.y, t).split(t, to, ti, 8).rfactor(ti, u).compute_root().vectorize(u)
    return f.realize([4])


@case
def rfactor_twice(hl: Any) -> Any:
    x, u, v = variables(hl, "x u v")
    data = numbers(hl)
    r, ro, ri = hl.RDom([(0, 19), (0, 13)]), hl.RVar("ro"), hl.RVar("ri")
    f = hl.Func("f")
    f[x] = 0
    f[x] += data[r.x, r.y] * x
    first = f.update().rfactor(r.y, u)
    first.compute_root()
    second = first.update().split(r.x, ro, ri, 4).rfactor(ri, v)
    second.compute_at(first, u).vectorize(v).update().vectorize(v)
    return f.realize([4])


@case
def rfactor_at_a_level(hl: Any) -> Any:
    x, y, u = variables(hl, "x y u")
    data = numbers(hl)
    r, ro, ri = hl.RDom([(0, 19)]), hl.RVar("ro"), hl.RVar("ri")
    f, g = hl.Func("f"), hl.Func("g")
    f[y] = 0
    f[y] += data[r.x, y]
    g[x, y] = f[y] * x
    f.compute_at(g, y)
    f.update().split(r.x, ro, ri, 8).rfactor(ri, u).compute_at(f, y).vectorize(u).update().vectorize(u)
    return g.realize([5, 13])


@case
def rfactor_of_a_tuple(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    data = numbers(hl)
    r = hl.RDom([(0, 19), (0, 13)])
    f = hl.Func("f")
    f[x] = (0, 1000)
    f[x] = (f[x][0] + data[r.x, r.y], hl.min(f[x][1], data[r.x, r.y] + x))
    f.update().rfactor(r.y, u).compute_root()
    return list(f.realize([3]))


@case
def rfactor_of_the_place_of_the_greatest(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    data = numbers(hl)
    r = hl.RDom([(0, 19), (0, 13)])
    f = hl.Func("f")
    f[x] = (-1, 0)
    e = data[r.x, r.y] + 0 * x
    f[x] = (hl.max(f[x][0], e), hl.select(e < f[x][0], f[x][1], r.x))
    f.update().rfactor(r.y, u).compute_root()
    return list(f.realize([2]))


@case
def rfactor_of_the_place_of_the_least(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    data = numbers(hl)
    r, ro, ri = hl.RDom([(0, 19), (0, 13)]), hl.RVar("ro"), hl.RVar("ri")
    f = hl.Func("f")
    f[x] = (1000, 0)
    e = data[r.x, r.y]
    f[x] = (hl.min(f[x][0], e), hl.select(f[x][0] < e, f[x][1], r.x))
    f.update().split(r.y, ro, ri, 4).rfactor(ro, u).compute_root().update().parallel(u)
    return list(f.realize([2]))


@refusal("associative")
def rfactor_of_what_is_not_associative(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] = f[x] * 2 + r.x
    f.update().rfactor(r.x, u)


@refusal("used in")
def rfactor_into_a_name_that_is_used(hl: Any) -> Any:
    (x,) = variables(hl, "x")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().rfactor(r.x, x)


@refusal("no reduction loop")
def rfactor_of_an_unknown_variable(hl: Any) -> Any:
    x, u = variables(hl, "x u")
    r = hl.RDom([(0, 10)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x
    f.update().rfactor([(hl.RVar("q"), u)])


# Wrappers and clones.
def shared(hl: Any) -> tuple[Any, Any, Any, Any, Any]:
    x, y = variables(hl, "x y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x * 3 + y * 5
    g[x, y] = f[x, y] + f[x + 1, y]
    h[x, y] = g[x, y] * 2 + f[x, y - 1]
    return f, g, h, x, y


def wrapped(how: Callable[[Any, Any, Any, Any, Any, Any], Any]) -> Script:
    def script(hl: Any) -> Any:
        f, g, h, x, y = shared(hl)
        how(hl, f, g, h, x, y)
        return h.realize([11, 6])

    return script


add("in_.all", wrapped(lambda hl, f, g, h, x, y: (f.compute_root(), f.in_().compute_at(h, y).vectorize(x, 4))))
add(
    "in_.one",
    wrapped(lambda hl, f, g, h, x, y: (f.compute_root(), g.compute_at(h, y), f.in_(g).compute_at(g, y).unroll(x, 2))),
)
add("in_.several", wrapped(lambda hl, f, g, h, x, y: (f.in_([g, h]).compute_root().vectorize(x, 8), g.compute_root())))
add("in_.inlined", wrapped(lambda hl, f, g, h, x, y: (f.in_(h), f.compute_root())))
add("in_.again", wrapped(lambda hl, f, g, h, x, y: (f.in_(h).compute_at(h, x), f.in_(h).unroll(x), f.compute_root())))
add(
    "in_.wrapper_of_a_wrapper",
    wrapped(lambda hl, f, g, h, x, y: (f.compute_root(), f.in_(h).compute_root().in_(h).compute_at(h, y))),
)
add("clone_in.one", wrapped(lambda hl, f, g, h, x, y: (f.compute_root(), f.clone_in(g).compute_at(h, y))))
add("clone_in.several", wrapped(lambda hl, f, g, h, x, y: (f.clone_in([g, h]).compute_root(), g.compute_root())))


@case
def clone_of_an_update(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    p, q = hl.Func("p"), hl.Func("q")
    p[x, y] = x + y
    p[x, y] = p[x, y] * 3 + 1
    q[x, y] = p[x, y] - p[x, y + 2]
    p.compute_root()
    copy = p.clone_in(q)
    copy.compute_at(q, y)
    copy.update().vectorize(x, 4)
    return q.realize([9, 5])


@case
def wrapper_of_a_tuple(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (x + y, hl.f32(x))
    g[x, y] = hl.f32(f[x, y][0]) + f[x + 1, y][1]
    f.compute_root()
    f.in_(g).compute_at(g, y).vectorize(x, 4)
    return g.realize([9, 5])


@case
def funcs_of_one_name(hl: Any) -> Any:
    x = hl.Var("x")
    stages = [hl.Func("stage") for _ in range(4)]
    stages[0][x] = x
    for a, b in itertools.pairwise(stages):
        b[x] = a[x] + a[x + 1]
        a.compute_root()
    return stages[-1].realize([5])


# Specializations.
def specialized(value: int, size: int, how: Callable[[Any, Any, Any, Any, Any], Any]) -> Script:
    def script(hl: Any) -> Any:
        x, y = variables(hl, "x y")
        p = hl.Param(hl.Int(32), "p", value)
        f = hl.Func("f")
        f[x, y] = hl.select(p == 3, x * 2, x * p + y)
        how(hl, f, p, x, y)
        return f.realize([size, 3])

    return script


for _value in (3, 5, 12):
    add(
        f"specialize.two.{_value}",
        specialized(
            _value,
            11,
            lambda hl, f, p, x, y: (
                f.specialize(p == 3).vectorize(x, 4, hl.TailStrategy.GuardWithIf),
                f.specialize(p > 10).parallel(y).unroll(x, 2, hl.TailStrategy.GuardWithIf),
            ),
        ),
    )
    add(
        f"specialize.nested.{_value}",
        specialized(
            _value,
            11,
            lambda hl, f, p, x, y: f.specialize(p > 3).specialize(p > 10).reorder(y, x),
        ),
    )
for _size in (4, 16):
    add(
        f"specialize.size.{_size}",
        specialized(
            7,
            _size,
            lambda hl, f, p, x, y: (
                f.specialize((p & 7) == 7).split(x, x, hl.Var("xi"), 8).vectorize(hl.Var("xi")),
                f.vectorize(x, 4),
            ),
        ),
    )
add("specialize.not_failing", specialized(3, 5, lambda hl, f, p, x, y: (f.specialize(p == 3), f.specialize_fail("no"))))


@refusal("specialize_fail() was chosen: not this one")
def specialize_that_fails(hl: Any) -> Any:
    return specialized(4, 5, lambda hl, f, p, x, y: (f.specialize(p == 3), f.specialize_fail("not this one")))(hl)


@refusal("specialize")
def specialize_on_a_var(hl: Any) -> Any:
    return specialized(4, 5, lambda hl, f, p, x, y: f.specialize(x == 3))(hl)


@refusal("specialize_fail")
def specialize_after_failing(hl: Any) -> Any:
    return specialized(4, 5, lambda hl, f, p, x, y: (f.specialize_fail("no"), f.specialize(p == 3)))(hl)


@case
def specialize_an_update(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    p = hl.Param(hl.Bool(), "p", True)
    r = hl.RDom([(0, 6)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x
    f[x, y] += r.x * y
    g[x, y] = f[x, y] + f[x + 1, y]
    f.compute_at(g, y)
    f.update().specialize(p).vectorize(x, 4)
    f.update().specialize(~p).parallel(x)
    g.specialize(p).vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    return g.realize([11, 3])


# Common loops.
def together(
    hl: Any,
    how: Callable[[Any, Any, Any, Any, Any, Any], Any],
    outputs: bool = False,
    sizes: tuple[int, int] = (9, 5),
) -> Any:
    x, y = variables(hl, "x y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x * 3 + y
    g[x, y] = x * y
    h[x, y] = f[x, y] + f[x + 2, y + 1] + g[x, y - 1] * 7
    if outputs:
        how(hl, f, g, h, x, y)
        return list(hl.Pipeline([f, g]).realize(list(sizes)))
    f.compute_root()
    g.compute_root()
    how(hl, f, g, h, x, y)
    return h.realize(list(sizes))


TOGETHER: dict[str, Callable[[Any, Any, Any, Any, Any, Any], Any]] = {
    "inner": lambda hl, f, g, h, x, y: g.compute_with(f, x),
    "outer": lambda hl, f, g, h, x, y: g.compute_with(f, y),
    "parallel": lambda hl, f, g, h, x, y: (f.parallel(y), g.parallel(y).compute_with(f, y)),
    "start": lambda hl, f, g, h, x, y: g.compute_with(f, y, hl.LoopAlignStrategy.AlignStart),
    "end": lambda hl, f, g, h, x, y: g.compute_with(f, x, hl.LoopAlignStrategy.AlignEnd),
    "each": lambda hl, f, g, h, x, y: g.compute_with(
        f, x, [(x, hl.LoopAlignStrategy.AlignEnd), (y, hl.LoopAlignStrategy.AlignStart)]
    ),
    "level": lambda hl, f, g, h, x, y: g.compute_with(hl.LoopLevel(f, y, 0)),
    "at_a_loop": lambda hl, f, g, h, x, y: (f.compute_at(h, y), g.compute_at(h, y).compute_with(f, x)),
    "split": lambda hl, f, g, h, x, y: (
        f.split(y, hl.Var("yo"), hl.Var("yi"), 2, hl.TailStrategy.GuardWithIf),
        g.split(y, hl.Var("yo"), hl.Var("yi"), 2, hl.TailStrategy.GuardWithIf).compute_with(f, hl.Var("yo")),
    ),
}
for _name, _how in TOGETHER.items():
    add(f"compute_with.{_name}", lambda hl, how=_how: together(hl, how))
for _name in ("inner", "outer", "parallel", "end"):
    add(f"compute_with.outputs.{_name}", lambda hl, how=TOGETHER[_name]: together(hl, how, True))


@case
def three_stages_together_and_their_updates(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    fs = [hl.Func(n) for n in "abc"]
    r = hl.RDom([(0, 4)])
    for k, f in enumerate(fs):
        f[x, y] = x * (k + 1) + y
        f[x, y] += r.x * (x + k)
        f.compute_root()
    h = hl.Func("h")
    h[x, y] = fs[0][x, y] + fs[1][x + 1, y] * 3 + fs[2][x, y + 2] * 5
    fs[1].compute_with(fs[0], y)
    fs[2].compute_with(fs[1], y)
    fs[1].update().compute_with(fs[0].update(), y)
    return h.realize([7, 4])


@refusal("dependency")
def computed_with_a_consumer(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y] + 1
    f.compute_with(g, y)
    return hl.Pipeline([f, g]).realize([4, 4])


@refusal("do not match")
def computed_with_another_level(hl: Any) -> Any:
    return together(hl, lambda hl, f, g, h, x, y: (g.compute_at(h, y), g.compute_with(f, x)))


@refusal("do not match")
def computed_with_another_order(hl: Any) -> Any:
    return together(hl, lambda hl, f, g, h, x, y: (g.reorder(y, x), g.compute_with(f, y)))


@refusal("do not match")
def computed_with_another_kind_of_loop(hl: Any) -> Any:
    return together(hl, lambda hl, f, g, h, x, y: (f.parallel(y), g.compute_with(f, y)))
