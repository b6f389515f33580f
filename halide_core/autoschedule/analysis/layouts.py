"""How arrays lie in memory, as far as schedules depend on it: interleaved channels above all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from halide_core.autoschedule.analysis.arithmetic import is_read
from halide_core.ir.expr import Call, Expr, Variable, children, const_value
from halide_core.ir.structural import variables
from halide_core.ir.sums import difference

FEW = 4
"""The most coordinates of a dimension of channels."""

# The most coordinates of what is small in all dimensions.
_PIXELS = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """`axes`: the dimensions of an array, first the one along which vectors go, then rows, interleaved channels last;
    `step`: elements between neighbours along the first (None: not known); `channels`: the dimension of interleaved
    channels, if any; `dense`: whether the pixels of a row are one row of channels."""

    axes: tuple[int, ...]
    step: int | None = 1
    channels: int | None = None
    dense: bool = False

    @property
    def rows(self) -> int | None:
        """The dimension of rows."""
        return self.axes[1] if len(self.axes) > 1 else None


def stated_layout(fixed: Mapping[str, Expr], sizes: Sequence[int]) -> Layout:
    """The layout of an image or output of the given extents, of which `fixed` says what is stated.  Where dimension 0
    has no more coordinates than pixels have channels, it holds those."""
    strides = [const_value(fixed[f"stride.{d}"]) if f"stride.{d}" in fixed else None for d in range(len(sizes))]
    if strides and strides[0] is None and "stride.0" not in fixed:
        strides[0] = 1
    dims = range(len(sizes))
    unit = next((d for d in dims if strides[d] == 1), 0)
    others = [d for d in dims if d != unit]
    if not others or not _are_channels(sizes, unit):
        return Layout((unit, *others) if sizes else (), 1 if not sizes or strides[unit] == 1 else None)
    pixel, step = others[0], None
    for d in others:
        stride = strides[d]
        if stride is not None and sizes[unit] <= stride <= FEW:
            pixel, step = d, int(stride)
            break
    rows = [d for d in others if d != pixel]
    return Layout((pixel, *rows, unit), step, unit, step == sizes[unit])


def runs_as_row(values: Iterable[Expr], args: Sequence[str], layouts: Mapping[str, Layout], own: Layout) -> bool:
    """Whether an output of layout `own`, whose dimensions are `args`, computes each channel from the same channel of
    near pixels of images that lie as it does, so that the channels of all pixels may be taken for one long row."""
    if own.channels is None or not own.dense:
        return False
    channel, pixel = args[own.channels], args[own.axes[0]]
    work, seen = list(values), set[int]()
    while work:
        n = work.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        if isinstance(n, Variable) and n.name in (channel, pixel):
            return False
        if not is_read(n):
            work.extend(children(n))
        elif any(variables(a) & {channel, pixel} for a in n.args):
            theirs = layouts.get(n.name)
            if theirs is None or not theirs.dense or theirs.step != own.step or not _is_near(n, theirs, channel, pixel):
                return False
    return True


def _is_near(read: Call, layout: Layout, channel: str, pixel: str) -> bool:
    """Whether `read` is of a channel of the same number, in a pixel a fixed number of pixels away."""
    for d, a in enumerate(read.args):
        if d == layout.channels:
            if not isinstance(a, Variable) or a.name != channel:
                return False
        elif d == layout.axes[0]:
            if difference(a, Variable(a.type, pixel)) is None:
                return False
        elif variables(a) & {channel, pixel}:
            return False
    return True


def _are_channels(sizes: Sequence[int], d: int) -> bool:
    """Whether dimension `d` has few coordinates beside another one: not one of the small levels of a pyramid."""
    return 1 < sizes[d] <= FEW and max(sizes) > _PIXELS


def own_layout(sizes: Sequence[int]) -> Layout:
    """The layout of a Func's own storage: planes where its first dimension would interleave channels."""
    if not sizes or not _are_channels(sizes, 0):
        return Layout(tuple(range(len(sizes))))
    return Layout((*range(1, len(sizes)), 0))
