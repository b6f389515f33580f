"""The arithmetic of coordinates: Halide's is in 32 bits, where that of the original may be in 64, or walk pointers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halide_core.ir.expr import I32, Add, Call, CallType, Cast, Expr, Mod, Mul, Sub, Variable, const_value
from halide_core.ir.structural import key, post_order
from lifter.algebra.polynomial import Poly, atom_of, to_poly
from lifter.ir.effects import Path, loads
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Definition
from verifier.memory_states import unconditional_loads


def sums(function: Function, d: Definition) -> Iterator[tuple[Poly, Poly]]:
    """What the coordinates of a definition's reads and of its point add up, each once; not a neighbour's coordinate,
    for that is as good as the coordinate.  Then the same with remainders as they stand, for their range is known."""
    found: dict[Poly, Poly] = {}
    for arg in _coordinates(d):
        for n in post_order(inline_all(arg, function.functions)):
            narrowed = isinstance(n, Cast) and n.value.type.is_int_or_uint() and not n.type.can_represent(n.value.type)
            if n.type == I32 and (isinstance(n, Add | Sub | Mul) or narrowed):
                p = to_poly(n)
                if not _neighbour(p):
                    found[p] = _with_remainders(n)
    yield from found.items()


def _with_remainders(e: Expr) -> Poly:
    if e.type == I32 and isinstance(e, Add | Sub | Mul):
        a, b = _with_remainders(e.a), _with_remainders(e.b)
        return a + b if isinstance(e, Add) else a - b if isinstance(e, Sub) else a * b
    return Poly.atom(e) if isinstance(e, Mod) and (const_value(e.b) or 0) > 0 else to_poly(e)


def granted(path: Path, d: Definition) -> set[Poly]:
    """Sums that the original computes in as many bits for each store of a definition, signed, so that it promises that
    they fit: nothing is promised of what it computes under conditions that the definition does not have."""
    sites = (*path.effects, *path.reads)
    if any(unconditional_loads(e.value) < {key(n) for n in loads(e.value)} for e in sites):
        return set()
    guards = {e.order: e.guard for e in path.effects}
    out: set[Poly] | None = None
    for m in d.maps:
        guard = None if m.guard_in_value else guards[m.order]
        under = {None, None if guard is None else key(guard)}
        mine = {
            f.obligation.poly.substitute(m.inverse)
            for f in path.obligations
            if f.obligation.type == I32
            and {loop.counter for loop in f.loops} <= set(m.inverse)
            and (None if f.guard is None else key(f.guard)) in under
        }
        out = mine if out is None else out & mine
    return out or set()


def _coordinates(d: Definition) -> Iterable[Expr]:
    for value in d.expressions():
        for n in post_order(value):
            if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
                yield from n.args
    yield from d.args


def _neighbour(p: Poly) -> bool:
    """Whether a sum is a variable and a number, or less."""
    terms = [(m, c) for m, c in p.terms.items() if m]
    return not terms or (
        len(terms) == 1
        and terms[0][1] == 1
        and len(terms[0][0]) == 1
        and isinstance(v := atom_of(terms[0][0][0]), Variable)
        and I32.can_represent(v.type)
    )


__all__ = ["granted", "sums"]
