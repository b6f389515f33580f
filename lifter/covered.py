"""Stores of whole registers that reach beyond what they are for, which a later iteration stores over.

    for (k < n / 4) { store 16 bytes at d + 12 * k, of which 12 count }   store what is left at d + n / 4 * 12

What is stored over before anything reads it is left out; the array must not be one that is read (`Path.apart`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from halide_core.ir.expr import I32
from lifter.effects import Effect, Follows, LoopInfo, Path, domain, loads_of, split_tag
from lifter.poly import Poly, reads_memory


def without_covered(path: Path, follows: Follows) -> Path:
    """`path` without such stores."""
    read = {split_tag(n.name)[0] for n in loads_of(path) if "@" in n.name}
    unread = [e for e in path.effects if e.array not in read and e.array not in path.arrays]
    covered = [e for e in unread if _covered(e, path, follows)]
    if not covered:
        return path
    effects = tuple(e for e in path.effects if all(e is not c for c in covered))
    outside = read - path.arrays.keys()
    apart = path.apart | {frozenset((e.array, a)) for e in covered for a in outside}
    return replace(path, effects=effects, apart=apart)


def _covered(e: Effect, path: Path, follows: Follows) -> bool:
    """Whether each element that a store writes is written again later: in the next iteration of one of its loops, and
    after that loop's last one."""
    if e.guard is not None or any(map(reads_memory, e.index.atoms().values())):
        return False
    others = [x for x in path.effects if x.array == e.array and x.guard is None and x is not e]
    for depth in range(len(e.loops) - 1, -1, -1):
        counter, trip = e.loops[depth].counter, e.loops[depth].trip
        if any(counter in loop.trip.names() for loop in e.loops[depth + 1 :]):
            continue  # other elements in other iterations
        next_one = {counter: Poly.variable(counter, I32) + Poly.constant(1)}
        inside = e.loops[: depth + 1]
        again = (x for x in others if x.loops[: depth + 1] == inside)
        if not any(_writes(x, next_one, e, e.index, depth + 1, path, follows) for x in again):
            continue
        last = e.index.substitute({counter: trip - Poly.constant(1)})
        behind = (x for x in others if x.order > e.order and x.loops[:depth] == e.loops[:depth])
        behind = (x for x in behind if x.loops[: depth + 1] != inside)
        if any(_writes(x, {}, e, last, depth, path, follows) for x in behind):
            return True
    return False


def _writes(
    x: Effect, moved: Mapping[str, Poly], e: Effect, target: Poly, shared: int, path: Path, follows: Follows
) -> bool:
    """Whether a store writes each element `target` of `e`, in iterations of its loops beyond those that are `shared`,
    the counters of which are `moved`."""
    own = x.loops[shared:]
    index = x.index.substitute(moved)
    if not own:
        return index == target
    found = solved(target, index, own)
    if found is None:
        return False
    given = [*path.conditions, *(c for c, _ in path.asserts), *domain(e.loops)]
    return all(
        follows(given, value) and follows(given, loop.trip.substitute({**moved, **found}) - value - Poly.constant(1))
        for loop, value in ((loop, found[loop.counter]) for loop in own)
    )


def solved(target: Poly, index: Poly, own: Sequence[LoopInfo]) -> dict[str, Poly] | None:
    """Values of the loops' counters with which `index` is `target`."""
    steps = {loop.counter: p for loop in own if (p := index.coefficient(loop.counter)) is not None and not p.is_zero()}
    if len(steps) < len(own):
        return None
    rest = target - index.substitute(dict.fromkeys(steps, Poly()))
    found: dict[str, Poly] = {}
    # Rows first: a row's stride does not divide what lies within the row.
    for name, step in sorted(steps.items(), key=lambda item: item[1].constant_value() is not None):
        found[name], rest = rest.divide_by(step)
    return found if rest.is_zero() else None


__all__ = ["solved", "without_covered"]
