"""What symbolic execution finds: stores under symbolic iteration counters (DESIGN section 3.4).

An Effect stands for one store executed once per point of its iteration domain: the counters of `loops`, outermost
first, each from 0 to its trip count (which may mention outer counters).  A Load inside it is named `array@t`: it sees
memory as it is in that iteration after the effects with `order < t`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Expr, Load, children, const, make_bool
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Obligation, Poly, ahead_of, from_poly, to_poly
from lifter.support import deadline

Follows = Callable[[Sequence[Expr], Poly], bool]
"""Whether a polynomial is not negative wherever conditions hold."""


@dataclass(frozen=True, slots=True)
class LoopInfo:
    """One executed loop: `counter` runs over 0 <= counter < trip."""

    counter: str
    trip: Poly
    line: int
    condition: Expr | None = None
    """The source's loop condition at iteration `counter`, for the check that `trip` is right."""
    first_unconditional: bool = False
    """A do-while: the condition is tested after each iteration."""
    variable: str = ""
    """The source's variable that equals the counter, if there is one: for messages."""


@dataclass(frozen=True, slots=True)
class Effect:
    """array[index] = value wherever `guard` holds."""

    array: str
    index: Poly
    value: Expr
    guard: Expr | None
    loops: tuple[LoopInfo, ...]
    order: int
    line: int
    rewritten: bool = False
    """Whether the same iteration stored to this element before and this effect has taken that store's place: what is
    read in between then sees the first store where the arrays are the same memory."""

    @property
    def counters(self) -> tuple[str, ...]:
        return tuple(loop.counter for loop in self.loops)

    @property
    def nest(self) -> str | None:
        """Identity of the top-level loop nest, None outside loops."""
        return self.loops[0].counter if self.loops else None


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """A local array or cell: a scalar whose value is carried from iteration to iteration."""

    name: str
    size: Poly | None
    loops: tuple[LoopInfo, ...]
    """The loops in whose body it is declared: it is new in each of their iterations."""
    line: int
    cell: bool = False


@dataclass(frozen=True, slots=True)
class FoundObligation:
    """An obligation with the loops and guards it was met under."""

    obligation: Obligation
    loops: tuple[LoopInfo, ...]
    guard: Expr | None
    line: int


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the function's top-level conditionals."""

    conditions: tuple[Expr, ...]
    effects: tuple[Effect, ...]
    arrays: dict[str, ArrayInfo]
    asserts: tuple[tuple[Expr, int], ...]
    """Conditions with the lines of the source's own asserts; 0 for what the source does not state."""
    obligations: tuple[FoundObligation, ...]
    trips: tuple[tuple[LoopInfo, tuple[LoopInfo, ...], Expr | None], ...]
    """Every loop with the loops around it and the guard it stands under."""
    result: Expr | None = None
    line: int = field(default=0)
    defined: dict[str, Poly] = field(default_factory=dict)
    """What the locals of `Define` are, over the parameters."""
    reads: tuple[Effect, ...] = ()
    """Values of variables and conditions, as effects on no array: their Loads are made whether they are used or not.
    Their time says nothing once the effects have been put in another order."""
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of arrays that must not be the same memory for the effects to be what the source does."""


def observed(effects: Sequence[Effect], outputs: AbstractSet[str], result: Expr | None) -> list[Effect]:
    """The effects without stores to local arrays that nothing reads: what is read of them at once has been put in place
    of the reads."""
    while True:
        seen = set(outputs)
        for e in effects:
            for x in (*sites(e), *_bounds(e)):
                seen |= {split_tag(n.name)[0] for n in loads(x) if "@" in n.name}
        if result is not None:
            seen |= {split_tag(n.name)[0] for n in loads(result) if "@" in n.name}
        kept = [e for e in effects if e.array in seen]
        if len(kept) == len(effects):
            return kept
        effects = kept


def _bounds(e: Effect) -> list[Expr]:
    return [a for loop in e.loops for a in loop.trip.atoms().values()]


def domain(loops: Sequence[LoopInfo]) -> list[Expr]:
    """0 <= counter < trip of each loop."""
    out: list[Expr] = []
    for loop in loops:
        counter = from_poly(Poly.variable(loop.counter, I32))
        out += [GE(BOOL, counter, const(0, I64)), LT(BOOL, counter, from_poly(loop.trip))]
    return out


def least(asked: Sequence[Expr], given: Sequence[Expr], follows: Follows) -> list[Expr]:
    """Comparisons of order without those that follow from the rest and from what is given."""
    left = list({key(c): c for c in asked}.values())
    for c in list(left):
        others = [x for x in left if x is not c]
        ahead = ahead_of(c)
        if ahead is not None and follows([*given, *others], ahead):
            left = others
    return left


def ahead_exactly(guard: Expr, given: Sequence[Expr], follows: Follows) -> Poly | None:
    """What is zero or more where a guard holds, if that is known not to wrap."""
    return ahead_of(guard) if compares_integers(guard, {}, given, follows) else None


def compares_integers(comparison: Expr, at: Mapping[str, Poly], given: Sequence[Expr], follows: Follows) -> bool:
    """Whether what is compared is known not to wrap, with counters as `at` says."""
    met: list[Obligation] = []
    for x in children(comparison):
        to_poly(x, met)
    return hold(met, at, given, follows)


def hold(met: Sequence[Obligation], at: Mapping[str, Poly], given: Sequence[Expr], follows: Follows) -> bool:
    """Whether obligations are met, with counters as `at` says."""
    for o in met:
        if promised(o):
            continue
        p = o.poly.substitute(at)
        ends = [p] if o.type is None else [p - Poly.constant(o.type.min()), Poly.constant(o.type.max()) - p]
        if not all(follows(given, end) for end in ends):
            return False
    return True


def promised(o: Obligation) -> bool:
    """Whether C++ itself promises it: signed arithmetic of 32 bits or more does not overflow."""
    return o.type is not None and o.type.is_int() and o.type.bits >= 32


def split_tag(name: str) -> tuple[str, int]:
    """`array@t` -> (array, t)."""
    array, _, tag = name.rpartition("@")
    return array, int(tag)


_LOADS: dict[int, tuple[Load, ...]] = {}


def loads(e: Expr) -> list[Load]:
    """Every distinct Load in `e`, those inside of others first."""
    number = key(e)
    if number not in _LOADS:
        deadline.check()
        found: dict[int, Load] = {}
        entered: set[int] = set()
        stack = [e]
        while stack:
            n = stack.pop()
            k = key(n)
            if k in _LOADS:  # a value made of earlier ones
                found.update({key(x): x for x in _LOADS[k] if key(x) not in found})
            elif k not in entered:
                entered.add(k)
                stack += [n, *reversed(children(n))]
            elif isinstance(n, Load):
                found.setdefault(k, n)
        _LOADS[number] = tuple(found.values())
    return list(_LOADS[number])


def timeless(e: Expr) -> Expr:
    """An expression whose Loads name no time and have their indices as polynomials."""

    def rewrite(n: Expr) -> Expr:
        if not isinstance(n, Load):
            return n
        return replace(n, name=split_tag(n.name)[0], index=from_poly(to_poly(n.index)))

    return transform(e, rewrite)


def sites(e: Effect) -> Iterator[Expr]:
    """Where an effect has expressions that may read: its value, its guard, its index."""
    yield e.value
    if e.guard is not None:
        yield e.guard
    yield from e.index.atoms().values()


def spaced(path: Path, times: int) -> Path:
    """`path` with room for `times` effects at the time of each."""

    def later(x: Expr) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if not isinstance(n, Load) or "@" not in n.name:
                return n
            array, time = split_tag(n.name)
            return replace(n, name=f"{array}@{time * times}")

        return transform(x, rewrite)

    def poly(p: Poly) -> Poly:
        return to_poly(later(from_poly(p))) if any(loads(a) for a in p.atoms().values()) else p

    def around(loops: tuple[LoopInfo, ...]) -> tuple[LoopInfo, ...]:
        return tuple(replace(x, trip=poly(x.trip)) for x in loops)

    def optional(x: Expr | None) -> Expr | None:
        return later(x) if x is not None else None

    def moved(e: Effect) -> Effect:
        index, value, order = poly(e.index), later(e.value), e.order * times
        return replace(e, index=index, value=value, guard=optional(e.guard), loops=around(e.loops), order=order)

    def found(o: FoundObligation) -> FoundObligation:
        obligation = replace(o.obligation, poly=poly(o.obligation.poly))
        return replace(o, obligation=obligation, loops=around(o.loops), guard=optional(o.guard))

    return replace(
        path,
        conditions=tuple(map(later, path.conditions)),
        effects=tuple(map(moved, path.effects)),
        arrays={n: replace(a, loops=around(a.loops)) for n, a in path.arrays.items()},
        obligations=tuple(map(found, path.obligations)),
        trips=tuple((around((x,))[0], around(outer), optional(g)) for x, outer, g in path.trips),
        result=optional(path.result),
        reads=tuple(map(moved, path.reads)),
    )


def left_to_original(path: Path) -> Path:
    """A path that does nothing and that no contract allows."""
    return replace(path, effects=(), trips=(), obligations=(), reads=(), arrays={}, asserts=((make_bool(False), 0),))


def own_reads(e: Effect) -> list[Poly]:
    """Where an effect reads the array that it writes, for its value or to decide whether it writes."""
    read = [n for x in (e.value, *([e.guard] if e.guard is not None else [])) for n in loads(x)]
    return [to_poly(n.index) for n in read if n.name.rpartition("@")[0] == e.array]


def undisturbed(group: Sequence[Effect], others: Sequence[Effect], values: Iterable[Expr]) -> bool:
    """Whether stores that stand at several times may as well stand at any one of them, for what is not among them: none
    of the `others` stores to the same array in between, or to what the group reads between two of these reads, and
    neither do they or `values` read in between what the group stores."""
    first, last = min(e.order for e in group), max(e.order for e in group)
    stored = {e.array for e in group}
    times: dict[str, list[int]] = {}
    for e in group:
        for x in sites(e):
            for n in loads(x):
                if "@" in n.name:
                    array, time = split_tag(n.name)
                    times.setdefault(array, []).append(time)
    for e in others:
        if e.array in stored and first < e.order < last:
            return False
        read = times.get(e.array)
        if read is not None and min(read) <= e.order < max(read):
            return False
    seen = (n for x in (*(x for e in others for x in sites(e)), *values) for n in loads(x) if "@" in n.name)
    return not any(array in stored and first < time <= last for array, time in (split_tag(n.name) for n in seen))


def loads_of(path: Path) -> Iterator[Load]:
    """Every Load of a path: in what is stored, where, and under which guard; in values of variables and conditions; in
    how often loops run; in the path's conditions and the result."""
    for x in (*(x for e in (*path.effects, *path.reads) for x in sites(e)), *values_of(path)):
        yield from loads(x)


def values_of(path: Path) -> Iterator[Expr]:
    """What of a path may read and is not an effect: how often loops run, its conditions, the result."""
    for info, _, guard in path.trips:
        yield from info.trip.atoms().values()
        if guard is not None:
            yield guard
    yield from path.conditions
    if path.result is not None:
        yield path.result
