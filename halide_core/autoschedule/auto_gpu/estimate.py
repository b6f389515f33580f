"""What a kernel would do, told from its schedule before there is any code: the work that the model of time prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from halide_core.autoschedule.analysis.arithmetic import Site
from halide_core.autoschedule.analysis.description import Stage
from halide_core.autoschedule.analysis.footprints import Number, NumericBox, points
from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.group import (
    BLOCK,
    THREAD,
    Boxes,
    Group,
    ThreadBox,
    block_boxes,
    box_of,
    thread_box,
    thread_sizes,
)
from halide_core.autoschedule.auto_gpu.occupancy import MOST_THREADS, WARP, blocks_of_sm
from halide_core.autoschedule.auto_gpu.sectors import Rows
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, product_of
from halide_core.autoschedule.auto_gpu.time_model import KernelWork
from halide_core.autoschedule.auto_gpu.view import Reads, View
from halide_core.autoschedule.device.emit import written_steps

# Instructions beside those of the values: of a load or store and of its address, of a step of a loop, of a kernel.
_ACCESS, _STEP, _SPLIT, _KERNEL = 2.5, 3.0, 10.0, 40.0
_SHORT_ROWS = 1.4
_MARGIN = 1.6
"""What ptxas may take of registers beyond what is estimated."""
_REGISTERS, _OF_LOAD, _OF_OUTPUT, _OF_SUM = 18.0, 0.5, 1.5, 2.5
_LONG_CODE, _OF_OPERATION, _OF_CODE = 40.0, 0.07, 0.045
"""What ptxas may take for long code without loops, whose loads and sums it mixes: at least, and for each operation; and
what it takes for each on the average."""
_MOST_IN_KERNEL, _MOST_IN_BLOCK = 1300, 500
"""Operations that go with 64 registers."""
_MOST_LOADS = 24
"""Loads of a thread that are under way at a time."""
_MANY = 20
"""Funcs of a pipeline beyond which no trial finds out whether the compiler takes what threads keep."""
_MOST_WHOLE, _MOST_SCALES = 2, 1
"""Funcs in a block, of such pipelines, whose boxes may say how many threads it has where coordinates are halved or
doubled more often on the way to one of them: the compiler's boxes grow with each time, and blocks with them."""
_MOST_IN_THREAD = 64
"""Points of a Func that one thread keeps."""
_MOST_WRITTEN = 2500
"""Operations that are written out in a thread: longer code takes minutes to compile."""
_MOST_SHARED = 48 << 10
"""Bytes that every device gives to a block without being asked."""


@dataclass(slots=True)
class _Sums:
    """Of a block, by candidate: instructions and accesses of warps, and so on as in KernelWork."""

    instructions: Number = 0.0
    floats: Number = 0.0
    accesses: Number = 0.0
    shared: Number = 0.0
    loads: Number = 0.0
    sectors: Number = 0.0
    loaded: Number = 0.0
    kept: Number = 0.0
    written: Number = 0.0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the points of a stage are computed: `runs` of warps, each of `sizes` points along dimensions that are
    written out or gone over; `along`: the loop whose points neighbouring threads have, in `rows`."""

    runs: Number
    sizes: Mapping[str, Number]
    along: str
    rows: Rows
    kind: str


def estimated(
    view: View, device: Device, group: Group, tiles: Tiles
) -> tuple[Tiles, KernelWork, np.ndarray] | None:
    """The work of a kernel under each of those `tiles` that have room for what blocks and threads keep, and which of
    them are valid; None where none is or it cannot be told."""
    kept = _kept_in_threads(view, group, tiles)
    if kept is None or not kept[1].any():
        return None
    # What is left of the tiles is looked at further.
    boxes, chosen = kept
    tiles = tiles.chosen(chosen)
    boxes = {n: replace(b, extents=[narrowed(e, chosen) for e in b.extents]) for n, b in boxes.items()}
    return _Estimate(view, device, group, tiles, block_boxes(view, group, tiles), boxes).result()


def _kept_in_threads(view: View, group: Group, tiles: Tiles) -> tuple[dict[str, ThreadBox], np.ndarray] | None:
    """What threads keep, by member, and under which of the `tiles` they have room for it and it is as large everywhere;
    None where that cannot be told."""
    found: dict[str, ThreadBox] = {}
    valid = np.ones(len(tiles), bool)
    for name, kind in group.members.items():
        if kind != THREAD:
            continue
        (user,) = view.users(name, group.inlined) or {group.kernel}
        needed = thread_box(view, group, tiles, name, user)
        if needed is None or user not in group.names:
            return None
        found[name], constant = needed, needed.constant
        if view.size > _MANY:
            constant = constant & _plainly_constant(view, group, tiles, name, user, needed.extents)
        valid = valid & constant & (product_of(len(tiles), needed.extents) <= _MOST_IN_THREAD)
    return found, valid


def _plainly_constant(
    view: View, group: Group, tiles: Tiles, name: str, user: str, found: list[Number]
) -> np.ndarray:
    """Whether the compiler is sure to see that a box in a thread is of one size: it has one point along each
    dimension, or as many as the user's, or all."""
    sizes = thread_sizes(view, group, tiles, user)
    out = np.ones(len(tiles), bool)
    for arg, e in zip(view.description.nodes[name].function.args, found, strict=True):
        out &= (e == 1) | (e == sizes.get(arg, 1)) | (e == view.extent(name, arg))
    return out


def narrowed(x: Number, chosen: np.ndarray) -> Number:
    """A number, or of an array with one for each candidate those that are `chosen`."""
    return x if np.ndim(x) == 0 else x[..., chosen]


@dataclass(slots=True)
class _Estimate:
    view: View
    device: Device
    group: Group
    tiles: Tiles
    boxes: Boxes
    threads: Mapping[str, ThreadBox]
    """What threads keep."""
    sums: _Sums = field(default_factory=_Sums)
    shared: Number = 0.0
    valid: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    code: dict[str, Number] = field(default_factory=dict)
    """Operations that stand one after the other in a thread, by the Func whose points it has."""
    read: dict[tuple[str, str], tuple[NumericBox, Number]] = field(default_factory=dict)
    """The box of a Func or image that a thread has loaded for the points of a Func, and how many points these are."""

    def result(self) -> tuple[Tiles, KernelWork, np.ndarray] | None:
        found = self._places()
        if found is None or not self.valid.any():
            return None
        inside = BLOCK in self.group.members.values()
        threads, places = self._narrow(*found)
        for name, place in places.items():
            stages = self.view.description.nodes[name].stages
            for stage in [stages[self.group.stage]] if name == self.group.kernel else stages:
                if not self._add(stage, place):
                    return None
        self.valid = self.valid & (self.sums.written <= _MOST_WRITTEN)
        work = self._whole(threads)
        # More registers than are reckoned with must not be more than there are.
        most = work.registers * _MARGIN
        for operations in self.code.values():
            most = np.maximum(most, _LONG_CODE + _OF_OPERATION * operations)
        room = blocks_of_sm(self.device, threads, np.minimum(most, 255), self.shared)
        # Where threads are as many as some box has points the compiler may not know how many: ptxas then leaves each
        # thread what a block of the most threads has.
        for name, operations in self.code.items():
            if inside:
                limit = _MOST_IN_KERNEL if name == self.group.kernel else _MOST_IN_BLOCK
                room = np.where(self.tiles.whole & (operations > limit), 0, room)
        return self.tiles, work, self.valid & (room > 0)

    def _places(self) -> tuple[Number, dict[str, _Place]] | None:
        """How many threads blocks have, and where the points of everything are computed; `valid`: whether there is
        room.  None where that cannot be told."""
        tiles, n = self.tiles, len(self.tiles)
        size = [tiles.threads[0], tiles.threads[1] if len(tiles.threads) > 1 else np.ones(n, np.int64)]
        own = product_of(n, tiles.threads)
        inside = {m: self._along_threads(m) for m, kind in self.group.members.items() if kind == BLOCK}
        for row in inside.values():
            # Where each point has a thread a block is as large as the greatest box along each dimension.
            size = [np.where(tiles.whole, np.maximum(s, r), s) for s, r in zip(size, row, strict=True)]
        threads = np.where(tiles.whole, size[0] * size[1], own) if inside else own
        self.valid = self.boxes.constant & (threads <= MOST_THREADS)
        if len(inside) > _MOST_WHOLE and self.view.size > _MANY and self._scales() > _MOST_SCALES:
            self.valid = self.valid & ~tiles.whole
        self.shared = np.zeros(n)
        self.sums.instructions = _KERNEL * -(-threads // WARP)
        warps = -(-own // WARP)
        if inside:
            # Where blocks are larger than the tile its rows are spread over them.
            warps = np.where(tiles.whole, np.maximum(warps, _warps_of_rows(tiles, size[0])), warps)
        places = {self.group.kernel: self._kernel_place(warps, own)}
        for name, kind in self.group.members.items():
            place = self._in_block(name, inside[name], size, own) if kind == BLOCK else self._in_thread(name, places)
            if place is None:
                return None
            places[name] = place
        self.valid = self.valid & (self.shared <= _MOST_SHARED)
        return threads, places

    def _scales(self) -> int:
        """How often coordinates are halved, doubled and the like on the way from the kernel's points to a member."""
        view, inlined = self.view, self.group.inlined
        found = {self.group.kernel: 0}
        for name in self.group.members:
            ways = [
                found[u] + any(view.rescales(s, name, inlined) for s in view.description.nodes[u].stages)
                for u in view.users(name, inlined) if u in found
            ]
            found[name] = max(ways, default=0)
        return max(found.values())

    def _narrow(self, threads: Number, places: dict[str, _Place]) -> tuple[Number, dict[str, _Place]]:
        """Goes on with the candidates that are valid so far."""
        chosen = self.valid
        if chosen.all():
            return threads, places
        boxes, sums = self.boxes, self.sums
        self.tiles = self.tiles.chosen(chosen)
        self.boxes = replace(
            boxes, inside={},
            outside={n: narrowed(x, chosen) for n, x in boxes.outside.items()},
            stored=narrowed(boxes.stored, chosen), constant=boxes.constant[chosen],
            blocks=narrowed(boxes.blocks, chosen),
        )
        sums.instructions, sums.kept = narrowed(sums.instructions, chosen), narrowed(sums.kept, chosen)
        self.shared, self.valid = narrowed(self.shared, chosen), chosen[chosen]
        return narrowed(threads, chosen), {
            name: replace(
                x, runs=narrowed(x.runs, chosen), sizes={a: narrowed(size, chosen) for a, size in x.sizes.items()},
                rows=x.rows.narrowed(chosen),
            ) for name, x in places.items()
        }

    def _along_threads(self, name: str) -> list[Number]:
        """The extents of a box along the loops that threads are made of."""
        args, wide = self.view.description.nodes[name].function.args, self.view.loops[name][0].wide[:2]
        found = [self.boxes.inside[name][args.index(n)] for n in wide]
        return [*found, *[np.ones(len(self.tiles), np.int64)] * (2 - len(found))]

    def _kernel_place(self, warps: Number, threads: Number) -> _Place:
        group, view = self.group, self.view
        names = group.tiled(view)
        each = dict(zip(names, self.tiles.each, strict=False))
        sizes = {a: each.get(a, 1) for a in view.description.nodes[group.kernel].function.args}
        for n in group.loops(view).channels:
            sizes[n] = view.loop_extent(group.kernel, group.stage, n)
        along, apart, row = names[0] if names else "", self.tiles.each[0], self.tiles.threads[0]
        first = view.first(group.kernel, group.stage, along) if along else 0
        running, inside = self._within(names)
        busy = np.minimum(threads / (warps * WARP) * inside / running, 1.0)
        return _Place(warps * running, sizes, along, Rows(row, apart, row * apart, first, busy), "kernel")

    def _within(self, names: tuple[str, ...]) -> tuple[Number, Number]:
        """The shares of the grid's warps, and of its threads, that are not beyond the end."""
        warps: Number = 1.0
        threads: Number = 1.0
        for d, name in enumerate(names):
            count, each = self.tiles.threads[d], self.tiles.each[d]
            extent = self.view.loop_extent(self.group.kernel, self.group.stage, name)
            needed = -(-extent // each)
            every = -(-extent // (count * each)) * count
            threads = threads * needed / every
            # Along the first loop warps end where they are full.
            step = 1 if d else np.where(count % WARP == 0, WARP, count)
            warps = warps * (-(-needed // step) * step) / every
        return warps, threads

    def _in_block(self, name: str, row: list[Number], size: list[Number], own: Number) -> _Place:
        view, tiles = self.view, self.tiles
        box, node = self.boxes.inside[name], view.description.nodes[name]
        whole = -(-(size[0] * row[1]) // WARP)
        second = tiles.threads[1] if len(tiles.threads) > 1 else 1
        split = -(-row[0] // tiles.threads[0]) * -(-row[1] // second) * -(-own // WARP)
        # Rows are padded where threads would meet in banks.
        padded = (box[0] + 1) / np.maximum(box[0], 1)
        self.shared = self.shared + product_of(len(tiles), box) * padded * node.bytes
        wide = view.loops[name][0].wide[:2]
        args = node.function.args
        sizes = {a: 1 if a in wide else box[args.index(a)] for a in args}
        row_threads = np.where(tiles.whole, size[0], tiles.threads[0])
        # Where a box begins within what its Func reads is not told.
        runs = np.where(tiles.whole, whole, split)
        rows = Rows(row_threads, 1, 0, None, np.minimum(row[0] * row[1] / (runs * WARP), 1.0))
        return _Place(runs, sizes, wide[0] if wide else "", rows, BLOCK)

    def _in_thread(self, name: str, places: Mapping[str, _Place]) -> _Place | None:
        (user,) = self.view.users(name, self.group.inlined) or {self.group.kernel}
        if user not in places:
            return None
        found, node = self.threads[name].extents, self.view.description.nodes[name]
        # Sums are kept beside the addresses of what each of them reads next.
        summed = any(s.reduction for s in node.stages)
        self.sums.kept = self.sums.kept + product_of(len(self.tiles), found) * (_OF_SUM if summed else 1.0)
        args, wide = node.function.args, self.view.loops[name][0].wide
        outer, along = places[user], wide[0] if wide else ""
        further = self.threads[name].further[args.index(along)].get(outer.along) if along else None
        first = None if further is None or outer.rows.first is None else outer.rows.first + further
        return _Place(
            outer.runs, dict(zip(args, found, strict=True)), along, replace(outer.rows, first=first), THREAD
        )

    def _computed_by(self, name: str) -> str:
        """The Func for whose points a thread computes `name`."""
        while self.group.members.get(name) == THREAD:
            (name,) = self.view.users(name, self.group.inlined) or {self.group.kernel}
        return name

    def _steps(self, stage: Stage, place: _Place) -> Number:
        """How often the body of a stage runs for each run of a warp, beside the points that are written out."""
        if place.kind == "kernel":
            loops = self.group.loops(self.view)
            tiled = (*self.group.tiled(self.view), *self.group.fused(self.view), *loops.channels)
            names = [n for n in (*loops.free, *loops.serial) if n not in tiled]
        else:
            names = list(stage.reduction)
        total = 1.0
        for n in names:
            total *= self.view.loop_extent(stage.func, stage.index, n)
        return total

    def _add(self, stage: Stage, place: _Place) -> bool:
        """Adds the work of a stage; whether it can be told."""
        view, sums = self.view, self.sums
        point = view.point(stage, self.group.inlined)
        if point is None:
            return False
        pure = [a for a in view.description.nodes[stage.func].function.args if a in stage.loops]
        sizes = {a: place.sizes[a] for a in pure if a in place.sizes}
        each = product_of(len(self.tiles), sizes.values())
        # What the points of a thread have in common is computed and read once.
        operations = self._shared(point.parts, sizes)
        times = place.runs * self._steps(stage, place)
        arithmetic = times * operations
        # Where threads go over a box, each step finds out where it is and whether that is inside.
        split = np.where(self.tiles.whole, 0.0, _SPLIT) if place.kind == BLOCK else 0.0
        sums.instructions = sums.instructions + arithmetic + times * (_STEP + split)
        sums.floats = sums.floats + arithmetic * point.floats
        if place.kind != BLOCK:
            # One point is never too long, however it is computed.
            sums.written = np.maximum(sums.written, np.where(each > 1, operations, 0))
        of = self._computed_by(stage.func)
        self.code[of] = self.code.get(of, 0.0) + operations
        needed = self._read_together(stage, place) if np.any(each > 1) else {}
        for read, reads in point.reads.items():
            if read == stage.func and stage.index:
                continue
            count = self._shared(((view.moves(s), 1) for s in reads.sites), sizes)
            if read in needed and not reads.chosen_by_data:
                # What several points of a thread need is loaded once; that places of one point coincide does not show.
                count = np.minimum(count, np.maximum(points(needed[read]), len(reads.sites)))
                if place.kind != BLOCK and not stage.reduction:
                    count = self._further(of, read, needed[read], count)
            if self.group.members.get(read) != THREAD:
                at_once = 1.0 if read in self.group.members else self._at_once(stage, reads, place)
                self._load(stage, read, reads, times * count / at_once, count, place)
        self._store(stage, place, times * each)
        return True

    def _further(self, of: str, read: str, box: NumericBox, count: Number) -> Number:
        """How many of the points of a box a thread has not loaded for another Func that it computes."""
        if (of, read) not in self.read:
            self.read[of, read] = box, count
            return count
        known, counted = self.read[of, read]
        both = tuple(
            (np.minimum(a, c), np.maximum(b, d)) for (a, b), (c, d) in zip(known, box, strict=True)
        )
        total = np.maximum(np.minimum(points(both), counted + count), counted)
        self.read[of, read] = both, total
        return total - counted

    def _shared(self, parts: Iterable[tuple[frozenset[str], float]], sizes: Mapping[str, Number]) -> Number:
        """How much of something a thread has to do: each of the `parts` for the points that differ along its
        dimensions."""
        several = {a for a, size in sizes.items() if np.ndim(size) or size != 1}
        found: dict[frozenset[str], float] = {}
        for dims, n in parts:
            own = dims & several
            found[own] = found.get(own, 0) + n
        total: Number = np.zeros(len(self.tiles))
        for own, n in found.items():
            total = total + n * product_of(len(self.tiles), (size for a, size in sizes.items() if a in own))
        return total

    def _at_once(self, stage: Stage, reads: Reads, place: _Place) -> Number:
        """How many elements an access of global memory loads, of those that are written out beside each
        other: along the loop whose points a thread has several of, and in the steps of a sum.  Of windows, whose places
        overlap, too few turn out to be."""
        if reads.chosen_by_data or len(reads.sites) > 1:
            return 1.0
        written: dict[str, Number] = {place.along: place.rows.apart}
        for n in self.view.loops[stage.func][stage.index].serial[:1] if place.kind == THREAD else ():
            written[n] = written_steps(self.view.loop_extent(stage.func, stage.index, n))
        width: Number = 1
        for loop, count in written.items():
            together = self.view.beside(stage, reads.sites[0], loop)
            width = np.maximum(width, np.gcd(together, np.asarray(count, np.int64)))
        return width

    def _load(self, stage: Stage, read: str, reads: Reads, times: Number, count: Number, place: _Place) -> None:
        sums, view = self.sums, self.view
        sums.instructions = sums.instructions + times * _ACCESS
        sums.accesses = sums.accesses + times
        sums.loaded = np.maximum(sums.loaded, np.minimum(count, _MOST_LOADS))
        if read in self.group.members:
            turns: Number = 1.0
            for step, bytes_, _ in view.steps(reads, place.along, 0):
                turns = np.maximum(turns, _turns(step, bytes_, place))
            sums.shared = sums.shared + times * turns
            return
        share: Number = 0.0
        for pattern, number in view.sectors.of(stage, reads.sites, place.along):
            share = share + (pattern.sectors(place.rows) if pattern else WARP) * (number / len(reads.sites))
        sums.loads = sums.loads + times
        sums.sectors = sums.sectors + times * share

    def _store(self, stage: Stage, place: _Place, times: Number) -> None:
        """Adds the stores of a stage, and where a reduction adds to what is stored the loads of that."""
        if place.kind == THREAD:
            return
        sums = self.sums
        loops = self.view.loops[stage.func][stage.index]
        count = times * (2.0 if stage.reduction and loops.serial else 1.0)
        node = self.view.description.nodes[stage.func]
        own = Site(stage.func, stage.definition.args, node.bytes, None)
        if place.kind != BLOCK and not stage.index:
            together = self.view.beside(stage, own, place.along)
            count = count / np.gcd(together, np.asarray(place.rows.apart, np.int64))
        sums.instructions = sums.instructions + count * _ACCESS
        sums.accesses = sums.accesses + count
        if place.kind == BLOCK:
            sums.shared = sums.shared + count
            return
        sums.loads = sums.loads + count
        # Where data choose, threads beside each other store anywhere.
        pattern = None if loops.scatters else self.view.sectors.pattern(stage, own, place.along)
        sums.sectors = sums.sectors + count * (pattern.sectors(place.rows) if pattern else WARP)

    def _read_together(self, stage: Stage, place: _Place) -> dict[str, NumericBox]:
        """What a thread reads in a step, for all of its points together."""
        box = box_of(self.view, stage.func, place.sizes)
        return self.view.required(stage, box, self.group.inlined, one_step=True)

    def _whole(self, threads: Number) -> KernelWork:
        description, sums, count = self.view.description, self.sums, self.boxes.blocks
        node = description.nodes[self.group.kernel]
        memory: Number = float(np.prod([max(int(h - lo + 1), 1) for lo, h in node.region])) * node.bytes
        l2 = memory * self.boxes.stored
        for name, bytes_ in self.boxes.outside.items():
            size = bytes_ * count
            every = float(np.prod([max(int(h - lo + 1), 1) for lo, h in description.whole(name)]))
            l2 = l2 + size
            memory = memory + np.minimum(size, every * description.bytes(name))
        barriers = sum(kind == BLOCK for kind in self.group.members.values())
        outputs = product_of(len(self.tiles), self.tiles.each)
        registers = _REGISTERS + _OF_LOAD * sums.loaded + _OF_OUTPUT * outputs + sums.kept
        for operations in self.code.values():
            registers = np.maximum(registers, _REGISTERS + _OF_CODE * operations)
        integers = np.maximum(sums.instructions - sums.floats - sums.accesses, 0)
        return KernelWork(
            count, threads, np.minimum(registers, 255), self.shared, sums.instructions * count, sums.floats * count,
            integers * count, sums.shared * count, sums.loads * count, sums.sectors * count, l2, memory,
            barriers * count,
        )


def _warps_of_rows(tiles: Tiles, width: Number) -> Number:
    """The warps that the threads of a tile are in, in a block whose rows are `width` threads."""
    along = tiles.threads[0]
    rows = tiles.threads[1] if len(tiles.threads) > 1 else 1
    # Of rows that do not begin with a warp, some are in one more.
    each = np.where(width % WARP == 0, -(-along // WARP), 1 + (along - 1) / WARP)
    return np.minimum(-(-((rows - 1) * width + along) // WARP), rows * each)


def _turns(step: float | None, bytes_: int, place: _Place) -> Number:
    """Turns that an access of shared memory takes: threads whose words lie so far apart that they meet in banks."""
    if step is None:
        return 2.0
    words = np.maximum(np.round(step * np.asarray(place.rows.apart) * bytes_ / 4), 1).astype(np.int64)
    # Rows of fewer threads than a warp begin in banks that others of its rows are in.
    return np.gcd(words, WARP) * np.where(np.asarray(place.rows.length) % WARP == 0, 1.0, _SHORT_ROWS)
