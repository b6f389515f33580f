"""What kernels cost under their best tiles: a pass over powers of two, and one in finer steps, as in the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from halide_core.autoschedule.auto_gpu.cost import by_listing, by_time
from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.estimate import estimated
from halide_core.autoschedule.auto_gpu.group import BLOCK, THREAD, Group, block_boxes, thread_box
from halide_core.autoschedule.auto_gpu.occupancy import WARP
from halide_core.autoschedule.auto_gpu.options import Options
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, finer_tiles, power_of_two_tiles, product_of
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, kernel_seconds
from halide_core.autoschedule.auto_gpu.view import View

_UNEVEN = 1.02
"""What tiles cost more that do not divide what they are tiles of."""
_MANY_THREADS, _FEW_REGISTERS = 960, 1.05
"""Threads of a block that leave each 64 registers at the most, of which ptxas may take fewer and spill, and what that
costs."""
_FINER = 0.99
"""What the cost must fall to for a tile of the second pass to be taken."""

Key = tuple[str, int, tuple[tuple[str, str], ...], frozenset[str], bool]
"""A group, with the inlined Funcs that it computes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The tile of a kernel: threads and outputs of each along its first loops, whether what else is in a block has a
    thread for each point, the cost, and the work that was priced."""

    threads: tuple[int, ...]
    each: tuple[int, ...]
    whole: bool
    cost: float
    work: KernelWork


@dataclass(slots=True)
class Refused:
    """What is known from schedules that the compiler refused.

    `plainer`: by Func how often it was at fault; `spread`: kernels in whose blocks threads go over boxes, none of them
    having one for each point; `placed`: where Funcs were computed last, which the next search starts from; `costs`: the
    best tiles of groups."""

    plainer: dict[str, int] = field(default_factory=dict)
    spread: set[str] = field(default_factory=set)
    placed: dict[str, str] = field(default_factory=dict)
    costs: dict[Key, Choice | None] = field(default_factory=dict)


class Pricing:
    """Prices groups; what is known of any is kept with what was refused, for searches to come."""

    def __init__(self, view: View, device: Device, options: Options, refused: Refused) -> None:
        self.view, self.device, self.options, self.refused = view, device, options, refused
        self._floors: dict[str, float] = {}

    def is_known(self, group: Group) -> bool:
        """Whether the group has been priced."""
        return self._key(group) in self.refused.costs

    def least(self, kernel: str) -> float:
        """What a kernel takes under any tile: it is launched, and stores its points."""
        if kernel not in self._floors:
            node = self.view.description.nodes[kernel]
            points = math.prod(max(int(high - low + 1), 1) for low, high in node.region)
            stored = KernelWork(self.device.sms, WARP, 1, 0, 0, memory_bytes=points * node.bytes)
            # Listing 1 has no unit.
            timed = self.options.model != "paper"
            self._floors[kernel] = float(kernel_seconds(self.device, stored)) if timed else 0.0
        return self._floors[kernel]

    def choice(self, group: Group) -> Choice | None:
        """The best tile of powers of two; None where none is valid."""
        key = self._key(group)
        if key not in self.refused.costs:
            self.refused.costs[key] = self._best(replace(group, inlined=key[3]))
        return self.refused.costs[key]

    def _key(self, group: Group) -> Key:
        """What the costs of a group depend on."""
        nodes = self.view.description.nodes
        near = frozenset(
            n for m in group.names for s in nodes[m].stages for n in self.view.costs.near(s, group.inlined)
        )
        return group.kernel, group.stage, tuple(group.members.items()), near, group.kernel in self.refused.spread

    def _best(self, group: Group) -> Choice | None:
        sizes = self._sizes(group)
        tiles = power_of_two_tiles(tuple(sizes), self.options.register_tiles, self.options.model == "paper")
        return self._priced(group, tiles, last=False)

    def _sizes(self, group: Group) -> list[int]:
        """The extents of the loops that a kernel's blocks are made of; as many points as threads had better go over
        where its points are no threads."""
        names = group.tiled(self.view)
        return [self.view.loop_extent(group.kernel, group.stage, n) for n in names] or [WARP]

    def finer(self, group: Group) -> Choice | None:
        """The best tile of the second pass; None where the loops are none that blocks are made of."""
        if not group.tiled(self.view):
            return None
        first = self.choice(group)
        if first is None:
            return None
        tiles = finer_tiles(first.threads, first.each, first.whole, self._sizes(group))
        found = self._priced(group, tiles, last=True) if len(tiles) else None
        if found is None:
            return first
        if self.options.model == "paper":
            return found
        return found if found.cost < _FINER * first.cost else first

    def _priced(self, group: Group, tiles: Tiles, last: bool) -> Choice | None:
        if BLOCK not in group.members.values():
            # There is no box whose points threads could have.
            tiles = tiles.chosen(tiles.whole) if tiles.whole.any() else tiles
        elif group.kernel in self.refused.spread:
            tiles = tiles.chosen(~tiles.whole)
        if not len(tiles):
            return None
        found = estimated(self.view, self.device, group, tiles)
        if found is None:
            return None
        tiles, work, valid = found
        even = self._divides(group, tiles)
        if self.options.dividing:
            # Where a thread has one point, that is in or out.
            alone = product_of(len(tiles), tiles.each) == 1
            valid = valid & (even | (alone & (BLOCK not in group.members.values())))
        if self.options.model == "paper":
            costs = by_listing(self.device, work, valid, last)
        else:
            # Threads beyond the end stand aside.
            costs = by_time(self.device, work, valid) * np.where(even, 1.0, _UNEVEN)
            costs = costs * np.where(work.threads > _MANY_THREADS, _FEW_REGISTERS, 1.0)
        best = int(np.argmin(costs))
        if not np.isfinite(costs[best]):
            return None
        one = {f: np.broadcast_to(np.asarray(getattr(work, f), float), len(tiles))[best].item()
               for f in KernelWork.__slots__}
        return Choice(
            tuple(int(t[best]) for t in tiles.threads), tuple(int(e[best]) for e in tiles.each),
            bool(tiles.whole[best]), float(costs[best]), KernelWork(**one),
        )

    def boxes(self, group: Group, choice: Choice) -> dict[str, tuple[int, ...]]:
        """The extents of each member, in a block or in a thread, under a tile."""
        one = tuple(np.array([t]) for t in choice.threads), tuple(np.array([e]) for e in choice.each)
        tiles = Tiles(*one, np.array([choice.whole]))
        blocks = block_boxes(self.view, group, tiles)
        out: dict[str, tuple[int, ...]] = {}
        for name, kind in group.members.items():
            found = blocks.inside[name]
            if kind == THREAD:
                (user,) = self.view.users(name, group.inlined)
                needed = thread_box(self.view, group, tiles, name, user)
                found = needed.extents if needed is not None else found
            out[name] = tuple(int(np.ravel(e)[0]) for e in found)
        return out

    def _divides(self, group: Group, tiles: Tiles) -> np.ndarray:
        """Which tiles divide what they are tiles of."""
        even = np.ones(len(tiles), bool)
        if group.tiled(self.view):
            for extent, t, e in zip(self._sizes(group), tiles.threads, tiles.each, strict=False):
                even &= extent % (t * e) == 0
        return even
