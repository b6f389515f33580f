"""Local arrays that one pointer points into at different times, as where two rows change places: parts of one array.

    int *above = malloc(n), *here = malloc(n);   ...   swap(above, here);
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.structural import same
from lifter.frontend.state import operators as op
from lifter.frontend.state.found import Again
from lifter.ir.loop_ir import Declare

if TYPE_CHECKING:
    from lifter.frontend.state.context import Context


class Together(Again):
    """A pointer may point into any of several local arrays."""

    def __init__(self, arrays: frozenset[str]) -> None:
        super().__init__(sorted(arrays))
        self.arrays = arrays


@dataclass(slots=True)
class Joint:
    """Arrays of one size that lie one behind the other, in the order in which they are declared."""

    members: frozenset[str]
    size: Expr = field(default_factory=lambda: const(0, I64))
    zeroed: bool = False
    declared: list[str] = field(default_factory=list)


def joints(groups: Iterable[frozenset[str]]) -> dict[str, Joint]:
    """For each array its joint; groups that share an array are one."""
    found: list[frozenset[str]] = []
    for g in groups:
        meeting = [f for f in found if f & g]
        found = [f for f in found if not f & g]
        found.append(g.union(*meeting))
    return {array: joint for g in found for joint in [Joint(g)] for array in g}


def check(ctx: Context, targets: frozenset[str]) -> None:
    """Raises Together for what a pointer may point into, if these are local arrays of one type."""
    if len(targets) < 2 or not targets <= ctx.declared or len({ctx.arrays[t] for t in targets}) > 1:
        return
    raise Together(targets)


def declare(ctx: Context, joint: Joint, array: str, size: Expr, zeroed: bool) -> None:
    """Declares one of the arrays: all of them with the first."""
    if ctx.loops:
        ctx.fail("arrays of a loop's body whose pointers change places", None, "declare them before the loop")
    if not joint.declared:
        joint.size, joint.zeroed = size, zeroed
        whole = op.offset_scaled(size, len(joint.members))
        ctx.emit(Declare(ctx.line, array, whole, zeroed, False))
    elif not same(size, joint.size) or zeroed != joint.zeroed:
        ctx.fail("arrays of different sizes whose pointers change places", None, "give them one size")
    joint.declared.append(array)


def start(ctx: Context, array: str) -> tuple[str, Expr]:
    """The array that holds an array's elements, and where they begin in it."""
    joint = ctx.joints.get(array)
    if joint is None:
        return array, const(0, I64)
    place = joint.declared.index(array)
    return joint.declared[0], op.offset_scaled(joint.size, place)


__all__ = ["Joint", "Together", "check", "declare", "joints", "start"]
