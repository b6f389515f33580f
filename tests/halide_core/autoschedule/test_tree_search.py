"""TreeSearch: trees and their rules, the transformers, extents as Z3 finds them, schedules that keep results."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import z3

import halide_core as hl
from corpus.bench.fit_tree_search import Measurement, fit, quality, random_tree, trees_of
from corpus.bench.random_pipelines import random_pipeline
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.tree_search import transformers as t
from halide_core.autoschedule.tree_search.features import NAMES
from halide_core.autoschedule.tree_search.scheduler import TreeSearch
from halide_core.autoschedule.tree_search.tree import Root, nests, text
from halide_core.autoschedule.tree_search.weights import WEIGHTS
from halide_core.autoschedule.tree_search.well_formed import fault
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.stmt import ForKind
from halide_core.ir.structural import post_order
from tests.halide_core.autoschedule.blurs import blur

pytestmark = pytest.mark.few(4)

TARGET = hl.Target("host-strict_float")
MACHINE = {"parallelism": "2", "l1_size": "32768", "l2_size": "1048576", "last_level_cache_size": "33554432"}


def search_of(*outputs: Any) -> TreeSearch:
    return TreeSearch([f._function for f in outputs], TARGET, this_machine(TARGET, MACHINE))


def pair(size: int = 512) -> tuple[Any, Any]:
    """The example of the page's section on bounds."""
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x * y
    f[x, y] = g[x, y] + g[x + 1, y + 1]
    f.set_estimates([(1, size), (1, size)])
    return f, g


def stored(search: TreeSearch, func: str) -> Root:
    tree = t.deinline(search.default(), search.graph, func)
    assert tree is not None
    return tree


def test_the_default_schedule_is_row_major_and_inlines_all() -> None:
    _, f = blur(2048)
    search = search_of(f)
    assert text(search.default()) == (
        "root\n"
        "  loop blurred.y serial\n"
        "    loop blurred.x serial\n"
        "      compute blurred (rows inlined)\n"
    )
    assert fault(search.default(), search.graph) is None


def test_deinlined_lowered_and_kept_further_out() -> None:
    """The schedule whose Halide the page prints: stored at the root, computed for each row."""
    _, f = blur(2048)
    search = search_of(f)
    tree: Root | None = stored(search, "rows")
    assert tree is not None and fault(tree, search.graph) is None
    tree = t.lower_compute(tree, search.graph, "rows")
    assert tree is not None and fault(tree, search.graph) is None
    assert text(tree) == (
        "root\n"
        "  storage rows\n"
        "    loop blurred.y serial\n"
        "      loop rows.y serial\n"
        "        loop rows.x serial\n"
        "          compute rows\n"
        "      loop blurred.x serial\n"
        "        compute blurred\n"
    )
    assert "rows.store_root()\nrows.compute_at(blurred, y)" in search.schedule(tree).python()
    inside = t.lower_storage(tree, "rows")
    assert inside is not None and "store_root" not in search.schedule(inside).python()
    assert t.hoist_storage(inside, "rows") == tree
    assert t.hoist_compute(tree, "rows") == stored(search, "rows")
    assert t.inline(tree, search.graph, "rows") == search.default()


def test_splits_orders_and_kinds_become_directives() -> None:
    _, f = blur(2048)
    search = search_of(f)
    tree: Root | None = search.default()
    for step in (
        lambda r: t.split(r, ("blurred", "y", 1), 32),
        lambda r: t.split(r, ("blurred", "x", 1), 8),
        lambda r: t.reorder(r, ("blurred", "y", 1)),
        lambda r: t.change_kind(r, ("blurred", "x", 1), ForKind.VECTORIZED),
        lambda r: t.reorder(r, ("blurred", "y", 1)),
        lambda r: t.change_kind(r, ("blurred", "y", 32), ForKind.PARALLEL),
    ):
        assert tree is not None
        tree = step(tree)
    assert tree is not None
    assert fault(tree, search.graph) == "the vectors of blurred are not innermost"
    tree = t.reorder(tree, ("blurred", "x", 1))
    assert tree is not None and fault(tree, search.graph) is None
    printed = search.schedule(tree).python()
    for line in ("blurred.split(y, y_o, y_i, 32, hl.TailStrategy.GuardWithIf)", "blurred.reorder(x_i, y_i, x_o, y_o)",
                 "blurred.parallel(y_o)", "blurred.vectorize(x_i)"):
        assert line in printed
    assert t.reorder(tree, ("blurred", "x", 1)) is None
    assert t.split(tree, ("blurred", "y", 32), 1) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s: t.change_kind(s.default(), ("blurred", "x", 1), ForKind.PARALLEL), "inside a serial one"),
        (lambda s: t.change_kind(s.default(), ("blurred", "x", 1), ForKind.VECTORIZED), "no constant extent"),
        (lambda s: t.resize(t.split(s.default(), ("blurred", "y", 1), 8), ("blurred", "y", 8), 0), "have the steps"),
        (lambda s: t.change_kind(t.lower_compute(stored(s, "rows"), s.graph, "rows"), ("blurred", "y", 1),
                                 ForKind.PARALLEL), "outside of a loop that is not serial"),
        (lambda s: Root(stored(s, "rows").children[0].children), "0 storage nodes"),
        (lambda s: Root(tuple(type(c)(c.func, c.children[::-1]) for c in stored(s, "rows").children)),
         "before rows, which it reads"),
    ],
)
def test_ill_formed_trees_are_named(change, reason) -> None:
    search = search_of(blur(2048)[1])
    assert reason in str(fault(change(search), search.graph))


def z3_box(f: Any, read: str, box: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The extreme arguments of the calls of `read` in `f`, from Z3's models of its coordinates within `box`."""
    names = {n: z3.Int(n) for n in f.args}

    def encoded(e: Any) -> Any:
        match e:
            case ir.Variable():
                return names[e.name]
            case ir.Add():
                return encoded(e.a) + encoded(e.b)
            case ir.Sub():
                return encoded(e.a) - encoded(e.b)
            case ir.Mul():
                return encoded(e.a) * encoded(e.b)
            case ir.Div():
                return encoded(e.a) / encoded(e.b)
        return z3.IntVal(int(ir.const_value(e)))

    calls = [n for n in post_order(f.pure.values[0]) if isinstance(n, ir.Call) and n.name == read]
    out = []
    for d in range(len(calls[0].args)):
        ends = []
        for sign in (1, -1):
            best = None
            for c in calls:
                solver = z3.Optimize()
                for (low, high), v in zip(box, names.values(), strict=True):
                    solver.add(v >= low, v <= high)
                goal = solver.minimize(sign * encoded(c.args[d]))
                assert solver.check() == z3.sat
                value = solver.lower(goal).as_long()
                best = value if best is None else min(best, value)
            ends.append(sign * best)
        out.append((ends[0], ends[1]))
    return out


def test_extents_are_those_of_z3s_models() -> None:
    f, _ = pair()
    search = search_of(f)
    tree = stored(search, "g")
    found = search.features.extents.place(nests(tree))["g"]
    assert [b - a + 1 for a, b in found.computed] == [513, 513]
    assert list(found.computed) == z3_box(f._function, "g", [(1, 512), (1, 512)])
    lowered = t.lower_compute(tree, search.graph, "g")
    lowered = t.lower_storage(lowered, "g")
    row = search.features.extents.place(nests(lowered))["g"]
    assert [b - a + 1 for a, b in row.computed] == [513, 2]
    assert row.times == 512
    a, b = row.computed[1]
    assert list(row.computed) == z3_box(f._function, "g", [(1, 512), (a, a)])
    assert b == a + 1


def test_extents_of_resampling_are_those_of_z3s_models() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x + y
    f[x, y] = g[2 * x - 1, y / 2] + g[x / 3, 4 - y]
    f.set_estimates([(0, 100), (3, 60)])
    search = search_of(f)
    found = search.features.extents.place(nests(stored(search, "g")))["g"]
    assert list(found.computed) == z3_box(f._function, "g", [(0, 99), (3, 62)])


def test_windows_that_slide_are_computed_once() -> None:
    _, f = blur(256)
    search = search_of(f)
    tree = t.lower_compute(stored(search, "rows"), search.graph, "rows")
    placed = search.features.extents.place(nests(tree))["rows"]
    assert placed.kept == ((0, 255), (0, 257))
    assert [b - a + 1 for a, b in placed.computed] == [256, 1]


def test_vectors_threads_and_locality_cost_less() -> None:
    _, f = blur(2048)
    search = search_of(f)
    found = search.best(2, 1, 300)
    at = {n: k for k, n in enumerate(NAMES)}
    before, after = (search.features.of(r) for r in (search.default(), found.tree))
    assert after[at["dense"]] == 0 < before[at["dense"]]
    assert after[at["tasks"]] > 1
    columns = t.reorder(search.default(), ("blurred", "y", 1))
    assert search.features.of(columns)[at["l1"]] > 3 * before[at["l1"]]


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_keep_the_results(seed) -> None:
    """At the sizes that the trees are made for and at odd ones."""
    rng = random.Random(seed)
    wanted = {}
    for k in range(2):
        p = random_pipeline(hl, seed)
        search = search_of(p.output)
        tree = random_tree(search, rng) if k else search.default()
        assert fault(tree, search.graph) is None
        search.schedule(tree).apply({f.name: f for f in search.description.environment.order})
        p.image.set(hl.Buffer(p.array))
        for width, height in ((67, 43), (131, 3)):
            found = np.array(hl.Pipeline([p.output]).realize([width, height], TARGET))
            expected = wanted.setdefault((width, height), found)
            assert np.array_equal(found, expected, equal_nan=found.dtype.kind == "f"), text(tree)


def test_the_pipelines_schedule_is_applied_and_printed() -> None:
    image, f = blur(200)
    result = hl.Pipeline([f]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("TreeSearch", {"beam_width": "2"}))
    assert "blurred.parallel(" in result.python_schedule_source and "blurred" in result.schedule_source
    data = np.random.default_rng(0).integers(-100, 100, (69, 103)).astype(np.int32)
    image.set(hl.Buffer(data))
    rows = (data[:, :-2] + data[:, 1:-1] + data[:, 2:]) // 3
    assert np.array_equal(np.array(f.realize([101, 67])), (rows[:-2] + rows[1:-1] + rows[2:]) // 3)


def test_funcs_with_updates_are_stored_and_scheduled_by_rule() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image, g, f = hl.ImageParam(hl.Int(32), 2, "image"), hl.Func("g"), hl.Func("f")
    r = hl.RDom([(0, 5)])
    g[x, y] = 0
    g[x, y] += image[x + r.x, y]
    f[x, y] = g[x, y] + g[x, y + 1]
    image.set_estimates([(0, 304), (0, 201)])
    f.set_estimates([(0, 300), (0, 200)])
    search = search_of(f)
    assert "storage g" in text(search.default())
    found = search.best(2, 1, 300)
    search.schedule(found.tree).apply({n.name: n for n in search.description.environment.order})
    data = np.random.default_rng(0).integers(-100, 100, (44, 75)).astype(np.int32)
    image.set(hl.Buffer(data))
    sums = sum(data[:, k : k + 71] for k in range(5))
    assert np.array_equal(np.array(f.realize([71, 43])), sums[:43] + sums[1:44])


@pytest.mark.parametrize("options", [{"beam_width": "0"}, {"sweeps": "many"}])
def test_options_that_make_no_sense(options) -> None:
    _, f = blur(2048)
    with pytest.raises(HalideError, match=r"is a number from 1, not '(0|many)'"):
        hl.Pipeline([f]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("TreeSearch", options))


def test_weights_are_recovered_from_times_that_they_made() -> None:
    true = {n: WEIGHTS[n] * 1.7 if n in ("scalar", "memory") else WEIGHTS[n] for n in NAMES}
    found = []
    for seed in range(3):
        p = random_pipeline(hl, seed)
        search = search_of(p.output)
        for k, tree in enumerate(trees_of(seed, 5)):
            features = [float(v) for v in search.features.of(tree)]
            seconds = sum(true[n] * v for n, v in zip(NAMES, features, strict=True)) * 1e-9
            found.append(Measurement(seed, k, features, seconds))
    assert quality(found, true) == pytest.approx((1.0, 1.0))
    assert quality(found, fit(found))[0] < quality(found, WEIGHTS)[0]
    assert quality(found, fit(found))[0] < 1.1
