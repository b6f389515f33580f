"""Stores of one region: values over the dimensions, what is asked about them, and their reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Expr, Load
from halide_core.ir.structural import key, substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.summary import EffectMap

Store = tuple[Expr, EffectMap]
"""A value over the dimensions, and where it is stored."""


@dataclass(frozen=True, slots=True)
class Tests:
    """What is asked about values and places."""

    equal: Callable[[Expr, Expr], bool]
    """Whether two values are proved equal."""
    same_place: Callable[[Poly, Poly, EffectMap], bool]
    """Whether two addresses over the dimensions are one wherever an effect stores, as far as small runs show."""
    ends: Callable[[EffectMap, int], tuple[Poly, Poly] | None]
    """The first coordinate of an effect's stores along a dimension, and the one after the last, over parameters; None
    where they are not one behind the other."""
    before: Callable[[Poly, Poly], bool]
    """Whether a polynomial over parameters is at most another one, as far as small runs show."""
    remainder: Callable[[EffectMap, int, int], int | None]
    """The remainder of an effect's coordinates along a dimension by a number, where small runs show one only."""
    guard: Callable[[EffectMap], tuple[Expr, ...]]
    """The conditions on parameters without which an effect's fixed place would be another's."""


_MOST_NODES = 3000


def covers(general: Expr, value: Expr, m: EffectMap, names: list[str]) -> bool:
    """Whether `general` is `value` in every iteration of an effect."""
    if key(general) == key(value):
        return True
    place = dict(zip(names, m.coords, strict=True))

    def read(n: Expr) -> Expr:
        # The addresses as polynomials: their variables may be wider than coordinates are.
        if isinstance(n, Load) and n.name.endswith("#"):
            return E.with_children(n, (from_poly(to_poly(n.index).substitute(place)),))
        return n

    def here(e: Expr) -> Expr:
        placed = substitute(transform(e, read), {n: from_poly(c, I32) for n, c in place.items()})
        return transform(placed, canonical)

    return key(here(general)) == key(here(value))


def reads(e: Expr) -> tuple[int, list[Load]] | None:
    """(the expression without the addresses of its reads, as a number; the reads in order), None if it is large."""
    found: list[Load] = []
    count = 0

    def visit(n: Expr) -> Expr:
        nonlocal count
        count += 1
        if count > _MOST_NODES:
            return n
        if isinstance(n, Load) and n.name.endswith("#"):
            found.append(n)
            return E.with_children(n, (E.const(0, n.index.type),))
        return E.with_children(n, tuple(visit(c) for c in E.children(n)))

    erased = visit(e)
    return None if count > _MOST_NODES else (key(erased), found)


def with_reads(e: Expr, reads: Iterator[Load]) -> Expr:
    if isinstance(e, Load) and e.name.endswith("#"):
        return next(reads)
    return E.with_children(e, tuple(with_reads(c, reads) for c in E.children(e)))


def canonical(n: Expr) -> Expr:
    if isinstance(n, Load) and n.name.endswith("#"):
        return E.with_children(n, (from_poly(to_poly(n.index)),))
    if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE):
        return E.with_children(n, tuple(from_poly(to_poly(a), I32) for a in n.args))
    return n
