"""The calls by which a lifted function is held to its original: each made from its number alone, so that one that ended
its process can be made again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lifter.harness.argument_extents import NoArguments, Scalars
from lifter.harness.contents import WAYS, Bytes, fill_with, numpy_type
from lifter.harness.draw_arguments import Draw, Drawer
from lifter.harness.side_by_side import Guarded
from lifter.ir.loop_ir import Param, left_fields
from lifter.ir.summary import Summary

SIZES = (
    (5, 4), (17, 3), (1, 1), (33, 2), (0, 0), (8, 8), (2, 2), (64, 2), (3, 5), (0, 3), (16, 1), (7, 9), (3, 0), (2, 1),
    (31, 4), (1, 2), (4, 6), (65, 1), (9, 1), (12, 12),
)
"""Sizes of images, the most telling ones first: time may end before they do."""
PADS = (0, 1, 13, 0)
_TRIES = 8
_ROOM = 4096
"""Bytes on either side where a function is not held to its images: the contract fails, or the original needs room."""
_MOST = 1 << 20
"""Bytes behind one pointer, at the most."""
SHIFTS = (0, 1, -1, 5, 17, -7)
"""Elements by which memory overlaps."""
_OVERLAPPING = ((37, 11), (64, 33), (8, 3))
"""Sizes of images that overlap: in small ones what is looked up in a table seldom is what was written."""
_REGISTER = 32
"""Bytes around images of functions with intrinsics, which load the channels of a pixel that they do not use."""
_CANARY = 64
_ALIGNED = 64


@dataclass(frozen=True, slots=True)
class Plan:
    """Which calls are made, by their numbers from 0 on."""

    calls: int = 260
    missed: range = range(120, 148)
    """The numbers of those that miss the contract: they may end the process, and time may end before the others do."""
    sizes: Sequence[tuple[int, int]] = SIZES
    pads: Sequence[int] = PADS
    """Elements between rows."""
    shifts: Sequence[int] = SHIFTS
    anywhere: bool = False
    """Whether some memory lies away from unmapped pages, so that its address is no multiple of anything."""
    refilled: bool = False
    """Whether calls that were to miss the contract, and of which none was found, meet it."""
    seed: int = 0

    def generator(self, number: int) -> random.Random:
        """Random numbers that a call's own number and the seed decide."""
        return random.Random(number + (self.seed << 32))

    def contents(self, number: int) -> np.random.Generator:
        """As `generator`, for what stands in memory."""
        return np.random.default_rng(number + (self.seed << 32))


SECOND_OPINION = Plan()


@dataclass(slots=True)
class Span:
    """The memory behind one pointer argument: what is filled and compared, and the address that is given."""

    param: Param
    bytes: Bytes
    address: int
    offset: int
    """How many bytes after its first one the address lies."""
    beside: tuple[Bytes, ...]
    """The bytes on the sides where no unmapped page is, which nobody may change."""


@dataclass(slots=True)
class Call:
    """One call's arguments."""

    number: int
    met: bool
    scalars: Scalars
    spans: list[Span]

    def values(self, params: Sequence[Param]) -> list[int | float]:
        by_name = {s.param.name: s.address for s in self.spans}
        return [by_name[p.name] if p.pointer else self.scalars[p.name] for p in params]

    def snapshot(self) -> list[bytes]:
        return [s.bytes.tobytes() for s in self.spans]

    def beside(self) -> list[list[bytes]]:
        return [[b.tobytes() for b in s.beside] for s in self.spans]

    def restore(self, saved: Sequence[bytes]) -> None:
        for s, contents in zip(self.spans, saved, strict=True):
            s.bytes[:] = np.frombuffer(contents, np.uint8)


class Calls:
    """Makes calls by number.  Memory is used again from call to call: mapping and unmapping is most of their price.

    `roomy`: the original may read around its images (whole registers), and wants them aligned.  `missed`: also calls
    that miss the contract; `numbers`: what images often hold."""

    def __init__(
        self, summary: Summary, drawer: Drawer, numbers: Sequence[int | float], roomy: bool = False,
        missed: bool = False, plan: Plan = SECOND_OPINION,
    ) -> None:
        self.function = summary.function
        self.plan = plan
        self.drawer = drawer
        self.roomy, self.missed = roomy, missed
        self.spoils = True
        """Whether calls miss the contract in other ways than by memory that overlaps."""
        written = [p for p in drawer.pointers if not p.const]
        call = summary.function.interface
        parts = [p for a in call.arguments for p in a.parts] if call is not None else []
        self.distances = [(p.param, p.expression) for p in parts if p.kind == "distance"]
        self.left = {memory: number for number, memory in left_fields(summary.function).items()}
        measured = {m.array for m in self.function.measured}
        read = [p for p in drawer.pointers if p.name not in measured]
        self.pairs = [(p, q) for p in written for q in read if p is not q]
        self.numbers = numbers
        self.memory: dict[tuple[str, bool], Guarded] = {}
        self._group = -1
        self._drawn: tuple[Draw, dict[str, tuple[int, int]]] | None = None

    def make(self, number: int) -> Call | None:
        """The call of a number of the plan; None where no draw does as it should."""
        met = number not in self.plan.missed
        if not met and not self.missed:
            return None
        met = met or (self.plan.refilled and not self.spoils and not self._overlaps(number))
        group = number // WAYS if met and self.drawer.pointers else number
        if self._group != group:
            self._group, self._drawn = group, self._draw(group, met or self._overlaps(number))
        if self._drawn is None and not met and self.plan.refilled:
            met, self._drawn = True, self._draw(group, True)
        return self._call(number, *self._drawn, met) if self._drawn is not None else None

    def _overlaps(self, number: int) -> bool:
        """Whether a call that misses the contract does so by memory that overlaps."""
        return number in self.plan.missed and number % 2 == 0 and bool(self.pairs)

    def _way(self, number: int) -> int:
        """In which way memory overlaps: which pointers, and how far from each other."""
        return (number - self.plan.missed.start) // 2

    def _draw(self, group: int, met: bool) -> tuple[Draw, dict[str, tuple[int, int]]] | None:
        """Scalars, and the first element and the one past the last behind each pointer."""
        plan = self.plan
        rng = plan.generator(group)
        width, height = plan.sizes[group % len(plan.sizes)]
        if self._overlaps(group):
            way = self._way(group)
            width, height = _OVERLAPPING[(way + way // len(plan.shifts)) % len(_OVERLAPPING)]
        if group >= len(plan.sizes):
            height, width = rng.choice(((height, width), (width, height)))
        pad = plan.pads[group % len(plan.pads)]
        aligned = _ALIGNED if self.roomy else 1  # the original may want aligned rows too
        for _ in range(_TRIES):
            draw = self.drawer.scalars(width, height, pad, rng, aligned)
            if not met:
                draw = draw if draw.path is None else self.drawer.spoiled(draw, rng)
                if draw.path is not None or self.drawer.undefined(draw):
                    continue
            elif draw.path is None:
                continue
            regions = self._regions(draw)
            if regions is not None:
                return draw, regions
        return None

    def _regions(self, draw: Draw) -> dict[str, tuple[int, int]] | None:
        try:
            regions = self.drawer.regions(draw)
        except NoArguments:  # sizes that depend on the images' contents
            return None
        if any(low < high for low, high in (regions[n] for n in draw.null)):
            return None  # a null pointer whose memory is used
        if any(draw.scalars[n] != 0 for n, pointer in self.distances if pointer in draw.null):
            return None  # the end of memory that is not there
        # Sizes multiplied with each other may be too large.
        sizes = {p.name: p.type.bytes() for p in self.drawer.pointers}
        return regions if all((high - low) * sizes[n] <= _MOST for n, (low, high) in regions.items()) else None

    def _around(self, p: Param, low: int, high: int, met: bool) -> tuple[int, int]:
        """How many bytes before an address, and from it on, belong to a call."""
        before, after = -low * p.type.bytes(), high * p.type.bytes()
        if not met or (self.roomy and p.name not in self.function.sizes):
            return _whole(max(before, 0) + _ROOM), max(after, 0) + _ROOM
        spare = _REGISTER if high > low and self.function.uses_registers else 0
        return before + spare, after + spare

    def _call(self, number: int, draw: Draw, regions: dict[str, tuple[int, int]], met: bool) -> Call | None:
        rng = self.plan.contents(number)
        sizes = [self._around(p, *regions[p.name], met) for p in self.drawer.pointers]
        overlap = None if met or not self._overlaps(number) else self._overlap(number)
        if overlap is not None:  # the memory is that of both
            k, j = (self.drawer.pointers.index(p) for p in overlap[:2])
            (before, after), (more_before, more_after), far = sizes[k], sizes[j], abs(overlap[2])
            sizes[k] = _whole(max(before, more_before + far)), max(after, more_after + far)
        if any(before + after > 2 * _MOST for before, after in sizes):
            return None  # images that lie far from their pointers
        spans = []
        group = number // WAYS
        for p, (before, after) in zip(self.drawer.pointers, sizes, strict=True):
            gap = self._gap(p, rng) if self.plan.anywhere and met and group % 3 == 2 else 0
            span = self._span(p, before, after, group % 2 == 1 and met, gap)
            fill_with(span.bytes, p.type, rng, self.numbers, number % WAYS)
            self.drawer.hold_measured(p.name, span.bytes, before // p.type.bytes(), draw.scalars)
            if p.name in self.left and len(span.bytes) >= before + p.type.bytes():
                held = np.array([draw.scalars[self.left[p.name]]]).astype(numpy_type(p.type)).view(np.uint8)
                span.bytes[before : before + len(held)] = held
            if p.name in draw.null:
                span.address = 0
            spans.append(span)
        if overlap is not None:
            first, second = (next(s for s in spans if s.param is p) for p in overlap[:2])
            second.address = first.address + overlap[2]
        return Call(number, met, dict(draw.scalars), spans)

    def _overlap(self, number: int) -> tuple[Param, Param, int]:
        """Which two pointers are to one memory, and how many bytes the second lies behind the first."""
        way = self._way(number)
        first, second = self.pairs[way % len(self.pairs)]
        return first, second, self.plan.shifts[way // len(self.pairs) % len(self.plan.shifts)] * first.type.bytes()

    def _gap(self, p: Param, rng: np.random.Generator) -> int:
        """How many bytes memory lies away from an unmapped page: some elements, or what is no multiple of one."""
        if self.roomy:
            return 0
        gap = int(rng.integers(0, _CANARY))
        whole = self.function.uses_registers or rng.random() < 0.5
        return gap - gap % p.type.bytes() if whole else gap

    def _span(self, p: Param, before: int, after: int, front: bool, gap: int = 0) -> Span:
        """Memory that touches an unmapped page, or lies `gap` bytes from one: at its end, or with `front` before its
        start."""
        size = before + after
        room = not front and before >= _ROOM
        if room:  # the address itself is aligned
            size += -size % _ALIGNED
        memory = self.memory.get((p.name, front))
        if memory is None or len(memory.bytes) < size + gap:
            memory = Guarded(max(2 * (size + gap), 1 << 14), front)
            self.memory[p.name, front] = memory
        start = gap if front else len(memory.bytes) - size - gap
        lower = memory.bytes[max(start - _CANARY, 0) : start]
        upper = memory.bytes[start + size : start + size + _CANARY]
        beside = tuple(b for b in (lower, upper) if len(b))
        return Span(p, memory.bytes[start : start + size], memory.address + start + before, before, beside)


def _whole(count: int) -> int:
    """A number of bytes, rounded up so that what lies behind them is aligned."""
    return count + -count % _ALIGNED
