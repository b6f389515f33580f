"""The edit of storage: where the elements of arrays are kept, for all that is stored to them and read of them.

    t[x] = f(x); d[x] = t[x];      becomes      rows[y * w + x] = f(x); d[x] = rows[y * w + x];

Obligation: each read finds what it found, that is, the store that was the last one to its element before it is the last
one to its new element too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from halide_core.ir.expr import Expr, Load
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits.edit import Edit, Origin
from lifter.ir.effect_edits.sites import Site, reads_changed, with_reads
from lifter.ir.effects import ArrayInfo, Effect, Path
from lifter.ir.names import array_of, time_of, timed

Place = Callable[[str, Poly, Site, int | None], tuple[str, Poly]]
"""The array and the index for an access to an array's index, by where it stands and the time of a read; a store has no
time."""


def remap(
    on: Path | Edit, arrays: Collection[str], place: Place, infos: Mapping[str, ArrayInfo] | None = None
) -> Edit:
    """`arrays` kept elsewhere.  `infos`: the arrays that are new, or others than before."""
    edit = Edit.on(on)

    def read(n: Load, site: Site) -> Expr:
        array, index = place(array_of(n), to_poly(n.index), site, time_of(n))
        return Load(n.type, timed(array, time_of(n)), from_poly(index))

    def moved(e: Effect, found: Effect) -> Effect:
        """`found` is the effect with its reads changed."""
        if e.array not in arrays:
            return found
        array, index = place(e.array, e.index, Site(e.loops, e), None)
        if found.index is not e.index:
            # The place itself is read of an array that is kept elsewhere.
            index = reads_changed(replace(e, index=index), read, arrays).index
        return replace(found, array=array, index=index)

    path = with_reads(edit.path, read, arrays)
    effects = tuple(map(moved, edit.path.effects, path.effects))
    path = replace(path, effects=effects, arrays={**path.arrays, **(infos or {})})
    return edit.then("remap", path, {e.order: [Origin(e.order)] for e in path.effects})


def rename(on: Path | Edit, names: Mapping[str, str]) -> Edit:
    """Local arrays under other names."""
    edit = Edit.on(on)

    def place(array: str, index: Poly, _site: Site, _time: int | None) -> tuple[str, Poly]:
        return names[array], index

    infos = {new: replace(edit.path.arrays[old], name=new) for old, new in names.items()}
    out = remap(edit, set(names), place)
    # In the place of the old ones: what is tried for each array goes by their order.
    arrays = {names.get(n, n): infos.get(names.get(n, n), a) for n, a in out.path.arrays.items()}
    apart = frozenset(frozenset(names.get(n, n) for n in pair) for pair in out.path.apart)
    return replace(out, path=replace(out.path, arrays=arrays, apart=apart))
