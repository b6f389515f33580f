"""What a rewriting makes of each access to memory, over the counters of the old effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Expr, Load
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import Edit, Origin, timeless
from lifter.ir.effects import Effect, LoopInfo, loads
from lifter.ir.names import array_of, time_of


@dataclass(frozen=True, slots=True)
class Image:
    """An old effect, and one of the new ones that do its work."""

    old: Effect
    new: Effect
    origin: Origin

    def here(self, p: Poly) -> Poly:
        """A polynomial over the new counters, over the old ones."""
        return p.substitute(self.origin.here)

    @property
    def turns(self) -> tuple[Poly, ...]:
        """The new counters, over the old ones."""
        return tuple(self.here(Poly.variable(c, I32)) for c in self.new.counters)


@dataclass(frozen=True, slots=True)
class Place:
    """An access before or after the rewriting: which element, when, and in which iteration of which loops."""

    array: str
    index: Poly
    loops: tuple[str, ...]
    turns: tuple[Poly, ...]
    """Of each loop, which iteration."""
    order: int
    time: int | None
    """Of a read; None for a store."""

    def renamed(self, names: Mapping[str, Poly]) -> Place:
        return replace(
            self, index=self.index.substitute(names), turns=tuple(t.substitute(names) for t in self.turns)
        )


@dataclass(frozen=True, slots=True)
class Access:
    """One access of an effect's, before and after."""

    loops: tuple[LoopInfo, ...]
    """Whose counters `old` and `new` are over."""
    guard: Expr | None
    bits: int
    old: Place
    new: Place

    @property
    def stores(self) -> bool:
        return self.old.time is None

    @property
    def by_data(self) -> bool:
        """Whether data say which element it is."""
        return any(loads(a) for p in (self.old.index, self.new.index) for a in p.atoms().values())

    @property
    def stays(self) -> bool:
        """Whether the element is kept where it was."""
        if self.old.array != self.new.array:
            return False
        # What data say is read at times of its own, and compared with the values.
        old, new = (to_poly(timeless(from_poly(p))) for p in (self.old.index, self.new.index))
        return old == new


def images(edit: Edit) -> list[Image]:
    """Each new effect with each of the old ones that it does the work of."""
    old = {e.order: e for e in edit.before.effects}
    return [Image(old[o.order], new, o) for new in edit.path.effects for o in edit.origins.get(new.order, ())]


def store_of(image: Image) -> Access:
    old, new = image.old, image.new
    return _access(image, old.value.type.bits, old.array, old.index, None, new.array, image.here(new.index), None)


def reads_of_image(image: Image, pairs: Sequence[tuple[Load, Load]]) -> list[Access]:
    """Its reads, before and after; the latter are over the old counters already."""
    places = ((a.type.bits, (array_of(a), to_poly(a.index)), (array_of(b), to_poly(b.index)), a, b) for a, b in pairs)
    return [_access(image, bits, *old, time_of(a), *new, time_of(b)) for bits, old, new, a, b in places]


def reads_behind(pairs: Sequence[tuple[Load, Load]], order: int) -> list[Access]:
    """Reads for the result, which stand in no loop."""
    return [
        Access((), None, a.type.bits, Place(array_of(a), to_poly(a.index), (), (), order, time_of(a)),
               Place(array_of(b), to_poly(b.index), (), (), order, time_of(b)))
        for a, b in pairs
    ]


def _access(
    image: Image, bits: int, array: str, index: Poly, time: int | None, new_array: str, new_index: Poly,
    new_time: int | None,
) -> Access:
    old, new = image.old, image.new
    turns = tuple(Poly.variable(c, I32) for c in old.counters)
    before = Place(array, index, old.counters, turns, old.order, time)
    after = Place(new_array, new_index, new.counters, image.turns, new.order, new_time)
    return Access(old.loops, old.guard, bits, before, after)
