"""What small runs of the original read: the places, and which of them are told apart."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.ir.structural import variables
from lifter.algebra.polynomial import to_poly
from lifter.ir.effects import Path, loads
from synth.sampling.samples import Env


def apart(samples: list[Env], path: Path) -> list[Env]:
    """The samples with far larger values of what only addresses depend on (a stride), so that rows do not meet."""
    fixed: set[str] = set()
    for info, _, guard in path.trips:
        fixed |= info.trip.names()
        fixed |= variables(guard) if guard is not None else set()
    for e in path.effects:
        fixed |= variables(e.guard) if e.guard is not None else set()
    for c in (*path.conditions, *(c for c, _ in path.asserts)):
        fixed |= variables(c)
    free: set[str] = set()
    for e in path.effects:
        for p in (e.index, *(to_poly(n.index) for n in loads(e.value))):
            free |= p.names() - fixed
    far = {name: (k + 1) * 1000 for k, name in enumerate(sorted(free))}
    return [{n: v + far.get(n, 0) for n, v in env.items()} for env in samples]


@dataclass(slots=True)
class Places:
    """Coordinates read, and the range of their elements, from the one that the pointer points to."""

    coordinates: set[tuple[int, ...]] = field(default_factory=set)
    first: int = 0
    last: int = -1

    def add(self, place: tuple[int, ...], element: int) -> None:
        self.coordinates.add(place)
        self.first, self.last = min(self.first, element), max(self.last, element)
