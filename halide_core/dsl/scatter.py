"""scatter and gather: one update that stores several values at several places, all loaded before any is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.named_calls import SCATTER_GATHER, is_scatter
from halide_core.ir.operators import as_expr
from halide_core.ir.structural import post_order


def scatter(values: Sequence[Any]) -> Expr:
    """On the right of an update: the values, by place."""
    return gather(values)


def gather(values: Sequence[Any]) -> Expr:
    """In coordinates: the places, of which each alternative is taken."""
    items = tuple(as_expr(v) for v in values)
    if not items or any(v.type != items[0].type for v in items):
        raise HalideError("scatter and gather need one or more values of one type")
    return Call(items[0].type, SCATTER_GATHER, items, CallType.EXTERN)


def check_scatter(name: str, e: Expr, is_update: bool) -> None:
    """Raises HalideError where scatter or gather has no meaning: in pure definitions."""
    if not is_update and any(is_scatter(n) for n in post_order(e)):
        raise HalideError(f'Func "{name}": scatter and gather are for update definitions only')
