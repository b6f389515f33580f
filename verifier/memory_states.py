"""Which state of memory a read sees: the original contents, or what a Func has made of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import Add, And, Call, Cast, Expr, Load, Max, Min, Or, Select, Variable
from halide_core.ir.structural import cached, key, transform
from lifter.algebra.fold import negate, parts
from lifter.algebra.polynomial import Poly, atom_of, from_poly, to_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.names import array_of, array_or_table_of, split_tag


@dataclass(frozen=True, slots=True)
class Group:
    """Effects that one Func accounts for, with the loops in whose iterations it is new."""

    name: str
    array: str
    orders: frozenset[int]
    private: tuple[str, ...]
    updates: frozenset[int] = frozenset()
    """Orders of the effects that stand in update definitions."""
    slices: frozenset[tuple[int, str, str]] = frozenset()
    """Order of a store, dimension and counter: in each iteration the store stays in that iteration's slice of the
    Func, at the dimension's coordinate that is the counter's."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a Load sees: the initial contents (`group` None) or `group`, at element `index`.

    `rivals` are effects of the same loop nest, or of the same group, that write the array too: the caller must show
    that none of them has written this location by then."""

    array: str
    group: Group | None
    index: Poly
    private: tuple[Poly, ...]
    rivals: tuple[Effect, ...] = ()
    own: bool = False
    """The read is by the group itself, in an update."""


class Unresolved(Exception):
    """The read sees a mixture; the text says of what."""


Apart = Callable[[Effect, Effect, Poly, Collection[str]], bool]
"""Whether a store is never to the element at an address that another one, in whatever iteration in which some counters
are the same, writes or reads."""


def _not_known(_: Effect, __: Effect, ___: Poly, ____: Collection[str]) -> bool:
    return False


def see(
    load: Load, site: Effect | None, path: Path, groups: list[Group], stands_apart: Apart = _not_known
) -> Seen:
    """What `load`, in the value, index or guard of effect `site` (None: in the function's result), sees."""
    array, time = split_tag(load.name)
    index = to_poly(load.index)
    own = next((g for g in groups if site is not None and site.order in g.orders), None)
    loops: tuple[LoopInfo, ...] = site.loops if site is not None else ()
    before = [e for e in path.effects if e.array == array and e.order < time]
    nest = site.nest if site is not None else None
    later = [e for e in path.effects if e.array == array and e.order >= time and nest is not None and e.nest == nest]
    if own is not None and own.array == array:
        earlier = [e for e in before if e.order not in own.orders]
        if site is not None and site.order in own.updates:
            _own_element(own, site, index, time, path, stands_apart)
            return Seen(array, own, index, _counters(own, loops), own=True)
        # Those of the same nest, and those of the group's earlier nests: its Func reads what was there before them all.
        rivals = tuple(
            e
            for e in path.effects
            if e.array == array
            and ((nest is not None and e.nest == nest) or (e.order in own.orders and e.order < time))
        )
        last = _last(earlier, groups)
        _whole(array, last.orders if last is not None else (), time, nest, path)
        if last is not None and any(e.order in last.orders for e in rivals):
            _must_be_complete(last, loops, time, path)
            return Seen(array, last, index, _counters(last, loops))
        return Seen(array, last, index, _counters(last, loops), rivals)
    last = _last(before, groups)
    if last is None:
        return Seen(array, None, index, (), tuple(later))
    _whole(array, last.orders, time, nest, path)
    same_nest = [e for e in path.effects if e.order in last.orders and nest is not None and e.nest == nest]
    if same_nest:
        earlier = [e for e in before if e.order not in last.orders]
        try:
            _must_be_complete(last, loops, time, path, index)
        except Unresolved:
            if last.private or any(e.nest == nest for e in earlier):
                raise
            # What the nest has not written by then is as it was: the end of a row beside its whole blocks.
            mixed = [e for e in path.effects if e.array == array]
            rivals = tuple(e for e in mixed if e.nest == nest or (e.order in last.orders and e.order < time))
            original = _last(earlier, groups)
            if original is not None and original.private:
                raise
            return Seen(array, original, index, (), rivals)
        return Seen(array, last, index, _counters(last, loops))
    if last.private:
        raise Unresolved(f"'{array}' is read after the loop in whose iterations it is computed")
    return Seen(array, last, index, (), tuple(later))


def _own_element(own: Group, site: Effect, index: Poly, time: int, path: Path, stands_apart: Apart) -> None:
    """Raises Unresolved where an update may read of its own array what another store of the same loop makes."""
    for e in path.effects:
        if e.array != own.array or not time <= e.order < site.order:
            continue
        if not _of_inputs(index, path).distance_from(_of_inputs(e.index, path)):
            raise Unresolved(f"'{own.array}' is read before line {e.line} stores to it")
    other = meeting(own, site, index, path, stands_apart)
    if other is not None:
        lines = f"updated in line {site.line} and written in line {other.line}"
        raise Unresolved(f"'{own.array}' is {lines} of the same loop")


def _of_inputs(p: Poly, path: Path) -> Poly:
    """An address in which reads of arrays that nothing is stored to are the same whenever they are made."""
    stored = {e.array for e in path.effects}

    def bare(n: Expr) -> Expr:
        array = array_or_table_of(n) if isinstance(n, Load) else ""
        return replace(n, name=array) if isinstance(n, Load) and array not in stored else n

    return to_poly(transform(from_poly(p), bare)) if any(map(reads_memory, p.atoms().values())) else p


def _whole(array: str, orders: Collection[int], time: int, nest: str | None, path: Path) -> None:
    """Raises Unresolved where stores of what a read sees are made after it, outside the loop that it is made in."""
    for e in path.effects:
        if e.order in orders and e.order >= time and (nest is None or e.nest != nest):
            raise Unresolved(f"'{array}' is read before line {e.line} goes on computing it")


def _span(p: Poly) -> tuple[int, int] | None:
    """Least and greatest value of an address made of constants and narrow unsigned data; None for any other."""
    low = high = 0
    for monomial, factor in p.terms.items():
        if len(monomial) > 1:
            return None
        least, most = (1, 1) if not monomial else (0, _most(atom_of(monomial[0])))
        if most is None:
            return None
        low += factor * (least if factor > 0 else most)
        high += factor * (most if factor > 0 else least)
    return low, high


def _most(e: Expr) -> int | None:
    while isinstance(e, Cast) and e.type.is_int_or_uint() and e.type.can_represent(e.value.type):
        e = e.value
    return e.type.max() if isinstance(e, Load) and e.type.is_uint() and e.type.bits <= 16 else None


def meeting(
    own: Group, site: Effect, index: Poly, path: Path, stands_apart: Apart = _not_known
) -> Effect | None:
    """A store to an updated array that is neither wholly before nor wholly after the update `site`, and may meet its
    element `index`: the order of the two in the original is not that of two definitions."""
    place = _span(index)
    for e in path.effects:
        if e.array != own.array or e.order == site.order:
            continue
        if _common(e.counters, site.counters) == own.private:
            continue  # in each iteration that the array is new in, wholly before or wholly after
        there = _span(e.index)
        if place is not None and there is not None and (place[1] < there[0] or there[1] < place[0]):
            continue
        # What two stores keep to slices along is the same wherever they meet.
        same = _shared_slices(own, e.order, site.order) if index == site.index else frozenset()
        if _differ_in_remainder(index, e.index, same, {*e.counters, *site.counters}):
            continue
        if {e.order, site.order} <= own.updates and _commute(e, site, path):
            continue
        if e.order not in own.orders:
            return e
        if not _outside_slices(own, e.order, site.order, _common(e.counters, site.counters)):
            continue
        if stands_apart(e, site, index, same):
            continue
        return e
    return None


def _shared_slices(group: Group, a: int, b: int) -> frozenset[str]:
    """The counters along which two stores of a group keep to slices, along the same dimensions."""
    along = [{(dim, c) for order, dim, c in group.slices if order == e} for e in (a, b)]
    return frozenset(c for _, c in along[0] & along[1])


def _outside_slices(group: Group, a: int, b: int, shared: tuple[str, ...]) -> list[str]:
    """The counters, of loops that two stores of a group share, whose iterations may meet.  Where there are none, each
    iteration is about elements of its own (a sum's start and what is added to it), and the stores go in the order of
    the definitions within it."""
    same = _shared_slices(group, a, b)
    return [c for c in shared[len(group.private) :] if c not in same]


def _differ_in_remainder(a: Poly, b: Poly, same: Collection[str], counters: Collection[str]) -> bool:
    """Whether two addresses are never equal, whatever their data and their counters are but for those that are the
    `same`: the value and the weight of a cell, at 2*bin and 2*bin + 1."""
    kept = [_of_counters(p, same, counters) for p in (a, b)]
    moving = [c for p, k in zip((a, b), kept, strict=True) for m, c in (p - k).terms.items() if m]
    apart = kept[0] - kept[1]
    modulus = math.gcd(*moving, *(c for m, c in apart.terms.items() if m))
    return modulus > 1 and (a.terms.get((), 0) - b.terms.get((), 0)) % modulus != 0


def _of_counters(p: Poly, same: Collection[str], counters: Collection[str]) -> Poly:
    """The terms of an address in which some counters have a part, beside parameters only."""
    names = {k: a.name if isinstance(a, Variable) else None for k, a in p.atoms().items()}

    def kept(m: tuple[int, ...]) -> bool:
        inside = {names[k] for k in m}
        return not inside.isdisjoint(same) and None not in inside and inside.isdisjoint(set(counters) - set(same))

    return Poly({m: c for m, c in p.terms.items() if kept(m)})


def _commute(a: Effect, b: Effect, path: Path) -> bool:
    """Whether two stores add to what their elements hold, in one way, in whatever order."""
    kinds = [_accumulation(e, path) for e in (a, b)]
    return kinds[0] is not None and kinds[0] == kinds[1] and a.value.type == b.value.type


def _accumulation(e: Effect, path: Path) -> str | None:
    """The operation, commutative and associative, by which a store changes the element that it writes, as it is then,
    with something that the array has no part in; None where it is no such store."""
    value = e.value
    if isinstance(value, Add | Min | Max):
        kind, (a, b) = type(value).__name__, (value.a, value.b)
    elif isinstance(value, Call) and value.name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        kind, (a, b) = value.name, value.args
    else:
        return None
    if not value.type.is_int_or_uint():
        return None
    for held, added in ((a, b), (b, a)):
        if not isinstance(held, Load) or to_poly(held.index) != e.index:
            continue
        array, time = split_tag(held.name)
        between = any(o.array == array and time <= o.order < e.order for o in path.effects)
        others = (added, held.index, *([e.guard] if e.guard is not None else []))
        if array == e.array and not between and all(array_of(n) != array for x in others for n in loads(x)):
            return kind
    return None


def _last(effects: list[Effect], groups: list[Group]) -> Group | None:
    if not effects:
        return None
    newest = max(effects, key=lambda e: e.order)
    for g in groups:
        if newest.order in g.orders:
            return g
    raise Unresolved(f"'{newest.array}' as written in line {newest.line} is no stage of the summary")


def _must_be_complete(
    group: Group, loops: tuple[LoopInfo, ...], time: int, path: Path, index: Poly | None = None
) -> None:
    """Raises Unresolved unless all stores of the group that may write what is read have been made; with `index`, what
    one of them writes in the same iteration, in a slice that all of them keep to, is enough."""
    counters = tuple(loop.counter for loop in loops)
    writers = [e.order for e in path.effects if e.order in group.orders and e.index == index]
    for e in path.effects:
        if e.order not in group.orders:
            continue
        if e.order >= time:
            raise Unresolved(f"'{group.array}' is read while line {e.line} still computes it")
        shared = _common(e.counters, counters)
        if shared != group.private and not any(not _outside_slices(group, e.order, w, shared) for w in writers):
            raise Unresolved(
                f"'{group.array}' is read in the loop that computes it (line {e.line}): iterations depend on each other"
            )


def _common(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return a[:n]


def _counters(group: Group | None, loops: tuple[LoopInfo, ...]) -> tuple[Poly, ...]:
    if group is None or not group.private:
        return ()
    names = tuple(loop.counter for loop in loops)
    if names[: len(group.private)] != group.private:
        raise Unresolved(f"'{group.array}' is read outside the loop in whose iterations it is computed")
    from halide_core.ir.expr import I32

    return tuple(Poly.variable(c, I32) for c in group.private)


def _never(_: Expr) -> bool:
    return False


def unconditional_loads(e: Expr, for_granted: Callable[[Expr], bool] = _never) -> frozenset[int]:
    """Structural keys of the Loads that are evaluated whatever the data are; or where conditions that are taken
    `for_granted`, whether they hold or not, let them be."""

    def open_(condition: Expr, kind: type[And | Or]) -> bool:
        return all(map(for_granted, parts(condition, kind)))

    def evaluated(n: Expr, inner: list[frozenset[int]]) -> frozenset[int]:
        if isinstance(n, Select):
            condition, true, false = inner
            entered = [arm for arm, kind in ((true, And), (false, Or)) if open_(n.condition, kind)]
            return condition.union(*entered) if entered else condition | (true & false)
        if isinstance(n, And | Or):
            return inner[0] | inner[1] if open_(n.a, type(n)) else inner[0]
        own = frozenset((key(n),)) if isinstance(n, Load) else frozenset()
        return own.union(*inner)

    return cached({} if for_granted is not _never else _UNCONDITIONAL, e, evaluated)


_UNCONDITIONAL: dict[int, frozenset[int]] = {}


Sure = tuple[Load, tuple[Expr, ...]]


_When = dict[frozenset[int], tuple[Expr, ...]]
"""Conditions, by their keys, that each are enough."""
_Evaluated = dict[int, tuple[Load, _When]]
_MOST_WAYS = 16


def sure_loads(value: Expr, for_granted: Callable[[Expr], bool] = _never) -> list[Sure]:
    """Each Load with the conditions, none on data, that together say when it is evaluated, whatever the data are; or
    where conditions on data that are taken `for_granted` let it be."""

    def entered(arm: _Evaluated, condition: Expr, kind: type[And | Or]) -> _Evaluated | None:
        """What is evaluated in an arm where a condition holds (And), or fails (Or); None if the data decide."""
        known = parts(condition, kind)
        if not all(for_granted(c) for c in known if loads(c)):
            return None
        more = {key(c): c for c in (c if kind is And else negate(c) for c in known if not loads(c))}
        return {n: (load, _narrowed(when, more)) for n, (load, when) in arm.items()} if more else arm

    def evaluated(n: Expr, inner: list[_Evaluated]) -> _Evaluated:
        if isinstance(n, Select):
            condition, true, false = inner
            arms = [entered(true, n.condition, And), entered(false, n.condition, Or)]
            if arms[0] is None and arms[1] is None:
                return _united([condition, _in_both(true, false)])
            return _united([condition, *(arm for arm in arms if arm is not None)])
        if isinstance(n, And | Or):
            second = entered(inner[1], n.a, type(n))
            return inner[0] if second is None else _united([inner[0], second])
        own: list[_Evaluated] = [{key(n): (n, {frozenset(): ()})}] if isinstance(n, Load) else []
        return _united([*own, *inner])

    found = cached({} if for_granted is not _never else _SURE, value, evaluated)
    return [(load, given) for load, when in found.values() for given in when.values()]


_SURE: dict[int, _Evaluated] = {}


def _narrowed(when: _When, more: dict[int, Expr]) -> _When:
    """The ways that are left, and what they ask for, where `more` holds too."""
    against = frozenset(key(negate(c)) for c in more.values())
    out: _When = {}
    for names, given in when.items():
        if not names & against:
            _add(out, names.union(more), (*(c for k, c in more.items() if k not in names), *given))
    return out


def _add(into: _When, names: frozenset[int], given: tuple[Expr, ...]) -> None:
    """One more way; of too many those stay that no other one with fewer parts implies."""
    into[names] = given
    if len(into) > _MOST_WAYS:
        for implied in [one for one in into if any(other < one for other in into)]:
            del into[implied]
        for longest in sorted(into, key=len)[_MOST_WAYS:]:
            del into[longest]


def _united(all_: Sequence[_Evaluated]) -> _Evaluated:
    some = [one for one in all_ if one]
    if len(some) < 2:
        return some[0] if some else {}
    out = dict(some[0])
    for one in some[1:]:
        for n, (load, when) in one.items():
            if n in out and out[n][1].keys() != when.keys():
                both = dict(out[n][1])
                for names, given in when.items():
                    _add(both, names, given)
                out[n] = load, both
            else:
                out[n] = load, when
    return out


def _in_both(true: _Evaluated, false: _Evaluated) -> _Evaluated:
    out: _Evaluated = {}
    for n, (load, first) in true.items():
        second = false[n][1] if n in false else {}
        when: _When = {}
        if len(first) * len(second) > _MOST_WAYS:
            second = first = {names: given for names, given in first.items() if names in second}
        for (a, one), (b, other) in itertools.product(first.items(), second.items()):
            _add(when, a | b, (*one, *(c for c in other if key(c) not in a)))
        if when:
            out[n] = load, when
    return out


def read_beforehand(path: Path, array: str) -> Iterator[tuple[Effect, Poly, tuple[Expr, ...]]]:
    """Elements of an array that values of variables and conditions read; under which conditions, none of them on data.

    That memory is there, whatever it holds by then."""
    for e in path.reads:
        if e.guard is not None and loads(e.guard):
            continue
        for load, given in sure_loads(e.value):
            index = to_poly(load.index)
            if array_of(load) == array and not any(loads(a) for a in index.atoms().values()):
                yield e, index, given


def mentions(e: Expr, names: set[str]) -> bool:
    """Whether a variable of `names` occurs outside the addresses of Loads."""
    return not cached(_OUTSIDE_LOADS, e, _outside_loads).isdisjoint(names)


_OUTSIDE_LOADS: dict[int, frozenset[str]] = {}


def _outside_loads(n: Expr, inner: list[frozenset[str]]) -> frozenset[str]:
    if isinstance(n, Variable):
        return frozenset((n.name,))
    return frozenset() if isinstance(n, Load) else frozenset().union(*inner)
