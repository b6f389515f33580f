"""Addresses as polynomials, and what must hold for that."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Add, Call, Cast, Expr, Mul, Select, Sub, children
from halide_core.ir.structural import key, post_order
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Obligation, Poly, node_poly
from lifter.algebra.wrapping import reads_memory


def address_poly(e: Expr, obligations: list[Obligation]) -> Poly:
    """As `to_poly`, for an address: sums and products of 64 bits wrap as addresses do (`src[i - 1]` with a size_t i = 0
    is the element before), so that nothing is asked of those which nothing else is made of."""
    wrapping: dict[int, Expr] = {}
    other: list[Expr] = []
    work = [e]
    while work:
        n = work.pop()
        if id(n) in wrapping:
            continue
        if not n.type.is_int_or_uint() or n.type.bits != 64:
            other.append(n)
            continue
        wrapping[id(n)] = n
        if isinstance(n, Add | Sub | Mul | Cast):
            work += children(n)
        elif isinstance(n, Select):
            work += [n.true_value, n.false_value]
            other.append(n.condition)
        elif isinstance(n, Call) and n.name == "shift_left":
            other += children(n)
        else:
            other.append(n)  # quotients are not those of what has wrapped
    asked = {id(m) for n in other for m in post_order(n)}
    memo: dict[int, Poly] = {}
    chosen = _chosen_by(e)
    for node in post_order(e):
        if node.type.is_int_or_uint() or node.type.is_handle():
            free = id(node) in wrapping and id(node) not in asked
            found: list[Obligation] = []
            memo[id(node)] = node_poly(node, memo, found)
            conditions = chosen[id(node)]
            keys = tuple(map(key, conditions))
            obligations += [] if free else [replace(o, chosen=keys, conditions=conditions) for o in found]
    return memo[id(e)]


def _chosen_by(e: Expr) -> dict[int, tuple[Expr, ...]]:
    """For each node under `e`, by id, the conditions on other things than data by which choices evaluate it."""
    out: dict[int, tuple[Expr, ...]] = {id(e): ()}
    for n in reversed(list(post_order(e))):
        here = out[id(n)]
        arms: dict[int, Expr] = {}
        if isinstance(n, Select) and not reads_memory(n.condition):
            arms = {1: n.condition, 2: negate(n.condition)}
        for position, c in enumerate(children(n)):
            there = (*here, arms[position]) if position in arms else here
            known = out.get(id(c))
            out[id(c)] = there if known is None else _common(known, there)
    return out


def _common(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """What two lists of conditions begin with alike."""
    same = 0
    while same < min(len(a), len(b)) and key(a[same]) == key(b[same]):
        same += 1
    return a[:same]


__all__ = ["address_poly"]
