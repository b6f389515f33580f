"""The proof of one rewriting, from what it was made of to what it has made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import Load, const_value
from halide_core.ir.structural import key
from lifter.algebra.polynomial import to_poly
from lifter.ir.dependence import differ
from lifter.ir.effect_edits import Edit, Origin
from lifter.ir.effects import Effect, Path, arrays_in, reads_in, sites
from lifter.ir.names import array_of, is_read, time_of
from verifier.rewritings.accesses import Access, Image, images, reads_behind, reads_of_image, store_of
from verifier.rewritings.facts import Facts, OutOfTime
from verifier.rewritings.filled import with_values
from verifier.rewritings.iterations import all_are_made, all_are_old, is_made
from verifier.rewritings.order import alike, disturbed
from verifier.rewritings.overwritten import is_unread, stored_over
from verifier.rewritings.storage import Storage, misplaced
from verifier.rewritings.values import Said, said, same_result

_MOST = 400
"""Effects of a path that is looked at."""
SECONDS = 10.0


class NotProved(Exception):
    """It is not known whether the rewriting is right; the text says of what."""


def prove_rewriting(edit: Edit, seconds: float = SECONDS) -> None:
    """Raises NotProved."""
    if any(const_value(c) == 0 for c, _ in edit.path.asserts):
        return  # no contract allows what is asked, so it is never done
    if max(len(edit.before.effects), len(edit.path.effects)) > _MOST:
        raise NotProved("many effects")
    try:
        _Proof(edit, seconds).prove()
    except OutOfTime:
        raise NotProved("no time is left") from None


def is_proved(edit: Edit, seconds: float = SECONDS) -> bool:
    """Whether the rewriting is proved to be right, within so many seconds."""
    try:
        prove_rewriting(edit, seconds)
    except NotProved:
        return False
    return True


class _Proof:
    def __init__(self, edit: Edit, seconds: float) -> None:
        self.before, self.path = edit.before, edit.path
        self.facts = Facts(edit.path, seconds)
        if edit.filled is not None:
            self.before = self.filled(edit)
        self.images = images(replace(edit, before=self.before))
        self.said: list[tuple[Image, Said]] = []
        self.accesses: list[Access] = []
        self.gone: list[Effect] = []
        self.added: list[Effect] = []

    def prove(self) -> None:
        self.around()
        self.values()
        self.iterations()
        moved = self.moved()
        staying = [a for a in self.accesses if a.old.array not in moved]
        local = {n: tuple(x.counter for x in a.loops) for n, a in self.before.arrays.items()}
        problem = disturbed(staying, self.path.apart, local, self.facts)
        if problem:
            raise NotProved(f"order of {problem}")
        for name in sorted(moved):
            self.stored(name, local)
        self.bounds()

    def filled(self, edit: Edit) -> Path:
        """The path before, values in place of some reads.  Raises NotProved."""
        found = with_values(edit, self.facts)
        if found is None:
            raise NotProved("values in place of reads")
        return found

    def around(self) -> None:
        """Raises NotProved where something else of the path than its effects is another."""
        a, b = self.before, self.path
        orders = [e.order for e in b.effects]
        late = (time_of(n) > e.order for e in b.effects for x in sites(e) for n in reads_in(x))
        if orders != sorted(set(orders)) or any(late):
            raise NotProved("times of effects and of reads")
        for was, now in ((a.conditions, b.conditions), ([c for c, _ in a.asserts], [c for c, _ in b.asserts])):
            if [key(c) for c in was] != [key(c) for c in now[: len(was)]]:
                raise NotProved("conditions")
        if len(b.obligations) < len(a.obligations) or b.defined != a.defined:
            raise NotProved("obligations")
        left = {(x.counter, x.trip) for x, _, _ in b.trips}
        if not {(x.counter, x.trip) for x, _, _ in a.trips} <= left:
            raise NotProved("counts of loops")
        stored = {e.array for p in (a, b) for e in p.effects}
        bounds = [atom for p in (a, b) for e in p.effects for x in e.loops for atom in x.trip.atoms().values()]
        if any(alike(x, y, b.apart, a.arrays) for x in arrays_in(bounds) for y in stored):
            raise NotProved("loops that count what is stored")

    def iterations(self) -> None:
        """Raises NotProved where an iteration is lost, or is one too many of what the caller sees."""
        for e in self.path.effects:
            own = [(i, s) for i, s in self.said if i.new is e]
            if own and all_are_old(own, self.facts):
                continue
            if not own and _keeps_its_element(e):
                continue
            if e.array not in self.path.arrays:
                raise NotProved(f"iterations of order {e.order}")
            self.added.append(e)
        for e in self.before.effects:
            own = [(i, s) for i, s in self.said if i.old is e]
            if own and all_are_made(own, self.facts):
                if any(s.kept is not None and not self.still_there(s.kept, e) for _, s in own):
                    raise NotProved(f"iterations of order {e.order}")
                continue
            if not own and e.array in self.before.arrays:
                self.gone.append(e)
            elif not self.may_go([i for i, _ in own], e):
                raise NotProved(f"order {e.order} is left out")

    def may_go(self, own: Sequence[Image], e: Effect) -> bool:
        """Whether what a store does in iterations in which none of its images does it is of no account: there are none,
        or nothing sees it."""
        facts = self.facts
        made = [is_made(i, facts) for i in own]
        rest = [facts.inside(e.loops, {}), facts.guarded(e.guard, {}), *map(facts.index.negate, made)]
        if facts.follows(rest, facts.index.any_of([])):
            return True
        unread = is_unread(e.array, (self.before, self.path))
        return unread and stored_over(e, self.before.effects, made, facts)

    def still_there(self, kept: Load, e: Effect) -> bool:
        """Whether what a store reads of its own element is there when it stores."""
        between = (
            x for x in self.before.effects
            if alike(x.array, e.array, self.path.apart, self.before.arrays) and time_of(kept) <= x.order < e.order
        )
        return all(x.array == e.array and x.counters == e.counters and differ(x.index, e.index) for x in between)

    def values(self) -> None:
        """Raises NotProved where what is stored may be another value."""
        for image in self.images:
            found = said(image, self.path.conditions)
            if found is None:
                raise NotProved(f"value of order {image.new.order}")
            self.said.append((image, found))
            self.accesses += [store_of(image), *reads_of_image(image, found.pairs)]
        behind = same_result(self.before.result, self.path.result)
        if behind is None:
            raise NotProved("the result")
        last = 1 + max((e.order for p in (self.before, self.path) for e in p.effects), default=0)
        self.accesses += reads_behind(behind, last)

    def moved(self) -> set[str]:
        """The local arrays that are kept in another way.  Raises NotProved where others are."""
        found = {a.old.array for a in self.accesses if not a.stays}
        found |= {e.array for e in (*self.gone, *self.added)}
        found |= {a.old.array for a in self.accesses if not self.lives_on(a)}
        new = {a.new.array for a in self.accesses if a.old.array in found} - found
        if new & {a.old.array for a in self.accesses}:
            raise NotProved("two arrays in one")
        if not found - {e.array for e in self.added} <= self.before.arrays.keys() or not new <= self.path.arrays.keys():
            raise NotProved("storage of the caller's")
        return found

    def bounds(self) -> None:
        """Raises NotProved where a store may lie outside of its local array, if it did not before."""
        facts = self.facts
        old, new = ({n: a.size for n, a in p.arrays.items()} for p in (self.before, self.path))
        for a in self.accesses:
            size, was = new.get(a.new.array), old.get(a.old.array)
            if not a.stores or size is None or (a.stays and size == was):
                continue
            given = [facts.inside(a.loops, {}), facts.guarded(a.guard, {})]
            given += [facts.within(a.old.index, was)] if was is not None else []
            if not facts.follows(given, facts.within(a.new.index, size)):
                raise NotProved(f"size of {a.new.array}")
        for e in self.added:
            size = new.get(e.array)
            given = [facts.inside(e.loops, {}), facts.guarded(e.guard, {})]
            if size is not None and not facts.follows(given, facts.within(e.index, size)):
                raise NotProved(f"size of {e.array}")

    def lives_on(self, a: Access) -> bool:
        """Whether a local array is new where it was new."""
        name = a.old.array
        if name not in self.before.arrays or name not in self.path.arrays:
            return name not in self.before.arrays
        life = _life(self.before, name)
        depth = len(life)
        same = a.old.loops[:depth] == a.new.loops[:depth] and a.old.turns[:depth] == a.new.turns[:depth]
        return same and life == _life(self.path, name)

    def stored(self, name: str, local: dict[str, tuple[str, ...]]) -> None:
        own = [a for a in self.accesses if a.old.array == name]
        kept = {a.new.array for a in own if not a.stores}
        if any(a.new.array in kept and a.old.array != name for a in self.accesses if a.stores):
            raise NotProved("two arrays in one")
        gone = [_as_access(e) for e in self.gone if e.array == name]
        added = [e for e in self.added if e.array in kept]
        lives = {n: _life(self.path, n) for n in kept}
        problem = misplaced(Storage(local.get(name, ()), lives, own, gone, added), self.facts)
        if problem:
            raise NotProved(f"storage of {problem}")


def _life(path: Path, name: str) -> tuple[str, ...]:
    return tuple(x.counter for x in path.arrays[name].loops)


def _as_access(e: Effect) -> Access:
    return store_of(Image(e, e, Origin(e.order)))


def _keeps_its_element(e: Effect) -> bool:
    """Whether a store gives its element what is there."""
    n = e.value
    return isinstance(n, Load) and is_read(n) and array_of(n) == e.array and time_of(n) == e.order and (
        to_poly(n.index) == e.index
    )


__all__ = ["NotProved", "is_proved", "prove_rewriting"]
