"""A kernel with what is computed in it, and the boxes that a block of some tile needs of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.analysis.footprints import Number, NumericBox, extents, joined
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, product_of
from halide_core.autoschedule.auto_gpu.time_model import SECTOR
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.device.loops import Loops

ROOT, INLINE, BLOCK, THREAD = "root", "inline", "block", "thread"
MOST_TILED = 3
"""Loops of a stage that blocks are made of."""
_PLACES = 4
"""Boxes of a thread that are looked at, as `box_of` has them."""
_BESIDE = 3
"""Blocks that are looked at beside the neighbours of one in the middle: itself, the first and the last."""


@dataclass(frozen=True, slots=True)
class Group:
    """Definition `stage` of the Func `kernel`, and where in its kernel others are computed: by name, BLOCK or THREAD.
    `inlined`: the Funcs of the pipeline that are."""

    kernel: str
    members: Mapping[str, str]
    inlined: frozenset[str]
    stage: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return (self.kernel, *self.members)

    def loops(self, view: View) -> Loops:
        """The loops of the kernel's own definition."""
        return view.loops[self.kernel][self.stage]

    def tiled(self, view: View) -> tuple[str, ...]:
        """Of these, the ones that blocks and threads are made of; none where its points are no threads."""
        loops = self.loops(view)
        return loops.wide[:MOST_TILED] if loops.is_wide else ()


    def fused(self, view: View) -> tuple[str, ...]:
        """Further loops, a block for each of whose iterations there is."""
        loops = self.loops(view)
        return loops.wide[MOST_TILED:] if loops.is_wide else ()


@dataclass(slots=True)
class Boxes:
    """What a block in the middle of a kernel needs, by candidate: `inside`: extents of Funcs by dimension; `outside`:
    bytes of the sectors of what other kernels and the caller have; `stored`: how much more than its points the sectors
    are that it stores; `constant`: whether blocks everywhere need boxes of one size; `blocks`: how many there are."""

    inside: dict[str, list[Number]]
    outside: dict[str, Number]
    stored: Number
    constant: np.ndarray
    blocks: Number


def block_boxes(view: View, group: Group, tiles: Tiles) -> Boxes:
    """The boxes of blocks of each of the `tiles`: of one in the middle, its neighbours and those at the ends, which
    must agree: the compiler makes a box that coordinates are clamped in as large as all blocks' boxes together."""
    description = view.description
    names = group.tiled(view)
    box, blocks = _kernel_box(view, group, tiles)
    needed: dict[str, NumericBox] = {group.kernel: box}
    outside: dict[str, NumericBox] = {}
    for name in reversed(list(description.nodes)):
        if name not in needed:
            continue
        own = description.nodes[name]
        stages = own.stages
        if name == group.kernel:
            stages = [own.stages[group.stage]]
        else:
            needed[name] = description.stored(own, needed[name])
        for stage in stages:
            for read, b in view.required(stage, needed[name], group.inlined).items():
                to = needed if read in group.members else outside
                to[read] = joined(to.get(read), b)
    inside: dict[str, list[Number]] = {}
    constant = np.ones(len(tiles), bool)
    shape = (_BESIDE + len(names), len(tiles))
    for name in group.members:
        found = [np.broadcast_to(np.asarray(e), shape) for e in extents(needed[name])]
        for e in found:
            constant &= (e == e[0]).all(axis=0)
        inside[name] = [e[0] for e in found]
    bytes_ = {n: _bytes_outside(view, n, b, len(tiles)) for n, b in outside.items()}
    return Boxes(inside, bytes_, _stored(view, group.kernel, box), constant, blocks)


def _kernel_box(view: View, group: Group, tiles: Tiles) -> tuple[NumericBox, Number]:
    """The box of a block of the kernel's own Func, an array with a row for each block that is looked at, and how many
    blocks there are."""
    node, names = view.description.nodes[group.kernel], group.tiled(view)
    sizes = {n: t * e for n, t, e in zip(names, tiles.threads, tiles.each, strict=False)}
    blocks: Number = np.ones(len(tiles), np.int64)
    for n, size in sizes.items():
        blocks = blocks * -(-view.loop_extent(group.kernel, group.stage, n) // size)
    outer = group.fused(view)
    for n in outer:
        blocks = blocks * view.loop_extent(group.kernel, group.stage, n)
    box: list[tuple[Number, Number]] = []
    for arg, (low, high) in zip(node.function.args, node.region, strict=True):
        if arg in outer:
            box.append((low, low))
            continue
        if arg not in sizes:
            box.append((low, high))
            continue
        size, extent = sizes[arg], max(int(high - low + 1), 1)
        # The tile in the middle, its neighbour along this loop, and the tiles at both ends.
        count = -(-extent // size)
        at = np.tile(np.maximum(count // 2 - 1, 0), (_BESIDE + len(names), 1))
        at[1 + names.index(arg)] += count > 1
        at[-2], at[-1] = 0, np.maximum(count - 1, 0)
        box.append((low + at * size, low + (at + 1) * size - 1))
    return tuple(box), blocks


def _bytes_outside(view: View, name: str, box: NumericBox, count: int) -> Number:
    """The bytes of the sectors that a box of what lies in memory touches."""
    whole = extents(view.description.whole(name))
    found = [np.minimum(_first(e), max(int(w), 1)) for e, w in zip(extents(box), whole, strict=True)]
    if not found:
        return float(SECTOR)
    axis = view.description.layouts[name].axes[0]
    rows = product_of(count, (e for d, e in enumerate(found) if d != axis))
    return rows * view.sectors.of_row(name, _first(box[axis][0]), found[axis]) * SECTOR


def _stored(view: View, name: str, box: NumericBox) -> Number:
    """How much more than its points the sectors are that a row of a block of a kernel lies in."""
    if not box:
        return 1.0
    axis = view.description.layouts[name].axes[0]
    extent = _first(extents(box)[axis])
    return view.sectors.of_row(name, _first(box[axis][0]), extent) * SECTOR / (extent * view.sectors.size(name))


def _first(e: Number) -> Number:
    e = np.asarray(e)
    return e[0] if e.ndim == 2 else e


def thread_sizes(view: View, group: Group, tiles: Tiles, user: str) -> dict[str, Number]:
    """How many points along each dimension of `user` a thread has while it computes one of its own."""
    node = view.description.nodes[user]
    wide = group.tiled(view) if user == group.kernel else view.loops[user][0].wide[:2]
    each = tiles.each if user == group.kernel else tuple(1 for _ in wide)
    sizes: dict[str, Number] = {n: e for n, e in zip(wide, each, strict=False)}
    if user == group.kernel:
        sizes |= dict.fromkeys(group.fused(view), 1)
    # What a thread goes over is inside of the loop that others are computed in.
    return {a: sizes[a] if a in sizes else view.extent(user, a) for a in node.function.args}


def box_of(view: View, name: str, sizes: Mapping[str, Number], around: bool = False) -> NumericBox:
    """A box of a Func of such sizes, in the middle of it; `around`: arrays with a row for that box, one that lies a
    point further (where a Func begins may be even or odd), and those at both ends."""
    box: list[tuple[Number, Number]] = []
    for arg, (low, high) in zip(
        view.description.nodes[name].function.args, view.description.nodes[name].region, strict=True
    ):
        size = np.asarray(sizes[arg])
        at = np.where(size > high - low, low, (low + (high - low + 1) // 2) // np.maximum(size, 1) * size)
        if around:
            last = low + np.maximum((high - low + 1) // np.maximum(size, 1) - 1, 0) * size
            at = np.stack(np.broadcast_arrays(np.atleast_1d(at), at + 1, low, last))
        box.append((at, at + size - 1))
    return tuple(box)


@dataclass(frozen=True, slots=True)
class ThreadBox:
    """What a thread needs of a Func, by candidate: `extents`; `constant`: whether threads everywhere need as much;
    `further`: by dimension, how many points further it begins than what the thread has of the user does along each of
    its dimensions, where both move alike."""

    extents: list[Number]
    constant: np.ndarray
    further: list[dict[str, int]]


def thread_box(view: View, group: Group, tiles: Tiles, name: str, user: str) -> ThreadBox | None:
    """The box of `name` that a thread needs for what it computes of `user`; None where that reads none of it."""
    box = box_of(view, user, thread_sizes(view, group, tiles, user), around=True)
    found: NumericBox | None = None
    for stage in view.description.nodes[user].stages:
        b = view.required(stage, box, group.inlined).get(name)
        found = joined(found, b) if b is not None else found
    if found is None:
        return None
    every = [np.broadcast_to(np.asarray(e), (_PLACES, len(tiles))) for e in extents(found)]
    constant = np.ones(len(tiles), bool)
    for e in every:
        constant &= (e == e[0]).all(axis=0)
    needed_by = dict(zip(view.description.nodes[user].function.args, box, strict=True))
    further = [_further(low, needed_by) for low, _ in found]
    return ThreadBox([e[0] for e in every], constant, further)


def _further(low: Number, box: Mapping[str, tuple[Number, Number]]) -> dict[str, int]:
    """How many points further `low` is than the box begins, along the dimensions that it moves with."""
    out: dict[str, int] = {}
    for arg, (begin, _) in box.items():
        # The first two places lie a point from each other.
        apart = np.broadcast_arrays(np.asarray(low), begin)
        shift = (apart[0] - apart[1])[:2]
        if np.ndim(low) == 2 and (shift == shift.flat[0]).all():
            out[arg] = int(shift.flat[0])
    return out
