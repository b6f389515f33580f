"""What a kernel would do, told from its schedule before there is any code: the work that the model of time prices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.analysis.arithmetic import Site
from halide_core.autoschedule.analysis.description import Stage
from halide_core.autoschedule.analysis.footprints import Number, extents
from halide_core.autoschedule.auto_gpu.group import BLOCK, THREAD, Boxes, Group, thread_box
from halide_core.autoschedule.auto_gpu.occupancy import MOST_THREADS, WARP
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, product_of
from halide_core.autoschedule.auto_gpu.time_model import SECTOR, KernelWork
from halide_core.autoschedule.auto_gpu.view import View

# Instructions beside those of the values: of a load or store and of its address, of a step of a loop, of a kernel.
_ACCESS, _STEP, _KERNEL = 2.0, 3.0, 30.0
_REGISTERS, _REGISTERS_OF_LOAD = 18, 1.0
_MOST_IN_THREAD = 64
"""Points of a Func that one thread keeps."""
_MOST_SHARED = 48 << 10
"""Bytes that every device gives to a block without being asked."""


@dataclass(slots=True)
class _Sums:
    """Of a block, by candidate: instructions and accesses of warps, and so on as in KernelWork."""

    instructions: Number = 0.0
    shared: Number = 0.0
    loads: Number = 0.0
    sectors: Number = 0.0
    floats: Number = 0.0
    registers: Number = 0.0


def estimated(view: View, group: Group, tiles: Tiles, boxes: Boxes) -> tuple[KernelWork, np.ndarray] | None:
    """The work of a kernel under each of the `tiles`, and which of these are valid; None where none can be."""
    nodes = view.description.nodes
    n = len(tiles)
    block_threads = tiles.threads[0] * (tiles.threads[1] if len(tiles.threads) > 1 else 1)
    if len(tiles.threads) > 2:
        block_threads = block_threads * tiles.threads[2]
    size = [tiles.threads[0], tiles.threads[1] if len(tiles.threads) > 1 else np.ones(n, np.int64)]
    # Where each point has a thread a block is as large as the greatest box along each dimension.
    rows = {m: _thread_extents(view, m, boxes.inside[m]) for m, kind in group.members.items() if kind == BLOCK}
    for row in rows.values():
        for k in (0, 1):
            size[k] = np.where(tiles.whole, np.maximum(size[k], row[k]), size[k])
    threads = np.where(tiles.whole, size[0] * size[1], block_threads) if rows else block_threads
    valid = boxes.constant & (threads <= MOST_THREADS)
    shared: Number = np.zeros(n)
    sums = _Sums(instructions=_KERNEL * -(-threads // WARP))
    runs: dict[str, Number] = {group.kernel: -(-block_threads // WARP)}
    each = np.prod([*tiles.each], axis=0)
    steps = runs[group.kernel] * _inner(view, group.kernel)
    if not _add_stages(view, group, group.kernel, steps, each, sums, tiles, size[0]):
        return None
    for name, kind in group.members.items():
        node = nodes[name]
        if kind == BLOCK:
            row = rows[name]
            rest = product_of(n, boxes.inside[name]) / np.maximum(row[0] * row[1], 1)
            whole = -(-(size[0] * row[1]) // WARP)
            split = -(-row[0] // tiles.threads[0]) * -(-row[1] // size[1]) * -(-block_threads // WARP)
            runs[name] = np.where(tiles.whole, whole, split)
            steps = runs[name] * rest
            padded = (boxes.inside[name][0] + 1) / np.maximum(boxes.inside[name][0], 1)
            shared = shared + product_of(n, boxes.inside[name]) * padded * node.bytes
            kept = np.ones(n)
        else:
            (user,) = view.users(name, group.inlined) or {group.kernel}
            found = thread_box(view, group, tiles, name, user)
            if found is None or user not in runs:
                return None
            kept = product_of(n, found)
            valid = valid & (kept <= _MOST_IN_THREAD)
            runs[name] = steps = runs[user]
            sums.registers = sums.registers + kept
        if not _add_stages(view, group, name, steps, kept, sums, tiles, size[0], kind == THREAD):
            return None
    valid = valid & (shared <= _MOST_SHARED)
    return _whole_kernel(view, group, boxes, sums, threads, shared, each), valid


def _thread_extents(view: View, name: str, box: list[Number]) -> list[Number]:
    """The extents of a box along the loops that threads are made of."""
    args, wide = view.description.nodes[name].function.args, view.loops[name][0].wide[:2]
    found = [box[args.index(n)] for n in wide]
    return [*found, *[np.ones_like(box[0])] * (2 - len(found))] if box else [np.ones(1), np.ones(1)]


def _channels(view: View, name: str) -> float:
    total = 1.0
    for n in view.loops[name][0].channels:
        total *= view.extent(name, n)
    return total


def _inner(view: View, name: str) -> float:
    """How often a thread runs the body of the first definition, for each of its outputs."""
    loops = view.loops[name][0]
    total = _channels(view, name)
    for n in loops.wide[3:]:
        total *= view.extent(name, n)
    return total


def _reduction_steps(view: View, stage: Stage) -> float:
    values = view.description.loop_values(stage, view.description.nodes[stage.func].region)
    total = 1.0
    for n in stage.reduction:
        total *= max(float(values[f"{n}..high"] - values[f"{n}..low"] + 1), 1.0)
    return total


def _add_stages(
    view: View, group: Group, name: str, steps: Number, each: Number, sums: _Sums, tiles: Tiles, row: Number,
    in_thread: bool = False,
) -> bool:
    """Adds the work of all stages of a Func: `steps` of warps, of `each` points; whether it can be told."""
    node = view.description.nodes[name]
    loops = view.loops[name][0]
    along = loops.wide[0] if loops.wide else ""
    if in_thread:
        users = view.users(name, group.inlined)
        along = loops.wide[0] if users and loops.wide else along
    for stage in node.stages:
        point = view.point(stage, group.inlined)
        if point is None:
            return False
        times = steps * _reduction_steps(view, stage)
        sums.instructions = sums.instructions + times * (each * point.operations + _STEP)
        sums.floats = sums.floats + times * each * point.operations * _float_share(stage)
        by_name: dict[str, list[Site]] = {}
        for site in point.sites:
            by_name.setdefault(site.name, []).append(site)
        needed = _of_thread(view, group, stage, each, tiles) if np.any(each > 1) else {}
        for read, sites in by_name.items():
            if read == name:
                continue
            count = len(sites) * each
            if read in needed:
                count = np.minimum(count, needed[read])
            if group.members.get(read) == THREAD:
                continue
            sums.instructions = sums.instructions + times * count * _ACCESS
            sums.registers = np.maximum(sums.registers, np.minimum(count, 24) * _REGISTERS_OF_LOAD)
            if read in group.members:
                sums.shared = sums.shared + times * count * max(_turns(s, along, view) for s in sites)
                continue
            share = sum(_sectors(view, s, along, row) for s in sites) / len(sites)
            sums.loads = sums.loads + times * count
            sums.sectors = sums.sectors + times * count * share
        stores = each if not in_thread else 0.0
        if stage.reduction and not in_thread:
            # Each step loads and stores its element.
            stores = 2.0 * each
        if not in_thread:
            sums.instructions = sums.instructions + times * stores * _ACCESS
        if name in group.members:
            sums.shared = sums.shared + times * stores
        else:
            sums.loads = sums.loads + times * stores
            sums.sectors = sums.sectors + times * stores * _row_sectors(node.bytes, row)
    return True


def _float_share(stage: Stage) -> float:
    return 0.7 if any(v.type.is_float() for v in stage.definition.values) else 0.0


def _of_thread(view: View, group: Group, stage: Stage, each: Number, tiles: Tiles) -> dict[str, Number]:
    """The points of what a thread reads in a step, for all of its outputs together: equal ones are loaded once."""
    node = view.description.nodes[stage.func]
    wide = view.loops[stage.func][0].wide[:2]
    if stage.func not in group.members:
        sizes = dict(zip(view.loops[stage.func][0].wide[:3], tiles.each, strict=False))
    else:
        # A box of a thread's own, as long as it is made out of the kernel's outputs of a thread.
        sizes = {n: each if k == len(wide) - 1 else np.ones_like(each) for k, n in enumerate(wide)}
    box = []
    for arg, (low, high) in zip(node.function.args, node.region, strict=True):
        e = sizes.get(arg, 1)
        at = (low + (high - low + 1) // 2) // e * e
        box.append((at, at + e - 1))
    found = view.required(stage, tuple(box), group.inlined, one_step=True)
    return {n: product_of(len(tiles), (np.broadcast_to(x, len(tiles)) for x in extents(b)))
            for n, b in found.items()}


def _sectors(view: View, site: Site, along: str, row: Number) -> Number:
    """Sectors of an access of a warp whose threads lie next to each other along a loop, in rows of so many."""
    layout = view.description.layouts.get(site.name)
    axis, element = (layout.axes[0], layout.step or 4) if layout is not None and layout.axes else (0, 1)
    step = view.step_along(site, along, axis)
    rows = np.maximum(WARP / np.maximum(row, 1), 1.0)
    if step is None:
        return float(WARP)
    if step == 0:
        return np.minimum(rows, WARP)
    return np.minimum(rows * np.ceil(np.minimum(row, WARP) * step * element * site.bytes / SECTOR), WARP)


def _row_sectors(element: int, row: Number) -> Number:
    rows = np.maximum(WARP / np.maximum(row, 1), 1.0)
    return np.minimum(rows * np.ceil(np.minimum(row, WARP) * element / SECTOR), WARP)


def _turns(site: Site, along: str, view: View) -> float:
    """Turns that an access of shared memory takes."""
    step = view.step_along(site, along, 0)
    return 2.0 if step is None or step == 2.0 else 1.0


def _whole_kernel(
    view: View, group: Group, boxes: Boxes, sums: _Sums, threads: Number, shared: Number, each: Number
) -> KernelWork:
    description = view.description
    node = description.nodes[group.kernel]
    count = boxes.blocks
    region = float(np.prod([max(int(h - lo + 1), 1) for lo, h in node.region]))
    l2: Number = region * node.bytes
    memory: Number = region * node.bytes
    for name, points in boxes.outside.items():
        # Rows begin and end within sectors.
        size = (points * description.bytes(name) + boxes.outside_rows[name] * SECTOR / 2) * count
        whole = float(np.prod([max(int(h - lo + 1), 1) for lo, h in description.whole(name)])) * description.bytes(name)
        l2 = l2 + size
        memory = memory + np.minimum(size, whole)
    barriers = sum(kind == BLOCK for kind in group.members.values())
    registers = np.minimum(_REGISTERS + 2 * sums.registers + 2 * each, 255)
    return KernelWork(
        count, threads, registers, shared, sums.instructions * count, sums.floats * count, 0,
        sums.shared * count, sums.loads * count, sums.sectors * count, l2, memory, barriers * count,
    )
