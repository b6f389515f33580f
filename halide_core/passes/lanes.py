"""What the lanes of a vectorized loop make of coordinates: even steps, quotients and remainders."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.identities import Bounds, interval
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import contains, substitute, transform, variables
from halide_core.ir.sums import build_sum, is_coordinate, linear_terms


def linear_in(index: Expr, name: str) -> tuple[Expr, Expr] | None:
    """(stride, rest) with index = rest + stride * name and both free of name, int64; None when not linear."""
    terms, constant = linear_terms(simplify_index(index))
    rest: dict[int, tuple[Expr, int]] = {}
    stride: Expr = const(0, I64)
    for number, (term, factor) in terms.items():
        if name not in variables(term):
            rest[number] = (term, factor)
            continue
        coefficient = _coefficient(term, name)
        if coefficient is None:
            return None
        stride = simplify_index(ir.Add(I64, stride, ir.Mul(I64, coefficient, const(factor, I64))))
    return stride, build_sum(rest, constant, I64)


def same_quotients(index: Expr, name: str, first: int, lanes: int) -> Expr:
    """`index` with quotients by constants that are the same in all lanes as numbers, and remainders as differences:
    x % 16 is x in sixteen lanes from 0 on."""
    bounds: Bounds = {name: (first, first + lanes - 1)}

    def rewrite(n: Expr) -> Expr:
        divisor = const_value(n.b) if isinstance(n, ir.Div | ir.Mod) and n.type in (I32, I64) else None
        if not isinstance(n, ir.Div | ir.Mod) or divisor is None or divisor <= 0 or variables(n.a) != {name}:
            return n
        low, high = interval(n.a, bounds)
        if low is None or high is None or low // int(divisor) != high // int(divisor):
            return n
        quotient = const(low // int(divisor), n.type)
        return quotient if isinstance(n, ir.Div) else ir.Sub(n.type, n.a, ir.Mul(n.type, quotient, n.b))

    return transform(index, rewrite) if contains(index, ir.Div, ir.Mod) else index


def _coefficient(term: Expr, name: str) -> Expr | None:
    if isinstance(term, ir.Cast) and term.type == I64:
        term = term.value
    if isinstance(term, Variable):
        return const(1, I64) if term.name == name else None
    if isinstance(term, ir.Mul) and term.type == I64:
        for a, b in ((term.a, term.b), (term.b, term.a)):
            if name not in variables(b):
                inner = _coefficient(a, name)
                return None if inner is None else simplify_index(ir.Mul(I64, inner, b))
    return None


def quotient_lanes(index: Expr, loop: st.For, lanes: int) -> tuple[list[Expr], int] | None:
    """(starts, step), a start for each r in range(c), where the index in lane c * j + r is start r + j * step, is made
    of quotients and remainders of the lane by divisors of c, and the lanes are whole groups of c; None otherwise.

        rest + (x + 1) / 2,   rest + x / 2 + 2 * (x % 2)   and   4 * (x / 4) + 3"""
    whole = simplify_index(index)
    if not contains(whole, ir.Div, ir.Mod):
        return None
    terms, _ = linear_terms(whole)
    mine = [(t, f) for t, f in terms.values() if loop.name in variables(t)]
    divisors = [_divisor(t, loop.name) for t, _ in mine]
    known = [d for d in divisors if d is not None]
    c = math.lcm(*known)
    if c < 2 or len(known) < len(mine) or lanes % c or lanes // c < 2:
        return None
    step = sum(f * (c // d) for (t, f), d in zip(mine, known, strict=True) if not isinstance(_narrow(t), ir.Mod))
    if step < 1:
        return None
    return [simplify_index(_at(whole, loop.name, simplify_index(loop.min + r))) for r in range(c)], step


def _narrow(term: Expr) -> Expr:
    return term.value if isinstance(term, ir.Cast) and term.type == I64 else term


def _divisor(term: Expr, name: str) -> int | None:
    """c where the term is (name + rest) / c or (name + rest) % c of coordinates, 1 where it is `name`."""
    inner = _narrow(term)
    if isinstance(inner, Variable):
        return 1
    if not isinstance(inner, ir.Div | ir.Mod) or inner.type != I32 or not is_coordinate(inner.a):
        return None
    c = const_value(inner.b)
    linear = linear_in(ir.Cast(I64, inner.a), name)
    if c is None or c < 2 or linear is None or const_value(linear[0]) != 1:
        return None
    return int(c)


def _at(e: Expr, name: str, value: Expr) -> Expr:
    """`e` where `name` is `value`, its int32 parts made canonical so that equal starts look equal."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, ir.Div | ir.Mod) and n.type == I32:
            return simplify_index(n)
        return n

    return transform(substitute(e, {name: value}), rewrite)


def without_multiples(e: ir.Mod) -> ir.Mod:
    """x % c for a power of two c with what is a multiple of c taken out of x: exact, for int32 wraps at one too.

        (ramp(xo * 16 + b, 1, 16)) % 2  becomes  ramp(b, 1, 16) % 2, which need not be computed anew for each xo"""
    c = const_value(e.b)
    if c is None or c <= 0 or e.type != I32 or int(c) & (int(c) - 1):
        return e
    terms, constant = linear_terms(e.a)
    kept = {k: (t, f % int(c)) for k, (t, f) in terms.items() if f % int(c)}
    return ir.Mod(I32, build_sum(kept, constant % int(c), I32), e.b)
