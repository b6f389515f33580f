"""Addresses that depend on data, as what they are by proof: the larger of two bytes, their distance.

Branchless code masks with signs (`b + ((a - b) & ~((a - b) >> 8))`).  An address made so has no bounds that show in it;
`max(a, b)` has.  The new address is proved equal to the old one for all values of the data."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I64, Call, Expr, Load, Select, Variable
from halide_core.ir.structural import key, post_order, substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import Edit, Site, reads_changed, restate
from lifter.ir.effects import Path, loads
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function
from synth.expression.optimise import optimise


def readable_places(function: Function, path: Path) -> Edit | None:
    """Such addresses replaced, of stores and of reads."""
    if not any(_is_masked(e.index, function) for e in path.effects):
        return None
    done: dict[Poly, Poly] = {}

    def place(p: Poly) -> Poly:
        if p not in done:
            done[p] = _readable(p, function) if _is_masked(p, function) else p
        return done[p]

    def read(n: Load, _site: Site) -> Expr:
        return replace(n, index=from_poly(place(to_poly(n.index))))

    return restate(path, {e.order: reads_changed(replace(e, index=place(e.index)), read) for e in path.effects})


def _is_masked(p: Poly, function: Function) -> bool:
    """Whether an address is made of data by bitwise operations or choices."""
    whole = [inline_all(a, function.functions) for a in p.atoms().values() if loads(a)]
    return any(
        isinstance(n, Select) or (isinstance(n, Call) and n.name == "bitwise_and") for a in whole for n in post_order(a)
    )


def _readable(p: Poly, function: Function) -> Poly:
    """The cheapest proved form of an address over the data that it is made of."""
    whole = inline_all(from_poly(p, I64), function.functions)
    outermost = _outermost(whole)
    names = {key(n): f"data!{i}" for i, n in enumerate(outermost)}
    over = transform_loads(whole, names)
    found, steps = optimise(over)
    if not steps:
        return p
    return to_poly(substitute(found, {names[key(n)]: n for n in outermost}))


def _outermost(e: Expr) -> list[Load]:
    """Reads that are not in the address of another one."""
    inner = {key(m) for n in loads(e) for m in loads(n.index)}
    return [n for n in loads(e) if key(n) not in inner]


def transform_loads(e: Expr, names: dict[int, str]) -> Expr:
    """`e` with the reads that have names as variables of these."""

    def rewrite(n: Expr) -> Expr:
        return Variable(n.type, names[key(n)]) if key(n) in names else n

    return transform(e, rewrite)
