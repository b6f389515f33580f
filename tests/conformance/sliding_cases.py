"""Sliding windows: how often values are computed, which `print` shows, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.cases import add
from tests.conformance.effect_cases import printed

Schedule = Callable[[Any, Any, Any, dict[str, Any]], None]


def _counted(schedule: Schedule, window: Callable[[Any, Any, Any], Any]) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        v = {n: hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi")}
        f, g = hl.Func("f"), hl.Func("g")
        f[v["x"], v["y"]] = hl.print(v["x"] * 10 + v["y"], "f")
        g[v["x"], v["y"]] = window(f, v["x"], v["y"])
        schedule(hl, f, g, v)
        result, text = printed(lambda: g.realize([9, 7]))
        return [result, sorted(text.split("\n"))]

    return script


def _square(f: Any, x: Any, y: Any) -> Any:
    return f[x, y] + f[x + 1, y + 2] * 3 - f[x + 2, y + 1]


def _upwards(f: Any, x: Any, y: Any) -> Any:
    return f[2 * x, 5 - y] - f[2 * x + 3, 3 - y]


def _along_rows(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    f.store_root().compute_at(g, v["y"])


def _along_both(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    f.store_root().compute_at(g, v["x"])


def _along_columns_first(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    g.reorder(v["y"], v["x"])
    f.store_root().compute_at(g, v["y"])


def _in_one_row(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    f.store_at(g, v["y"]).compute_at(g, v["x"])


def _tiled(hl: Any, g: Any, v: dict[str, Any], tail: Any) -> None:
    g.tile(v["x"], v["y"], v["xo"], v["yo"], v["xi"], v["yi"], 4, 3, tail)


def _in_tiles(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    _tiled(hl, g, v, hl.TailStrategy.RoundUp)
    f.store_at(g, v["xo"]).compute_at(g, v["xi"])


def _in_cut_tiles(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    _tiled(hl, g, v, hl.TailStrategy.GuardWithIf)
    f.store_at(g, v["xo"]).compute_at(g, v["yi"])


def _under_vectors(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
    g.split(v["x"], v["xo"], v["xi"], 4, hl.TailStrategy.RoundUp).vectorize(v["xi"])
    f.store_root().compute_at(g, v["xo"])


for _name, _window in (("square", _square), ("upwards", _upwards)):
    for _schedule in (
        _along_rows, _along_both, _along_columns_first, _in_one_row, _in_tiles, _in_cut_tiles, _under_vectors,
    ):  # fmt: skip
        add(f"sliding_cases.{_name}{_schedule.__name__}", _counted(_schedule, _window))


def _summed(hl: Any, f: Any, x: Any, y: Any) -> None:
    r = hl.RDom([(0, 3)], "r")
    f[x, y] = hl.print(x + y, "pure")
    f[x, y] += hl.print(x * 10 + y * r.x, "sum")


def _running_along_x(hl: Any, f: Any, x: Any, y: Any) -> None:
    r = hl.RDom([(1, 12)], "r")
    f[x, y] = hl.print(x + y, "pure")
    f[r.x, y] += hl.print(f[r.x - 1, y] // 2 + y, "run")


def _running_along_y(hl: Any, f: Any, x: Any, y: Any) -> None:
    r = hl.RDom([(1, 10)], "r")
    f[x, y] = hl.print(x + y, "pure")
    f[x, r.x] += hl.print(f[x, r.x - 1] // 2 + x, "run")


def _three_stages(hl: Any, f: Any, x: Any, y: Any) -> None:
    r = hl.RDom([(0, 2), (0, 3)], "r")
    r.where(r.x + r.y < y)
    f[x, y] = hl.print(x + y, "pure")
    f[x, y] += hl.print(r.x * 2 + r.y, "sum")
    f[3, y] = hl.print(f[3, y] + f[4, y] * y, "column")


def _two_values(hl: Any, f: Any, x: Any, y: Any) -> None:
    r = hl.RDom([(0, 4)], "r")
    f[x, y] = (0, hl.print(x - y, "pure"))
    f[x, y] = (hl.select(r.x > f[x, y][1], f[x, y][0] + r.x, f[x, y][0]), hl.print(f[x, y][1] + 1, "next"))


def _updated(define: Any, schedule: Schedule) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        v = {n: hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi")}
        f, g = hl.Func("f"), hl.Func("g")
        define(hl, f, v["x"], v["y"])
        read = f if define is not _two_values else _first(hl, f)
        g[v["x"], v["y"]] = _square(read, v["x"], v["y"])
        schedule(hl, f, g, v)
        result, text = printed(lambda: g.realize([9, 7]))
        return [result, sorted(text.split("\n"))]

    return script


def _first(hl: Any, f: Any) -> Any:
    class First:
        def __getitem__(self, at: Any) -> Any:
            return f[at][0]

    return First()


for _define in (_summed, _running_along_x, _running_along_y, _three_stages, _two_values):
    for _schedule in (_along_rows, _along_columns_first, _in_one_row, _in_tiles, _in_cut_tiles):
        add(f"sliding_cases.updates{_define.__name__}{_schedule.__name__}", _updated(_define, _schedule))
