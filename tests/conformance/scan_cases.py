"""Reductions: scans in both directions, several passes, triangles, histograms, places of extremes, Tuples, atomics."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal


def signal(hl: Any, dtype: str, *shape: int) -> Any:
    """An array of numbers that repeat after long."""
    count = int(np.prod(shape))
    return hl.Buffer((np.arange(count) * 37 % 101).astype(dtype).reshape(shape))


@case
def two_scans_against_each_other(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(1, 12)])
    f = hl.Func("f")
    f[x] = x * x - 5 * x
    left, right = r.x, 12 - r.x
    f[left] = f[left - 1] + f[left]
    f[right] = f[right + 1] * 2 + f[right]
    return f.realize([13])


@case
def single_places_between_scans(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = x * x
    f[x] = x
    r, s = hl.RDom([(1, 9)]), hl.RDom([(3, 4)])
    f[r.x] = f[r.x] + f[r.x - 1]
    f[11] = 8
    f[20] = f[11] - f[0]
    f[s.x] = g[s.x] + f[20]
    g.compute_at(f, s.x)
    return f.realize([21])


@case
def fibonacci_by_single_updates(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = 1
    for k in range(2, 15):
        f[k] = f[k - 1] + f[k - 2]
    return f.realize([16])


@case
def fibonacci_by_a_domain(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(2, 20)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.u32(1)
    f[r.x] = f[r.x - 1] + f[r.x - 2]
    g[x] = f[x + 10] * hl.u32(2)
    f.compute_root()
    return g.realize([10])


@case
def a_summed_area_table_with_schedules(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(1, 14)])
    source = signal(hl, "int32", 15, 16)
    f = hl.Func("f")
    f[x, y] = source[x, y]
    f[x, r] += f[x, r - 1]
    f[r, y] += f[r - 1, y]
    f.update(0).vectorize(x, 4)
    f.update(1).reorder(r.x, y).parallel(y)
    return f.realize([15, 15])


@case
def many_rows_and_columns(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    for k in range(12):
        f[x, k] += 1
        f[k, y] *= 2
    f.compute_root()
    g[x, y] = f[x, y] - f[y, x]
    return [g.realize([12, 12]), f.realize([5, 9])]


@case
def a_chain_of_recursive_filters(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    source = signal(hl, "int32", 9, 14)
    stage = source
    for k in range(3):
        r = hl.RDom([(1, 13)])
        f = hl.Func(f"s{k}")
        f[x, y] = stage[x, y]
        f[r.x, y] = f[r.x, y] + (f[r.x - 1, y] >> 1)
        f[12 - r.x + 1, y] += 3
        f.compute_root()
        stage = f
    return stage.realize([14, 9])


def triangle(name: str, vector: bool) -> Any:
    """A domain with a condition on its variables, which bounds the loops or stays one."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        p = hl.Param(hl.Int(32), "p", 5)
        r = hl.RDom([(0, 11), (0, 9)])
        where = {
            "below": lambda: r.x < r.y,
            "beyond": lambda: r.x + r.y >= p,
            "inside": lambda: (r.x >= r.y) & (r.x < 2 * r.y + 1),
            "circle": lambda: (r.x - 5) * (r.x - 5) + (r.y - 4) * (r.y - 4) < 13,
            "even": lambda: (r.x + r.y) % 2 == 0,
            "neither": lambda: (r.x == 3) | (r.y != p),
            "scaled": lambda: 2 * r.x - 3 * r.y < p,
        }[name]
        r.where(where())
        f = hl.Func("f")
        f[x, y] = x + y * 3
        f[r.x, r.y] += f[r.x, r.y] * 2 + 1
        if vector:
            f.update().vectorize(r.x, 4)
        return f.realize([11, 9])

    return script


for _name in ("below", "beyond", "inside", "circle", "even", "neither", "scaled"):
    for _vector in (False, True):
        add(f"scan.triangle.{_name}{'.vector' if _vector else ''}", triangle(_name, _vector))


@case
def a_condition_on_another_func(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 10), (0, 6)])
    mask, f = hl.Func("mask"), hl.Func("f")
    mask[x, y] = (x * 7 + y * 3) % 4
    r.where(mask[r.x, r.y] < 2)
    f[x, y] = 10
    f[r.x, r.y] += mask[r.x, r.y] + r.x
    mask.compute_root()
    f.compute_root()
    return f.realize([10, 6])


@case
def a_condition_on_the_pure_variable(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 6)])
    r.where(x * 2 < r.x + y)
    f = hl.Func("f")
    f[x, y] = 0
    f[x, y] += r.x
    f.update().vectorize(x, 8)
    return f.realize([9, 8])


@case
def a_condition_on_the_func_itself(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 9)])
    f = hl.Func("f")
    f[x] = x * 5 % 7
    r.where(f[r.x] > f[r.x + 1])
    f[r.x] = f[r.x + 1] * 10
    return f.realize([10])


@case
def sorted_by_exchanges(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 15), (0, 15)])
    r.where(r.x < 15 - r.y)
    f = hl.Func("f")
    f[x] = (23 - (x * 7 % 16), hl.u8(x * 17))
    r.where((f[r.x][0] > f[r.x + 1][0]) | ((f[r.x][0] == f[r.x + 1][0]) & (f[r.x][1] > f[r.x + 1][1])))
    f[hl.scatter([r.x, r.x + 1])] = (
        hl.gather([f[r.x + 1][0], f[r.x][0]]), hl.gather([f[r.x + 1][1], f[r.x][1]]),
    )  # fmt: skip
    return f.realize([16])


@case
def a_sorting_network_of_an_image(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    network = hl.Buffer(np.array([[0, 1], [2, 3], [0, 2], [1, 3], [1, 2]], np.int32))
    source = signal(hl, "int32", 4, 16)
    r = hl.RDom([(0, 5)])
    low = hl.unsafe_promise_clamped(network[0, r.x], 0, 3)
    high = hl.unsafe_promise_clamped(network[1, r.x], 0, 3)
    f = hl.Func("f")
    f[x, y] = source[x, y]
    a, b = f[x, low], f[x, high]
    f[x, hl.scatter([low, high])] = hl.gather([hl.min(a, b), hl.max(a, b)])
    f.vectorize(x, 4).update().vectorize(x, 4)
    return f.realize([13, 4])


@case
def a_rotation_in_place(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    n = 9
    source = signal(hl, "uint8", n, n)
    f = hl.Func("f")
    f[x, y] = source[x, y]
    r = hl.RDom([(0, (n + 1) // 2), (0, n // 2)])
    xs = [r.x, n - 1 - r.y, n - 1 - r.x, r.y]
    ys = [r.y, r.x, n - 1 - r.y, n - 1 - r.x]
    values = [f[a, b] for a, b in zip(xs, ys, strict=True)]
    f[hl.scatter([*xs[1:], xs[0]]), hl.scatter([*ys[1:], ys[0]])] = hl.gather(values)
    return f.realize([n, n])


@case
def a_product_of_complex_numbers(hl: Any) -> Any:
    x = hl.Var("x")
    source = signal(hl, "uint8", 30, 2)
    r = hl.RDom([(0, 30)])
    f = hl.Func("f")
    f[x] = hl.u8(hl.mux(x, [1, 0]))
    a, b = source[0, r.x], source[1, r.x]
    f[hl.scatter([0, 1])] = hl.gather([f[0] * a - f[1] * b, f[0] * b + f[1] * a])
    return f.realize([2])


@case
def one_value_for_several_places(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = 0
    f[hl.scatter([1, 2, 4])] = 5
    g[x] = 0
    g[3] = hl.gather([1, 9])
    return f.realize([6]), g.realize([5])


@refusal("")
def as_many_places_as_values(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = 0
    f[hl.scatter([1, 2, 3])] = hl.gather([4, 5])
    return f.realize([6])


@case
def a_histogram_made_equal(hl: Any) -> Any:
    x, y, i = hl.Var("x"), hl.Var("y"), hl.Var("i")
    source = signal(hl, "uint8", 12, 20)
    r, s = hl.RDom([(0, 20), (0, 12)]), hl.RDom([(1, 255)])
    counts, sums, out = hl.Func("counts"), hl.Func("sums"), hl.Func("out")
    counts[hl.i32(source[r.x, r.y])] += 1
    sums[i] = counts[i]
    sums[s.x] = sums[s.x - 1] + counts[s.x]
    out[x, y] = hl.u8((sums[hl.i32(source[x, y])] * 255) / 240)
    counts.compute_root()
    sums.compute_root()
    return out.realize([20, 12])


@case
def histograms_of_several_types(hl: Any) -> Any:
    found = []
    for kind, counter in (("uint8", "u16"), ("int16", "i32"), ("uint32", "u8"), ("int8", "f32")):
        x = hl.Var("x")
        source = signal(hl, kind, 9, 40)
        r = hl.RDom([(0, 40), (0, 9)])
        h, g = hl.Func("h"), hl.Func("g")
        h[x] = getattr(hl, counter)(0)
        h[hl.clamp(hl.i32(source[r.x, r.y]), 0, 90)] += getattr(hl, counter)(1)
        g[x] = h[x + 10]
        h.compute_root()
        found.append(g.realize([70]))
    return found


@case
def the_place_of_the_greatest_by_hand(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 20), (0, 12)])
    g, best = hl.Func("g"), hl.Func("best")
    g[x, y] = x * (14 - x) + y * (9 - y)
    g.compute_root()
    best[()] = (0, 0, g[0, 0])
    better = g[r.x, r.y] > best[()][2]
    best[()] = hl.select(better, hl.Tuple((r.x, r.y, g[r.x, r.y])), best[()])
    found = hl.Func("found")
    found[x] = hl.mux(x, [best[()][0], best[()][1], best[()][2]])
    return found.realize([3])


@case
def extremes_of_equal_values(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(-3, 9), (2, 4)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (x * x + y) % 5
    most, least = hl.argmax(f[r.x, r.y]), hl.argmin(f[r.x, r.y])
    g[x] = hl.mux(x, [*(most[i] for i in range(3)), *(least[i] for i in range(3))])
    return g.realize([6])


@case
def a_start_that_any_place_may_have(hl: Any) -> Any:
    x = hl.Var("x")
    found = []
    for start in (-1, 0, 6, 19, 20):
        r = hl.RDom([(0, 20)])
        h, best = hl.Func("h"), hl.Func("best")
        h[x] = (x * (13 - x), x)
        h[start] = hl.select(h[start][0] >= h[r.x][0], h[start], h[r.x])
        best[x] = h[start + x * 0][1]
        found.append(best.realize([1]))
    return found


@case
def values_of_a_tuple_that_are_updated_alone(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 7)])
    f = hl.Func("f")
    f[x] = (x, x * 2, x * 3)
    f[x] = (f[x][0], f[x][1] + r.x, f[x][2])
    f[r.x] = (f[r.x][2], f[r.x][1], f[r.x][0] - 1)
    return f.realize([9])


@case
def a_tuple_of_values_that_need_each_other(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(1, 8)])
    f = hl.Func("f")
    f[x] = (hl.u32(1), hl.u32(1))
    f[r.x] = (f[r.x - 1][0] + f[r.x - 1][1], f[r.x - 1][0])
    g = hl.Func("g")
    g[x] = f[x][0] * hl.u32(100) + f[x][1]
    f.compute_root()
    return g.realize([9])


@case
def undefined_values_of_a_tuple(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = (x * 2, x * 3)
    f[x] = (hl.undef(hl.Int(32)), f[x][1] + 4)
    f[2] = (7, hl.undef(hl.Int(32)))
    return f.realize([6])


@case
def newtons_method_on_a_scalar(hl: Any) -> Any:
    r = hl.RDom([(0, 9)])
    f = hl.Func("f")
    f[()] = hl.f64(3)
    f[()] = hl.strict_float((f[()] + hl.f64(10) / f[()]) / 2 + hl.f64(r.x) * 0)
    return f.realize()


@case
def a_game_of_life(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    cells = np.random.default_rng(4).integers(0, 2, (9, 11)).astype(np.uint8)
    state = hl.BoundaryConditions.constant_exterior(hl.Buffer(cells), 0)
    for k in range(3):
        around = hl.u8(0)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                around = around + (state[x + dx, y + dy] if dx or dy else hl.u8(0))
        f = hl.Func(f"g{k}")
        alive = (around == 3) | ((state[x, y] != 0) & (around == 2))
        inside = (x >= 0) & (x < 11) & (y >= 0) & (y < 9)
        f[x, y] = hl.select(alive & inside, hl.u8(1), hl.u8(0))
        f.compute_root().vectorize(x, 8)
        state = f
    return state.realize([11, 9])
