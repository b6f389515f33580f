"""A pipeline as AutoGPU looks at it: the common description, loops as a device has them, and the work of a point."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from halide_core.autoschedule.analysis.arithmetic import Site, is_read, node_cost
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Stage
from halide_core.autoschedule.analysis.footprints import NumericBox, compiled, high_name, joined, low_name
from halide_core.autoschedule.auto_gpu.sectors import Sectors
from halide_core.autoschedule.device.loops import Layout, Loops, loops_of_stage
from halide_core.function import Function
from halide_core.ir.expr import I32, Add, Call, Cast, Expr, Mul, Select, Sub, Variable, children, const
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.ir.sums import difference
from halide_core.target import Target

_CHANNELS = 4
_FEW_THREADS = 1 << 17
# Of images large enough that no place is at a border, and how far apart two places are that tell how fast one moves.
_LARGE, _MIDDLE, _STRIDE = 1 << 20, 1 << 10, 16
# Operations of an instruction, as `analysis.arithmetic` prices them: cycles times bytes of a register of elements of
# four bytes, and cycles of what runs lane by lane.
_VECTOR_OPERATION, _LANE_OPERATION = 2.4, 1.0
_REGISTER, _AT_ONCE = 4, 16
"""Bytes of a device's register, and of what a thread accesses at once."""


@dataclass(frozen=True, slots=True)
class DeviceLayout:
    """How a Func lies in memory: constants where these are the same at all sizes."""

    mins: tuple[Expr, ...]
    extents: tuple[Expr, ...]
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Reads:
    """The different reads of one Func or image, and whether data choose any of their places."""

    sites: tuple[Site, ...]
    chosen_by_data: bool


@dataclass(frozen=True, slots=True)
class PointWork:
    """A point of a stage, one step of its reduction, with what is inlined into it: operations, and the reads of what is
    stored, equal ones once.  `floats`: the share of the operations that are arithmetic of floats; `parts`: the
    operations by the dimensions of the Func that they depend on; points of one thread that differ along others have
    them in common."""

    operations: float
    floats: float
    parts: tuple[tuple[frozenset[str], float], ...]
    reads: dict[str, Reads]


class View:
    """The pipeline of `outputs`; `layouts`: how Funcs lie in memory, where that is known at all sizes; `wrapped`: the
    Funcs that are wrappers, and of what.  Raises HalideError as Description does."""

    def __init__(
        self, outputs: list[Function], target: Target, layouts: Mapping[str, Layout] | None = None,
        wrapped: Mapping[str, str] | None = None,
    ) -> None:
        self.description = Description(outputs)
        self.wrapped = dict(wrapped or {})
        self.size = len(self.description.nodes) - len(self.wrapped)
        self.costs = Costs(self.description, target)
        self.sectors = Sectors(self.description)
        fixed = self.description.fixed()
        self.layouts: dict[str, Layout] = {name: self._layout(name, fixed[name]) for name in self.description.nodes}
        self.layouts |= layouts or {}
        self.loops: dict[str, list[Loops]] = {
            name: [self._loops(node.function, k) for k in range(len(node.stages))]
            for name, node in self.description.nodes.items()
        }
        self._read_steps: dict[tuple[int, str, int], tuple[Reads, list[tuple[float | None, int, int]]]] = {}
        self._steps: dict[tuple[tuple[int, ...], str, int], float | None] = {}
        self._users: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._beside: dict[tuple[str, int, str, str, tuple[int, ...]], int] = {}
        self._work: dict[tuple[str, int, frozenset[str]], PointWork | None] = {}

    def _loops(self, f: Function, stage: int) -> Loops:
        found = loops_of_stage(f, stage, self.layouts)
        points = 1
        for n in found.wide:
            points *= self.loop_extent(f.name, stage, n)
        # Where threads go a long way and are few, each channel has threads of its own.
        return replace(found, apart=True) if found.serial and points < _FEW_THREADS else found

    def _layout(self, name: str, fixed: tuple[bool, ...]) -> DeviceLayout:
        node, layout = self.description.nodes[name], self.description.layouts[name]
        mins: list[Expr] = []
        extents: list[Expr] = []
        for d, (low, high) in enumerate(node.region):
            known = fixed[d] or (node.is_output and high - low < _CHANNELS)
            mins.append(const(int(low), I32) if known else Variable(I32, f"{name}.min.{d}"))
            extents.append(const(int(high - low + 1), I32) if known else Variable(I32, f"{name}.extent.{d}"))
        strides = [const(1 << 4 * (layout.axes.index(d) + 1), I32) for d in range(len(node.region))]
        if layout.axes:
            strides[layout.axes[0]] = const(layout.step or 2, I32)
        return DeviceLayout(tuple(mins), tuple(extents), tuple(strides))

    def extent(self, name: str, arg: str) -> int:
        """The estimated extent of a dimension of a Func."""
        node = self.description.nodes[name]
        low, high = node.region[node.function.args.index(arg)]
        return max(int(high - low + 1), 1)

    def point(self, stage: Stage, inlined: frozenset[str]) -> PointWork | None:
        """The work of a point; None where what is inlined would be too long to compile."""
        near = self.costs.near(stage, inlined)
        entry = stage.func, stage.index, near
        if entry not in self._work:
            found = self.costs.work(stage, near)
            self._work[entry] = None if found is None else _point_work(
                self.costs.written_out(stage, near), frozenset(self.description.nodes[stage.func].function.args),
                found.sites,
            )
        return self._work[entry]

    def loop_extent(self, name: str, stage: int, loop: str) -> int:
        """The estimated extent of a loop of a stage."""
        node = self.description.nodes[name]
        if loop in node.function.args:
            return self.extent(name, loop)
        values = self.description.loop_values(node.stages[stage], node.region)
        return max(int(values[high_name(loop)] - values[low_name(loop)] + 1), 1)

    def first(self, name: str, stage: int, loop: str) -> int:
        """Where a loop of a stage begins, at estimated sizes."""
        node = self.description.nodes[name]
        return int(self.description.loop_values(node.stages[stage], node.region)[low_name(loop)])

    def steps(self, reads: Reads, along: str, axis: int) -> list[tuple[float | None, int, int]]:
        """How far apart neighbouring threads read, as `step_along` says, bytes of an element, and of how many reads."""
        entry = id(reads), along, axis
        if entry not in self._read_steps:
            found = Counter((self.step_along(s, along, axis), s.bytes) for s in reads.sites)
            # With the reads, whose identity is no other's as long as they are kept.
            self._read_steps[entry] = reads, [(step, bytes_, n) for (step, bytes_), n in found.items()]
        return self._read_steps[entry][1]

    def step_along(self, site: Site, along: str, axis: int) -> float | None:
        """How many elements further a site lies for the next coordinate of a loop; 0: none, None: anywhere."""
        entry = tuple(map(key, site.args)), along, axis
        if entry not in self._steps:
            self._steps[entry] = _step_along(site, along, axis)
        return self._steps[entry]

    def rescales(self, stage: Stage, name: str, inlined: frozenset[str]) -> bool:
        """Whether points beside each other of `stage` read points of a Func that are not."""
        point = self.point(stage, inlined)
        sites = point.reads[name].sites if point is not None and name in point.reads else ()
        return any(
            self.step_along(s, along, d) not in (0.0, 1.0)
            for s in sites for d, a in enumerate(s.args) for along in variables(a) & set(stage.pure)
        )

    def beside(self, stage: Stage, site: Site, loop: str) -> int:
        """How many elements of an access, for neighbouring points of a loop, a device may access at once: as many as
        lie beside each other from multiples of their bytes on, at the estimated sizes."""
        entry = stage.func, stage.index, loop, site.name, tuple(map(key, site.args))
        if entry not in self._beside:
            self._beside[entry] = self._elements_beside(stage, site, loop)
        return self._beside[entry]

    def _elements_beside(self, stage: Stage, site: Site, loop: str) -> int:
        layout = self.description.layouts.get(site.name)
        if layout is None or not layout.axes or layout.step != 1 or not loop:
            return 1
        axis = layout.axes[0]
        moved = difference(site.args[axis], Variable(I32, loop))
        if moved is None or any(loop in variables(a) for d, a in enumerate(site.args) if d != axis):
            return 1
        low, high = self.description.whole(site.name)[axis]
        values = self.description.loop_values(stage, self.description.nodes[stage.func].region)
        first = int(values[low_name(loop)]) + moved - int(low)
        return math.gcd(first, int(high - low + 1), max(_AT_ONCE // site.bytes, 1))

    def moves(self, site: Site) -> frozenset[str]:
        """The Variables that choose the place of a read."""
        return frozenset().union(*map(variables, site.args))

    def users(self, name: str, inlined: frozenset[str]) -> frozenset[str]:
        """The Funcs that are not inlined and compute with `name`, by way of inlined ones too."""
        known = self._users.get((name, inlined))
        if known is None:
            found: set[str] = set()
            work = [name]
            while work:
                for c in self.description.nodes[work.pop()].consumers:
                    if c in inlined and c not in found:
                        work.append(c)
                    found.add(c)
            known = self._users[name, inlined] = frozenset(found - inlined)
        return known

    def required(
        self, stage: Stage, box: NumericBox, inlined: frozenset[str], one_step: bool = False
    ) -> dict[str, NumericBox]:
        """The boxes of what is stored that `stage` reads for `box`, by way of what is inlined, too."""
        nodes = self.description.nodes
        found = dict(self.description.required(stage, box, one_step))
        pending = [n for n in found if n in inlined]
        order = list(nodes)
        while pending:
            name = max(pending, key=order.index)
            pending = [n for n in pending if n != name]
            for read, b in self.description.required(nodes[name].stages[0], found.pop(name)).items():
                found[read] = joined(found.get(read), b)
                if read in inlined and read not in pending:
                    pending.append(read)
        return found


def _point_work(values: tuple[Expr, ...], dims: frozenset[str], sites: tuple[Site, ...]) -> PointWork:
    """The work of `values`, each distinct node once, as `arithmetic` prices them; of coordinates what is more than a
    sum."""
    parts: dict[frozenset[str], float] = {}
    floats = 0.0
    seen: set[tuple[int, bool]] = set()
    # With each node whether it is part of a coordinate.
    work = [(v, False) for v in values]
    while work:
        n, placed = work.pop()
        if (key(n), placed) in seen or (key(n), False) in seen:
            continue
        seen.add((key(n), placed))
        if is_read(n):
            work += [(a, not contains(a, Call)) for a in n.args]
            continue
        work += [(c, placed) for c in children(n)]
        if placed and isinstance(n, Add | Sub | Mul | Cast):
            continue
        own, operations = variables(n) & dims, _operations(n)
        parts[own] = parts.get(own, 0.0) + operations
        floats += operations * _is_float(n)
    total = sum(parts.values())
    return PointWork(total, floats / total if total else 0.0, tuple(parts.items()), _by_name(sites))


def _is_float(n: Expr) -> bool:
    """Whether a node is arithmetic of floats: conversions and choices are done where integers are."""
    return not isinstance(n, Cast | Select) and any(c.type.is_float() for c in children(n))


def _operations(n: Expr) -> float:
    """Instructions of a node, its operands apart: elements of less than four bytes are no cheaper than these."""
    wide, lanes = node_cost(n)
    width = max([n.type.bytes(), *(c.type.bytes() for c in children(n))])
    return wide * max(_REGISTER / width, 1.0) / _VECTOR_OPERATION + lanes / _LANE_OPERATION


def _step_along(site: Site, along: str, axis: int) -> float | None:
    moving = [d for d, a in enumerate(site.args) if along in variables(a)]
    if not moving:
        return 0.0
    if moving != [axis]:
        return None
    a = site.args[axis]
    if difference(a, Variable(a.type, along)) is not None:
        return 1.0
    place = compiled(a)
    if place is None:
        return None
    here, further = (float(place(_Inside(along, _MIDDLE + k))) for k in (0, _STRIDE))
    return abs(further - here) / _STRIDE


def _by_name(sites: tuple[Site, ...]) -> dict[str, Reads]:
    found: dict[str, list[Site]] = {}
    for s in sites:
        found.setdefault(s.name, []).append(s)
    return {
        name: Reads(tuple(own), any(is_read(n) for s in own for a in s.args for n in post_order(a)))
        for name, own in found.items()
    }


class _Inside(Mapping[str, int]):
    """Coordinates in the middle of images that are large, one loop at a place of its own."""

    def __init__(self, along: str, at: int) -> None:
        self.along, self.at = along, at

    def __getitem__(self, name: str) -> int:
        if name == self.along:
            return self.at
        if ".min." in name:
            return 0
        return _LARGE if ".extent." in name else _MIDDLE

    def __iter__(self) -> Iterator[str]:
        return iter((self.along,))

    def __len__(self) -> int:
        return 1
