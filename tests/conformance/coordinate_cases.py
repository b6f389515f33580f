"""Coordinates computed in floats, of Funcs that are computed for each tile, row or lane block of what reads them there.

The scales are exact, so that contracted products give the same coordinates."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import Script, add

LEVELS = {"rows": "yo", "tiles": "xo", "row": "yi"}
SCALES = {"less": 0.75, "more": 1.5, "back": -1.25}


def resampled(rounding: str, scale: float, level: str, clamped: str, given: bool) -> Script:
    """Two taps a column apart; the scale is a Param if `given`."""

    def script(hl: Any) -> Any:
        x, y, xo, yo, xi, yi = (hl.Var(n) for n in ["x", "y", "xo", "yo", "xi", "yi"])
        factor = hl.Param(hl.Float(32), "factor", scale) if given else hl.f32(scale)
        width = hl.Param(hl.Int(32), "width", 60)
        inner, out = hl.Func("inner"), hl.Func("out")
        inner[x, y] = x * 7 + y * 31
        at = (hl.f32(x) + hl.f32(0.5)) * factor - hl.f32(0.5)
        if clamped == "float":
            at = hl.clamp(at, hl.f32(0), hl.f32(width - 1))
        column = hl.i32(getattr(hl, rounding)(at))
        if clamped == "int":
            column = hl.clamp(column, 0, width - 1)
        row = hl.i32(hl.floor(hl.f32(y) / hl.f32(2)))
        out[x, y] = inner[column, row] * 3 + inner[column + 1, row]
        out.tile(x, y, xo, yo, xi, yi, 16, 8).vectorize(xi, 8)
        inner.compute_at(out, {"yo": yo, "xo": xo, "yi": yi}[LEVELS[level]]).vectorize(x, 8)
        return out.realize([70, 20])

    return script


for _rounding in ["floor", "ceil", "round"]:
    for _name, _scale in SCALES.items():
        add(f"coordinates.{_rounding}.{_name}", resampled(_rounding, _scale, "tiles", "no", False))
for _level in LEVELS:
    for _clamped in ["no", "int", "float"]:
        for _name, _scale in SCALES.items():
            for _given in [False, True]:
                name = f"coordinates.{_level}.{_clamped}.{_name}{'.given' if _given else ''}"
                add(name, resampled("floor", _scale, _level, _clamped, _given))
