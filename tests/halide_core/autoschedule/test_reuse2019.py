"""Reuse2019: the levels that it chooses, the text that it prints, what it refuses."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from corpus.pipelines.common import estimate, named_pipelines
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.directives import FuncName, Loop, Schedule
from halide_core.autoschedule.rules.row_blocks import RowBlocks
from halide_core.dsl.loop_nest_text import loop_nest_text
from halide_core.errors import HalideError
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions

pytestmark = pytest.mark.few(3)

TARGET = hl.Target("x86-64-linux-avx2")
MACHINE = {"parallelism": "2", "l1_size": "32768", "l2_size": "1048576", "last_level_cache_size": "33554432"}


def blur(h: Any, width: int = 6400, height: int = 4800) -> tuple[Any, Any]:
    x, y = h.Var("x"), h.Var("y")
    image = h.ImageParam(h.UInt(16), 2, "input")
    rows, blurred = h.Func("rows"), h.Func("blurred")
    rows[x, y] = (image[x, y] + image[x + 1, y] + image[x + 2, y]) / 3
    blurred[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3
    image.set_estimates([(0, width + 2), (0, height + 2)])
    blurred.set_estimates([(0, width), (0, height)])
    return image, blurred


def scheduled(f: Any, **options: str) -> Any:
    params = hl.AutoschedulerParams("Reuse2019", {**MACHINE, **options})
    return hl.Pipeline([f]).apply_autoscheduler(TARGET, params)


def nest(f: Any) -> str:
    functions = [f._function]
    order = build_environment(functions).order
    return loop_nest_text(schedule_functions(order, functions, Context()), order, functions)


def named(pipeline: Any, h: Any) -> dict[str, Any]:
    """The Funcs of a pipeline by name, without what tells those of one name apart, and the module as `hl`."""
    out: dict[str, Any] = {"hl": h}
    for k in range(100):
        try:
            f = pipeline.get_func(k)
        except h.HalideError:  # there are no more
            break
        out.setdefault(f.name().partition("$")[0], f)
    return out


def test_windows_slide_in_strips() -> None:
    """Schedule (c) of figure 2 of the paper."""
    _, f = blur(hl)
    text = scheduled(f, row_blocks="0").python_schedule_source
    assert "rows.store_at(blurred, y_o)" in text
    assert "rows.compute_at(blurred, y_i)" in text
    assert "blurred.parallel(y_o)" in text


def test_without_separate_store_tiles_overlap() -> None:
    """Schedule (b) of figure 2: compute and store level are one."""
    _, f = blur(hl)
    text = scheduled(f, separate_store="0", row_blocks="0").python_schedule_source
    assert "store_at" not in text


def test_without_fusion_stages_are_stored_whole_or_inlined() -> None:
    _, f = blur(hl)
    text = scheduled(f, fusion="0").python_schedule_source
    assert "compute_at" not in text


def test_powers_of_two() -> None:
    _, f = blur(hl, 6400, 4800)
    scheduled(f, any_size="0")
    factors = [s.factor for s in f._function.definitions()[0].schedule.splits]
    assert factors and all(n & (n - 1) == 0 for n in factors)


def test_rows_of_members_are_padded_to_vectors() -> None:
    """Where that does not put them at multiples of a page."""
    for width, padded in ((6400, False), (6401, True), (4090, False)):
        _, f = blur(hl, width)
        scheduled(f, row_blocks="0")
        rows = next(n for n in build_environment([f._function]).order if n.name == "rows")
        assert (rows.storage_alignments.keys() == {"x"}) == padded


def test_copies_are_inlined() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    copy, f = hl.Func("copy"), hl.Func("f")
    copy[x, y] = image[x, y]
    f[x, y] = copy[x, y] + copy[x + 1, y + 1]
    image.set_estimates([(0, 1001), (0, 1001)])
    f.set_estimates([(0, 1000), (0, 1000)])
    scheduled(f)
    assert copy._function.compute is None


def test_the_text_makes_the_same_loops() -> None:
    _, f = blur(hl)
    text = scheduled(f).python_schedule_source
    _, g = blur(hl)
    exec(text, named(hl.Pipeline([g]), hl))
    assert nest(g) == nest(f)


def test_the_text_runs_under_the_package() -> None:
    halide = pytest.importorskip("halide")
    _, f = blur(hl)
    text = scheduled(f).python_schedule_source
    image, g = blur(halide)
    pipeline = halide.Pipeline([g])
    exec(text, named(pipeline, halide))
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 4096, (61, 79), np.uint16)
    image.set(halide.Buffer(pixels))
    got = np.array(pipeline.realize([77, 59]))
    rows = ((pixels[:, :-2] + pixels[:, 1:-1] + pixels[:, 2:]) // 3).astype(np.uint16)
    assert np.array_equal(got, (rows[:-2] + rows[1:-1] + rows[2:]) // 3)


def test_sums_stay_in_registers(tmp_path: Path) -> None:
    x, y, n = hl.Var("x"), hl.Var("y"), 512
    a, b = hl.ImageParam(hl.Float(32), 2, "a"), hl.ImageParam(hl.Float(32), 2, "b")
    k = hl.RDom([(0, n)], "common")
    product, result = hl.Func("product"), hl.Func("result")
    product[x, y] += a[k.x, y] * b[x, k.x]
    result[x, y] = product[x, y]
    for f in (a, b, result):
        f.set_estimates([(0, n), (0, n)])
    text = scheduled(result).python_schedule_source
    assert "product.compute_at(result, x_b)" in text or "product.compute_at(result, y_b)" in text
    # The loop over the sum is outside of the block, which is written out.
    assert "product.update(0).reorder(x, y, product_common_x)" in text
    assert {"product.update(0).unroll(x)", "product.update(0).unroll(y)"} <= set(text.splitlines())
    # At sizes that are not known, the step of a full block consists of stores that are neither masked nor in a loop.
    lowered = tmp_path / "product.stmt"
    hl.Pipeline([result]).compile_to_lowered_stmt(str(lowered), [a, b], hl.StmtOutputFormat.Text, TARGET)
    lines = iter(lowered.read_text().splitlines())
    loop = next(line for line in lines if "for product.s1.common" in line)
    depth = len(loop) - len(loop.lstrip())
    step = list(itertools.takewhile(lambda line: len(line) - len(line.lstrip()) > depth, lines))
    assert len(step) >= 8
    assert all(line.lstrip().startswith("product[ramp(") and " if " not in line for line in step)


def test_weights_of_all_channels_are_read_one_after_the_other() -> None:
    """Blocks of all 64 channels: half of what comes from L2 for each step is hidden behind the sums.  The border in
    front of them is stored row by row, channels of a pixel first."""
    c, x, y = hl.Var("c"), hl.Var("x"), hl.Var("y")
    size = 256
    image, weights = hl.ImageParam(hl.Float(32), 3, "image"), hl.ImageParam(hl.Float(32), 4, "weights")
    r = hl.RDom([(0, 64), (0, 3), (0, 3)], "taps")
    bordered, sums, layer = hl.Func("bordered"), hl.Func("sums"), hl.Func("layer")
    inside = (x >= 0) & (x < size) & (y >= 0) & (y < size)
    near = image[c, hl.clamp(x, 0, size - 1), hl.clamp(y, 0, size - 1)]
    bordered[c, x, y] = hl.select(inside, near, hl.f32(0.0))
    sums[c, x, y] += weights[c, r.x, r.y, r.z] * bordered[r.x, x + r.y - 1, y + r.z - 1]
    layer[c, x, y] = hl.max(sums[c, x, y], hl.f32(0.0))
    image.set_estimates([(0, 64), (0, size), (0, size)])
    weights.set_estimates([(0, 64), (0, 64), (0, 3), (0, 3)])
    layer.set_estimates([(0, 64), (0, size), (0, size)])
    params, target = hl.AutoschedulerParams("Reuse2019", MACHINE), hl.Target("x86-64-linux-avx512_skylake")
    text = hl.Pipeline([layer]).apply_autoscheduler(target, params).python_schedule_source
    assert "layer.split(c, c_b, c_r, 64," in text and "layer.split(x, x_b, x_r, 6," in text
    assert "bordered.reorder(c, x, y" in text and "bordered.parallel(y" in text


def test_sums_of_few_channels_are_computed_together() -> None:
    """What the channels share, such as where they read, is found once; at odd sizes too."""

    def build() -> Any:
        x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
        k = hl.RDom([(0, 5)], "k")
        total, mean = hl.Func("total"), hl.Func("mean")
        place = hl.cast(hl.Int(32), (x * 7 + y * 3 + k.x * 5) % 16)
        total[x, y, c] = hl.select(c < 3, hl.f32(0.5), hl.f32(1.0))
        total[x, y, c] += hl.select(c < 3, hl.f32(place + c), hl.f32(1.0))
        mean[x, y, c] = total[x, y, c] / total[x, y, 3]
        return mean

    f = build()
    f.set_estimates([(0, 1536), (0, 1024), (0, 3)])
    text = scheduled(f).python_schedule_source
    assert "total.bound(c, 0, 4)" in text
    assert "total.update(0).unroll(c, 4, hl.TailStrategy.GuardWithIf)" in text
    target = hl.Target("host-strict_float")
    got, wanted = (np.array(g.realize([37, 19, 3], target)) for g in (f, build()))
    assert np.array_equal(got, wanted)


def test_scans_join_the_transpose_that_they_are_read_through() -> None:
    """By itself the transpose would be inlined; the results are the same at odd sizes."""

    def build() -> Any:
        x, y, height = hl.Var("x"), hl.Var("y"), 512
        image = hl.ImageParam(hl.Float(32), 2, "image")
        scan, turned, after, result = (hl.Func(n) for n in ("scan", "turned", "after", "result"))
        down = hl.RDom([(1, height - 1)], "down")
        scan[x, y] = image[x, y]
        scan[x, down.x] = scan[x, down.x - 1] * 0.5 + image[x, down.x]
        turned[x, y] = scan[y, x]
        across = hl.RDom([(1, 600)], "across")
        after[x, y] = turned[x, y]
        after[x, across.x] = after[x, across.x - 1] * 0.5 + turned[x, across.x]
        result[x, y] = after[y, x]
        return image, result, (scan, after)

    image, f, _ = build()
    image.set_estimates([(0, 4096), (0, 512)])
    f.set_estimates([(0, 4096), (0, 512)])
    text = scheduled(f).python_schedule_source
    assert "turned.compute_root()" in text
    assert "scan.compute_at(turned, " in text
    pixels = np.random.default_rng(0).random((512, 700), np.float32)
    other, plain, scans = build()
    for scan in scans:
        scan.compute_root()
    target = hl.Target("host-strict_float")
    found = []
    for i, g in ((image, f), (other, plain)):
        i.set(hl.Buffer(pixels))
        found.append(np.array(g.realize([677, 512], target)))
    assert np.array_equal(*found)


def test_transposes_are_made_in_blocks() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    turned = hl.Func("turned")
    turned[x, y] = image[y, x] * 2.0
    image.set_estimates([(0, 4096), (0, 4096)])
    turned.set_estimates([(0, 4096), (0, 4096)])
    text = scheduled(turned).python_schedule_source
    lanes = TARGET.natural_vector_size(hl.Float(32))
    assert f"turned.split(x, x_o, x_i, {lanes}, hl.TailStrategy.GuardWithIf)" in text
    assert "turned.reorder(x_i, y_i, x_o" in text


def test_channels_are_unrolled() -> None:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f = hl.Func("f")
    f[x, y, c] = hl.mux(c, [image[x, y] / 3, image[x + 1, y] * 2, image[x, y + 1]])
    image.set_estimates([(0, 1001), (0, 1001)])
    f.set_estimates([(0, 1000), (0, 1000), (0, 3)])
    lines = scheduled(f).python_schedule_source.splitlines()
    assert "f.bound(c, 0, 3)" in lines
    assert "f.unroll(c)" in lines
    assert any(line.startswith("f.reorder(c, x") for line in lines)


def test_channels_that_read_the_same_are_computed_together() -> None:
    """Without a bound: any number of channels may follow, and fewer."""
    x, y, c = (hl.Var(n) for n in "xyc")

    def built() -> tuple[Any, Any, Any]:
        image, colour = hl.ImageParam(hl.Float(32), 2, "image"), hl.ImageParam(hl.Float(32), 3, "colour")
        ratio, f = hl.Func("ratio"), hl.Func("f")
        ratio[x, y] = (image[x, y] + image[x + 1, y]) / (image[x, y] + image[x, y + 1] + hl.f32(1))
        f[x, y, c] = ratio[x, y] * colour[x, y, c]
        image.set_estimates([(0, 2561), (0, 1537)])
        colour.set_estimates([(0, 2560), (0, 1536), (0, 3)])
        f.set_estimates([(0, 2560), (0, 1536), (0, 3)])
        return image, colour, f

    def run(made: tuple[Any, Any, Any], width: int, height: int, channels: int) -> Any:
        rng = np.random.default_rng(width)
        for param, shape in zip(made, ((height + 1, width + 1), (channels, height, width)), strict=False):
            param.set(hl.Buffer(rng.random(shape, np.float32)))
        return np.array(made[2].realize([width, height, channels], hl.Target("host-strict_float")))

    plain, made = built(), built()
    lines = scheduled(made[2]).python_schedule_source.splitlines()
    assert "f.unroll(c, 3, hl.TailStrategy.GuardWithIf)" in lines
    assert not any("bound" in line or "ratio" in line for line in lines if not line.endswith("\")"))
    for size in ((1, 1, 1), (37, 5, 3), (64, 48, 4), (131, 67, 2)):
        assert np.array_equal(run(made, *size), run(plain, *size)), size


def test_channels_that_read_apart_run_one_by_one() -> None:
    x, y, c = (hl.Var(n) for n in "xyc")
    colour, f = hl.ImageParam(hl.Float(32), 3, "colour"), hl.Func("f")
    clamped = hl.BoundaryConditions.repeat_edge(colour)
    f[x, y, c] = clamped[x - 1, y, c] + clamped[x + 1, y, c]
    colour.set_estimates([(0, 2560), (0, 1536), (0, 3)])
    f.set_estimates([(0, 2560), (0, 1536), (0, 3)])
    assert "unroll(c" not in scheduled(f).python_schedule_source


@pytest.mark.parametrize("extents", [(3,), (3, 2), (3, 9)])
def test_channels_before_few_pixels(extents: tuple[int, ...]) -> None:
    """No loop is long enough for vectors, and the first one distinguishes."""
    image, f = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("f")
    c, x = hl.Var("c"), hl.Var("x")
    value = hl.mux(c, [image[0] / 3, image[1] * 2, image[2] + image[1]])
    f[[c, x][: len(extents)]] = value if len(extents) == 1 else value + hl.u8(x)
    image.set_estimates([(0, 3)])
    f.set_estimates([(0, n) for n in extents])
    scheduled(f)
    image.set(hl.Buffer(np.array([9, 7, 5], np.uint8)))
    pixels = np.arange(extents[1])[:, None] if len(extents) > 1 else 0
    assert np.array_equal(np.array(f.realize(list(extents))), np.array([3, 14, 12]) + pixels)


def test_cpp_text() -> None:
    schedule = Schedule()
    schedule.add("f", 0, "split", Loop("x"), Loop("x_o"), Loop("x_i"), 24, hl.TailStrategy.GuardWithIf)
    schedule.add("g$1", 0, "compute_at", FuncName("f"), Loop("x_o"))
    schedule.add("g$1", 1, "reorder", Loop("x"), Loop("r$x", (0, 1)))
    assert schedule.cpp() == (
        'Var x("x");\nVar x_o("x_o");\nVar x_i("x_i");\nRVar g_1_r_x = g_1.rvars(0)[1];\n\n'
        "f\n    .split(x, x_o, x_i, 24, TailStrategy::GuardWithIf);\n"
        "g_1\n    .compute_at(f, x_o);\n"
        "g_1.update(0)\n    .reorder(x, g_1_r_x);\n"
    )


def test_tables_are_computed_for_the_tiles_of_a_reduction_in_registers() -> None:
    (p,) = named_pipelines(["max_filter"])
    built = p.build(hl, p.size)
    estimate(built, p, p.size, p.arrays(p.size, np.random.default_rng(0)))
    target = hl.Target("x86-64-linux-avx512_skylake")
    result = hl.Pipeline(built.outputs).apply_autoscheduler(target, hl.AutoschedulerParams("Reuse2019", MACHINE))
    text = result.python_schedule_source
    assert "vertical.compute_at(brightest, x_o)" in text and "brightest.parallel(x_o)" in text
    assert "brightest.split(x, x_b, x_r, 64," in text and "brightest.split(y, y_b, y_r, 4," in text
    assert "produce vertical" in nest(built.outputs[0])


def test_values_that_many_coordinates_share_are_computed_once() -> None:
    """The first value of a table of maxima over 1, 2, 4... rows is the image in each of its planes."""
    x, y, t = (hl.Var(n) for n in ("x", "y", "t"))
    image, table, result = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("table"), hl.Func("result")
    table[x, y, t] = hl.sqrt(image[x, y])
    r = hl.RDom([(0, 480), (1, 4)], "r")
    table[x, r.x, r.y] = hl.max(table[x, r.x, r.y - 1], table[x, r.x + (1 << (r.y - 1)), r.y - 1])
    result[x, y] = table[x, y, 4] + table[x, y + 8, 3]
    image.set_estimates([(0, 640), (0, 512)])
    result.set_estimates([(0, 640), (0, 480)])
    lines = scheduled(result).python_schedule_source.splitlines()
    assert "table.reorder(x_v, t, x_b, y)" in lines and "table.vectorize(x_v)" in lines
    # Updates go on plane by plane.
    assert any(re.fullmatch(r"table\.update\(0\)\.reorder\(.*, table_\w+_x, table_\w+_y\)", n) for n in lines)


def test_rows_of_whole_number_windows_are_computed_together() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f")
    total = sum((hl.u16(image[x + i, y + j]) for i in range(3) for j in range(3)), hl.u16(0))
    f[x, y] = hl.u8(total / 9)
    image.set_estimates([(0, 1002), (0, 802)])
    f.set_estimates([(0, 1000), (0, 800)])
    text = scheduled(f).python_schedule_source
    assert "f.split(y_i, y_b, y_r, 8, hl.TailStrategy.GuardWithIf)" in text and "f.unroll(y_r)" in text
    data = np.random.default_rng(0).integers(0, 256, (41, 103), np.uint8)
    image.set(hl.Buffer(data))
    sums = sum(data[j : j + 39, i : i + 101].astype(np.uint16) for i in range(3) for j in range(3))
    assert np.array_equal(np.array(f.realize([101, 39])), (sums // 9).astype(np.uint8))


def test_rows_that_share_what_is_inlined_are_computed_together() -> None:
    image, f = blur(hl)
    text = scheduled(f).python_schedule_source
    assert "rows" not in text and "blurred.split(y_i, y_b, y_r, 8, hl.TailStrategy.GuardWithIf)" in text
    data = np.random.default_rng(0).integers(0, 1 << 12, (45, 105), np.uint16)
    image.set(hl.Buffer(data))
    rows = (data[:, :-2] + data[:, 1:-1] + data[:, 2:]) // 3
    assert np.array_equal(np.array(f.realize([103, 43])), (rows[:-2] + rows[1:-1] + rows[2:]) // 3)


def test_blocks_of_rows_are_priced_by_what_their_rows_share() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    slow, low, apart = hl.Func("slow"), hl.Func("low"), hl.Func("apart")
    slow[x, y] = hl.sqrt(image[x, y])
    low[x, y] = slow[x, y] + slow[x, y + 1]
    apart[x, y] = slow[x, 2 * y] + slow[x, 2 * y + 1]
    image.set_estimates([(0, 640), (0, 640)])
    found = []
    for f in (low, apart):
        f.set_estimates([(0, 320), (0, 320)])
        description = Description([f._function])
        costs = Costs(description, TARGET)
        stage, inlined = description.nodes[f.name()].stages[0], frozenset({"slow"})
        blocks = RowBlocks(costs)
        assert blocks.cycles(stage, inlined, 1) == pytest.approx(costs.cycles(stage, inlined))
        found.append([blocks.cycles(stage, inlined, n) / costs.cycles(stage, inlined) for n in (2, 4)])
        assert blocks.heights(stage, inlined) == ([2, 4, 8] if f is low else [])
        assert blocks.cycles(stage, frozenset(), 500) is None
    # Of two and of four rows, three and five roots in place of four and eight.
    assert found[0] == pytest.approx([0.76, 0.64], abs=0.03) and found[1] == pytest.approx([1, 1])


def test_bytes_are_transposed_in_blocks_that_registers_hold() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f")
    f[x, y] = image[y, x]
    image.set_estimates([(0, 800), (0, 1000)])
    f.set_estimates([(0, 1000), (0, 800)])
    text = scheduled(f).python_schedule_source
    assert "f.split(x, x_o, x_i, 16, hl.TailStrategy.GuardWithIf)" in text
    data = np.random.default_rng(0).integers(0, 256, (67, 35), np.uint8)
    image.set(hl.Buffer(data))
    assert np.array_equal(np.array(f.realize([67, 35])), data.T)


def test_what_a_whole_tile_needs_is_not_computed_row_by_row() -> None:
    """A Func computed for a tile reads one that was to slide along its rows."""
    (p,) = named_pipelines(["unsharp"])
    size = (1536, 1024)
    built = p.build(hl, size)
    estimate(built, p, size, p.arrays(size, np.random.default_rng(0)))
    target = hl.Target("x86-64-linux-avx512_skylake")
    hl.Pipeline(built.outputs).apply_autoscheduler(target, hl.AutoschedulerParams("Reuse2019", MACHINE))
    assert "produce columns" in nest(built.outputs[0])


def test_refusals() -> None:
    _, f = blur(hl)
    with pytest.raises(HalideError, match=r"called 'Mullapudi2016'; there are 'Reuse2019', .*, 'Genetic2013' and"):
        hl.Pipeline([f]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("Mullapudi2016"))
    with pytest.raises(HalideError, match="l2_size must be a number, not 'large'"):
        scheduled(f, l2_size="large")
    with pytest.raises(HalideError, match="fusion is 0 or 1, not 'maybe'"):
        scheduled(f, fusion="maybe")


def test_the_machine_can_be_overridden() -> None:
    machine = this_machine(TARGET, {"parallelism": "12", "load_cost": "7.5"})
    assert (machine.parallelism, machine.load_cost, machine.vector_bytes) == (12, 7.5, 32)


@pytest.mark.parametrize("height", [1, 2, 3, 19])
def test_unrolled_channels_are_not_split(height: int) -> None:
    """Where rows are few, tiles along the channels would look cheap."""
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    image = hl.ImageParam(hl.Float(32), 3, "image")
    f = hl.Func("f")
    f[x, y, c] = hl.select(c < 3, image[x, y, c] * image[x, y, 3], image[x, y, 3])
    image.set_estimates([(0, 37), (0, height), (0, 4)])
    f.set_estimates([(0, 37), (0, height), (0, 4)])
    lines = scheduled(f).python_schedule_source.splitlines()
    assert "f.unroll(c)" in lines
    assert not any("c_o" in line for line in lines)


def test_long_rows_are_summed_in_strips() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    r = hl.RDom([(0, 1600)], "r")
    total, scaled = hl.Func("total"), hl.Func("scaled")
    total[y] += image[r.x, y]
    scaled[x, y] = image[x, y] / total[(y + 600) % 1200]
    image.set_estimates([(0, 1600), (0, 1200)])
    scaled.set_estimates([(0, 1600), (0, 1200)])
    text = scheduled(scaled).python_schedule_source
    assert "total.update(0).parallel(y_o)" in text


def test_channels_of_entries_that_data_choose_are_computed_together() -> None:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    image, table = hl.ImageParam(hl.UInt(8), 2, "image"), hl.ImageParam(hl.Float(32), 2, "table")
    f = hl.Func("f")
    f[x, y, c] = table[c, hl.i32(image[x, y])] + table[c, hl.i32(image[x, y]) + 1]
    image.set_estimates([(0, 1920), (0, 1080)])
    table.set_estimates([(0, 3), (0, 257)])
    f.set_estimates([(0, 1920), (0, 1080), (0, 3)])
    assert "f.unroll(c, 3, hl.TailStrategy.GuardWithIf)" in scheduled(f).python_schedule_source
