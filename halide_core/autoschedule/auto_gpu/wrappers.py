"""Wrappers of Funcs with updates, as a search for places sees them.

A thread keeps what an update adds to in registers where the Func is computed by the thread that uses it. One whose
users are several, or read several points of it, is used by no such thread: but its wrapper is (`f.in_()`), which reads
each point once and stores it.

    g(x) = f(x - 1) + f(x + 1)    becomes    f_global_wrapper(x) = f(x);  g(x) = f_global_wrapper(x - 1) + ..."""

from __future__ import annotations

from dataclasses import replace

from halide_core.autoschedule.device.loops import loops_of_stage, row_of_sums
from halide_core.autoschedule.device.placement import Uses, uses_in
from halide_core.function import Definition, Function, StageSchedule
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable
from halide_core.ir.structural import transform
from halide_core.passes.realization_order import build_environment


def with_wrappers(outputs: list[Function]) -> tuple[list[Function], dict[str, str]]:
    """A pipeline like that of `outputs` in which Funcs with updates have wrappers where these may be of use, and which
    Func each of them stands for; the pipeline itself, and none, where there is no such Func.

    Directives name Funcs, so that they are the same for both once `in_` has made the wrappers."""
    order = build_environment(outputs).order
    uses = uses_in(order)
    wrapped = {f.name for f in order if f not in outputs and _may_be_kept(f) and not _has_one_user(f, uses[f.name])}
    if not wrapped or any(f.extern is not None or f.wrappers for f in order):
        return outputs, {}
    copies: dict[int, Function] = {}
    users: dict[int, Function] = {}
    names: dict[str, str] = {}
    for f in order:
        own = replace(f, updates=[])
        copies[id(f)] = own
        own.pure, *own.updates = (_copied(d, f, copies, users) for d in f.definitions())
        if f.name in wrapped:
            users[id(f)] = _wrapper(own)
            names[users[id(f)].name] = f.name
    return [copies[id(f)] for f in outputs], names


def _may_be_kept(f: Function) -> bool:
    """Whether a thread may have a point of a Func to itself, with all that its updates do, and no more threads do."""
    if not f.updates:
        return False
    first, *updates = (loops_of_stage(f, k, {}) for k in range(len(f.updates) + 1))
    points = all(set(x.free) == set(f.args) and bool(x.wide) and not x.scatters for x in (first, *updates))
    return points and all(row_of_sums(x) is None for x in updates)


def _has_one_user(f: Function, uses: Uses) -> bool:
    """Whether each point of one pure Func uses one point of `f`, which no other point does."""
    users = {id(c) for c, _, _ in uses}
    if len(users) != 1 or len(uses) != 1 or uses[0][0].updates:
        return False
    consumer, _, call = uses[0]
    places = [a.name for a in call.args if isinstance(a, Variable)]
    return len(set(places)) == len(f.args) and set(places) == set(consumer.args)


def _copied(
    d: Definition, f: Function, copies: dict[int, Function], users: dict[int, Function]
) -> Definition:
    """A definition of `f` that calls `copies` of Funcs, or what stands for them in their users."""

    def called(n: Expr) -> Expr:
        if not isinstance(n, Call) or n.call_type is not CallType.HALIDE:
            return n
        new = copies[id(n.target)] if n.target is f else users.get(id(n.target), copies[id(n.target)])
        return Call(n.type, new.name, n.args, n.call_type, n.value_index, new)

    domain = d.domain
    if domain is not None:
        ends = tuple((n, transform(a, called), transform(b, called)) for n, a, b in domain.variables)
        domain = replace(domain, variables=ends, predicates=[transform(p, called) for p in domain.predicates])
    args, values = (tuple(transform(e, called) for e in es) for es in (d.args, d.values))
    return Definition(args, values, d.schedule, domain)


def _wrapper(f: Function) -> Function:
    """What `f.in_()` makes."""
    at = tuple(Variable(I32, n) for n in f.args)
    values = tuple(Call(t, f.name, at, CallType.HALIDE, k, f) for k, t in enumerate(f.types))
    loops = [replace(x) for x in f.definitions()[0].schedule.dims]
    return Function(
        f"{f.name}_global_wrapper", f.args, Definition(at, values, StageSchedule(loops)), storage_order=list(f.args)
    )
