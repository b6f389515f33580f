"""Boxes of coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.ir.expr import Expr

# (least, greatest), None where there is no limit.
Interval = tuple[Expr | None, Expr | None]


@dataclass(slots=True)
class Box:
    """Intervals of the coordinates of one Func or image, innermost dimension first."""

    dims: list[Interval]
