"""A number that a parameter seems to be, where a path is written as if it were.

    if (scn == 3) { three(src); } else { four(src); }      src += scn * 32;

A loop goes on by `scn * 32` elements, and its body takes 32 pixels of four elements each: nothing says that the other
number is 4, but the blocks lie one behind the other if it is.

    dst[first] = b;      dst[first ^ 2] = r;

Two numbers change places: the parameter is one of them, 0 or 2."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from halide_core.ir.expr import BOOL, EQ, Call, Expr, Load, Variable, const, const_value
from halide_core.ir.structural import key, post_order
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effects import Effect, Path, loads, sites
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of
from lifter.symexec.known_numbers import numbers

_MOST = 16
"""Elements of a pixel."""

Span = tuple[int, int]
"""The first offset, and the one after the last."""


def suggested(function: Function, path: Path) -> Expr | None:
    """The condition that a parameter is the number, if there is exactly one such of one parameter."""
    types = {p.name: p.type for p in function.params if not p.pointer and p.type.is_int_or_uint()}
    known = {name for c in path.conditions for name in numbers(c)}
    none_of = {(name, const_value(n)) for c in path.conditions for name, n in numbers(negate(c)).items()}
    found = (*_of_blocks(path, types.keys() - known), *_of_exchanges(path, types.keys() - known))
    asked = list(dict.fromkeys(c for c in found if c not in none_of))
    if len({name for name, _ in asked}) != 1:
        return None
    name, number = asked[0]
    return EQ(BOOL, Variable(types[name], name), const(number, types[name]))


def _of_blocks(path: Path, parameters: Container[str]) -> Iterator[tuple[str, int]]:
    """Parameters that loops go on by, and how many elements of a pixel their bodies take."""
    blocks: dict[tuple[str, str, int], list[Span]] = {}
    for array, e, index in _places(path):
        found = _block(index, e, parameters)
        if found is not None:
            name, count, span = found
            blocks.setdefault((array, name, count), []).append(span)
    for (_, name, count), spans in blocks.items():
        length = max(s[1] for s in spans) - min(s[0] for s in spans)
        number = -(-length // count)  # of the last pixel not all may be touched
        if number <= _MOST:
            yield name, number


def _of_exchanges(path: Path, parameters: Container[str]) -> Iterator[tuple[str, int]]:
    """Parameters that places are given by once as they are and once with a bit of theirs changed."""
    for _, _, index in _places(path):
        for n in (n for a in index.atoms().values() for n in post_order(a)):
            if not isinstance(n, Call) or n.name != "bitwise_xor" or not isinstance(n.args[0], Variable):
                continue
            p, bit = n.args[0], const_value(n.args[1])
            if p.name in parameters and isinstance(bit, int):
                yield p.name, bit
                yield p.name, 0


def is_of_no_number(path: Path, settings: Sequence[Expr]) -> bool:
    """Whether a path is one of those for which a parameter is not the number of one of `settings`, and no other one
    that is known."""
    held = {key(c) for c in path.conditions}
    known = {name for c in path.conditions for name in numbers(c)}
    return any(key(negate(s)) in held and known.isdisjoint(numbers(s)) for s in settings)


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
