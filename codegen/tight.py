"""The boxes of images that are read at choices between coordinates (`a[x > 0 ? x - 1 : x]`), or under choices.

Halide takes the bounds of such a choice for those of both its arms: it would read beyond the image that the original
was given.  Where every read is proved to lie in the box of the Func that reads, the text says so by a clamp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Call, CallType, Expr, Max, Min, Select, children
from halide_core.ir.structural import contains, key, post_order
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.summary import Definition, Dim, FuncSummary, InputSummary, Layout, PathSummary
from synth.read_bounds.clamp_to_region import SameCoordinate

_SECONDS = 0.5
_MOST = 2000
"""Expressions that are looked at with the choices around them."""
_ONE = Poly.constant(1)


@dataclass(frozen=True, slots=True)
class _Read:
    f: FuncSummary
    d: Definition
    call: Call
    given: tuple[Expr, ...]
    """Conditions on coordinates and parameters under which the value is made of it."""


def tight_layouts(path: PathSummary) -> dict[str, Layout]:
    """Smaller boxes that hold all that is read, by the names of their images; those that stay as they are left out."""
    conditions = [*path.conditions, *(i.condition for i in path.contract if i.condition is not None)]
    known = tuple(c for c in conditions if not contains(c, Call))
    beside = () if path.result is None else tuple(n.name for n in post_order(path.result) if isinstance(n, Call))
    found = {}
    for image in path.inputs:
        reads = list(_reads(path, image))
        chosen = any(r.given or any(contains(a, Select) for a in r.call.args) for r in reads)
        if image.name not in beside and chosen:
            dims = tuple(_dim(k, d, reads, known) for k, d in enumerate(image.layout.dims))
            if dims != image.layout.dims:
                found[image.name] = replace(image.layout, dims=dims)
    return found


def _reads(path: PathSummary, image: InputSummary) -> Iterator[_Read]:
    for f in path.funcs:
        for d in f.definitions:
            always = () if d.where is None or contains(d.where, Call) else (d.where,)
            for e in d.expressions():
                start = () if e is d.where else always  # the condition itself is evaluated everywhere
                found = _under_choices(e, start)
                yield from (_Read(f, d, n, given) for n, given in found if n.name == image.name)


def _under_choices(e: Expr, start: tuple[Expr, ...]) -> Iterator[tuple[Call, tuple[Expr, ...]]]:
    """The reads of images in `e`, each with what holds at the `start` and the conditions of the choices around it; with
    none of these where they are many."""
    stack: list[tuple[Expr, tuple[Expr, ...]]] = [(e, start)]
    seen: set[tuple[int, ...]] = set()
    while stack:
        n, given = stack.pop()
        if len(seen) > _MOST:
            given = start
        what = (key(n), *map(key, given))
        if what in seen:
            continue
        seen.add(what)
        if isinstance(n, Call) and n.call_type is CallType.IMAGE:
            yield n, given
        if isinstance(n, Select) and not contains(n.condition, Call):
            stack += [(n.condition, given), (n.true_value, (*given, n.condition))]
            stack.append((n.false_value, (*given, negate(n.condition))))
        else:
            stack += [(c, given) for c in children(n)]


def _dim(k: int, dim: Dim, reads: list[_Read], known: tuple[Expr, ...]) -> Dim:
    """The dimension with the ends of the readers' own where these are nearer and hold all reads."""
    boxes = {(r.f.layout.dims[k].min, r.f.layout.dims[k].extent) for r in reads if len(r.f.layout.dims) > k}
    if len(boxes) != 1 or any(len(r.f.layout.dims) <= k for r in reads):
        return dim
    ((low, extent),) = boxes
    first, last = dim.min, dim.min + dim.extent - _ONE
    high = low + extent - _ONE
    if (low.distance_from(first) or 0) > 0 and _hold(k, reads, low, True, known):
        first = low
    if (last.distance_from(high) or 0) > 0 and _hold(k, reads, high, False, known):
        last = high
    return dim if first == dim.min and last == dim.min + dim.extent - _ONE else _with_ends(dim, first, last)


def _with_ends(dim: Dim, first: Poly, last: Poly) -> Dim:
    return replace(dim, min=first, extent=last - first + _ONE)


def _hold(k: int, reads: list[_Read], end: Poly, below: bool, known: tuple[Expr, ...]) -> bool:
    """Whether the coordinate of every read is on the right side of `end`."""
    limit = from_poly(end, I32)
    node = Max if below else Min
    seen: set[tuple[int, ...]] = set()
    for r in reads:
        a: Expr = r.call.args[k]
        what = (key(a), id(r.d), *map(key, r.given))
        if what in seen:
            continue
        seen.add(what)
        same = SameCoordinate((*known, *r.given), _SECONDS)
        if contains(a, Call) or not same(r.f, r.d, a, node(I32, a, limit)):
            return False
    return True
