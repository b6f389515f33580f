"""Directives of the schedule: none changes a result."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import case, refusal


@case
def tile_and_vectorize(hl: Any) -> Any:
    x, y, xi, yi = (hl.Var(n) for n in ("x", "y", "xi", "yi"))
    f = hl.Func("f")
    f[x, y] = x * 3 + y
    f.tile(x, y, x, y, xi, yi, 8, 4).vectorize(xi).parallel(y)
    return f.realize([37, 21])


@refusal("compute_at")
def compute_at_a_loop_that_is_not_there(hl: Any) -> Any:
    x, y, z = (hl.Var(n) for n in "xyz")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y] + f[x + 1, y]
    f.compute_at(g, z)
    return g.realize([8, 8])
