"""What a rewriting makes of each access to memory, over the counters of the old effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Expr, Load
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import Edit, Origin, at, timeless
from lifter.ir.effect_edits.edit import Counters
from lifter.ir.effects import Effect, LoopInfo, loads
from lifter.ir.names import array_of, time_of


@dataclass(frozen=True, slots=True)
class Image:
    """An old effect, and one of the new ones that do its work."""

    old: Effect
    new: Effect
    origin: Origin

    @property
    def turns(self) -> tuple[Poly, ...]:
        """The new counters, over the old ones."""
        return tuple(Poly.variable(c, I32).substitute(self.origin.here) for c in self.new.counters)

    @property
    def by_new(self) -> bool:
        """Whether iterations are told by the new counters: the effect does the work of some of the old iterations."""
        own = set(self.new.counters)
        back = self.origin.back
        return any(c not in own and c in back and not back[c].names() & own for c in self.old.counters)

    @property
    def loops(self) -> tuple[LoopInfo, ...]:
        """By whose counters iterations are told."""
        return self.new.loops if self.by_new else self.old.loops

    @property
    def was(self) -> Counters:
        """The old counters, over these."""
        return self.origin.back if self.by_new else {}

    @property
    def now(self) -> Counters:
        """The new counters, over these."""
        return {} if self.by_new else self.origin.here


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

    image: Image | None
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
    before, after = old.index.substitute(image.was), new.index.substitute(image.now)
    return _access(image, old.value.type.bits, old.array, before, None, new.array, after, None)


def reads_of_image(image: Image, pairs: Sequence[tuple[Load, Load]]) -> list[Access]:
    """Its reads, before and after, over the counters by which its iterations are told."""
    places = ((a.type.bits, (array_of(a), to_poly(a.index)), (array_of(b), to_poly(b.index)), a, b) for a, b in pairs)
    return [_access(image, bits, *old, time_of(a), *new, time_of(b)) for bits, old, new, a, b in places]


def reads_behind(pairs: Sequence[tuple[Load, Load]], order: int) -> list[Access]:
    """Reads for the result, which stand in no loop."""
    return [
        Access(None, (), None, a.type.bits, Place(array_of(a), to_poly(a.index), (), (), order, time_of(a)),
               Place(array_of(b), to_poly(b.index), (), (), order, time_of(b)))
        for a, b in pairs
    ]


def _access(
    image: Image, bits: int, array: str, index: Poly, time: int | None, new_array: str, new_index: Poly,
    new_time: int | None,
) -> Access:
    old, new = image.old, image.new
    turns = tuple(Poly.variable(c, I32).substitute(image.was) for c in old.counters)
    new_turns = tuple(Poly.variable(c, I32).substitute(image.now) for c in new.counters)
    before = Place(array, index, old.counters, turns, old.order, time)
    after = Place(new_array, new_index, new.counters, new_turns, new.order, new_time)
    guard = old.guard if old.guard is None else at(old.guard, image.was)
    return Access(image, image.loops, guard, bits, before, after)
