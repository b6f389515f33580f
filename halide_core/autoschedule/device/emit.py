"""The directives that run one stage on a device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from halide_core.autoschedule.device.loops import Loops
from halide_core.autoschedule.directives import FuncName, Loop, Operand, Schedule, identifier
from halide_core.function import Function, TailStrategy
from halide_core.ir.stmt import MemoryType

_GUARD = TailStrategy.GuardWithIf
_ROW, _ROWS, _LINE, _SCAN = 32, 8, 256, 64
"""Threads of a block: in two dimensions, in one, and where each goes over many points."""
_COUNTED, _STRIP, _BLOCK = 8, 4, 4096
"""Of histograms, rows of a strip; of sums, rows of a strip, and points of one of either where there are no rows."""
_GROUP, _CHUNK = 8, 32
"""Of sums, threads whose sums one adds up, and points of a thread that follow one another."""
_MOST_DIMENSIONS = 3
_STEPS, _FEW_STEPS = 8, 64
"""Steps of a long loop in a thread that are written out, and how many a loop has that is not long."""
_FEW_WRITTEN = 4
"""Steps of a sum in a thread that are written out around its outputs."""
_MOST_WRITTEN = 16
"""Points along a loop that are written out in a thread."""


def _power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


@dataclass(frozen=True, slots=True)
class Tile:
    """What a block has of the wide loops of a stage: threads, and the points along a loop that each thread goes over
    (one where nothing is said)."""

    threads: Mapping[str, int]
    each: Mapping[str, int] = field(default_factory=dict)

    def points(self, name: str) -> int:
        """Points of a block along a loop."""
        return self.threads.get(name, 1) * self.each.get(name, 1)


def written_steps(extent: int) -> int:
    """How many steps of a sum in a thread are written out around its outputs."""
    if 1 < extent <= _FEW_WRITTEN:
        return extent
    return _FEW_WRITTEN if extent and extent % _FEW_WRITTEN == 0 else 1


def tile_sizes(loops: Loops) -> dict[str, int]:
    """The threads of a block along each wide loop that has some."""
    names = loops.wide[:_MOST_DIMENSIONS]
    most = _SCAN if loops.serial else _LINE
    if len(names) == 1:
        return {names[0]: min(most, _power(loops.extents.get(names[0], most)))}
    row = min(_ROW, _power(loops.extents.get(names[0], _ROW)))
    rows = min(most // row if row < _ROW else _ROWS, _power(loops.extents.get(names[1], most)))
    return {names[0]: row, names[1]: rows, **dict.fromkeys(names[2:], 1)}


class Emitter:
    """Appends directives to a schedule; names of new loops and Funcs are those that nothing has yet."""

    def __init__(self, functions: Iterable[Function], taken: Iterable[str]) -> None:
        self.schedule = Schedule()
        self.taken = {identifier(n) for n in taken}
        for f in functions:
            self.taken |= {identifier(f.name), *map(identifier, f.args)}
        self.tiles: dict[tuple[str, int], dict[str, tuple[Loop, Loop]]] = {}
        """Of each stage the loops over blocks and over threads, by the loop that they are made of."""
        self.chosen: dict[tuple[str, int], Tile] = {}
        """Of stages that have a thread for each point: sizes in place of those of `tile_sizes`."""
        self._reductions: dict[tuple[str, int, int], Loop] = {}
        self._bound: set[tuple[str, str]] = set()
        self._made: dict[str, str] = {}

    def new(self, base: str) -> str:
        """`base`, with a number where that is taken."""
        name, count = base, 1
        while name in self.taken:
            count += 1
            name = f"{base}{count}"
        self.taken.add(name)
        return name

    def loop(self, loops: Loops, name: str) -> Loop:
        """A loop that a stage has as it is written."""
        if name not in loops.domain:
            return Loop(name)
        return self.reduction(loops.function.name, loops.stage - 1, loops.domain.index(name))

    def reduction(self, func: str, update: int, place: int) -> Loop:
        """A variable of an update's reduction."""
        found = self._reductions.get((func, update, place))
        if found is None:
            found = Loop(self.new(f"r{'xyzw'[place] if place < 4 else place}"), (update, place))
            self._reductions[func, update, place] = found
        return found

    def factored(self, func: str, update: int) -> None:
        """The reduction of an update is another one from here on."""
        self._reductions = {k: v for k, v in self._reductions.items() if k[:2] != (func, update)}

    def made_of(self, loop: Loop, suffix: str, update: int) -> Loop:
        """A new loop made of `loop`."""
        base = loop.name + suffix
        if base not in self._made:
            self._made[base] = self.new(base)
        return Loop(self._made[base]) if loop.reduction is None else Loop(self._made[base], (update, -1))

    def add(self, loops: Loops, method: str, *args: Operand) -> None:
        """A directive of a stage."""
        self.schedule.add(loops.function.name, loops.stage, method, *args)

    def root(self, f: Function) -> None:
        """Computed whole."""
        self.schedule.add(f.name, 0, "compute_root")

    # Whole stages.

    def single_thread(self, loops: Loops) -> None:
        """One thread does all points of a stage."""
        self.add(loops, "gpu_single_thread")

    def tiled(self, loops: Loops) -> None:
        """A thread for each point of the free loops, which goes over the serial ones; channels are written out."""
        chosen = self.chosen.get((loops.function.name, loops.stage))
        if chosen is not None:
            self.tiled_by(loops, chosen)
            return
        names, sizes = loops.wide[:_MOST_DIMENSIONS], tile_sizes(loops)
        self.channels(loops)
        self.order(loops, [*loops.channels, *loops.serial, *loops.wide[_MOST_DIMENSIONS:]], names)
        outer = [self.loop(loops, n) for n in names]
        inner = [self.made_of(o, "i", loops.stage - 1) for o in outer]
        if any(o.reduction is not None for o in outer):
            blocks = [self.made_of(o, "o", loops.stage - 1) for o in outer]
            self.add(loops, "gpu_tile", *outer, *blocks, *inner, *(sizes[n] for n in names), _GUARD)
        else:
            blocks = outer
            self.add(loops, "gpu_tile", *outer, *inner, *(sizes[n] for n in names), _GUARD)
        pairs = zip(names, zip(blocks, inner, strict=True), strict=True)
        self.tiles[loops.function.name, loops.stage] = dict(pairs)

    def tiled_by(self, loops: Loops, tile: Tile) -> None:
        """Blocks of a tile of the wide loops; what a thread has of them is written out within its serial loops."""
        f, update = loops.function, loops.stage - 1
        names = loops.wide[:_MOST_DIMENSIONS]
        self.channels(loops)
        blocks, threads, each = [], [], []
        for n in names:
            loop = self.loop(loops, n)
            block = loop if loop.reduction is None else self.made_of(loop, "o", update)
            thread = self.made_of(loop, "i", update)
            self.add(loops, "split", loop, block, thread, tile.points(n), _GUARD)
            if tile.each.get(n, 1) > 1:
                point = self.made_of(loop, "e", update)
                self.add(loops, "split", thread, thread, point, tile.each[n], _GUARD)
                each.append(point)
            blocks.append(block)
            threads.append(thread)
        inside = [self.loop(loops, n) for n in (*loops.channels, *loops.serial)]
        outside = [self.loop(loops, n) for n in loops.wide[_MOST_DIMENSIONS:]]
        self.add(loops, "reorder", *each, *inside, *threads, *blocks, *outside)
        for loop in outside:
            both = self.made_of(loop, "b", update)
            self.add(loops, "fuse", blocks[-1], loop, both)
            blocks[-1] = both
        for point in each:
            self.add(loops, "unroll", point)
        if loops.steps is None or loops.steps > _FEW_STEPS:
            # Loads of several steps are under way at a time, and what one stores the next one has.
            for n in loops.serial[: 0 if each else 1]:
                self.add(loops, "unroll", self.loop(loops, n), _STEPS, _GUARD)
        self.add(loops, "gpu_blocks", *blocks)
        self.add(loops, "gpu_threads", *threads)
        self.tiles[f.name, loops.stage] = dict(zip(names, zip(blocks, threads, strict=True), strict=True))

    def in_thread(self, loops: Loops, box: Mapping[str, int]) -> None:
        """A stage in a thread that has a box of its Func, of which what is of constant extent is written out."""
        self.channels(loops)
        written = [n for n in loops.wide if 1 < box.get(n, 1) <= _MOST_WRITTEN]
        rest = [n for n in loops.wide if n not in written]
        if written:
            self.order(loops, [*loops.channels, *written, *loops.serial], rest)
        for n in written:
            self.add(loops, "unroll", self.loop(loops, n))
        for n in loops.serial[:1] if written else ():
            extent = loops.extents.get(n, 0)
            if 1 < extent <= _FEW_WRITTEN:
                self.add(loops, "unroll", self.loop(loops, n))
            elif written_steps(extent) > 1:
                self.add(loops, "unroll", self.loop(loops, n), written_steps(extent), _GUARD)

    def rows(self, loops: Loops) -> None:
        """A kernel for each iteration of the outer loops, which run in order on the host."""
        names = loops.within[:2]
        self.add(loops, "allow_race_conditions")
        outer = [self.loop(loops, n) for n in names]
        blocks = [self.made_of(o, "o", loops.stage - 1) for o in outer]
        inner = [self.made_of(o, "i", loops.stage - 1) for o in outer]
        sizes = (_LINE,) if len(names) == 1 else (_ROW, _ROWS)
        self.add(loops, "gpu_tile", *outer, *blocks, *inner, *sizes, _GUARD)

    def channels(self, loops: Loops) -> None:
        """States the bounds of the channels that are written out, which Halide must know."""
        f = loops.function
        for n in loops.channels:
            if n in f.args:
                self.bound(loops, n)
            self.add(loops, "unroll", self.loop(loops, n))

    def bound(self, loops: Loops, name: str) -> None:
        """States the bounds of a dimension."""
        f = loops.function
        if (f.name, name) not in self._bound and name not in f.bounds:
            self._bound.add((f.name, name))
            self.schedule.add(f.name, 0, "bound", Loop(name), loops.mins[name], loops.extents[name])

    def order(self, loops: Loops, inside: Iterable[str], outside: Iterable[str]) -> None:
        """Puts loops into an order, innermost first, where they do not have it."""
        wanted = [*inside, *outside]
        if len(wanted) > 1 and wanted != [x.var for x in loops.definition.schedule.dims]:
            self.add(loops, "reorder", *(self.loop(loops, n) for n in wanted))

    def in_block(self, loops: Loops, whole: bool, threads: tuple[int, ...] = ()) -> None:
        """A stage in a block that has a box of its Func: a thread for each point if `whole`, or for each of a tile of
        as many `threads`."""
        names = loops.wide[: len(threads) or 2]
        self.channels(loops)
        self.order(loops, [*loops.channels, *loops.serial, *loops.wide[len(names) :]], names)
        outer = [self.loop(loops, n) for n in names]
        if whole:
            self.add(loops, "gpu_threads", *outer)
            self.tiles[loops.function.name, loops.stage] = dict(zip(names, zip(outer, outer, strict=True), strict=True))
            return
        inner = [self.made_of(o, "i", loops.stage - 1) for o in outer]
        sizes = threads or ((_ROW, _ROWS) if len(names) == 2 else (_LINE,))
        if len(names) == 2:
            self.add(loops, "tile", *outer, *inner, *sizes, _GUARD)
        else:
            for a, b, size in zip(outer, inner, sizes, strict=False):
                self.add(loops, "split", a, a, b, size, _GUARD)
            if len(names) > 1:
                inside = [self.loop(loops, n) for n in (*loops.channels, *loops.serial, *loops.wide[len(names) :])]
                self.add(loops, "reorder", *inside, *inner, *outer)
        self.add(loops, "gpu_threads", *inner)
        self.tiles[loops.function.name, loops.stage] = dict(zip(names, zip(outer, inner, strict=True), strict=True))

    def atomic(self, loops: Loops) -> None:
        """Threads over the points of a reduction, that meet in the elements of the Func."""
        wide = [n for n in loops.serial if loops.extents.get(n, _ROW) > 4] or list(loops.serial)
        names = wide[:2]
        rest = [n for n in loops.serial if n not in names]
        self.add(loops, "atomic")
        self.order(loops, [*loops.free, *rest], names)
        outer = [self.loop(loops, n) for n in names]
        blocks = [self.made_of(o, "o", loops.stage - 1) for o in outer]
        inner = [self.made_of(o, "i", loops.stage - 1) for o in outer]
        sizes = (_LINE,) if len(names) == 1 else (_ROW, _ROWS)
        self.add(loops, "gpu_tile", *outer, *blocks, *inner, *sizes, _GUARD)

    def in_shared_memory(self, loops: Loops) -> None:
        """A histogram of few elements: each block counts some rows in shared memory, and adds what it has to the
        elements, where blocks meet."""
        f, update = loops.function, loops.stage - 1
        for n in f.args:
            self.bound(loops, n)
        wide = [n for n in loops.serial if loops.extents.get(n, _LINE) > 4] or list(loops.serial)
        last = self.loop(loops, wide[-1])
        strips, row = self.made_of(last, "o", update), self.made_of(last, "i", update)
        strip, part = self.new("strip"), self.new(f"{identifier(f.name)}_parts")
        size = _COUNTED if len(wide) > 1 else _BLOCK
        self.add(loops, "split", last, strips, row, size, _GUARD)
        self.schedule.add(f.name, loops.stage, "rfactor", strips, Loop(strip), result=part)
        self.factored(f.name, update)
        total = self.reduction(f.name, update, 0)
        # Threads along most of the elements.
        longest = max(f.args, key=lambda n: loops.extents[n])
        first, rest = Loop(longest), [Loop(n) for n in f.args if n != longest]
        inner = self.made_of(first, "i", -1)
        threads = min(_LINE, _power(loops.extents[longest]))
        self.add(loops, "atomic")
        self.add(loops, "split", first, first, inner, threads, _GUARD)
        self.add(loops, "reorder", first, *rest, inner, total)
        self.add(loops, "gpu_blocks", total)
        self.add(loops, "gpu_threads", inner)
        self.schedule.add(part, 0, "compute_at", FuncName(f.name), total)
        self.schedule.add(part, 0, "store_in", MemoryType.GPUShared)
        self.schedule.add(part, 0, "split", first, first, inner, threads, _GUARD)
        self.schedule.add(part, 0, "reorder", first, *rest, inner)
        self.schedule.add(part, 0, "gpu_threads", inner)
        # Its reduction has what is left of the domain, innermost first.
        along = self.reduction(part, 0, list(loops.serial).index(wide[0]))
        outer, thread = self.made_of(along, "o", 0), self.made_of(along, "t", 0)
        others = [self.reduction(part, 0, k) for k, n in enumerate(loops.serial) if n != wide[0]]
        self.schedule.add(part, 1, "atomic")
        self.schedule.add(part, 1, "split", along, outer, thread, _LINE, _GUARD)
        self.schedule.add(part, 1, "reorder", outer, *others, *(Loop(n) for n in loops.free), thread)
        self.schedule.add(part, 1, "gpu_threads", thread)

    def by_lanes(self, loops: Loops, along: str) -> None:
        """Sums along rows, one a row: 32 threads next to each other go over a row, and one adds up what they have."""
        f, update = loops.function, loops.stage - 1
        row = self.loop(loops, along)
        outer, inner = self.made_of(row, "o", update), self.made_of(row, "i", update)
        lane, part = self.new("lane"), self.new(f"{identifier(f.name)}_parts")
        count = len(loops.domain)
        self.add(loops, "split", row, outer, inner, _ROW, _GUARD)
        self.schedule.add(f.name, loops.stage, "rfactor", inner, Loop(lane), result=part)
        self.factored(f.name, update)
        pure = [Loop(n) for n in f.args]
        rows = self.made_of(pure[0], "i", -1)
        self.add(loops, "split", pure[0], pure[0], rows, _ROWS, _GUARD)
        self.add(loops, "reorder", self.reduction(f.name, update, 0), rows, *pure)
        self.add(loops, "gpu_blocks", *pure[:_MOST_DIMENSIONS])
        self.add(loops, "gpu_threads", rows)
        self.schedule.add(part, 0, "compute_at", FuncName(f.name), pure[0])
        self.schedule.add(part, 0, "reorder_storage", Loop(lane), *pure)
        for stage in (0, 1):
            inside = [self.reduction(part, 0, k) for k in range(count)] if stage else []
            self.schedule.add(part, stage, "reorder", *inside, Loop(lane), *pure)
            self.schedule.add(part, stage, "gpu_threads", Loop(lane), pure[0])

    def in_blocks(self, loops: Loops, meet: bool, in_order: bool = False) -> None:
        """A sum or the like into few elements: each thread sums up some points, a block what its threads have, and
        blocks meet in the elements if these `meet`; else what blocks have is added up in two steps more.  `in_order`:
        everything in the order of the reduction, each thread points that follow one another."""
        f = loops.function
        part, thread, kept = self._in_chunks(loops) if in_order else self._in_strips(loops)
        strip, sums, groups, group = self._sums_of_blocks(loops)
        free = [Loop(n) for n in loops.free]
        if meet:
            at, block = f.name, self.reduction(f.name, loops.stage - 1, 0)
            self.add(loops, "atomic")
            self._grid(f.name, loops.stage, block, free)
        else:
            at, block = self.new(f"{identifier(f.name)}_blocks"), strip
            self.schedule.add(sums, 0, "in_", result=at)
            self.schedule.add(at, 0, "compute_root")
            self._grid(at, 0, block, free)
        for name in (sums, groups, part):
            self.schedule.add(name, 0, "compute_at", FuncName(at), block)
        for stage in (0, 1):
            self.schedule.add(groups, stage, "gpu_threads", group)
        self.schedule.add(part, 0, "gpu_threads", thread)
        self.schedule.add(part, 1, "reorder", *(self.reduction(part, 0, k) for k in range(kept)), thread)
        self.schedule.add(part, 1, "gpu_threads", thread)
        if not meet:
            self._sums_of_strips(loops, free)

    def _grid(self, func: str, stage: int, block: Loop, free: list[Loop]) -> None:
        """A block for each iteration of a loop, and of the first ones that are free."""
        if free:
            self.schedule.add(func, stage, "reorder", *free[2:], block, *free[:2])
        self.schedule.add(func, stage, "gpu_blocks", block, *free[:2])

    def _in_strips(self, loops: Loops) -> tuple[str, Loop, int]:
        """What each thread of a block has of a strip of rows, neighbours beside each other, as a Func of its own: its
        name, its dimension of threads, and how many loops it sums up over."""
        update = loops.stage - 1
        wide = [n for n in loops.serial if loops.extents.get(n, _LINE) > 4] or list(loops.serial)
        along = self.loop(loops, wide[0])
        outer, inner = self.made_of(along, "o", update), self.made_of(along, "i", update)
        strips = outer
        if len(wide) > 1:
            across = self.loop(loops, wide[-1])
            strips, row = self.made_of(across, "o", update), self.made_of(across, "i", update)
            self.add(loops, "split", across, strips, row, _STRIP, _GUARD)
            self.add(loops, "split", along, outer, inner, _LINE, _GUARD)
        else:
            row, each = self.made_of(along, "r", update), self.made_of(along, "s", update)
            self.add(loops, "split", along, strips, row, _BLOCK, _GUARD)
            self.add(loops, "split", row, each, inner, _LINE, _GUARD)
        return self._parts(loops, inner, strips, len(loops.serial))

    def _in_chunks(self, loops: Loops) -> tuple[str, Loop, int]:
        """The same of points that follow one another."""
        update = loops.stage - 1
        points = self.loop(loops, loops.serial[0])
        for n in loops.serial[1:]:
            both = self.made_of(points, "f", update)
            self.add(loops, "fuse", points, self.loop(loops, n), both)
            points = both
        strips, rest, thread, each = (self.made_of(points, n, update) for n in ("o", "r", "t", "i"))
        self.add(loops, "split", points, strips, rest, _LINE * _CHUNK, _GUARD)
        self.add(loops, "split", rest, thread, each, _CHUNK, _GUARD)
        return self._parts(loops, thread, strips, 1)

    def _parts(self, loops: Loops, thread: Loop, strips: Loop, kept: int) -> tuple[str, Loop, int]:
        f = loops.function
        part, own, strip = (self.new(n) for n in (f"{identifier(f.name)}_parts", "thread", "strip"))
        self.schedule.add(f.name, loops.stage, "rfactor", thread, Loop(own), strips, Loop(strip), result=part)
        self.factored(f.name, loops.stage - 1)
        return part, Loop(own), kept

    def _sums_of_blocks(self, loops: Loops) -> tuple[Loop, str, str, Loop]:
        """What a block has, of what its threads have for groups of them: the dimension of strips, the Funcs of both,
        and the dimension of groups."""
        f, update = loops.function, loops.stage - 1
        sums, groups = (self.new(f"{identifier(f.name)}_{n}") for n in ("sums", "groups"))
        strip, group = Loop(self.new("strip")), Loop(self.new("group"))
        self.schedule.add(f.name, loops.stage, "rfactor", self.reduction(f.name, update, 1), strip, result=sums)
        self.factored(f.name, update)
        thread = self.reduction(sums, 0, 0)
        outer, inner = self.made_of(thread, "o", 0), self.made_of(thread, "i", 0)
        self.schedule.add(sums, 1, "split", thread, outer, inner, _GROUP, _GUARD)
        self.schedule.add(sums, 1, "rfactor", outer, group, result=groups)
        self.factored(sums, 0)
        return strip, sums, groups, group

    def _sums_of_strips(self, loops: Loops, free: list[Loop]) -> None:
        """Adds up what blocks have: each thread of some that follow one another, then what threads have."""
        f, update = loops.function, loops.stage - 1
        strips, column = self.reduction(f.name, update, 0), Loop(self.new("column"))
        outer, inner = self.made_of(strips, "o", update), self.made_of(strips, "i", update)
        columns, pure = self.new(f"{identifier(f.name)}_columns"), [Loop(n) for n in f.args]
        self.add(loops, "split", strips, outer, inner, _ROW, _GUARD)
        self.schedule.add(f.name, loops.stage, "rfactor", outer, column, result=columns)
        self.factored(f.name, update)
        self.schedule.add(columns, 0, "compute_root")
        thread = self.made_of(column, "i", -1)
        for stage in (0, 1):
            summed = [self.reduction(columns, 0, 0)] if stage else []
            others = free if stage else pure
            self.schedule.add(columns, stage, "split", column, column, thread, _SCAN, _GUARD)
            self.schedule.add(columns, stage, "reorder", *summed, *others[2:], thread, column, *others[:2])
            self.schedule.add(columns, stage, "gpu_blocks", column, *others[:2])
            self.schedule.add(columns, stage, "gpu_threads", thread)
        if not pure:
            self.schedule.add(f.name, loops.stage, "gpu_single_thread")
            return
        self.schedule.add(f.name, loops.stage, "reorder", self.reduction(f.name, update, 0), *pure)
        inner = self.made_of(pure[0], "i", update)
        self.schedule.add(f.name, loops.stage, "gpu_tile", pure[0], inner, _ROW, _GUARD)
