"""Local arrays that carry values from one iteration of a loop to later ones: rings of rows, rows of sums.

    for (y) { row[y % 3][x] = f(x, y);   out[y][x] = g(row[y % 3][x], row[(y - 1) % 3][x], row[(y - 2) % 3][x]); }
    for (y) { out[y][x] = g(sum[x]);   sum[x] += f(x, y); }
become arrays with rows of their own for each iteration, of which the loop's other stores read what is done:
    for (y) rows[y][x] = f(x, y);                   for (y) out[y][x] = g(rows[y][x], rows[y - 1][x], rows[y - 2][x]);
    for (y) sums[y + 1][x] = sums[y][x] + f(x, y);  for (y) out[y][x] = g(sums[y][x]);

A read sees the row that was the latest to be stored to in its place.  Where that is an earlier iteration's, it is
proved here that no store of its own iteration comes to the element before it.  The row must have a value there: it is
proved that an iteration of the loop, if it is the one that the row belongs to, stores to the element.  Rows whose
stores leave elements out stay as they are, or are stored to as a whole first (`_variants`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.ir.effect_edits import Domain, Edit, recounted, reindex, restate
from lifter.ir.effect_queries import Follows, ahead_exactly
from lifter.ir.effects import LoopInfo, Path, domain
from lifter.transforms.storage.distribute_loops import first_alone, shared
from lifter.transforms.storage.expand_rings.expansion import Expansion
from lifter.transforms.storage.expand_rings.row_layout import No
from lifter.transforms.storage.merge_row_stores import merged
from lifter.transforms.storage.propagate_row_copies import propagate_row_copies


def expand_rings(path: Path, follows: Follows) -> Edit | None:
    """A row for each iteration in place of such arrays."""
    edit = Edit.on(path)
    with_rows: list[str] = []
    for name, info in path.arrays.items():
        if not info.cell and info.size is not None:
            found = _with_rows(edit.path, name, follows)
            if found is not None:
                edit = edit.followed_by(found)
                with_rows.append(name)
    edit = _in_order(edit, with_rows, follows)
    for name in with_rows:
        shorter = _without_idle_rows(edit.path, name, follows)
        edit = edit.followed_by(shorter) if shorter is not None else edit
    return edit if edit.path is not path else None


def _in_order(edit: Edit, names: list[str], follows: Follows) -> Edit:
    """The stores to arrays that have a row for each iteration in loops of their own, where that is known to be the
    same; those first that are not made of others.  What these arrays and something else are made of gets a row for each
    iteration too."""
    path = edit.path
    for name in names:
        last = [e for e in path.effects if e.array == name][-1]
        loop = last.loops[len(path.arrays[name].loops)]
        found = first_alone(path, name, loop)
        if found is not None:
            return _in_order(edit.followed_by(found), names, follows)
        for other in shared(path, name, loop) - set(names):
            expanded = _with_rows(path, other, follows, True)
            if expanded is not None:
                names.append(other)
                return _in_order(edit.followed_by(expanded), names, follows)
    return edit


def _with_rows(path: Path, name: str, follows: Follows, any_array: bool = False) -> Edit | None:
    """Rows for an array that carries values, or for `any_array`."""
    for variant in _variants(path, name, follows, any_array):
        try:
            return variant.followed_by(Expansion(variant.path, name, follows).expanded())
        except No:
            continue
    return None


def _variants(path: Path, name: str, follows: Follows, any_array: bool) -> Iterator[Edit]:
    edit = Edit.on(path)
    try:
        carried = Expansion(path, name, follows)
        if carried.round == 1 and not any_array and not carried.carries():
            return
        while (found := propagate_row_copies(edit.path, name, follows)) is not None:
            edit = edit.followed_by(found)
        carried = Expansion(edit.path, name, follows)
        overlapping = carried.overlapping()
    except No:
        return
    if not overlapping or carried.round > 1:
        yield edit
    for size in (None, path.arrays[name].size) if carried.round == 1 else ():
        one = merged(edit.path, carried.own, carried.depth, size)
        if one is not None:
            yield edit.followed_by(one)
    if carried.round > 1:
        whole = carried.padded()
        if whole is not None:
            yield edit.followed_by(whole)
    elif overlapping:
        yield edit


def _without_idle_rows(path: Path, name: str, follows: Follows) -> Edit | None:
    """A loop of one store, whose guard fails in all iterations after one in which it has failed, ended there."""
    for e in path.effects:
        if e.array != name or e.guard is None:
            continue
        given = [*path.conditions, *(c for c, _ in path.asserts)]
        ahead = ahead_exactly(e.guard, [*given, *domain(e.loops)], follows)
        for loop in e.loops if ahead is not None else ():
            assert ahead is not None
            if any(x is not e and loop.counter in x.counters for x in path.effects):
                break
            trip = ahead + Poly.variable(loop.counter, I32) + Poly.constant(1)
            if loop.counter in trip.names() or not follows(given, loop.trip - trip):
                continue
            shorter = LoopInfo(loop.counter, trip, loop.line)
            loops = tuple(shorter if x is loop else x for x in e.loops)
            edit = reindex(restate(path, {e.order: replace(e, guard=None)}), {e.order: Domain(loops, {})})
            return recounted(edit, {loop: shorter})
    return None


__all__ = ["expand_rings"]
