"""Running sums written straight to the output.

    sum(x) = 0; sum(r + 1) = sum(r) + in(r); out(x) = sum(x) + in(x)

holds each value of `sum` twice: out(r) is what the update stores at r + 1.  It becomes

    out(0) = 0 + in(0), where there is one; out(r + 1) = out(r) + in(r + 1)

Other outputs read what an update has stored in place of computing it again (`read_scans`).  Scans of the same length,
as of the channels of pixels, run side by side (`run_together`): each of their steps waits for the one before."""

from __future__ import annotations

import itertools
from typing import Any

from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import DOMAINS, Var
from halide_core.function import Definition, Dim, Function, LoopLevel, ReductionDomain, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, Call, CallType, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.sums import difference
from halide_core.passes.overwritten import scan
from halide_core.passes.races import self_calls
from halide_core.passes.realization_order import definition_expressions

_numbers = itertools.count()
_MOST_TOGETHER = 4


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


def read_scans(outputs: list[Function], layouts: Any) -> None:
    """Rewrites outputs that compute what an update has stored before:

        f(x, r + 1) = g(f(x, r)); out(x, y) = h(g(f(x, y)))     becomes     out(x, y) = h(f(x, y + 1))"""
    for out in outputs:
        layout = layouts.get(out.name)
        if layout is None or out.pure is None or len(out.pure.values) != 1 or len(layout.extents) != len(out.args):
            continue
        ranges = {
            name: (layout.mins[i], layout.extents[i]) for i, name in enumerate(out.args) if name not in out.bounds
        }
        value, done = out.pure.values[0], set[int]()
        while (found := _stored_again(value, ranges, done)) is not None:
            value = found
        out.pure = Definition(out.pure.args, (value,), out.pure.schedule, out.pure.domain)


def _stored_again(value: Expr, ranges: dict[str, tuple[Expr, Expr]], done: set[int]) -> Expr | None:
    nodes = list(post_order(value))
    places = {key(n) for n in nodes}
    for call in nodes:
        if not isinstance(call, Call) or call.call_type is not CallType.HALIDE or key(call) in done:
            continue
        done.add(key(call))
        f = call.target
        if not isinstance(f, Function) or not f.updates or len(f.updates[-1].values) != 1:
            continue
        read = _as_stored(f, f.updates[-1], call, ranges)
        if read is not None and key(read[0]) in places:
            return _replaced(value, *read)
    return None


def _replaced(e: Expr, old: Expr, new: Expr) -> Expr:
    wanted = key(old)
    return transform(e, lambda n: new if key(n) == wanted else n)


def _as_stored(
    f: Function, d: Definition, call: Call, ranges: dict[str, tuple[Expr, Expr]]
) -> tuple[Expr, Expr] | None:
    """What the update `d` computes where it reads `call`, as a consumer would write it, and the call that reads it."""
    found = scan(f, d)
    if found is None or d.domain is None:
        return None
    k, (name, low, count) = found[0], d.domain.variables[0]
    at = call.args[k]
    if not isinstance(at, Variable) or at.name not in ranges:
        return None
    first, extent = ranges[at.name]
    same_range = key(simplify(ir.Cast(I64, low))) == key(simplify(ir.Cast(I64, first)))
    same_range = same_range and key(simplify(ir.Cast(I64, count))) == key(simplify(ir.Cast(I64, extent)))
    r = Variable(I32, name)
    if not same_range or not any(difference(c.args[k], r) == 0 for c in self_calls(f, d)):
        return None
    bound = {n: a for j, (n, a) in enumerate(zip(f.args, call.args, strict=True)) if j != k} | {name: at}
    args = tuple(simplify(substitute(a, bound)) for a in d.args)
    return substitute(d.values[0], bound), Call(f.types[0], f.name, args, CallType.HALIDE, 0, f)


def run_together(order: list[Function]) -> None:
    """Runs scans of one dimension that are computed at root and do not need each other in one loop."""
    below: dict[int, set[int]] = {}
    first: dict[tuple[int, int], list[Function]] = {}
    for f in order:
        below[id(f)] = set().union(*({id(g)} | below.get(id(g), set()) for g in _called(f)))
        if f.compute != LoopLevel() or len(f.args) != 1 or len(f.updates) != 1 or scan(f, f.updates[0]) is None:
            continue
        d = f.updates[0]
        if d.domain is None or d.schedule.splits or d.schedule.fused_with is not None:
            continue
        _, low, count = d.domain.variables[0]
        together = first.setdefault((key(simplify(low)), key(simplify(count))), [])
        if len(together) == _MOST_TOGETHER or any(id(g) in below[id(f)] for g in together):
            continue
        together.append(f)
    # Of several such groups one might need values of another and the other way round.
    together = max(first.values(), key=len, default=[])
    if len(together) < 2:
        return
    loop = f"scan${next(_numbers)}"
    for f in together:
        domain = f.updates[0].domain
        assert domain is not None
        Stage(f, 1).rename(Var(domain.variables[0][0]), Var(loop))
    for f in together[1:]:
        Stage(f, 1).compute_with(Stage(together[0], 1), Var(loop))


def _called(f: Function) -> list[Function]:
    nodes = (n for d in f.definitions() for e in definition_expressions(d) for n in post_order(e))
    targets = (n.target for n in nodes if isinstance(n, Call))
    return [g for g in targets if isinstance(g, Function) and g is not f]
