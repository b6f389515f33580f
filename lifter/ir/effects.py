"""What symbolic execution finds: stores under symbolic iteration counters.

An Effect stands for one store executed once per point of its iteration domain: the counters of `loops`, outermost
first, each from 0 to its trip count (which may mention outer counters).  A Load inside it is named `array@t`: it sees
memory as it is in that iteration after the effects with `order < t`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Expr, Load, children, const
from halide_core.ir.structural import key
from lifter.algebra.polynomial import Obligation, Poly, from_poly
from lifter.ir.names import array_of, is_read
from lifter.support import deadline


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


def domain(loops: Sequence[LoopInfo]) -> list[Expr]:
    """0 <= counter < trip of each loop."""
    out: list[Expr] = []
    for loop in loops:
        counter = from_poly(Poly.variable(loop.counter, I32))
        out += [GE(BOOL, counter, const(0, I64)), LT(BOOL, counter, from_poly(loop.trip))]
    return out


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


def reads_in(e: Expr) -> list[Load]:
    """Every distinct read of memory in `e`, those inside of others first."""
    return [n for n in loads(e) if is_read(n)]


def reads_of(array: str, e: Expr) -> list[Load]:
    """Those of one array."""
    return [n for n in loads(e) if array_of(n) == array]


def arrays_in(values: Iterable[Expr]) -> set[str]:
    """The arrays that expressions read."""
    return {array_of(n) for x in values for n in reads_in(x)}


def sites(e: Effect) -> Iterator[Expr]:
    """Where an effect has expressions that may read: its value, its guard, its index."""
    yield e.value
    if e.guard is not None:
        yield e.guard
    yield from e.index.atoms().values()


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
