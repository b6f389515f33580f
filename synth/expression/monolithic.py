"""The same grammar as one search, for the paper's comparison (section 6.3): region, terminals and expression at once.

A candidate is a choice of bounds for every dimension, of an index for every read, and of an expression; it is judged
only as a whole.  Candidates are taken in order of the sum of their parts' places in the enumeration, the order in which
a search without stages meets small candidates first.  Expressions are memoised as in the staged search, so that what is
measured is the decomposition alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from halide_core.ir.expr import Expr
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effects import Effect, loads
from lifter.ir.summary import Definition, FuncSummary
from synth.expression.enumerate import Enumerator, SearchStatistics
from synth.expression.grammar import Grammar
from synth.region.region_of_interest import Pool
from synth.sampling.samples import Env, NotConcrete, compiled_poly


@dataclass(slots=True)
class MonolithicStatistics:
    """Whole candidates judged."""

    judged: int = 0


class _Lazy:
    """A sequence drawn from an iterator as it is asked for."""

    def __init__(self, source: Iterator[object]) -> None:
        self._source = source
        self._items: list[object] = []

    def get(self, index: int) -> object | None:
        while len(self._items) <= index:
            try:
                self._items.append(next(self._source))
            except StopIteration:
                return None
        return self._items[index]


def search(
    f: FuncSummary,
    d: Definition,
    effect: Effect,
    pool: Pool,
    samples: list[Env],
    goal: Expr,
    statistics: MonolithicStatistics,
    check: Callable[[], None],
    grammar: Grammar,
) -> Expr | None:
    """The expression of the first whole candidate that agrees with the original on all samples: its bounds with the
    box written, its indices with the elements read, its values with the values written.  None if there is none."""
    enumerator = Enumerator(goal, Definition(d.args, goal, d.maps).terms(), SearchStatistics(), check, grammar)
    parts: list[_Lazy] = []
    judges: list[Callable[[object], bool]] = []
    for dim in f.layout.dims:
        for bound in (dim.min, dim.min + dim.extent):
            parts.append(_Lazy(p for p, _ in pool.candidates(False)))
            judges.append(_bound_judge(bound, samples))
    for load in loads(effect.value):
        parts.append(_Lazy(_indices(to_poly(load.index), effect, d, f)))
        wanted = to_poly(load.index)
        judges.append(lambda p, wanted=wanted: p == wanted)  # type: ignore[misc]
    parts.append(_Lazy(_expressions(enumerator)))
    judges.append(lambda e: bool(np.array_equal(enumerator.value_of(e).astype(np.int64), enumerator.target)))  # type: ignore[arg-type]
    for total in itertools.count():
        found = False
        for places in _compositions(total, len(parts)):
            chosen = [p.get(i) for p, i in zip(parts, places, strict=True)]
            if any(c is None for c in chosen):
                continue
            found = True
            statistics.judged += 1
            if statistics.judged % 256 == 0:
                check()
            if all(judge(c) for judge, c in zip(judges, chosen, strict=True)):
                result = chosen[-1]
                assert isinstance(result, Expr)
                return result
        if not found:
            return None
    return None


def _bound_judge(bound: Poly, samples: list[Env]) -> Callable[[object], bool]:
    target = compiled_poly(bound)

    def judge(candidate: object) -> bool:
        assert isinstance(candidate, Poly)
        try:
            f = compiled_poly(candidate)
            return all(f(env) == target(env) for env in samples)
        except (NotConcrete, KeyError, ZeroDivisionError):
            return False

    return judge


def _indices(index: Poly, effect: Effect, d: Definition, f: FuncSummary) -> Iterator[Poly]:
    """Index := m * intvar + const along each stride of the address, as elements over the effect's counters."""
    counters = set(effect.counters)
    strides = sorted(
        {s for c in effect.counters if (s := index.coefficient(c)) is not None and not s.is_zero()}, key=str
    )
    m = d.maps[0]
    axes = [c for c, dim in zip(m.coords, f.layout.dims, strict=True) if dim.stride is not None]
    offsets = [0, 1, -1, 2, -2]
    choices = [(axis, offset) for offset in offsets for axis in axes]
    rest = Poly({t: c for t, c in index.terms.items() if not Poly({t: 1}).names() & counters})
    known = {Poly(), rest}
    for picked in itertools.product(choices, repeat=len(strides)):
        total = Poly()
        for s, (axis, offset) in zip(strides, picked, strict=True):
            total = total + s * (axis + Poly.constant(offset))
        for base in known:
            yield total
            yield total + base


def _expressions(enumerator: Enumerator) -> Iterator[Expr]:
    from synth.expression.enumerate import _convert

    enumerator.start()
    for size in range(5):
        if size:
            enumerator.levels.append(enumerator.level(size))
        for i in enumerator.levels[size]:
            yield _convert(enumerator.expression(i), enumerator.goal.type)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All tuples of `parts` non-negative integers with the given sum."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


__all__ = ["MonolithicStatistics", "search"]
