"""What both sides of a minimum or maximum have in common, taken out of it.

    max(x*16 + a, x*16 + b)/2 - x*8   ->   max(a, b)/2

Ends of boxes along chains of stages are made of such choices: how far apart two of them lie does not show before."""

from __future__ import annotations

from collections.abc import Collection

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, with_children
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import contains, transform, variables
from halide_core.ir.sums import Terms, add_scaled, build_sum, is_index, linear_terms


def common_terms_out(e: Expr, names: Collection[str]) -> Expr:
    """`e`, of coordinates that do not overflow, with terms of the Variables `names` outside of choices that have them
    on both sides."""
    if variables(e).isdisjoint(names) or not contains(e, ir.Min, ir.Max):
        return e

    def one(n: Expr) -> Expr:
        if variables(n).isdisjoint(names):
            return n
        if isinstance(n, ir.Min | ir.Max) and is_index(n):
            return _apart(n, names)
        return simplify_index(n)

    return transform(e, one)


def _apart(n: ir.Min | ir.Max, names: Collection[str]) -> Expr:
    (first, k), (second, m) = linear_terms(n.a), linear_terms(n.b)
    common: Terms = {
        number: (term, count) for number, (term, count) in first.items()
        if number in second and second[number][1] == count and not variables(term).isdisjoint(names)
    }
    if not common:
        return n
    sides = [
        build_sum({number: t for number, t in terms.items() if number not in common}, constant, n.type)
        for terms, constant in ((first, k), (second, m))
    ]
    rest = simplify_index(with_children(n, tuple(sides)))
    return build_sum(*add_scaled((common, 0), linear_terms(rest), 1), n.type)
