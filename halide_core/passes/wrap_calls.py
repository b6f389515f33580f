"""Calls of a Func, or reads of an image, go to its wrappers (in_ and clone_in).

    f.in_(g):   g(x) = f(x) + 1   becomes   f_in_g(x) = f(x);  g(x) = f_in_g(x) + 1"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Image
from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import nodes, transform


def reachable(outputs: list[Function]) -> list[Function | Image]:
    """The Functions and images that `outputs` use, they included, as their definitions stand."""
    found: dict[int, Function | Image] = {}
    work: list[Function | Image] = list(reversed(outputs))
    while work:
        f = work.pop()
        if id(f) in found or (isinstance(f, Function) and f.pure is None):
            continue
        found[id(f)] = f
        seen: set[int] = set()
        for e in _expressions(f) if isinstance(f, Function) else ():
            for n in nodes(e, Call):
                if isinstance(n.target, Function | Image) and id(n.target) not in seen:
                    seen.add(id(n.target))
                    work.append(n.target)
    return list(found.values())


def _expressions(f: Function) -> list[Expr]:
    external = f.extern.arguments if f.extern is not None else ()
    return [*external, *(e for d in all_definitions(f) for e in expressions_of(d))]


def all_definitions(f: Function) -> list[Definition]:
    """The definitions of `f`, those of specializations included."""
    out = f.definitions()
    for d in out:
        out.extend(s.definition for s in d.schedule.specializations)
    return out


def expressions_of(d: Definition) -> list[Expr]:
    """Values, coordinates, and the bounds and conditions of the domain."""
    out = [*d.values, *d.args]
    if d.domain is not None:
        out += d.domain.predicates
        out += [e for _, low, extent in d.domain.variables for e in (low, extent)]
    return out


def wrap_calls(outputs: list[Function]) -> None:
    """Rewrites, in place, the definitions of every Function that a wrapper of what it reads is meant for."""
    found = reachable(outputs)
    for f in found:
        for consumer, _ in f.wrappers:
            if consumer is not None and any(g is consumer for g in found):
                _check_called(f, consumer)
    while any(f.wrappers for f in found):
        for f in found:
            if isinstance(f, Function):
                _rewrite(f, partial(_wrapped, f))
        # A wrapper may be wrapped itself.
        after = reachable(outputs)
        if {id(f) for f in after} == {id(f) for f in found}:
            break
        found = after


def _check_called(f: Function | Image, consumer: Function) -> None:
    """Raises HalideError unless `consumer` reads `f`, or a Func in its place."""
    work, places = [f], {id(f)}
    while work:
        for _, w in work.pop().wrappers:
            if id(w) not in places:
                places.add(id(w))
                work.append(w)
    if not any(id(n.target) in places for e in _expressions(consumer) for n in nodes(e, Call)):
        kind, verb = ("Func", "call") if isinstance(f, Function) else ("ImageParam", "read")
        raise HalideError(f"{kind} {f.name} is wrapped in {consumer.name}, which does not {verb} it")


def _wrapped(caller: Function, e: Expr) -> Expr:
    if not isinstance(e, Call) or not isinstance(e.target, Function | Image):
        return e
    f = e.target
    if f is caller or any(w is caller for _, w in f.wrappers):
        return e
    own = next((w for c, w in f.wrappers if c is caller), None)
    other = own if own is not None else next((w for c, w in f.wrappers if c is None), None)
    return e if other is None else Call(e.type, other.name, e.args, CallType.HALIDE, e.value_index, other)


def _rewrite(f: Function, change: Callable[[Expr], Expr]) -> None:
    if f.extern is not None:
        f.extern.arguments = tuple(transform(e, change) for e in f.extern.arguments)
    for d in all_definitions(f):
        d.values = tuple(transform(v, change) for v in d.values)
        d.args = tuple(transform(a, change) for a in d.args)
        if d.domain is not None:
            d.domain.predicates[:] = [transform(p, change) for p in d.domain.predicates]
