"""What a scan stores anyway is not initialized.

    f(x, y) = 0; f(x, r + 1) = f(x, r) + in(x, r)    needs zeros in row 0 only"""

from __future__ import annotations

from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Expr
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, substitute, variables
from halide_core.ir.sums import difference
from halide_core.passes.races import predicates_of, self_calls, steps_along
from halide_core.passes.regions import overreaches
from halide_core.passes.undefined import may_be_undefined

Range = tuple[Expr, Expr]


def initialized(f: Function, definitions: list[Definition], ranges: list[Range]) -> list[list[Range]]:
    """The boxes, (min, extent) by dimension, in which the pure definition of `f` is computed to fill `ranges`: all of
    it, or what lies before and behind the rows that an update stores before anything reads them."""
    pure = definitions[0]
    # Tails that run beyond their range are made for all of it.
    whole = any(map(overreaches, (pure, *(s.definition for s in pure.schedule.specializations))))
    found = None if whole else _overwritten(f, definitions)
    if found is None:
        return [ranges]
    k, first, end = found
    low, extent = ranges[k]
    last = low + extent

    def within(place: Expr) -> Expr:
        return simplify(ir.Max(I32, ir.Min(I32, place, last), low))

    before, behind = list(ranges), list(ranges)
    before[k] = (low, simplify(within(first) - low))
    behind[k] = (within(end), simplify(last - within(end)))
    return [before, behind]


def _overwritten(f: Function, definitions: list[Definition]) -> tuple[int, Expr, Expr] | None:
    """(dimension, first, end) of the rows that an update stores one after the other, of which it reads those before
    only; the updates before it keep to other rows."""
    for number, d in enumerate(definitions[1:], 1):
        found = scan(f, d)
        if found is not None:
            k, first, _ = found
            touched = [e for u in definitions[1:number] for e in (u.args, *(c.args for c in self_calls(f, u)))]
            return found if all(_is_before(args[k], first) for args in touched) else None
    return None


def scan(f: Function, d: Definition) -> tuple[int, Expr, Expr] | None:
    """(dimension, first, end) of the rows that an update stores, one after the other from rows before only; None where
    it is no such update."""
    if d.domain is None or len(d.domain.variables) != 1 or predicates_of(d) or any(map(may_be_undefined, d.values)):
        return None
    name, low, extent = d.domain.variables[0]
    if any(contains(e, ir.Call, ir.Load) for e in (low, extent)):
        return None
    loops = {name, *f.args}
    if loops & (variables(low) | variables(extent)):
        return None
    moving = [k for k, a in enumerate(d.args) if name in variables(a)]
    if len(moving) != 1 or steps_along(d.args[moving[0]], name, loops) != 1:
        return None
    (k,) = moving
    for args in (d.args, *(c.args for c in self_calls(f, d))):
        others = [(a, n) for j, (a, n) in enumerate(zip(args, f.args, strict=True)) if j != k]
        if not all(isinstance(a, ir.Variable) and a.name == n for a, n in others):
            return None
    if not all(_is_before(c.args[k], d.args[k]) for c in self_calls(f, d)):
        return None
    first = substitute(d.args[k], {name: low})
    return k, first, first + extent


def _is_before(place: Expr, other: Expr) -> bool:
    apart = difference(place, other)
    return apart is not None and -(1 << 31) < apart < 0
