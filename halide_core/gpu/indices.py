"""Indices in arithmetic of 32 bits, of which a device has more.

    let x0 = ...
    offset + int64(x)*s + int64(x0)*s + int64(x0) - int64(x0)   ->   int64(int32(offset) + (x + x0)*int32(s))

Lets of coordinates are looked through, so that what cancels does.  Terms that are the same for all blocks stand
together, for the host to add them up.  Every index lies in its array, whose span `llvm_device` holds to less than 2^31
elements, so that sums of 32 bits that wrap on the way come to the right end.  What is constant is added last, where
addresses take it for nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import reduce

from halide_core.gpu.kernel import Leaf
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, const, const_value
from halide_core.ir.structural import contains, key, substitute, transform, variables
from halide_core.ir.sums import linear_terms

# Constants of less are left outside of what wraps; arrays are as much shorter than 2^31.
MOST_CONSTANT = 1 << 20


def narrow_indices(s: st.Stmt, changing: Collection[str]) -> st.Stmt:
    """`s` with the scalar indices of loads and stores, and the bases of dense vectors, in sums of 32 bits.  `changing`:
    the Variables that are not the same for all threads of all blocks and are bound outside of `s`."""
    return _visit(s, {}, frozenset(changing))


def _visit(s: st.Stmt, lets: Mapping[str, Expr], changing: frozenset[str]) -> st.Stmt:
    def one(n: Expr) -> Expr:
        return replace(n, index=_narrowed(n.index, lets, changing)) if isinstance(n, ir.Load) else n

    def expression(e: Expr) -> Expr:
        return transform(e, one) if contains(e, ir.Load) else e

    if isinstance(s, Leaf):
        return Leaf(_visit(s.body, lets, changing), tuple(map(expression, s.masks)))
    inner, moving = lets, changing
    if isinstance(s, st.For):
        moving = changing | {s.name}
    if isinstance(s, st.LetStmt):
        value = _expanded(s.value, lets)
        if s.value.type in (I32, I64) and not contains(value, ir.Load):
            inner = {**lets, s.name: value}
        moving = changing | {s.name} if variables(value) & changing or contains(value, ir.Load) else changing
    out = st.rebuild(s, lambda x: _visit(x, inner, moving), expression)
    return replace(out, index=_narrowed(out.index, lets, changing)) if isinstance(out, st.Store) else out


def _expanded(e: Expr, lets: Mapping[str, Expr]) -> Expr:
    names = variables(e) & lets.keys()
    return substitute(e, {n: lets[n] for n in names}) if names else e


def _narrowed(index: Expr, lets: Mapping[str, Expr], changing: frozenset[str]) -> Expr:
    if isinstance(index, ir.Ramp):
        return ir.Ramp(index.type, _narrowed(index.base, lets, changing), index.stride, index.lanes)
    if index.type != I64:
        return index
    terms, constant = linear_terms(_expanded(index, lets))
    if not terms:
        return index
    apart = constant if abs(constant) < MOST_CONSTANT else 0
    fixed: list[Expr] = [] if constant == apart else [const(constant - apart, I32)]
    groups: dict[tuple[int, ...], tuple[list[Expr], list[Expr]]] = {}
    for coordinates, others, factor in _distributed(terms.values(), changing):
        term = _product([*coordinates, *others], factor)
        if variables(term) & changing or contains(term, ir.Load):
            parts, _ = groups.setdefault(tuple(sorted(map(key, others))), ([], others))
            parts.append(_product(coordinates, factor))
        else:
            fixed.append(term)
    if not fixed and not groups:
        return const(apart, I64)
    total = [_sum(sorted(fixed, key=key))] if fixed else []
    # In one order, so that equal sums are the same.
    for _, (parts, others) in sorted(groups.items()):
        total.append(_product([_sum(sorted(parts, key=key)), *others], 1))
    wide = ir.Cast(I64, _sum(total))
    return wide if not apart else ir.Add(I64, wide, const(apart, I64))


def _distributed(
    terms: Iterable[tuple[Expr, int]], changing: Collection[str]
) -> list[tuple[list[Expr], list[Expr], int]]:
    """(coordinates, other factors, constant) of the terms of a sum, products of a sum of coordinates taken apart, so
    that of (y + low)*s and low*s the same is left out."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[list[Expr], list[Expr], int]] = {}
    for term, factor in terms:
        coordinates, others, constants = _factors(term)
        moving = [c for c in coordinates if variables(c) & frozenset(changing)]
        if len(coordinates) > 1 and len(moving) == 1:
            others = [*others, *(c for c in coordinates if c is not moving[0])]
            coordinates = moving
        apart: list[tuple[list[Expr], int]] = [(coordinates, 1)]
        if len(coordinates) == 1 and others:
            inner, rest = linear_terms(coordinates[0])
            apart = [([t], f) for t, f in inner.values()] + ([([], rest)] if rest else [])
        for own, k in apart:
            number = tuple(sorted(map(key, own))), tuple(sorted(map(key, others)))
            _, _, before = found.get(number, (own, others, 0))
            found[number] = own, others, before + k * constants * factor
    return [x for x in found.values() if x[2]]


def _sum(parts: list[Expr]) -> Expr:
    return reduce(lambda a, b: ir.Add(I32, a, b), parts)


def _product(factors: list[Expr], constant: int) -> Expr:
    if not factors:
        return const(constant, I32)
    found = reduce(lambda a, b: ir.Mul(I32, a, b), factors)
    return found if constant == 1 else ir.Mul(I32, found, const(constant, I32))


def _factors(term: Expr) -> tuple[list[Expr], list[Expr], int]:
    """(coordinates, other factors) of a product, all of them int32, and what is constant of it."""
    coordinates: list[Expr] = []
    others: list[Expr] = []
    constants = 1
    work = [term]
    while work:
        e = work.pop()
        value = const_value(e)
        if value is not None:
            constants *= int(value)
        elif isinstance(e, ir.Mul):
            work += [e.b, e.a]
        elif isinstance(e, ir.Cast) and e.value.type == I32:
            if isinstance(e.value, ir.Mul):
                work += [ir.Cast(I64, e.value.b), ir.Cast(I64, e.value.a)]
            else:
                coordinates.append(e.value)
        else:
            others.append(ir.Cast(I32, e))
    return coordinates, others, constants
