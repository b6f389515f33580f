"""The edit of values: what effects store, and under which condition, said in another way; stores that nothing sees.

    s = f(x); d[x] = s;      becomes      d[x] = f(x);

Obligation: what is stored is the same under the path's conditions; what is left out is stored over before it is read,
or is read no more; and what is added stores what is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from halide_core.ir.expr import Expr
from lifter.ir.effect_edits.edit import Edit, Filled, Origin, with_trips
from lifter.ir.effect_edits.sites import Change, with_reads
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path


def restate(
    on: Path | Edit, stores: Mapping[int, Effect | None], added: Sequence[Effect] = (), result: Expr | None = None
) -> Edit:
    """Effects, by their order, as others of the same order; None for those that are left out.  `added` have orders of
    their own; `result` is what is returned, where that is said in another way."""
    edit = Edit.on(on)
    kept = [x for e in edit.path.effects if (x := stores.get(e.order, e)) is not None]
    origins: dict[int, list[Origin]] = {e.order: [Origin(e.order)] for e in kept}
    origins |= {e.order: [] for e in added}
    effects = sorted((*kept, *added), key=lambda e: e.order) if added else kept
    path = replace(edit.path, effects=tuple(effects), result=edit.path.result if result is None else result)
    return edit.then("restate", path, origins)


def joined(
    on: Path | Edit, stores: Mapping[int, Effect], origins: Mapping[int, Sequence[Origin]], gone: Collection[int],
    guards: Mapping[str, Expr | None] | None = None,
) -> Edit:
    """Effects each as one that does the work of several, which are `gone`.  `origins`: of which it does the work, by
    its order; `guards`: what new loops stand under, by counter."""
    edit = Edit.on(on)
    left = (e for e in edit.path.effects if e.order not in gone and e.order not in stores)
    kept = sorted((*left, *stores.values()), key=lambda e: e.order)
    found = {e.order: origins.get(e.order, [Origin(e.order)]) for e in kept}
    return edit.then("restate", with_trips(replace(edit.path, effects=tuple(kept)), guards), found)


def with_values(on: Path | Edit, arrays: Collection[str], value: Change) -> Edit:
    """`path` without some local arrays: in place of what is read of them stands the value that is there."""
    edit = Edit.on(on)
    path = edit.path
    kept = replace(path, effects=tuple(e for e in path.effects if e.array not in arrays))
    kept = replace(kept, reads=tuple(e for e in path.reads if e.array not in arrays))
    found = with_reads(kept, value, arrays)
    found = replace(found, arrays={n: a for n, a in found.arrays.items() if n not in arrays})
    origins = {e.order: (Origin(e.order),) for e in found.effects}
    return edit.followed_by(Edit(path, found, origins, ("restate",), Filled(frozenset(arrays), value)))


def without_notes(on: Path | Edit, loop: LoopInfo) -> Edit:
    """The path without what is noted of the values of variables and conditions in a loop."""
    edit = Edit.on(on)
    notes = tuple(r for r in edit.path.reads if loop not in r.loops)
    return replace(edit, path=replace(edit.path, reads=notes))


def recounted(on: Path | Edit, loops: Mapping[LoopInfo, LoopInfo]) -> Edit:
    """Counts of the source's loops that are to be proved, said in another way."""
    edit = Edit.on(on)
    trips = tuple((loops.get(x, x), outer, guard) for x, outer, guard in edit.path.trips)
    return replace(edit, path=replace(edit.path, trips=trips))


def noted(on: Path | Edit, notes: Sequence[Effect]) -> Edit:
    """What values of variables and conditions read, said in another way."""
    edit = Edit.on(on)
    guards = {x.counter: e.guard for e in notes for x in e.loops}
    return replace(edit, path=with_trips(replace(edit.path, reads=tuple(notes)), guards))


def with_arrays(on: Path | Edit, infos: Mapping[str, ArrayInfo]) -> Edit:
    """What is known of local arrays, said in another way."""
    edit = Edit.on(on)
    return replace(edit, path=replace(edit.path, arrays={**edit.path.arrays, **infos}))


def without_arrays(on: Path | Edit, names: Collection[str]) -> Edit:
    """The path without local arrays that nothing stores to or reads."""
    edit = Edit.on(on)
    left = {n: a for n, a in edit.path.arrays.items() if n not in names}
    return replace(edit, path=replace(edit.path, arrays=left))
