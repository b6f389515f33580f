"""A blur in two stages, for the tests of several methods."""

from __future__ import annotations

from typing import Any

import halide_core as hl


def blur(size: int) -> tuple[Any, Any]:
    """(The image, the output) of `size` squared."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    rows, blurred = hl.Func("rows"), hl.Func("blurred")
    rows[x, y] = (image[x, y] + image[x + 1, y] + image[x + 2, y]) / 3
    blurred[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3
    image.set_estimates([(0, size + 2), (0, size + 2)])
    blurred.set_estimates([(0, size), (0, size)])
    return image, blurred
