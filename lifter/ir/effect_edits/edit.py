"""What an edit makes of a path, and which iterations of the old effects those of the new ones are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halide_core.ir.expr import I32, Expr
from lifter.algebra.polynomial import Poly
from lifter.ir.dependence import Pairs
from lifter.ir.effect_edits.sites import Change
from lifter.ir.effects import Effect, FoundObligation, LoopInfo, Path

Trip = tuple[LoopInfo, tuple[LoopInfo, ...], Expr | None]
"""An entry of `Path.trips`."""
Counters = Mapping[str, Poly]
"""Polynomials in place of counters; those that are not there stay."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where iterations of an effect come from."""

    order: int
    """Of the old effect."""
    back: Counters = field(default_factory=dict)
    """The old counters, over the new ones."""
    here: Counters = field(default_factory=dict)
    """The new counters, over the old ones.  Iterations that it does not lead to come from elsewhere."""

    def after(self, earlier: Origin) -> Origin:
        """This origin, in a path that was made of another one, where `earlier` is its effect's."""
        return Origin(earlier.order, _chained(earlier.back, self.back), _chained(self.here, earlier.here))


def _chained(first: Counters, then: Counters) -> Counters:
    """Counters over others, which are over yet others."""
    names = dict.fromkeys((*first, *then))
    return {n: first.get(n, Poly.variable(n, I32)).substitute(then) for n in names}


@dataclass(frozen=True, slots=True)
class Filled:
    """Local arrays of the path before that have values in place of their reads."""

    arrays: frozenset[str]
    value: Change


@dataclass(frozen=True, slots=True)
class Edit:
    """`path`, which one or more of the four edits have made of `before`."""

    before: Path
    path: Path
    origins: Mapping[int, tuple[Origin, ...]]
    """Of each effect of `path`, by its order; none of one that is new."""
    kinds: tuple[str, ...] = ()
    """The edits that were made, by name, in order."""
    filled: Filled | None = None
    """What was said of reads first."""

    @staticmethod
    def on(of: Path | Edit) -> Edit:
        """The edit that has changed nothing yet, or what was begun."""
        if isinstance(of, Edit):
            return of
        return Edit(of, of, {e.order: (Origin(e.order),) for e in of.effects})

    def then(self, kind: str, path: Path, origins: Mapping[int, Sequence[Origin]]) -> Edit:
        """A further edit; `origins` are in this one's path.  Loops that are new are entered into the path's trips."""
        own = {order: tuple(found) for order, found in origins.items()}
        return self.followed_by(Edit(self.path, with_trips(path), own, (kind,)))

    def followed_by(self, other: Edit) -> Edit:
        """Both edits, of which the other one was made of this one's path."""
        chained = {
            order: tuple(o.after(e) for o in own for e in self.origins[o.order]) for order, own in other.origins.items()
        }
        filled = self.filled if self.kinds else other.filled
        return Edit(self.before, other.path, chained, (*self.kinds, *other.kinds), filled)

    def effect(self, order: int) -> Effect:
        return next(e for e in self.path.effects if e.order == order)

    def needs(
        self, apart: Pairs = frozenset(), asserts: Iterable[Expr] = (), conditions: Iterable[Expr] = (),
        obligations: Iterable[FoundObligation] = (),
    ) -> Edit:
        """The edit with what it is right under: pairs of arrays that are not the same memory, what is asked of the
        caller, conditions of the path that it makes, and what is to be proved."""
        path = self.path
        found = replace(
            path,
            apart=path.apart | apart,
            asserts=(*path.asserts, *((c, 0) for c in asserts)),
            conditions=(*path.conditions, *conditions),
            obligations=(*path.obligations, *obligations),
        )
        return replace(self, path=found)


def with_trips(path: Path, guards: Mapping[str, Expr | None] | None = None) -> Path:
    """`path` with an entry in its trips for each loop of an effect that has none; the loops that are left stay there,
    where their counts are proved.  `guards`: what new loops stand under, by counter."""
    known = {loop.counter for loop, _, _ in path.trips}
    new: list[Trip] = []
    for e in (*path.effects, *path.reads):
        for depth, loop in enumerate(e.loops):
            if loop.counter not in known:
                known.add(loop.counter)
                new.append((loop, e.loops[:depth], (guards or {}).get(loop.counter)))
    return replace(path, trips=(*path.trips, *new)) if new else path
