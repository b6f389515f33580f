"""Members computed for one step of another's reduction, and channels unrolled through what is inlined."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from tests.halide_core.autoschedule.test_reuse2019 import named, nest, scheduled

pytestmark = pytest.mark.few(4)

STEPS = 192


def search(h: Any) -> tuple[Any, Any]:
    """A search along rows: each step weighs all of the image by patches that no other step reads."""
    x, y, c, d = (h.Var(n) for n in ("x", "y", "c", "d"))
    image = h.ImageParam(h.Float(32), 2, "input")
    names = ("distance", "columns", "weight", "terms", "total", "out")
    distance, columns, weight, terms, total, out = (h.Func(n) for n in names)
    distance[x, y, d] = h.sqrt(h.abs(image[x, y] - image[x + d, y]))
    columns[x, y, d] = sum((distance[x, y + k, d] for k in range(1, 7)), distance[x, y, d])
    weight[x, y, d] = sum((columns[x + k, y, d] for k in range(1, 7)), columns[x, y, d])
    terms[x, y, c] = h.mux(c, [image[x, y], image[x, y] * image[x, y], h.f32(1.0)])
    s = h.RDom([(0, STEPS)], "s")
    total[x, y, c] += weight[x, y, s.x] * terms[x + s.x, y, c]
    out[x, y] = (total[x, y, 0] + total[x, y, 1]) / total[x, y, 2]
    image.set_estimates([(0, 256 + STEPS + 6), (0, 1024 + 6)])
    out.set_estimates([(0, 256), (0, 1024)])
    return image, out


def plain(text: str) -> str:
    """`text` without the numbers that tell domains of one name apart."""
    return re.sub(r"\bs\$\d+", "s", re.sub(r"_s_\d+_x", "_s_x", text))


def test_a_step_of_a_reduction_computes_what_it_needs() -> None:
    _, f = search(hl)
    lines = plain(scheduled(f).python_schedule_source).splitlines()
    assert {f"{n}.compute_at(total, total_s_x)" for n in ("columns", "distance")} <= set(lines)
    assert "total.compute_at(out, y_o)" in lines
    # The loop over the steps is outermost.
    assert "total.update(0).reorder(x_v, c, x_b, y, total_s_x)" in lines


def test_the_text_of_steps_makes_the_same_loops() -> None:
    _, f = search(hl)
    found = scheduled(f)
    cpp = plain(found.schedule_source)
    assert ".compute_at(total, total_s_x)" in cpp and "RVar total_s_x = total.rvars(0)[0];" in cpp
    _, g = search(hl)
    exec(found.python_schedule_source, named(hl.Pipeline([g]), hl))
    assert plain(nest(g)) == plain(nest(f))


@pytest.mark.parametrize("size", [(37, 23), (64, 40), (5, 3)])
def test_steps_keep_the_results(size: tuple[int, int]) -> None:
    pixels = np.random.default_rng(3).random((size[1] + 6, size[0] + STEPS + 6), np.float32)
    results = []
    for schedule in (False, True):
        image, f = search(hl)
        if schedule:
            assert "columns.compute_at(total, " in scheduled(f).python_schedule_source
        image.set(hl.Buffer(pixels))
        results.append(np.array(f.realize(list(size), hl.Target("host-strict_float"))))
    assert np.array_equal(*results)


def test_what_steps_share_is_not_computed_for_each() -> None:
    """Every step reads the same rows of `shared`, at another place."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "input")
    shared, total, out = hl.Func("shared"), hl.Func("total"), hl.Func("out")
    s = hl.RDom([(0, 64)], "s")
    shared[x, y] = hl.sqrt(image[x, y])
    total[x, y] += shared[x + s.x, y] * shared[x, y]
    out[x, y] = total[x, y] + total[x, y + 1]
    image.set_estimates([(0, 1024 + 64), (0, 1025)])
    out.set_estimates([(0, 1024), (0, 1024)])
    assert "compute_at(total" not in scheduled(out).python_schedule_source


def test_channels_that_are_inlined_into_a_sum_are_unrolled() -> None:
    """Each channel of the sum then computes its own term only, so that storing the terms brings nothing."""
    _, f = search(hl)
    lines = scheduled(f).python_schedule_source.splitlines()
    assert {"total.bound(c, 0, 3)", "total.update(0).unroll(c, 3, hl.TailStrategy.GuardWithIf)"} <= set(lines)
    assert not any(line.startswith("terms.") for line in lines)
