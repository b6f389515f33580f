"""Stores of whole registers that reach beyond what they are for, which the next iteration stores over.

    for (k < n / 4) { store 16 bytes at d + 12 * k, of which 12 count }   store what is left at d + n / 4 * 12

What is stored over before anything reads it is left out; the array must not be one that is read (`Path.apart`)."""

from __future__ import annotations

from dataclasses import replace

from lifter.effects import Effect, Path, loads_of, split_tag
from lifter.poly import Poly


def without_covered(path: Path) -> Path:
    """`path` without such stores."""
    read = {split_tag(n.name)[0] for n in loads_of(path) if "@" in n.name}
    covered = [e for e in path.effects if e.array not in read and e.array not in path.arrays and _covered(e, path)]
    if not covered:
        return path
    effects = tuple(e for e in path.effects if all(e is not c for c in covered))
    outside = read - path.arrays.keys()
    apart = path.apart | {frozenset((e.array, a)) for e in covered for a in outside}
    return replace(path, effects=effects, apart=apart)


def _covered(e: Effect, path: Path) -> bool:
    """Whether each element that a store writes is written again: in the loop's next iteration, and after its last."""
    if not e.loops or e.guard is not None:
        return False
    loop = e.loops[-1]
    step = e.index.coefficient(loop.counter)
    if step is None or not step.constant_value():
        return False
    last = e.index.substitute({loop.counter: loop.trip - Poly.constant(1)})
    others = [x for x in path.effects if x.array == e.array and x.guard is None]
    again = any(x.loops == e.loops and x.index + step == e.index for x in others)
    return again and any(x.loops == e.loops[:-1] and x.order > e.order and x.index == last for x in others)


__all__ = ["without_covered"]
