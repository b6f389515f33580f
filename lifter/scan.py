"""Scans: a value carried through a loop that uses it in every iteration becomes an array over the iterations.

    s = a; for (k...) { s = f(s, k); out[k] = g(s); }
becomes
    s[0..n] = a; for (k'...) s[k' + 1] = f(s[k'], k'); for (k...) out[k] = g(s[k + 1]);
so that the loop falls into stages: the recurrence, an ordered update over an RDom, and what uses it.
The meaning of every effect is kept: element k + 1 of the array is the cell after iteration k.
"""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load, Variable
from halide_core.ir.structural import substitute, transform
from lifter.effects import Effect, LoopInfo, Path, loads, split_tag
from lifter.poly import Poly, from_poly, to_poly


def expand_scans(path: Path) -> Path:
    """`path` with every cell that is updated once an iteration and used in the same loop made an array."""
    for name, info in path.arrays.items():
        if info.cell:
            update = _scan(path, name)
            if update is not None:
                return expand_scans(_expand(path, name, update))
    return path


def _scan(path: Path, cell: str) -> Effect | None:
    writes = [e for e in path.effects if e.array == cell]
    if len(writes) != 2 or not all(e.index.is_zero() for e in writes):
        return None
    first, update = writes
    if first.guard is not None or len(update.loops) != len(first.loops) + 1:
        return None
    if update.counters[:-1] != first.counters:
        return None
    loop = update.loops[-1].counter
    inside = [e for e in path.effects if loop in e.counters and e.order != update.order]
    if not any(split_tag(n.name)[0] == cell for e in inside for n in _reads(e)):
        return None
    written = {e.array for e in inside}
    if any(split_tag(n.name)[0] in written for n in _reads(update)):
        return None
    return update


def _reads(e: Effect) -> list[Load]:
    found = [*loads(e.value), *(n for a in e.index.atoms().values() for n in loads(a))]
    if e.guard is not None:
        found += loads(e.guard)
    return [n for n in found if "@" in n.name]


def _expand(path: Path, cell: str, update: Effect) -> Path:
    loop = update.loops[-1]
    fresh = LoopInfo(loop.counter + "s", loop.trip, loop.line)
    first = next(e for e in path.effects if e.array == cell)
    many = LoopInfo(loop.counter + "i", loop.trip + Poly.constant(1), first.line)

    rest = [e for e in path.effects if e.order != update.order]
    position = next(i for i, e in enumerate(rest) if loop.counter in e.counters)
    sequence = [*rest[:position], update, *rest[position:]]
    new_order = {e.order: i for i, e in enumerate(sequence)}

    def tag(old: int) -> int:
        seen = [new_order[e.order] for e in path.effects if e.order < old and e.order != update.order]
        return max(seen, default=-1) + 1

    def element(site: Effect | None, time: int) -> Poly:
        if site is not None and loop.counter in site.counters:
            after = Poly.constant(1 if time > update.order else 0)
            return Poly.variable(loop.counter, I32) + after
        return loop.trip if time > update.order else Poly()

    def retag(e: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if not isinstance(n, Load) or "@" not in n.name:
                return n
            array, time = split_tag(n.name)
            if array != cell:
                return Load(n.type, f"{array}@{tag(time)}", n.index)
            own = site is not None and site.order == update.order
            # what comes before the loop sees the cell's first value, in whichever element it lies
            seen = new_order[update.order] + (0 if own else 1)
            if site is not None and loop.counter not in site.counters and time <= update.order:
                seen = tag(time)
            return Load(n.type, f"{cell}@{seen}", from_poly(element(site, time)))

        return transform(e, rewrite)

    def moved(e: Effect) -> Effect:
        value = retag(e.value, e)
        guard = retag(e.guard, e) if e.guard is not None else None
        index = to_poly(retag(from_poly(e.index), e)) if e.index.terms else e.index
        out = replace(e, value=value, guard=guard, index=index, order=new_order[e.order])
        if e.order == first.order:
            return replace(out, index=Poly.variable(many.counter, I32), loops=(*e.loops, many))
        if e.order == update.order:
            rename: dict[str, Expr] = {loop.counter: Variable(I32, fresh.counter)}
            return replace(
                out,
                index=Poly.variable(fresh.counter, I32) + Poly.constant(1),
                value=substitute(value, rename),
                guard=substitute(guard, rename) if guard is not None else None,
                loops=(*e.loops[:-1], fresh),
            )
        return out

    effects = tuple(moved(e) for e in sequence)
    result = retag(path.result, None) if path.result is not None else None
    arrays = {**path.arrays, cell: replace(path.arrays[cell], cell=False, size=loop.trip + Poly.constant(1))}
    trips = (*path.trips, (fresh, update.loops[:-1], None), (many, first.loops, None))
    return replace(path, effects=effects, result=result, arrays=arrays, trips=trips)
