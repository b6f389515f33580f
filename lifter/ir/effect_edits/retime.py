"""The edit of order: in which sequence effects are made, and what their reads see.

    a[x] = f(x); b[x] = g(x);      becomes      b[x] = g(x); a[x] = f(x);

Obligation: of two accesses to one element, or to arrays that may be the same memory, of which one is a store, that
which came first comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from halide_core.ir.expr import Expr, Load
from lifter.ir.effect_edits.edit import Edit, Origin
from lifter.ir.effect_edits.sites import Site, with_reads
from lifter.ir.effects import Effect, Path
from lifter.ir.names import array_of, time_of, timed

Sees = Callable[[Load, Site, Effect], bool]
"""Whether a read sees the store of an effect in the same iteration of the loops that they share."""


def retime(on: Path | Edit, sequence: Sequence[Effect], sees: Sees) -> Edit:
    """The effects in another sequence.  The time of a read is the one after all that it `sees`."""
    edit = Edit.on(on)
    new = {e.order: i for i, e in enumerate(sequence)}

    def time(n: Load, site: Site) -> int:
        return max((new[e.order] for e in edit.path.effects if sees(n, site, e)), default=-1) + 1

    return _retimed(edit, new, time)


def spaced(on: Path | Edit, times: int) -> Edit:
    """Room for `times` effects at the time of each."""
    edit = Edit.on(on)
    return _retimed(edit, {e.order: e.order * times for e in edit.path.effects}, lambda n, _: time_of(n) * times)


def opened(on: Path | Edit, order: int, late: Callable[[Load, Site], bool]) -> Edit:
    """Room for one effect before the one with `order`.  Reads at that time see the new one where they are `late`."""
    edit = Edit.on(on)
    new = {e.order: e.order + (e.order >= order) for e in edit.path.effects}

    def time(n: Load, site: Site) -> int:
        old = time_of(n)
        return old + (old > order or (old == order and late(n, site)))

    return _retimed(edit, new, time)


def _retimed(edit: Edit, new: Mapping[int, int], time: Callable[[Load, Site], int]) -> Edit:

    def read(n: Load, site: Site) -> Expr:
        return replace(n, name=timed(array_of(n), time(n, site)))

    path = with_reads(edit.path, read)
    effects = (replace(e, order=new[e.order]) for e in path.effects)
    path = replace(path, effects=tuple(sorted(effects, key=lambda e: e.order)))
    return edit.then("retime", path, {order: [Origin(old)] for old, order in new.items()})
