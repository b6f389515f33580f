"""Indices in arithmetic of 32 bits, of which a device has more.

    offset + int64(x)*s + int64(x0)*s        ->   int64(int32(offset) + (x + x0)*int32(s))

Every index lies in its array, whose span `llvm_device` holds to less than 2^31 elements, so that sums of 32 bits that
wrap on the way come to the right end.  What is constant is added last, where addresses take it for nothing."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, const
from halide_core.ir.structural import key, transform
from halide_core.ir.sums import linear_terms

# Constants of less are left outside of what wraps; arrays are as much shorter than 2^31.
MOST_CONSTANT = 1 << 20


def narrow_indices(s: st.Stmt) -> st.Stmt:
    """`s` with the scalar indices of loads and stores, and the bases of dense vectors, in sums of 32 bits."""

    def one(n: Expr) -> Expr:
        return replace(n, index=_narrowed(n.index)) if isinstance(n, ir.Load) else n

    def expression(e: Expr) -> Expr:
        return transform(e, one)

    def statement(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, statement, expression)
        return replace(out, index=_narrowed(out.index)) if isinstance(out, st.Store) else out

    return statement(s)


def _narrowed(index: Expr) -> Expr:
    if isinstance(index, ir.Ramp):
        return ir.Ramp(index.type, _narrowed(index.base), index.stride, index.lanes)
    if index.type != I64:
        return index
    terms, constant = linear_terms(index)
    if not terms:
        return index
    groups: dict[tuple[int, ...], tuple[list[Expr], Expr | None]] = {}
    for term, factor in terms.values():
        coordinates, others = _factors(term)
        own: Expr | None = None
        for c in coordinates:
            own = c if own is None else ir.Mul(I32, own, c)
        own = const(factor, I32) if own is None else own if factor == 1 else ir.Mul(I32, own, const(factor, I32))
        group = groups.setdefault(tuple(sorted(map(key, others))), ([], None))
        group[0].append(own)
        scale: Expr | None = None
        for o in others:
            scale = o if scale is None else ir.Mul(I32, scale, o)
        groups[tuple(sorted(map(key, others)))] = (group[0], scale)
    apart = constant if abs(constant) < MOST_CONSTANT else 0
    total: Expr | None = None if constant == apart else const(constant - apart, I32)
    for parts, scale in groups.values():
        part = parts[0]
        for p in parts[1:]:
            part = ir.Add(I32, part, p)
        part = part if scale is None else ir.Mul(I32, part, scale)
        total = part if total is None else ir.Add(I32, total, part)
    assert total is not None
    wide = ir.Cast(I64, total)
    return wide if not apart else ir.Add(I64, wide, const(apart, I64))


def _factors(term: Expr) -> tuple[list[Expr], list[Expr]]:
    """(coordinates, other factors) of a product, all of them int32."""
    coordinates: list[Expr] = []
    others: list[Expr] = []
    work = [term]
    while work:
        e = work.pop()
        if isinstance(e, ir.Mul):
            work += [e.a, e.b]
        elif isinstance(e, ir.Cast) and e.value.type == I32:
            coordinates.append(e.value)
        else:
            others.append(ir.Cast(I32, e))
    return coordinates, others
