"""What the path of a summary rests on: conditions that symbolic execution took for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from halide_core.ir.expr import EQ, Expr, Variable
from halide_core.ir.structural import key, variables
from lifter.algebra.fold import clauses, negate
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import Path
from lifter.ir.names import pointer_of
from lifter.ir.summary import ContractItem, Layout


def unstated(path: Path, contract: Iterable[ContractItem]) -> list[Expr]:
    """The conditions that a path was executed under and that the contract does not say."""
    said = {key(i.condition) for i in contract if i.condition is not None}
    return [c for c, _ in path.asserts if key(c) not in said]


def differ(
    condition: Expr,
    contract: Iterable[ContractItem],
    layouts: Mapping[str, Sequence[Layout]],
    follows: Callable[[Poly], bool],
) -> bool:
    """Whether two pointers differ, as a condition asks, because what lies behind them does not overlap.

    layouts: the boxes behind each pointer.  follows: whether a polynomial is known not to be negative."""
    apart = {frozenset(i.arrays) for i in contract if i.kind == "disjoint" and not i.may_coincide}
    for d in clauses(negate(condition)):
        if isinstance(d, EQ) and isinstance(d.a, Variable) and isinstance(d.b, Variable):
            pair = frozenset(pointer_of(n) for n in variables(d))
            if pair in apart and all(any(_at_base(box, follows) for box in layouts.get(a, ())) for a in pair):
                return True
    return False


def _at_base(layout: Layout, follows: Callable[[Poly], bool]) -> bool:
    """Whether the element that the pointer points to is one of the box's."""
    first = layout.offset == Poly() and all(d.min == Poly() for d in layout.dims)
    return first and all(follows(d.extent - Poly.constant(1)) for d in layout.dims)


__all__ = ["differ", "unstated"]
