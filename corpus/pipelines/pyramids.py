"""Steps of image pyramids that several pipelines share."""

from __future__ import annotations

from typing import Any

from corpus.pipelines.common import Module


def downsample(hl: Module, f: Any, name: str, rest: list[Any]) -> tuple[Any, Any]:
    """(stage along x, result): half the size, by (1 3 3 1) / 8 in both directions; `rest`: dimensions after x, y."""
    x, y = hl.Var("x"), hl.Var("y")
    across, down = hl.Func(f"{name}_across"), hl.Func(name)
    a = [f[(2 * x + k, y, *rest)] for k in (-1, 0, 1, 2)]
    across[(x, y, *rest)] = (a[0] + 3 * (a[1] + a[2]) + a[3]) / 8
    b = [across[(x, 2 * y + k, *rest)] for k in (-1, 0, 1, 2)]
    down[(x, y, *rest)] = (b[0] + 3 * (b[1] + b[2]) + b[3]) / 8
    return across, down


def upsample(hl: Module, f: Any, name: str, rest: list[Any]) -> tuple[Any, Any]:
    """(stage along x, result): twice the size, by (1 3) / 4 from the nearest two in each direction."""
    x, y = hl.Var("x"), hl.Var("y")
    across, up = hl.Func(f"{name}_across"), hl.Func(name)
    across[(x, y, *rest)] = hl.lerp(f[((x + 1) / 2, y, *rest)], f[((x - 1) / 2, y, *rest)], hl.f32(x % 2 * 2 + 1) / 4)
    up[(x, y, *rest)] = hl.lerp(
        across[(x, (y + 1) / 2, *rest)], across[(x, (y - 1) / 2, *rest)], hl.f32(y % 2 * 2 + 1) / 4
    )
    return across, up
