"""What every path must be, whatever transform made it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halide_core.ir.expr import Expr, Load, Variable
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type
from lifter.ir.effects import Effect, LoopInfo, Path, loads, sites, values_of
from lifter.ir.loop_ir import Function
from lifter.ir.names import is_address, is_read, is_undefined, split_tag


@dataclass(frozen=True, slots=True)
class Level:
    """What of a path is legal after a transform."""

    name: str
    cells: bool = True
    """Variables that are carried from one iteration to the next in arrays of one element."""


RAW = Level("raw")
NO_CELLS = Level("no_cells", cells=False)


class IllegalPath(Exception):
    """The path breaks a rule; the text says which and where."""


def verify(function: Function, path: Path, level: Level) -> None:
    """Raises IllegalPath where `path`, of `function`, is not what `level` says.

    Orders are distinct and ascend, and the effects of a loop stand together; loops are known with the loops around
    them; a read is of a known array, at a time that has come; variables are parameters or counters of the loops around;
    a local array is stored to inside of the loops that it is new in; and what is stored has the array's type."""
    for text in _problems(function, path, level):
        raise IllegalPath(f"{function.name}, {level.name}: {text}")


def _problems(function: Function, path: Path, level: Level) -> Iterator[str]:
    yield from _order(path)
    yield from _loops(path)
    yield from _arrays(function, path, level)
    types = _types(function, path)
    free = {p.name for p in function.params if not p.pointer} | set(path.defined)
    for e in (*path.effects, *path.reads):
        yield from _reads(e, path, types)
        for x in (*sites(e), *(a for loop in e.loops for a in loop.trip.atoms().values())):
            yield from _variables(x, free | set(e.counters), f"order {e.order}, line {e.line}")
    for x in values_of(path):
        known = free | {info.counter for info, _, _ in path.trips}
        yield from _variables(x, known, "outside of effects")


def _order(path: Path) -> Iterator[str]:
    orders = [e.order for e in path.effects]
    if orders != sorted(set(orders)):
        yield f"orders {orders} are not distinct and ascending"
    left: set[str] = set()
    inside: tuple[str, ...] = ()
    for e in path.effects:
        kept = 0
        while kept < min(len(inside), len(e.counters)) and inside[kept] == e.counters[kept]:
            kept += 1
        left |= set(inside[kept:])
        again = left & set(e.counters)
        if again:
            yield f"the effects of loop {min(again)} do not stand together (order {e.order}, line {e.line})"
        inside = e.counters


def _loops(path: Path) -> Iterator[str]:
    known = {info.counter: (info, outer) for info, outer, _ in path.trips}
    for e in path.effects:
        for depth, loop in enumerate(e.loops):
            if loop.counter not in known:
                yield f"loop {loop.counter} of order {e.order} (line {e.line}) has no entry in trips"
                continue
            info, outer = known[loop.counter]
            if info.trip != loop.trip:
                yield f"loop {loop.counter} runs {info.trip} times in trips, {loop.trip} around order {e.order}"
            if [x.counter for x in outer] != list(e.counters[:depth]):
                yield f"loop {loop.counter} stands in other loops around order {e.order} than in trips"


def _arrays(function: Function, path: Path, level: Level) -> Iterator[str]:
    for name, info in path.arrays.items():
        if name != info.name:
            yield f"array {info.name} is listed as {name}"
        if info.cell and not level.cells and any(e.array == name for e in path.effects):
            yield f"{name} (line {info.line}) is a cell still"
        for e in path.effects:
            if e.array == name and not _starts_with(e.loops, info.loops):
                yield f"array {name} is new in loops that order {e.order} (line {e.line}) does not stand in"


def _starts_with(loops: tuple[LoopInfo, ...], first: tuple[LoopInfo, ...]) -> bool:
    return [x.counter for x in loops[: len(first)]] == [x.counter for x in first]


def _types(function: Function, path: Path) -> dict[str, Type | None]:
    """Of what is read and stored; None where the path itself says it, of arrays that transforms have made."""
    types: dict[str, Type | None] = {n: None for n in path.arrays}
    types |= {p.name: p.type for p in function.params if p.pointer}
    types |= {n: t.type for n, t in function.tables.items()}
    return types


def _reads(e: Effect, path: Path, types: dict[str, Type | None]) -> Iterator[str]:
    place = f"order {e.order}, line {e.line}"
    if e.array and e.array not in types:
        yield f"{place} stores to {e.array}, which is no array"
    if e.array and types.get(e.array) not in (None, e.value.type):
        yield f"{place} stores {e.value.type} to {e.array}, which has {types[e.array]}"
    for x in sites(e):
        for n in loads(x):
            yield from _read(n, e, types, place)


def _read(n: Load, e: Effect, types: dict[str, Type | None], place: str) -> Iterator[str]:
    if not is_read(n):
        if n.name not in types:
            yield f"{place} reads {n.name}, which is no array"
        return
    array, time = split_tag(n.name)
    if array not in types:
        yield f"{place} reads {array}, which is no array"
    elif types[array] not in (None, n.type):
        yield f"{place} reads {n.type} from {array}, which has {types[array]}"
    if e.array and time > e.order:
        yield f"{place} reads {array} at time {time}, which is later"


def _variables(x: Expr, known: set[str], place: str) -> Iterator[str]:
    for n in post_order(x):
        if isinstance(n, Variable) and n.name not in known and not is_address(n.name) and not is_undefined(n.name):
            yield f"{place} mentions {n.name}, which is no parameter and no counter of a loop around it"
