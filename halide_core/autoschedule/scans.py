"""Running sums written straight to the output.

    sum(x) = 0; sum(r + 1) = sum(r) + in(r); out(x) = sum(x) + in(x)

holds each value of `sum` twice: out(r) is what the update stores at r + 1.  It becomes

    out(0) = 0 + in(0), where there is one; out(r + 1) = out(r) + in(r + 1)"""

from __future__ import annotations

import itertools
from typing import Any

from halide_core.dsl.variables import DOMAINS
from halide_core.function import Definition, Dim, Function, ReductionDomain, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, Call, CallType, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, post_order, substitute, transform

_numbers = itertools.count()


def write_scans_directly(outputs: list[Function], order: list[Function], layouts: Any) -> None:
    """Rewrites outputs of that form; `layouts` (RawBuffer by name) gives their extents."""
    for g in outputs:
        layout = layouts.get(g.name)
        if layout is None or g.pure is None or g.updates or len(g.args) != 1 or len(g.types) != 1:
            continue
        calls = [n for n in post_order(g.pure.values[0]) if isinstance(n, Call) and n.call_type is CallType.HALIDE]
        scans = {id(n.target): n.target for n in calls}
        if len(scans) == 1 and const_value(layout.mins[0]) == 0:
            (f,) = scans.values()
            if isinstance(f, Function) and not _used_elsewhere(f, g, order):
                _rewrite(f, g, layout.extents[0])


def _used_elsewhere(f: Function, g: Function, order: list[Function]) -> bool:
    for other in order:
        for d in other.definitions():
            for n in (n for e in (*d.values, *d.args) for n in post_order(e)):
                if isinstance(n, Call) and n.target is f and other is not g and other is not f:
                    return True
    return False


def _rewrite(f: Function, g: Function, extent: Expr) -> None:
    if f.pure is None or len(f.updates) != 1 or len(f.args) != 1 or len(f.types) != 1 or g.pure is None:
        return
    d = f.updates[0]
    start = f.pure.values[0]
    if const_value(start) is None or d.domain is None or len(d.domain.variables) != 1 or d.domain.predicates:
        return
    name, low, count = d.domain.variables[0]
    r = Variable(I32, name)
    same_count = key(simplify(ir.Cast(I64, count))) == key(simplify(ir.Cast(I64, extent)))
    if const_value(low) != 0 or not same_count or key(simplify(d.args[0])) != key(simplify(r + 1)):
        return
    value, x = d.values[0], Variable(I32, g.args[0])
    if key(substitute(value, {name: x})) != key(g.pure.values[0]):
        return
    reads = [n for n in post_order(value) if isinstance(n, Call) and n.target is f]
    if any(len(n.args) != 1 or key(n.args[0]) != key(r) for n in reads):
        return
    t = g.types[0]

    def at(place: Expr, before: Expr) -> Expr:
        moved = substitute(value, {name: place})
        return transform(moved, lambda n: before if isinstance(n, Call) and n.target is f else n)

    def walk(extent: Expr) -> tuple[Variable, ReductionDomain]:
        new = f"{name}$scan{next(_numbers)}"
        DOMAINS[new] = ReductionDomain(f"{new}$dom", ((new, const(0, I32), simplify(extent)),), [])
        return Variable(I32, new), DOMAINS[new]

    r, domain = walk(ir.Min(I32, count, const(1, I32)))  # of nothing there is no first element
    first = Definition((r,), (at(r, start),), StageSchedule([Dim(r.name)]), domain)
    r, domain = walk(count - 1)
    own = Call(t, g.name, (r,), CallType.HALIDE, 0, g)
    rest = Definition((r + 1,), (at(r + 1, own),), StageSchedule([Dim(r.name)]), domain)
    undefined = ir.intrinsic("undef", t)
    g.pure = Definition((x,), (undefined,), StageSchedule([Dim(g.args[0])]))
    g.updates = [first, rest]
