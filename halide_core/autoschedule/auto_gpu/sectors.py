"""How many sectors of memory a warp touches in an access: told from the places of its threads, one by one.

Rows of a block's threads may begin within sectors, and coordinates may be halved or mixed, so that a row of eight
threads touches one sector or three."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from halide_core.autoschedule.analysis.arithmetic import Site
from halide_core.autoschedule.analysis.description import Description, Stage
from halide_core.autoschedule.analysis.footprints import End, Number, compiled, high_name, low_name
from halide_core.autoschedule.auto_gpu.occupancy import WARP
from halide_core.autoschedule.auto_gpu.time_model import SECTOR
from halide_core.ir.structural import key, variables

_SAMPLES = 16
"""Rows that are looked at, of blocks beside each other."""
_ANYWHERE = 5
"""How many points such rows lie apart where it is not known where rows begin: of all places within a sector."""
_PERIOD = 64
"""Points after which a coordinate that is more than a sum does again what it did."""
_MOST_APART = 24
_SPAN = 2 * _PERIOD + WARP * _MOST_APART


@dataclass(frozen=True, slots=True)
class Rows:
    """How the threads of a block lie along memory, by candidate: in rows of `length`, each `apart` points from the one
    before; `every`: points from where rows of a block begin to where those of the next one do, and `first`, where the
    first ones do (None: anywhere); `busy`: the share of a warp's threads that are not beyond the end."""

    length: Number
    apart: Number
    every: Number
    first: int | None
    busy: Number = 1.0

    def narrowed(self, chosen: np.ndarray) -> Rows:
        """Of those candidates that are `chosen`."""
        length, apart, every, busy = (
            x if np.ndim(x) == 0 else x[..., chosen] for x in (self.length, self.apart, self.every, self.busy)
        )
        return Rows(length, apart, every, self.first, busy)


@dataclass(slots=True, eq=False)
class Pattern:
    """The bytes at which an access lies, from the beginning of a row in memory on, by the coordinate of a loop;
    `row`: how far rows are apart, where these have different coordinates; `anywhere`: whether other loops have a part
    in the place."""

    offsets: np.ndarray
    row: int
    anywhere: bool
    known: dict[tuple[int, int | None], float] = field(default_factory=dict)

    def sectors(self, rows: Rows) -> Number:
        """Sectors of an access of a warp, on the average, by candidate."""
        length = np.minimum(rows.length, WARP)
        code = (np.asarray(rows.every) % _PERIOD * (_MOST_APART + 1) + np.minimum(rows.apart, _MOST_APART)) * (WARP + 1)
        first = None if rows.first is None or self.anywhere else rows.first % _PERIOD
        codes, places = np.unique(np.atleast_1d(code + length), return_inverse=True)
        missing = [c for c in codes.tolist() if (c, first) not in self.known]
        if missing:
            self.known |= zip(((c, first) for c in missing), self._counted(np.array(missing), first), strict=True)
        each = np.array([self.known[c, first] for c in codes.tolist()])[places]
        return np.minimum(each * np.maximum(WARP / np.maximum(rows.length, 1), 1.0), WARP) * rows.busy

    def _counted(self, codes: np.ndarray, first: int | None) -> list[float]:
        """The sectors of a row of threads, for each of the `codes` that `sectors` makes."""
        codes, length = np.divmod(codes, WARP + 1)
        every, apart = np.divmod(codes, _MOST_APART + 1)
        sample = np.arange(_SAMPLES)
        begin = sample * _ANYWHERE if first is None else first + sample * every[:, None]
        # Each row is one of the points of its threads.
        begin = np.broadcast_to(begin, (len(codes), _SAMPLES)) % _PERIOD + (sample + sample // 8) % apart[:, None]
        thread = np.minimum(np.arange(WARP), length[:, None] - 1)
        points = begin[:, :, None] + (apart[:, None] * thread)[:, None, :]
        at = np.sort((self.offsets[points] + (sample * self.row)[None, :, None]) // SECTOR, axis=2)
        touched: list[float] = (1 + (np.diff(at, axis=2) != 0).sum(axis=2)).mean(axis=1).tolist()
        return touched


class Sectors:
    """The patterns of a pipeline's accesses."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self._found: dict[tuple[str, int, str, tuple[int, ...], str], Pattern | None] = {}
        self._alike: dict[tuple[bytes, int, bool], Pattern] = {}

    def of(self, stage: Stage, sites: tuple[Site, ...], along: str) -> list[tuple[Pattern | None, int]]:
        """How many of some accesses of a stage have each pattern."""
        return list(Counter(self.pattern(stage, s, along) for s in sites).items())

    def pattern(self, stage: Stage, site: Site, along: str) -> Pattern | None:
        """How an access moves with a loop of its stage; None where threads beside each other access anything."""
        entry = stage.func, stage.index, site.name, tuple(map(key, site.args)), along
        if entry not in self._found:
            self._found[entry] = self._pattern(stage, site, along)
        return self._found[entry]

    def size(self, name: str) -> int:
        """How many bytes further the next point of a row lies."""
        layout = self.description.layouts.get(name)
        return self.description.bytes(name) * (layout.step or 4 if layout is not None and layout.axes else 1)

    def of_row(self, name: str, low: Number, extent: Number) -> Number:
        """The sectors of so many points of a row from `low` on, on the average of all rows."""
        axis = self.description.layouts[name].axes[0]
        begin, end = self.description.whole(name)[axis]
        size = self.size(name)
        rows = self.description.layouts[name].axes[1:]
        # Where rows lie whole sectors apart they all begin at one place within a sector, else at all that there are.
        apart = math.gcd(int(end - begin + 1) * size, SECTOR) if rows else SECTOR
        offset = (low - int(begin)) * size % apart
        return 1 + (offset + extent * size - 1) // apart * apart / SECTOR

    def _pattern(self, stage: Stage, site: Site, along: str) -> Pattern | None:
        layout = self.description.layouts.get(site.name)
        axis = layout.axes[0] if layout is not None and layout.axes else 0
        moving = [d for d, a in enumerate(site.args) if along in variables(a)]
        if moving not in ([], [axis]):
            return None
        if not moving:
            return self._kept(np.zeros(_SPAN, np.int64), 0, False)
        place = compiled(site.args[axis])
        if place is None:
            return None
        low, high = self.description.whole(site.name)[axis]
        found = self._in_the_middle(stage, along, place)
        if found is None:
            return None
        others = any(variables(a) for d, a in enumerate(site.args) if d != axis)
        size = site.bytes * (self.size(site.name) // self.description.bytes(site.name))
        row = int(high - low + 1) * size % SECTOR if others else 0
        anywhere = bool({n for n in variables(site.args[axis]) if "." not in n} - {along})
        return self._kept((found - int(low)) * size, row, anywhere)

    def _in_the_middle(self, stage: Stage, along: str, place: End) -> np.ndarray | None:
        """A coordinate by that of a loop, from one of its multiples of a period on; None where that cannot be told."""
        loops = self.description.loop_values(stage, self.description.nodes[stage.func].region)
        values: dict[str, Number] = dict(loops)
        for n in stage.loops:
            values[n] = (loops[low_name(n)] + loops[high_name(n)]) // 2
        begin = max(int(values[along]) - _PERIOD, int(loops[low_name(along)])) // _PERIOD * _PERIOD
        values[along] = begin + np.arange(_PERIOD + 1)
        try:
            found = np.broadcast_to(np.asarray(place(values)), _PERIOD + 1).astype(np.int64)
        except KeyError:  # a parameter that nothing is known of
            return None
        # Further on images end, where coordinates are clamped.
        turns, at = np.divmod(np.arange(_SPAN), _PERIOD)
        further: np.ndarray = found[at] + turns * (found[-1] - found[0])
        return further

    def _kept(self, offsets: np.ndarray, row: int, anywhere: bool) -> Pattern:
        """The pattern that others have, too, which lie whole sectors from this one."""
        offsets = offsets - offsets[0] // SECTOR * SECTOR
        return self._alike.setdefault((offsets.tobytes(), row, anywhere), Pattern(offsets, row, anywhere))
