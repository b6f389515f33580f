"""Every place of a path where memory is read, rewritten."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, TypeVar

from halide_core.ir.expr import Expr, Load
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, Path, loads
from lifter.ir.names import array_of, is_read

_Node = TypeVar("_Node", Effect, LoopInfo, FoundObligation, ArrayInfo)


@dataclass(frozen=True, slots=True)
class Site:
    """Where an expression stands."""

    loops: tuple[LoopInfo, ...] = ()
    effect: Effect | None = None
    """The effect that it is a part of, if it is one's."""

    @property
    def counters(self) -> tuple[str, ...]:
        return tuple(x.counter for x in self.loops)


Change = Callable[[Load, Site], Expr]
"""What stands in place of a read of memory, by where it is made."""


class Unknown(Exception):
    """It is not known what is to stand in place of a read."""


def with_reads(path: Path, change: Change, arrays: Collection[str] | None = None) -> Path:
    """`path` with all reads changed, or those of some `arrays`.  What values of variables and conditions read is left
    out where it raises Unknown."""
    sites = _Sites(change, arrays)
    return replace(
        path,
        conditions=tuple(sites.expr(c, Site()) for c in path.conditions),
        effects=tuple(map(sites.of, path.effects)),
        arrays={n: _kept(a, loops=sites.loops(a.loops)) for n, a in path.arrays.items()},
        obligations=tuple(map(sites.obligation, path.obligations)),
        trips=tuple(
            (sites.loop(x, outer), sites.loops(outer), sites.guard(g, Site(outer))) for x, outer, g in path.trips
        ),
        result=sites.guard(path.result, Site()),
        reads=tuple(e for e in map(sites.noted, path.reads) if e is not None),
    )


def reads_changed(e: Effect, change: Change, arrays: Collection[str] | None = None) -> Effect:
    """The same of one effect."""
    return _Sites(change, arrays).of(e)


def _kept(node: _Node, **fields: Any) -> _Node:
    """The node itself where its fields are what they were."""
    if all(getattr(node, n) is v for n, v in fields.items()):
        return node
    return replace(node, **fields)


class _Sites:
    def __init__(self, change: Change, arrays: Collection[str] | None) -> None:
        self.change, self.arrays = change, arrays

    def expr(self, e: Expr, site: Site) -> Expr:
        if not any(map(self.concerns, loads(e))):
            return e
        return transform(e, lambda n: self.change(n, site) if self.concerns(n) else n)

    def concerns(self, n: Expr) -> TypeGuard[Load]:
        return is_read(n) and (self.arrays is None or array_of(n) in self.arrays)

    def poly(self, p: Poly, site: Site) -> Poly:
        if not any(self.concerns(n) for a in p.atoms().values() for n in loads(a)):
            return p
        return to_poly(self.expr(from_poly(p), site))

    def guard(self, e: Expr | None, site: Site) -> Expr | None:
        return None if e is None else self.expr(e, site)

    def loop(self, x: LoopInfo, outer: tuple[LoopInfo, ...]) -> LoopInfo:
        return _kept(x, trip=self.poly(x.trip, Site(outer)))

    def loops(self, loops: tuple[LoopInfo, ...]) -> tuple[LoopInfo, ...]:
        found = tuple(self.loop(x, loops[:depth]) for depth, x in enumerate(loops))
        return loops if all(a is b for a, b in zip(found, loops, strict=True)) else found

    def of(self, e: Effect) -> Effect:
        site = Site(e.loops, e)
        return _kept(
            e, index=self.poly(e.index, site), value=self.expr(e.value, site), guard=self.guard(e.guard, site),
            loops=self.loops(e.loops),
        )

    def noted(self, e: Effect) -> Effect | None:
        """What the value of a variable or a condition reads."""
        try:
            return self.of(e)
        except Unknown:
            return None

    def obligation(self, o: FoundObligation) -> FoundObligation:
        site = Site(o.loops)
        held = tuple(self.expr(c, site) for c in o.obligation.conditions)
        poly = self.poly(o.obligation.poly, site)
        obligation = o.obligation
        if poly is not obligation.poly or any(a is not b for a, b in zip(held, obligation.conditions, strict=True)):
            obligation = replace(obligation, poly=poly, conditions=held, chosen=tuple(map(key, held)))
        return _kept(o, obligation=obligation, loops=self.loops(o.loops), guard=self.guard(o.guard, site))
