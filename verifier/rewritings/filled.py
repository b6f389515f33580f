"""Whether values that stand in place of reads are what is read.

For each read of such an array, and each store that may be the last one before it: what is stored is the value.  A
store's own reads of these arrays have values too, by induction over the sequence, since they come before it."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effect_edits import Edit, Site, Unknown, reads_changed
from lifter.ir.effects import Effect, Path, arrays_in, reads_in, values_of
from lifter.ir.names import array_of, time_of
from verifier.rewritings.accesses import Access, Place
from verifier.rewritings.facts import Facts
from verifier.rewritings.storage import Question, Storage

_Read = tuple[Site, Load, Expr]
"""Where it stands, what is read, and the value."""


def with_values(edit: Edit, facts: Facts) -> Path | None:
    """The path before with such values in place of reads, and without the stores to these arrays; None where they are
    not known to be what is read."""
    assert edit.filled is not None
    arrays, value, before = edit.filled.arrays, edit.filled.value, edit.before
    if arrays & arrays_in(values_of(replace(before, result=None))) or not arrays <= before.arrays.keys():
        return None
    found: list[_Read] = []

    def noted(n: Load, site: Site) -> Expr:
        found.append((site, n, value(n, site)))
        return found[-1][2]

    try:
        effects = [reads_changed(e, noted, arrays) for e in before.effects]
    except Unknown:
        return None
    stored = {e.order: e for e in effects if e.array in arrays}
    if not all(_is_right(before, read, stored, facts) for read in found):
        return None
    if before.result is not None and arrays & arrays_in([before.result]):
        return None
    return replace(before, effects=tuple(e for e in effects if e.array not in arrays))


def _is_right(path: Path, read: _Read, stored: dict[int, Effect], facts: Facts) -> bool:
    site, n, value = read
    e = site.effect
    if e is None or not n.type.is_int_or_uint() or reads_in(value) or reads_in(n.index):
        return False
    array = array_of(n)
    stores = [x for x in path.effects if x.array == array]
    if any(reads_in(stored[x.order].value) or reads_in(a) for x in stores for a in x.index.atoms().values()):
        return False
    life = tuple(x.counter for x in path.arrays[array].loops)
    access = _access(e, array, to_poly(n.index), time_of(n))
    storage = Storage(life, {}, [_access(x, array, x.index, None) for x in stores], [], [])
    wanted = to_poly(value)
    for x, store in zip(stores, storage.stores, strict=True):
        question = Question(storage, access, store, facts)
        made = to_poly(stored[x.order].value).substitute(question.names)
        if not facts.follows(question.given, facts.same(made, wanted)):
            return False
    return True


def _access(e: Effect, array: str, index: Poly, time: int | None) -> Access:
    place = Place(array, index, e.counters, tuple(Poly.variable(c, I32) for c in e.counters), e.order, time)
    return Access(None, e.loops, e.guard, e.value.type.bits, place, place)
