"""Drafts: Funcs whose region of interest is known, and whose values are not yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.ir import expr as E
from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly
from lifter.ir.summary import Definition, EffectMap, FuncSummary, Layout, var
from synth.staging.partition import Proto
from synth.staging.updates import Update
from verifier.contract import ContractBuilder

Shape = tuple[Poly | None, ...]


@dataclass(slots=True)
class Draft:
    """A Func whose reads are still addresses over its dimensions."""

    proto: Proto
    layout: Layout
    plain: tuple[EffectMap, ...]
    updates: list[Update] = field(default_factory=list)
    undefined: bool = False
    phases: bool = False
    """Whether stores may differ by the remainder of a coordinate."""
    by_runs: bool = False
    """Whether small runs may tell remainders, of a row's last register."""
    contract: ContractBuilder | None = None
    """What the region asks of the caller, beside what was asked before."""

    def placeholder(self) -> FuncSummary:
        """The Func, with nothing said of its values."""
        nothing = Definition(tuple(var(d.name) for d in self.layout.dims), self._undefined(), self.plain)
        return FuncSummary(self.proto.name, type_of(self.proto), self.layout, (nothing,), False)

    def _undefined(self) -> Expr:
        return E.intrinsic("undef", type_of(self.proto))


def shape(layout: Layout) -> Shape:
    """What places depend on: bounds that are the same in all samples make no other stores of a region alike."""
    return layout.offset, *(d.stride for d in layout.dims)


def type_of(p: Proto) -> Type:
    """The type of the elements of a Func-to-be."""
    return (p.plain or p.updates)[0].value.type


def line_of(p: Proto) -> int:
    """The source's line of its first store."""
    return (p.plain or p.updates)[0].line
