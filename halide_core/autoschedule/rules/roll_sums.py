"""Sums that were written out become loops again.

    f() += g(0, r) + g(1, r) + g(2, r) + g(3, r)     becomes     f() += g(k, r) for k in [0, 4)

so that neighbours lie in one vector, which is added up once and not for each r.  Integers only: they may be added in
any order."""

from __future__ import annotations

from halide_core.dsl.variables import DOMAINS
from halide_core.function import Definition, Dim, Function, ReductionDomain, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable, const
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, nodes, post_order, substitute
from halide_core.ir.sums import difference

_LEAST = 4
"""Terms that are worth a loop."""


def roll_sums(order: list[Function]) -> None:
    """Rewrites the updates of `order` that add up such terms and have no schedule."""
    for f in order:
        for k, d in enumerate(f.updates):
            rolled = _rolled(f, d, f"{f.name}$roll{k}")
            if rolled is not None:
                f.updates[k] = rolled


def _rolled(f: Function, d: Definition, name: str) -> Definition | None:
    if d.domain is None or d.domain.predicates or d.schedule.splits or len(d.values) != 1:
        return None
    t = d.values[0].type
    terms = _terms(d.values[0])
    own = [e for e in terms if isinstance(e, Call) and e.target is f]
    rest = [e for e in terms if not isinstance(e, Call) or e.target is not f]
    if not t.is_int_or_uint() or len(own) != 1 or len(rest) < _LEAST:
        return None
    if list(map(key, own[0].args)) != list(map(key, d.args)) or any(_reads(e, f) for e in rest):
        return None
    ordered = _in_order(rest)
    if ordered is None:
        return None
    step = Variable(I32, name)
    moved = _moved(ordered[0], ordered[1], step)
    if moved is None or any(
        key(simplify(substitute(moved, {name: const(k, I32)}))) != key(simplify(e)) for k, e in enumerate(ordered)
    ):
        return None
    ranges = ((name, const(0, I32), const(len(rest), I32)), *d.domain.variables)
    domain = ReductionDomain(f"{name}$dom", ranges, [], d.domain.promised)
    DOMAINS.update(dict.fromkeys((n for n, _, _ in ranges), domain))
    schedule = StageSchedule([Dim(name), *d.schedule.dims])
    return Definition(d.args, (ir.Add(t, own[0], moved),), schedule, domain)


def _terms(e: Expr) -> list[Expr]:
    """What a sum adds up."""
    out, work = [], [e]
    while work:
        n = work.pop()
        if isinstance(n, ir.Add):
            work += [n.b, n.a]
        else:
            out.append(n)
    return out


def _reads(e: Expr, f: Function) -> bool:
    return any(n.target is f for n in nodes(e, Call))


def _place(e: Expr) -> Expr | None:
    """Where along the first dimension a term reads first."""
    reads = (n for n in post_order(e) if isinstance(n, Call) and _is_read(n))
    return next((n.args[0] for n in reads if n.args), None)


def _is_read(n: Call) -> bool:
    return n.call_type in (CallType.IMAGE, CallType.HALIDE)


def _in_order(terms: list[Expr]) -> list[Expr] | None:
    """The terms by where they read, where these places follow each other."""
    places = [_place(e) for e in terms]
    first = places[0]
    if first is None or any(p is None for p in places):
        return None
    apart = [difference(p, first) for p in places if p is not None]
    if any(a is None for a in apart):
        return None
    by = sorted(range(len(terms)), key=lambda k: apart[k] or 0)
    least = apart[by[0]] or 0
    follow = all((apart[k] or 0) - least == n for n, k in enumerate(by))
    return [terms[k] for k in by] if follow else None


def _moved(a: Expr, b: Expr, step: Expr) -> Expr | None:
    """`a` with `step` added to the first coordinate of each read that is one further in `b`; None where the two differ
    in anything else."""
    if key(a) == key(b):
        return a
    if type(a) is not type(b) or a.type != b.type:
        return None
    if isinstance(a, Call) and isinstance(b, Call):
        if (a.name, a.call_type, a.value_index, len(a.args)) != (b.name, b.call_type, b.value_index, len(b.args)):
            return None
        if _is_read(a) and a.args:
            others = list(map(key, a.args[1:])) == list(map(key, b.args[1:]))
            if not others or difference(b.args[0], a.args[0]) != 1:
                return None
            return ir.with_children(a, (simplify(a.args[0] + step), *a.args[1:]))
    ours, theirs = ir.children(a), ir.children(b)
    if not ours or len(ours) != len(theirs):
        return None
    found = [_moved(x, y, step) for x, y in zip(ours, theirs, strict=True)]
    if any(e is None for e in found):
        return None
    return ir.with_children(a, tuple(e for e in found if e is not None))
