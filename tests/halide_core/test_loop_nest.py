"""print_loop_nest prints what the package prints; the lowered statement as a file."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

import halide_core
from halide_core.lower import lower

halide = pytest.importorskip("halide")

SCHEDULES: dict[str, Any] = {}


def schedule(build: Any) -> Any:
    """`build` takes the module, Vars x, y, the names of more, and returns what is printed."""
    SCHEDULES[build.__name__] = build
    return build


def _vars(hl: Any, *names: str) -> list[Any]:
    return [hl.Var(n) for n in names]


def _pair(hl: Any) -> tuple[Any, Any, Any, Any]:
    """f(x, y) = g(x, y) + g(x + 1, y + 1), and the Vars."""
    x, y = _vars(hl, "x", "y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x
    f[x, y] = g[x, y] + g[x + 1, y + 1]
    return f, g, x, y


def _single(hl: Any) -> tuple[Any, Any, Any]:
    x, y = _vars(hl, "x", "y")
    f = hl.Func("f")
    f[x, y] = x + y
    return f, x, y


@schedule
def plain(hl):
    return _single(hl)[0]


@schedule
def without_dimensions(hl):
    f = hl.Func("f")
    f[()] = 3
    return f


@schedule
def tiled(hl):
    f, x, y = _single(hl)
    xo, yo, xi, yi = _vars(hl, "xo", "yo", "xi", "yi")
    return f.tile(x, y, xo, yo, xi, yi, 8, 4).vectorize(xi).unroll(yi).parallel(yo)


@schedule
def vectors_of_a_factor(hl):
    f, x, y = _single(hl)
    return f.vectorize(x, 8).unroll(y, 2)


@schedule
def split_twice(hl):
    f, x, y = _single(hl)
    xo, xi, z = _vars(hl, "xo", "xi", "z")
    return f.split(x, xo, xi, 16).split(xi, xi, z, 4).reorder(xi, z, xo, y)


@schedule
def cut_short(hl):
    f, x, y = _single(hl)
    xo, yo, xi, yi = _vars(hl, "xo", "yo", "xi", "yi")
    return f.tile(x, y, xo, yo, xi, yi, 16, 4, hl.TailStrategy.GuardWithIf)


@schedule
def bounded(hl):
    f, x, y = _single(hl)
    return f.bound(x, 0, 16).bound(y, -3, 5).reorder(y, x)


@schedule
def bounded_and_split(hl):
    f, x, _ = _single(hl)
    xo, xi = _vars(hl, "xo", "xi")
    return f.bound(x, 0, 17).split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf).unroll(xi)


@schedule
def loops_that_run_once(hl):
    f, x, y = _single(hl)
    yo, yi = _vars(hl, "yo", "yi")
    return f.bound(x, 0, 1).split(y, yo, yi, 1)


@schedule
def renamed(hl):
    f, x, _ = _single(hl)
    return f.rename(x, hl.Var("z"))


@schedule
def fused_loops(hl):
    f, x, _ = _single(hl)
    xo, xi, yo, yi, z = _vars(hl, "xo", "xi", "yo", "yi", "z")
    return f.split(x, xo, xi, 8).split(xi, yo, yi, 2).fuse(xo, yo, z).parallel(z)


@schedule
def specialized(hl):
    f, x, _ = _single(hl)
    f.specialize(hl.Param(hl.Int(32), "p") > 3).vectorize(x, 4)
    return f


@schedule
def inlined(hl):
    return _pair(hl)[0]


@schedule
def computed_at_root(hl):
    f, g, _, y = _pair(hl)
    g.compute_root().parallel(y)
    return f.parallel(y)


@schedule
def computed_in_a_loop(hl):
    f, g, x, y = _pair(hl)
    g.compute_at(f, y).vectorize(x, 4).unroll(x)
    return f


@schedule
def computed_at_a_point(hl):
    x, y = _vars(hl, "x", "y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x
    f[x, y] = g[x, y] * 2
    g.compute_at(f, x)
    return f


@schedule
def computed_in_tiles(hl):
    f, g, x, y = _pair(hl)
    xo, yo, xi, yi, z = _vars(hl, "xo", "yo", "xi", "yi", "z")
    f.tile(x, y, xo, yo, xi, yi, 4, 4).fuse(xo, yo, z).parallel(z)
    g.compute_at(f, z)
    return f


@schedule
def stored_outside(hl):
    x, y = _vars(hl, "x", "y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x
    f[x, y] = g[0, y] + g[2, y]
    g.store_at(f, y).compute_at(f, x)
    return f.reorder(x, y)


@schedule
def nested_levels(hl):
    f, g, x, y = _pair(hl)
    h = hl.Func("h")
    h[x, y] = f[x, y]
    f.compute_at(h, y)
    g.compute_at(f, y)
    return h


@schedule
def one_after_the_other(hl):
    f, g, x, y = _pair(hl)
    h = hl.Func("h")
    h[x, y] = f[x, y] + g[x, y]
    g.compute_root()
    f.compute_at(h, y)
    return h


@schedule
def updates(hl):
    x = hl.Var("x")
    r = hl.RDom([(1, 5), (0, 3)], "r")
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * r.y
    f[x] += 1
    f.update(0).unroll(r.x)
    f.update(1).vectorize(x, 4)
    return f


@schedule
def a_split_reduction(hl):
    x = hl.Var("x")
    r = hl.RDom([(1, 5), (0, 3)], "r")
    ro, ri = hl.RVar("ro"), hl.RVar("ri")
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * r.y
    f.update(0).split(r.x, ro, ri, 2)
    return f


@schedule
def updates_of_an_inner_func(hl):
    x, y = _vars(hl, "x", "y")
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, hl.Param(hl.Int(32), "n"))], "r")
    g[x] = 0
    g[x] += r.x
    f[x, y] = g[x] + y
    g.compute_at(f, y)
    return f


@schedule
def tuples(hl):
    x, y = _vars(hl, "x", "y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = (x, x + 1)
    f[x, y] = g[x][0] + g[x][1]
    g.compute_root()
    return f


@schedule
def computed_together(hl):
    x, y = _vars(hl, "x", "y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    g[x, y], h[x, y] = x, x + 1
    f[x, y] = g[x, y] + h[x, y]
    g.compute_root()
    h.compute_root().compute_with(g, y)
    return f


@schedule
def computed_together_to_the_inside(hl):
    x, y = _vars(hl, "x", "y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    g[x, y], h[x, y] = x, x + 1
    f[x, y] = g[x, y] + h[x, y]
    g.compute_root()
    h.compute_root().compute_with(g, x)
    return f


@schedule
def two_outputs(hl):
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x], g[x] = x, x * 2
    return hl.Pipeline([f, g])


@pytest.mark.parametrize("name", SCHEDULES)
def test_as_the_package_prints(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    SCHEDULES[name](halide).print_loop_nest()
    theirs = capfd.readouterr()
    SCHEDULES[name](halide_core).print_loop_nest()
    ours = capfd.readouterr()
    assert ours.out == theirs.out == ""
    # Loops that vectorize and unroll make are numbered through the whole process.
    assert ours.err == re.sub(r"\bv\d+", "v", theirs.err)


def test_printing_leaves_results_alone(capfd: pytest.CaptureFixture[str]) -> None:
    f = tiled(halide_core)
    f.print_loop_nest()
    assert "vectorized x.xi in [0, 7]:" in capfd.readouterr().err
    assert f.realize([9, 8])[8, 7] == 15


def _blur() -> Any:
    hl = halide_core
    x, y = _vars(hl, "x", "y")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f, g = hl.Func("blur"), hl.Func("rows")
    g[x, y] = hl.u16(image[x, y]) + hl.u16(image[x + 1, y])
    f[x, y] = hl.u8((g[x, y] + g[x, y + 1]) / hl.Param(hl.UInt(16), "by"))
    f.parallel(y).vectorize(x, 16)
    g.compute_at(f, y).vectorize(x, 16)
    return f, image


def test_lowered_statement_as_text(tmp_path: Path) -> None:
    f, image = _blur()
    f.compile_to_lowered_stmt(str(tmp_path / "blur.stmt"), [image])
    text = (tmp_path / "blur.stmt").read_text()
    assert text == str(lower([f._function], halide_core.Target("host")).stmt) + "\n"
    for part in (
        "produce blur:",
        "produce rows:",
        "parallel blur.s0.y in",
        "allocate rows[uint16",
        "image[ramp(",
        "by",
    ):
        assert part in text
    # Nothing of the levels above is left, and what is inside stands further to the right.
    assert "vectorized" not in text and "rows(" not in text and "..." not in text
    depth = {
        part: len(re.search(rf"^( *){part}", text, re.M)[1]) for part in ("produce blur", "parallel", "produce rows")
    }
    assert depth["produce blur"] < depth["parallel"] < depth["produce rows"]


def test_lowered_statement_as_a_web_page(tmp_path: Path) -> None:
    f, image = _blur()
    f.compile_to_lowered_stmt(str(tmp_path / "blur.html"), [image], halide_core.StmtOutputFormat.HTML)
    f.compile_to_lowered_stmt(str(tmp_path / "blur.stmt"), [image])
    page = (tmp_path / "blur.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "<title>blur</title>" in page
    shown = html.unescape(re.sub(r"<[^>]*>", "", page[page.index("<body>") :]))
    assert shown.strip() == (tmp_path / "blur.stmt").read_text().strip()
