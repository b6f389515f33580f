"""The DAG of stages: which stores make up one Func (paper, section 5.2).

The paper makes a stage of each loop nest.  Here a nest that computes several arrays, or carries a sum inside, falls
into several, and nests that together write one region (a vector body and its remainder) make one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from halide_core.ir.expr import Max, Min
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.effect_queries import own_reads
from lifter.ir.effects import Effect, Path, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of, time_of
from lifter.ir.summary import dim_names
from verifier.memory_states import Group


@dataclass(slots=True)
class Proto:
    """The stores of one Func-to-be: plain ones, then updates."""

    array: str
    private: tuple[str, ...]
    plain: list[Effect] = field(default_factory=list)
    updates: list[Effect] = field(default_factory=list)
    name: str = ""

    def group(self) -> Group:
        """As the verifier's read analysis wants it."""
        orders = frozenset(e.order for e in (*self.plain, *self.updates))
        return Group(self.name, self.array, orders, self.private, frozenset(e.order for e in self.updates))


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to group the effects of a path."""

    join_nests: bool = False
    """Neighbouring nests that write the same array without reading it elsewhere make one group."""
    as_updates: bool = False
    """A later nest that writes an output again updates part of it."""
    in_turn: bool = False
    """What stores to several outputs in turn, as does what is left at its end (in the same nest or the next), makes one
    group of each, even where they read what the others hold."""
    apart: bool = False
    """Every store to an output updates part of what the caller has there, as the sides of a frame do."""
    guarded: bool = False
    """So does every store under a guard, and what comes after it."""
    when: Callable[[Function, Path], bool] = lambda *_: True
    """Whether it is another one than those that ask for less, for a path."""


def several_nests(_: Function, path: Path) -> bool:
    return len({e.nest for e in path.effects}) > 1


_USUAL_DIMS = 4
"""Dimensions that images have; a Func may bear the name of a further one."""


def several_stores(function: Function, path: Path) -> bool:
    """Whether an output is stored to in several places."""
    outputs = {p.name for p in function.params if p.pointer}
    written = [e.array for e in path.effects if e.array in outputs]
    return len(written) > len(set(written))


def fewer_in_turn(function: Function, path: Path) -> bool:
    whole, in_turn = (Grouping(join_nests=True, in_turn=t) for t in (False, True))
    return len(partition(function, path, in_turn)) < len(partition(function, path, whole))


def partition(function: Function, path: Path, by: Grouping) -> list[Proto]:
    """Groups the effects of a path, in order."""
    outputs = {p.name for p in function.params if p.pointer}
    protos: list[Proto] = []
    for e in path.effects:
        current = next((p for p in reversed(protos) if p.array == e.array), None)
        private = private_loops(e, e.array in outputs)
        if current is not None and e.array not in outputs and _anew(e, private, current):
            protos.append(Proto(e.array, private, plain=[e]))
            continue
        updating = by.guarded and (e.guard is not None or (current is not None and bool(current.updates)))
        if (by.apart or updating) and e.array in outputs:
            if current is None:
                protos.append(Proto(e.array, (), updates=[e]))
            else:
                current.updates.append(e)
                _after_what_it_reads(protos, current, e)
            continue
        partly = e.array in outputs or (current is not None and not private and _of_a_part(e, current))
        again = by.as_updates and current is not None and partly and current.plain[-1:] != []
        if (current is not None and is_update(e, private, current, path)) or (
            again and current is not None and (current.plain[-1].nest != e.nest or e.nest is None)
        ):
            current.updates.append(e)
            _after_what_it_reads(protos, current, e)
        elif current is None and (
            is_reduction(e, private) or (by.as_updates and e.array in outputs and (_scans(e) or _scatters(e)))
        ):
            protos.append(Proto(e.array, () if e.array in outputs else private, updates=[e]))
        elif current is not None and _joins(
            e, private, current, protos, by.join_nests, by.in_turn and e.array in outputs
        ):
            current.plain.append(e)
            _after_what_it_reads(protos, current, e)
        else:
            protos.append(Proto(e.array, private, plain=[e]))
    _name(protos, set(dim_names(function)[:_USUAL_DIMS]))
    return protos


def _after_what_it_reads(protos: list[Proto], current: Proto, e: Effect) -> None:
    """Moves `current`, just given `e`, behind groups that `e` reads (row sums that are added up), unless
    one of those reads `current`."""
    place = next(k for k, p in enumerate(protos) if p is current)
    later = protos[place + 1 :]
    if any(_reads(e, p.array) for p in later) and not any(
        _reads(other, current.array) for p in later for other in (*p.plain, *p.updates)
    ):
        del protos[place]
        protos.append(current)


def private_loops(e: Effect, output: bool) -> tuple[str, ...]:
    """The outermost counters that the address does not mention: in each of their iterations a local array is new."""
    if output:
        return ()
    names = e.index.names()
    out: list[str] = []
    for c in e.counters:
        if c in names:
            break
        out.append(c)
    return tuple(out)


def _anew(e: Effect, private: tuple[str, ...], current: Proto) -> bool:
    """Whether a local array that has been given values before a loop (zeros, when it came into being) is given new ones
    in each of the loop's iterations."""
    if len(private) <= len(current.private) or current.updates or is_reduction(e, private):
        return False
    if e.guard is not None and loads(e.guard) and len(private) == len(e.counters):
        return False  # what it leaves out stays: the position of the latest such pixel
    return not any(c in p.counters for p in current.plain for c in private) and not _reads(e, e.array)


def is_reduction(e: Effect, private: tuple[str, ...]) -> bool:
    """Whether several iterations meet in one location, or the location depends on data."""
    if any(loads(a) for a in e.index.atoms().values()):
        return True
    names = e.index.names()
    trips = {loop.counter: loop.trip for loop in e.loops}
    return any(c not in names and c not in private and trips[c].constant_value() != 1 for c in e.counters)


def is_update(e: Effect, private: tuple[str, ...], current: Proto, path: Path) -> bool:
    """Whether `e` updates what `current` has defined rather than defining it anew."""
    if any(loads(a) for a in e.index.atoms().values()):
        return True
    shared = current.private
    if e.counters[: len(shared)] != shared:
        return False
    if is_reduction(e, shared):
        return True
    own = own_reads(e)
    if own and not shared and current.updates and current.updates[-1].nest == e.nest and e.nest is not None:
        return True  # a sum in the caller's memory that is divided where it was added up
    return (
        any(r != e.index for r in own)
        and current.plain != []
        and e.counters != current.plain[-1].counters
        and (bool(current.updates) or _scans(e))
    )


def _of_a_part(e: Effect, current: Proto) -> bool:
    """Whether a store to a local array may change a part of it: it has been given a value of its own, zeros mostly,
    which the rest keeps, or fewer loops than computed it change their own elements, as `t[0] += 4`."""
    if current.private or not current.plain:
        return False
    changes = own_reads(e) and _in_place(e) and len(e.loops) < len(current.plain[0].loops)
    return bool(changes) or all(not x.loops or not loads(x.value) for x in current.plain)


def _scans(e: Effect) -> bool:
    """Whether the value reads the array at another element that the same nest writes, always as far away (a constant,
    or a stride: the row above), or held to the image: a recurrence."""
    distances = [p - e.index for p in own_reads(e)]
    return any((not d.is_zero() and not d.names() & set(e.counters)) or _is_held(d) for d in distances)


def _is_held(p: Poly) -> bool:
    return any(isinstance(a, Min | Max) for a in p.atoms().values())


def _scatters(e: Effect) -> bool:
    """Whether iterations meet in what they add to: a value is spread over its neighbours, bits are packed in words."""
    if not own_reads(e):
        return False
    if any(e.index.coefficient(c) is None for c in e.counters):
        return True
    steps = [step for c in e.counters if (step := e.index.coefficient(c)) is not None and not step.is_zero()]
    return len(set(steps)) < len(steps)


def _joins(
    e: Effect, private: tuple[str, ...], current: Proto, protos: list[Proto], join_nests: bool, in_turn: bool
) -> bool:
    if current.updates or not current.plain:
        return False
    same_nest = current.plain[-1].nest == e.nest and e.nest is not None
    # Stores outside of loops, one after the other, are as a nest; they may read what was there before all of them.
    outside = current.plain[-1].nest is None and e.nest is None and _reads_before(e, current.plain[0].order)
    if not same_nest and not join_nests and not outside:
        return False
    if current.private != private and (current.private or private):
        return False
    if not same_nest and private:
        return False
    first = current.plain[0].order
    for p in protos if not in_turn else ():
        for other in (*p.plain, *p.updates):
            if other.order > first and p is not current and _reads(other, e.array):
                return False
    if same_nest or outside:
        before = [o for o in current.plain if o.counters == e.counters]
        return e.guard is None or all(o.index != e.index for o in before)
    return not _reads(e, e.array) or _in_place(e)


def _reads_before(e: Effect, order: int) -> bool:
    """Whether a store reads its own array as it was before the effect of an order."""
    values = [e.value, *([e.guard] if e.guard is not None else []), from_poly(e.index)]
    return all(time_of(n) <= order for v in values for n in loads(v) if array_of(n) == e.array)


def _in_place(e: Effect) -> bool:
    """Whether a store reads its own array just where it writes."""
    return all(p == e.index for p in own_reads(e))


def _reads(e: Effect, array: str) -> bool:
    expressions = [e.value, *([e.guard] if e.guard is not None else []), *e.index.atoms().values()]
    return any(array_of(load) == array for x in expressions for load in loads(x))


def _name(protos: list[Proto], dims: set[str]) -> None:
    """The last Func on an array bears its name, if that is no dimension's; the ones before are numbered."""
    by_array: dict[str, list[Proto]] = {}
    for p in protos:
        by_array.setdefault(p.array, []).append(p)
    taken = set(by_array)
    for array, versions in by_array.items():
        for number, p in enumerate(versions[:-1], 1):
            name = f"{array}_{number}"
            while name in taken:
                name += "_"
            taken.add(name)
            p.name = name
        versions[-1].name = f"{array}_" if array in dims else array
