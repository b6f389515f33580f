"""One expression for several that are alike but for a few places: their least general generalisation."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence

from halide_core.ir.expr import Expr, children, with_children
from halide_core.ir.structural import key, operator_of


class Inside(enum.Enum):
    """The answer of `Differing` that leaves it to the operands."""

    INSIDE = enum.auto()


INSIDE = Inside.INSIDE
Differing = Callable[[Sequence[Expr]], "Expr | Inside | None"]
"""What stands for expressions that differ, one of each value; None where nothing does.  INSIDE: what stands for their
operands, if the expressions are one but for these."""


class AntiUnifier:
    """Finds such expressions.  `differing` says what stands in the places in which they differ; `tidy` makes each node
    of the result simpler."""

    def __init__(self, differing: Differing, tidy: Callable[[Expr], Expr] = lambda e: e) -> None:
        self.differing, self.tidy = differing, tidy
        self._known: dict[tuple[int, ...], Expr | None] = {}

    def one(self, values: Sequence[Expr]) -> Expr | None:
        """The expression for some values; None where there is none."""
        keys = tuple(map(key, values))
        if len(set(keys)) == 1:
            return values[0]
        if keys not in self._known:
            found = self.differing(values)
            self._known[keys] = self._inside(values) if isinstance(found, Inside) else found
        return self._known[keys]

    def _inside(self, values: Sequence[Expr]) -> Expr | None:
        first = values[0]
        inner = [children(e) for e in values]
        if not inner[0] or any(operator_of(e) != operator_of(first) for e in values):
            return None
        if any(len(c) != len(inner[0]) for c in inner):
            return None
        found = [self.one(column) for column in zip(*inner, strict=True)]
        whole = tuple(c for c in found if c is not None)
        return self.tidy(with_children(first, whole)) if len(whole) == len(found) else None
