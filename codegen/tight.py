"""The boxes of images that are read at choices between coordinates (`a[x > 0 ? x - 1 : x]`).

Halide takes the bounds of such a choice for those of both its arms: it would read beyond the image that the original
was given.  Where every read is proved to lie in the box of the Func that reads, the text says so by a clamp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Call, CallType, Expr, Max, Min, Select
from halide_core.ir.structural import contains, key, post_order
from lifter.poly import Poly, from_poly
from lifter.summary import Definition, Dim, FuncSummary, InputSummary, Layout, PathSummary
from synth.within import SameCoordinate

_SECONDS = 0.5
_ONE = Poly.constant(1)


@dataclass(frozen=True, slots=True)
class _Read:
    f: FuncSummary
    d: Definition
    call: Call


def tight_layouts(path: PathSummary) -> dict[str, Layout]:
    """Smaller boxes that hold all that is read, by the names of their images; those that stay as they are left out."""
    conditions = [*path.conditions, *(i.condition for i in path.contract if i.condition is not None)]
    same = SameCoordinate(tuple(c for c in conditions if not contains(c, Call)), _SECONDS)
    beside = () if path.result is None else tuple(n.name for n in post_order(path.result) if isinstance(n, Call))
    found = {}
    for image in path.inputs:
        reads = list(_reads(path, image))
        if image.name not in beside and any(contains(a, Select) for r in reads for a in r.call.args):
            dims = tuple(_dim(k, d, reads, same) for k, d in enumerate(image.layout.dims))
            if dims != image.layout.dims:
                found[image.name] = replace(image.layout, dims=dims)
    return found


def _reads(path: PathSummary, image: InputSummary) -> Iterator[_Read]:
    for f in path.funcs:
        for d in f.definitions:
            nodes = {key(n): n for e in d.expressions() for n in post_order(e)}
            for n in nodes.values():
                if isinstance(n, Call) and n.call_type is CallType.IMAGE and n.name == image.name:
                    yield _Read(f, d, n)


def _dim(k: int, dim: Dim, reads: list[_Read], same: SameCoordinate) -> Dim:
    """The dimension with the ends of the readers' own where these are nearer and hold all reads."""
    boxes = {(r.f.layout.dims[k].min, r.f.layout.dims[k].extent) for r in reads if len(r.f.layout.dims) > k}
    if len(boxes) != 1 or any(len(r.f.layout.dims) <= k for r in reads):
        return dim
    ((low, extent),) = boxes
    first, last = dim.min, dim.min + dim.extent - _ONE
    high = low + extent - _ONE
    if (low.distance_from(first) or 0) > 0 and _hold(k, reads, low, True, same):
        first = low
    if (last.distance_from(high) or 0) > 0 and _hold(k, reads, high, False, same):
        last = high
    return dim if first == dim.min and last == dim.min + dim.extent - _ONE else _with_ends(dim, first, last)


def _with_ends(dim: Dim, first: Poly, last: Poly) -> Dim:
    return replace(dim, min=first, extent=last - first + _ONE)


def _hold(k: int, reads: list[_Read], end: Poly, below: bool, same: SameCoordinate) -> bool:
    """Whether the coordinate of every read is on the right side of `end`."""
    limit = from_poly(end, I32)
    node = Max if below else Min
    seen: set[tuple[int, int]] = set()
    for r in reads:
        a: Expr = r.call.args[k]
        if contains(a, Call):
            return False
        if (key(a), id(r.d)) not in seen and not same(r.f, r.d, a, node(I32, a, limit)):
            return False
        seen.add((key(a), id(r.d)))
    return True
