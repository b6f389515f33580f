"""A number that a parameter seems to be, where a path is written as if it were: a loop goes on by `scn * 32` elements,
and its body takes 32 pixels of four elements each.

    if (scn == 3) { three(src); } else { four(src); }      src += scn * 32;

Nothing says that the other number is 4; the blocks lie one behind the other if it is."""

from __future__ import annotations

from collections.abc import Container, Iterator

from halide_core.ir.expr import BOOL, EQ, Expr, Load, Variable, const
from halide_core.ir.structural import key
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effects import Effect, Path, loads, sites
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of
from lifter.symexec.collapsed_nests import numbers

_MOST = 16
"""Elements of a pixel."""

Span = tuple[int, int]
"""The first offset, and the one after the last."""


def suggested(function: Function, path: Path) -> Expr | None:
    """The condition that a parameter is the number, if there is exactly one such of one parameter."""
    types = {p.name: p.type for p in function.params if not p.pointer and p.type.is_int_or_uint()}
    blocks: dict[tuple[str, str, int], list[Span]] = {}
    for array, e, index in _places(path):
        found = _block(index, e, types.keys())
        if found is not None:
            name, count, span = found
            blocks.setdefault((array, name, count), []).append(span)
    asked: set[tuple[str, int]] = set()
    for (_, name, count), spans in blocks.items():
        length = max(s[1] for s in spans) - min(s[0] for s in spans)
        number = -(-length // count)  # of the last pixel not all may be touched
        if number <= _MOST:
            asked.add((name, number))
    if len(asked) != 1:
        return None
    ((name, number),) = asked
    return EQ(BOOL, Variable(types[name], name), const(number, types[name]))


def is_of_no_number(path: Path, setting: Expr | None) -> bool:
    """Whether a path is one of those for which a parameter is not the number of `setting`, and no other one that is
    known."""
    if setting is None or key(negate(setting)) not in map(key, path.conditions):
        return False
    known = [name for c in path.conditions for name in numbers(c)]
    return not any(name in known for name in numbers(setting))


def _places(path: Path) -> Iterator[tuple[str, Effect, Poly]]:
    """What is touched, by which effect."""
    for e in (*path.effects, *path.reads):
        if e.array:
            yield e.array, e, e.index
        found: dict[Load, None] = dict.fromkeys(n for x in sites(e) for n in loads(x))
        for n in found:
            if not loads(n.index):
                yield array_of(n), e, to_poly(n.index)


def _block(index: Poly, e: Effect, parameters: Container[str]) -> tuple[str, int, Span] | None:
    """The parameter that a loop goes on by, with how often, and the offsets from where an iteration is."""
    low = high = 0
    block: tuple[str, int] | None = None
    rest = index
    for loop in e.loops:
        step, trip = index.coefficient(loop.counter), loop.trip.constant_value()
        if step is None:
            return None
        rest = rest.substitute({loop.counter: Poly()})
        each = step.constant_value()
        if each == 0:
            continue
        if each is not None and trip is not None:
            low, high = low + min(0, each * (trip - 1)), high + max(0, each * (trip - 1))
            continue
        if block is not None:
            return None
        block = _multiple(step, parameters)
        if block is None:
            return None
    offset = rest.constant_value()
    return None if block is None or offset is None else (*block, (offset + low, offset + high + 1))


def _multiple(step: Poly, parameters: Container[str]) -> tuple[str, int] | None:
    """The parameter that a step is a multiple of, and how many times at least twice."""
    for name in step.names():
        factor = step.coefficient(name)
        times = None if factor is None else factor.constant_value()
        if name in parameters and times is not None and times > 1 and step.substitute({name: Poly()}).is_zero():
            return name, times
    return None
