"""The edit of domains: the loops of effects replaced by others, over which their counters are polynomials.

    for (i < w * h) d[i] = f(i);      becomes      for (y < h) for (x < w) d[y * w + x] = f(y * w + x);

Obligation: the old and the new iterations are each other's, by `Origin.back` and `Origin.here`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from halide_core.ir import structural
from halide_core.ir.expr import I32, Expr, Load, Variable
from halide_core.ir.structural import variables
from lifter.algebra.polynomial import Poly, exact, from_poly, to_poly
from lifter.ir.effect_edits.edit import Counters, Edit, Origin, with_trips
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path

ONE = Poly.constant(1)


@dataclass(frozen=True, slots=True)
class Domain:
    """The loops that an effect is put in."""

    loops: tuple[LoopInfo, ...]
    back: Counters
    """Its counters, over those of the new loops."""
    here: Counters = field(default_factory=dict)
    """The new counters, over its own."""


def reindex(
    on: Path | Edit, domains: Mapping[int, Domain], guard: Expr | None = None,
    also: Mapping[LoopInfo, tuple[LoopInfo, ...]] | None = None,
) -> Edit:
    """Effects, by their order, in other loops.  `guard`: what the new loops stand under; `also`: loops that other ones
    take the place of around local arrays."""
    edit = Edit.on(on)
    path = edit.path
    effects = tuple(in_domain(e, domains[e.order]) if e.order in domains else e for e in path.effects)
    found = replace(path, effects=effects, arrays=_around(path, also or {}))
    new = {x.counter for d in domains.values() for x in d.loops}
    origins = {e.order: [Origin(e.order)] for e in path.effects}
    origins |= {order: [Origin(order, d.back, d.here)] for order, d in domains.items()}
    return edit.then("reindex", with_trips(found, dict.fromkeys(new, guard)), origins)


def _around(path: Path, also: Mapping[LoopInfo, tuple[LoopInfo, ...]]) -> dict[str, ArrayInfo]:
    if not also:
        return path.arrays
    return {
        n: replace(a, loops=tuple(y for x in a.loops for y in also.get(x, (x,)))) for n, a in path.arrays.items()
    }


def in_domain(e: Effect, domain: Domain) -> Effect:
    """An effect in other loops."""
    guard = None if e.guard is None else at(e.guard, domain.back)
    return replace(
        e, index=e.index.substitute(domain.back), value=at(e.value, domain.back), guard=guard, loops=domain.loops
    )


def at(e: Expr, places: Counters) -> Expr:
    """An expression in the iteration `places`: addresses are polynomials, and other numbers of their own type."""
    if variables(e).isdisjoint(places):
        return e

    def placed(n: Expr) -> Expr | None:
        if isinstance(n, Load):
            return n if variables(n).isdisjoint(places) else replace(n, index=_index(n, places))
        return exact(places[n.name], n.type) if isinstance(n, Variable) and n.name in places else None

    return structural.replace(e, placed)


def _index(n: Load, places: Counters) -> Expr:
    return from_poly(to_poly(n.index).substitute(places))


def only_addresses(e: Expr, counters: Collection[str]) -> bool:
    """Whether counters stand in an expression only where it reads."""
    return variables(structural.replace(e, _unread)).isdisjoint(counters)


def _unread(n: Expr) -> Expr | None:
    return Variable(n.type, "") if isinstance(n, Load) else None


def renamed(e: Effect, names: Mapping[str, str]) -> Domain:
    """The domain of an effect in loops of its own: `names` are the new ones of some of its loops' counters."""
    back = {old: Poly.variable(new, I32) for old, new in names.items()}
    here = {new: Poly.variable(old, I32) for old, new in names.items()}
    return Domain(renamed_loops(e.loops, names), back, here)


def renamed_loops(loops: tuple[LoopInfo, ...], names: Mapping[str, str]) -> tuple[LoopInfo, ...]:
    """Loops under other counters.  That their source's condition ends them is said once, of the old ones."""
    polys = {old: Poly.variable(new, I32) for old, new in names.items()}
    found = (replace(x, trip=x.trip.substitute(polys)) for x in loops)
    return tuple(replace(x, counter=names[x.counter], condition=None) if x.counter in names else x for x in found)


def widen(on: Path | Edit, e: Effect, loop: LoopInfo, step: Poly = ONE, depth: int | None = None) -> Edit:
    """A store to an element made to others behind it too, each `step` behind the last, by a further loop: the innermost
    one, or that at `depth`.

    Obligation: these are stored over before they are read, or have not been read at all."""
    edit = Edit.on(on)
    index = e.index + step * Poly.variable(loop.counter, I32)
    place = len(e.loops) if depth is None else depth
    wide = replace(e, index=index, loops=(*e.loops[:place], loop, *e.loops[place:]))
    effects = tuple(wide if x is e else x for x in edit.path.effects)
    origins = {x.order: [Origin(x.order, {}, {loop.counter: Poly()} if x is e else {})] for x in edit.path.effects}
    return edit.then("reindex", replace(edit.path, effects=effects), origins)
