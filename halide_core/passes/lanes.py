"""What the lanes of a vectorized loop make of coordinates: even steps, quotients and remainders."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.simplify import build_sum, is_coordinate, linear_terms, simplify_index
from halide_core.ir.structural import substitute, variables


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


def quotient_lanes(index: Expr, loop: st.For, lanes: int) -> tuple[list[Expr], Expr] | None:
    """([start for r in range(c)], rest) with index = rest + (loop variable + base) / c, where the lanes are whole
    groups of c and start r is the quotient in lane r; None otherwise."""
    terms, constant = linear_terms(simplify_index(index))
    mine = [k for k, (t, _) in terms.items() if loop.name in variables(t)]
    if len(mine) != 1:
        return None
    term, factor = terms.pop(mine[0])
    inner = term.value if isinstance(term, ir.Cast) and term.type == I64 else term
    if factor != 1 or not isinstance(inner, ir.Div) or inner.type != I32 or not is_coordinate(inner.a):
        return None
    c = const_value(inner.b)
    if c is None or c < 2 or lanes % c or lanes // c < 2:
        return None
    linear = linear_in(ir.Cast(I64, inner.a), loop.name)
    if linear is None or const_value(linear[0]) != 1:
        return None
    starts: list[Expr] = []
    for r in range(int(c)):
        at = simplify_index(substitute(inner.a, {loop.name: loop.min + r}))
        starts.append(simplify_index(ir.Cast(I64, simplify_index(ir.Div(I32, at, inner.b)))))
    return starts, build_sum(terms, constant, I64)


def without_multiples(e: ir.Mod) -> ir.Mod:
    """x % c for a power of two c with what is a multiple of c taken out of x: exact, for int32 wraps at one too.

        (ramp(xo * 16 + b, 1, 16)) % 2  becomes  ramp(b, 1, 16) % 2, which need not be computed anew for each xo"""
    c = const_value(e.b)
    if c is None or c <= 0 or e.type != I32 or int(c) & (int(c) - 1):
        return e
    terms, constant = linear_terms(e.a)
    kept = {k: (t, f % int(c)) for k, (t, f) in terms.items() if f % int(c)}
    return ir.Mod(I32, build_sum(kept, constant % int(c), I32), e.b)
