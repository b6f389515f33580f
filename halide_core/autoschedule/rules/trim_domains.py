"""Conditions on a reduction's variable that are bounds of its loop.

    r.x in [0, block), where(r.x < width - x * block)    becomes    r.x in [0, min(block, width - x * block))"""

from __future__ import annotations

from dataclasses import replace

from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Expr, const
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import variables
from halide_core.ir.sums import build_sum, is_coordinate, linear_terms
from halide_core.passes.races import associative_operation


def trim_domain(f: Function, d: Definition) -> None:
    """Turns such conditions of a reduction into bounds, which pure variables then have a say in: these are not to be
    split."""
    if d.domain is None or not d.domain.predicates or d.schedule.splits or associative_operation(f, d) is None:
        return
    loops = {n for n, _, _ in d.domain.variables}
    ranges = {n: (low, low + extent) for n, low, extent in d.domain.variables}
    kept: list[Expr] = []
    trims = False
    work = list(reversed(d.domain.predicates))
    while work:
        p = work.pop()
        if isinstance(p, ir.And):
            work += [p.b, p.a]
            continue
        found = _bound(p, loops)
        if found is None:
            kept.append(p)
            continue
        trims = True
        name, least, end = found
        low, last = ranges[name]
        ranges[name] = (
            low if least is None else ir.Max(I32, low, least),
            last if end is None else ir.Min(I32, last, end),
        )
    if not trims:
        return
    trimmed: list[tuple[str, Expr, Expr]] = []
    for name, (low, end) in ranges.items():
        trimmed.append((name, simplify(low), simplify(ir.Max(I32, end - low, const(0, I32)))))
    d.domain = replace(d.domain, variables=tuple(trimmed), predicates=kept)


def depends_on(d: Definition, name: str) -> bool:
    """Whether how many points a reduction has depends on the pure variable `name`."""
    ends = [e for _, low, extent in (d.domain.variables if d.domain is not None else ()) for e in (low, extent)]
    return any(name in variables(e) for e in ends)


def _bound(p: Expr, loops: set[str]) -> tuple[str, Expr | None, Expr | None] | None:
    """(variable, least value, end) that a condition says of one variable of the reduction alone."""
    if not isinstance(p, ir.LT | ir.LE | ir.GT | ir.GE) or p.a.type != I32:
        return None
    if not is_coordinate(p.a) or not is_coordinate(p.b):
        return None
    less, more = (p.a, p.b) if isinstance(p, ir.LT | ir.LE) else (p.b, p.a)
    terms, constant = linear_terms(ir.Sub(I32, less, more))
    strict = isinstance(p, ir.LT | ir.GT)
    own = [(k, t.name, by) for k, (t, by) in terms.items() if isinstance(t, ir.Variable) and t.name in loops]
    if len(own) != 1 or own[0][2] not in (1, -1):
        return None
    number, name, by = own[0]
    rest = {k: (t, n) for k, (t, n) in terms.items() if k != number}
    if any(variables(t) & loops for t, _ in rest.values()):
        return None
    # by * r + rest + constant < 0, or <= 0
    if by == 1:
        end = build_sum({k: (t, -n) for k, (t, n) in rest.items()}, -constant + (0 if strict else 1), I32)
        return name, None, end
    return name, build_sum(rest, constant + (1 if strict else 0), I32), None
