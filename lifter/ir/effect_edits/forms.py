"""Forms of expressions and paths that several transforms ask for."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Expr, Load, make_bool
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import from_poly, to_poly
from lifter.ir.effect_edits.edit import Edit
from lifter.ir.effects import Path
from lifter.ir.names import array_of


def timeless(e: Expr) -> Expr:
    """An expression whose Loads name no time and have their indices as polynomials."""

    def rewrite(n: Expr) -> Expr:
        if not isinstance(n, Load):
            return n
        return replace(n, name=array_of(n), index=from_poly(to_poly(n.index)))

    return transform(e, rewrite)


def left_to_original(on: Path | Edit) -> Edit:
    """A path that does nothing and that no contract allows."""
    edit = Edit.on(on)
    nothing = replace(
        edit.path, effects=(), trips=(), obligations=(), reads=(), arrays={}, asserts=((make_bool(False), 0),)
    )
    return edit.then("restate", nothing, {})
