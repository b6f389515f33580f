"""A kernel with what is computed in it, and the boxes that a block of some tile needs of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from halide_core.autoschedule.analysis.footprints import Number, NumericBox, extents, joined
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, product_of
from halide_core.autoschedule.auto_gpu.view import View

ROOT, INLINE, BLOCK, THREAD = "root", "inline", "block", "thread"


@dataclass(frozen=True, slots=True)
class Group:
    """The Func `kernel`, and where in its kernel others are computed: by name, BLOCK or THREAD.  `inlined`: the Funcs
    of the pipeline that are."""

    kernel: str
    members: Mapping[str, str]
    inlined: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.kernel, *self.members)


@dataclass(slots=True)
class Boxes:
    """What a block in the middle of a kernel needs, by candidate: `inside`: extents of Funcs by dimension; `outside`:
    points of what other kernels and the caller have; `constant`: whether blocks everywhere need boxes of one size;
    `blocks`: how many there are."""

    inside: dict[str, list[Number]]
    outside: dict[str, Number]
    outside_rows: dict[str, Number]
    constant: np.ndarray
    blocks: Number
    needed: dict[str, NumericBox] = field(default_factory=dict)


def block_boxes(view: View, group: Group, tiles: Tiles) -> Boxes:
    """The boxes of blocks of each of the `tiles`: of one in the middle and its neighbours, which must agree."""
    description = view.description
    node = description.nodes[group.kernel]
    (loops, *updates) = view.loops[group.kernel]
    names = loops.wide[:3]
    sizes = {n: t * e for n, t, e in zip(names, tiles.threads, tiles.each, strict=False)}
    places = 1 + len(names)
    blocks: Number = np.ones(len(tiles), np.int64)
    box: list[tuple[Number, Number]] = []
    for arg, (low, high) in zip(node.function.args, node.region, strict=True):
        if arg not in sizes:
            box.append((low, high))
            continue
        size, extent = sizes[arg], max(int(high - low + 1), 1)
        count = -(-extent // size)
        blocks = blocks * count
        # The tile in the middle, and its neighbour along this loop.
        at = np.tile(np.maximum(count // 2 - 1, 0), (places, 1))
        at[1 + names.index(arg)] += 1
        box.append((low + at * size, low + (at + 1) * size - 1))
    needed: dict[str, NumericBox] = {group.kernel: tuple(box)}
    outside: dict[str, NumericBox] = {}
    for name in reversed(list(description.nodes)):
        if name not in needed:
            continue
        own = description.nodes[name]
        needed[name] = description.stored(own, needed[name])
        for stage in own.stages:
            for read, b in view.required(stage, needed[name], group.inlined).items():
                to = needed if read in group.members else outside
                to[read] = joined(to.get(read), b)
    inside: dict[str, list[Number]] = {}
    constant = np.ones(len(tiles), bool)
    for name in group.members:
        shape = (places, len(tiles))
        found = [np.broadcast_to(np.asarray(e), shape) for e in extents(needed[name])]
        for e in found:
            constant &= (e == e[0]).all(axis=0)
        inside[name] = [e[0] for e in found]
    rows: dict[str, Number] = {}
    points: dict[str, Number] = {}
    for name, b in outside.items():
        whole = extents(description.whole(name))
        found = [np.minimum(_first(e), max(int(w), 1)) for e, w in zip(extents(b), whole, strict=True)]
        axis = description.layouts[name].axes[0] if found else 0
        rows[name] = product_of(len(tiles), (e for d, e in enumerate(found) if d != axis))
        points[name] = rows[name] * (found[axis] if found else 1)
    return Boxes(inside, points, rows, constant, blocks, needed)


def _first(e: Number) -> Number:
    e = np.asarray(e)
    return e[0] if e.ndim == 2 else e


def thread_box(view: View, group: Group, tiles: Tiles, name: str, user: str) -> list[Number] | None:
    """The extents of `name` that a thread needs for what it computes of `user`; None where the user's loops are no
    threads of one point each, or of its outputs."""
    node = view.description.nodes[user]
    loops = view.loops[user][0]
    box: list[tuple[Number, Number]] = []
    wide = loops.wide[:3] if user == group.kernel else loops.wide[:2]
    for arg, (low, high) in zip(node.function.args, node.region, strict=True):
        if arg in wide:
            middle = low + (high - low + 1) // 2
            each = tiles.each[wide.index(arg)] if user == group.kernel else 1
            at = (middle // each) * each
            box.append((at, at + each - 1))
        else:
            # What a thread goes over is inside of the loop that the Func is computed in.
            box.append((low, high))
    found: NumericBox | None = None
    for stage in node.stages:
        b = view.required(stage, tuple(box), group.inlined).get(name)
        found = joined(found, b) if b is not None else found
    return None if found is None else [np.broadcast_to(np.asarray(e), len(tiles)) for e in extents(found)]
