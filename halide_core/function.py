"""Functions, their definitions and schedules, as the compiler sees them."""

from __future__ import annotations

import enum
import itertools
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.ir.expr import Expr
from halide_core.ir.stmt import ForKind, MemoryType
from halide_core.ir.structural import key
from halide_core.ir.types import Type


class TailStrategy(enum.Enum):
    """What happens at the end of a split whose factor does not divide the extent."""

    GuardWithIf = "guard_with_if"
    ShiftInwards = "shift_inwards"
    RoundUp = "round_up"
    Predicate = "predicate"
    PredicateLoads = "predicate_loads"
    PredicateStores = "predicate_stores"
    ShiftInwardsAndBlend = "shift_inwards_and_blend"
    RoundUpAndBlend = "round_up_and_blend"
    Auto = "auto"


class LoopAlignStrategy(enum.Enum):
    """How the loops of two stages computed together lie against each other."""

    AlignStart = "align_start"
    AlignEnd = "align_end"
    NoAlign = "no_align"
    Auto = "auto"


class Partition(enum.Enum):
    """Whether a loop is split where the conditions of its body change."""

    Auto = "auto"
    Never = "never"
    Always = "always"


class PrefetchBoundStrategy(enum.Enum):
    """What a prefetch outside a buffer does."""

    Clamp = "clamp"
    GuardWithIf = "guard_with_if"
    NonFaulting = "non_faulting"


@dataclass(frozen=True, slots=True)
class Split:
    """`old` = its min + outer * factor + inner."""

    old: str
    outer: str
    inner: str
    factor: int
    tail: TailStrategy


@dataclass(frozen=True, slots=True)
class Fuse:
    """`fused` runs over the pairs of `inner` and `outer`, inner fastest."""

    inner: str
    outer: str
    fused: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Loop `old` under the name `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Once:
    """A loop `var` of one iteration, outside of all that were there."""

    var: str


@dataclass(slots=True)
class Dim:
    """One loop of a stage."""

    var: str
    kind: ForKind = ForKind.SERIAL


@dataclass(frozen=True, slots=True)
class LoopLevel:
    """Where something is computed or stored: at loop `var` of stage `stage` of `func`; root without a func.

    `target` is the Function called `func`, so that the level survives a change of its name."""

    func: str = ""
    var: str = ""
    # -1: any stage that has such a loop.
    stage: int = -1
    target: Any = field(default=None, compare=False, repr=False)

    @property
    def is_root(self) -> bool:
        return not self.func

    def named(self) -> LoopLevel:
        """This level under the name that its Function has now."""
        if self.target is None or self.target.name == self.func:
            return self
        return LoopLevel(self.target.name, self.var, self.stage, self.target)


# The loop around all of a stage's own.
OUTERMOST = "__outermost"


class LevelHandle:
    """A LoopLevel that may be given later; `level` None means inlined."""

    def __init__(self, level: LoopLevel | None = None, known: bool = True) -> None:
        self.level = level
        self.known = known


@dataclass(frozen=True, slots=True)
class FusedWith:
    """A stage runs inside the loops of another one, down to loop `var`; `align` by loop name."""

    level: LevelHandle
    align: tuple[tuple[str, LoopAlignStrategy], ...] = ()
    otherwise: LoopAlignStrategy = LoopAlignStrategy.Auto


@dataclass(slots=True, eq=False)
class Specialization:
    """A schedule of its own where `condition` holds, or an error of that text."""

    condition: Expr
    definition: Definition
    failure: str | None = None


@dataclass(slots=True)
class StageSchedule:
    """Loops of one definition, innermost first, and the splits and fusions that made them."""

    dims: list[Dim]
    splits: list[Split | Fuse | Rename | Once] = field(default_factory=list)
    # Whether an associative update may be regrouped, so that its reduction loops run as vectors.
    atomic: bool = False
    # Whether loops may be run in parallel whose iterations meet.
    allow_races: bool = False
    specializations: list[Specialization] = field(default_factory=list)
    fused_with: FusedWith | None = None
    # Whether a directive was given, or that there is none on purpose.
    touched: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ReductionDomain:
    """Variables (name, min, extent) of a reduction, innermost first, and conditions on them."""

    name: str
    variables: tuple[tuple[str, Expr, Expr], ...]
    predicates: list[Expr]
    # Ranges (min, max) of variables known to be narrower than their bounds show.
    promised: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Definition:
    """Values stored at the coordinates `args`, for every point of the pure variables and the domain."""

    args: tuple[Expr, ...]
    values: tuple[Expr, ...]
    schedule: StageSchedule
    domain: ReductionDomain | None = None


@dataclass(slots=True, eq=False)
class Extern:
    """What computes a Function in place of its first definition: the C function `symbol`.

    An argument is a scalar, or a call of a Func or of an image, at any coordinates, for the buffer that holds it."""

    symbol: str
    arguments: tuple[Expr, ...]


class _Numbered:
    """Has a number that nothing else has in this process, by which expressions know it without keeping it alive."""

    __slots__ = ("serial",)
    serial: int
    _serials = itertools.count()

    def __post_init__(self) -> None:
        self.serial = next(self._serials)


@dataclass(slots=True, eq=False)
class Function(_Numbered):
    """A named function of integer coordinates; `compute` and `store` None means inlined.

    What an external stage computes has `extern`, and undefined values in its first definition."""

    name: str
    args: tuple[str, ...] = ()
    pure: Definition | None = None
    extern: Extern | None = None
    updates: list[Definition] = field(default_factory=list)
    compute: LoopLevel | None = None
    store: LoopLevel | None = None
    storage_order: list[str] = field(default_factory=list)
    bounds: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    estimates: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    # What the first definition must have, where that is stated.
    required_types: tuple[Type, ...] = ()
    required_dimensions: int | None = None
    # What is stated of the buffers that hold the values of an output.
    buffers: list[Image] = field(default_factory=list)
    # Extents given by bound_extent.
    extents: dict[str, Expr] = field(default_factory=dict)
    # (modulus, remainder) that the min of a dimension must have, remainder None when only the extent is aligned.
    alignments: dict[str, tuple[Expr, Expr | None]] = field(default_factory=dict)
    # Factors of folded dimensions, and whether they slide upwards.
    folds: dict[str, tuple[Expr, bool]] = field(default_factory=dict)
    # Extents of the storage of dimensions, and what they are multiples of.
    storage_bounds: dict[str, Expr] = field(default_factory=dict)
    storage_alignments: dict[str, Expr] = field(default_factory=dict)
    # Where "compute", "store" and "hoist" were given as LoopLevel objects or by hoist_storage.
    handles: dict[str, LevelHandle] = field(default_factory=dict)
    # (consumer, Function that takes this one's place in it); consumer None stands for all others.
    wrappers: list[tuple[Function | None, Function]] = field(default_factory=list)
    memoized: bool = False
    # "copy_to_device" or "copy_to_host" where it is a copy of another one.
    copies: str = ""
    memory: MemoryType = MemoryType.Auto
    # Whether ring_buffer was given, for which storage must be hoisted.
    ringed: bool = False
    # Whether another Func or a pipeline uses it, so that no update can be added.
    frozen: bool = False
    # Computed after all of a lower number: an output in whose memory lies what others read.  Nothing calls it.
    turn: int = 0
    # What is printed when it happens, of "loads", "realizations" and "stores", and texts printed at first.
    traced: tuple[str, ...] = ()
    trace_tags: tuple[str, ...] = ()
    # (dimension, sum): an output of two values, of which the second is stored at that sum less the coordinate along the
    # dimension, and which reads what is in its memory at these two places only.
    exchanged: tuple[int, Expr] | None = None

    @property
    def types(self) -> tuple[Type, ...]:
        if self.pure is None:
            raise HalideError(f"Func {self.name} has no definition")
        return tuple(v.type for v in self.pure.values)

    def definitions(self) -> list[Definition]:
        """The pure definition and the updates, in order."""
        if self.pure is None:
            raise HalideError(f"Func {self.name} has no definition")
        return [self.pure, *self.updates]


@dataclass(slots=True, eq=False, weakref_slot=True)
class Image(_Numbered):
    """An input array: its name, element type, dimensions, and the metadata that was pinned.

    `fixed` maps "min.0", "extent.1", "stride.0" and so on to expressions; `array` is the data of a Buffer.
    An image that is no parameter is a Buffer used in an expression; the compiler may change its name."""

    name: str
    type: Type
    dimensions: int
    fixed: dict[str, Expr] = field(default_factory=dict)
    array: Any = None
    is_parameter: bool = True
    # The ImageParam that users hold.
    owner: Any = None
    # Bytes of which the address is a multiple.
    alignment: int = 1
    # Likely (min, extent) by dimension, for autoschedulers.
    estimates: dict[int, tuple[Expr, Expr]] = field(default_factory=dict)
    # Whether "loads" are printed, and texts printed at first.
    traced: tuple[str, ...] = ()
    trace_tags: tuple[str, ...] = ()
    # (consumer, Function that takes its place in it); consumer None stands for all others.
    wrappers: list[tuple[Function | None, Function]] = field(default_factory=list)

    def range_of_data(self, dimension: int) -> tuple[int, int]:
        """(min, extent) of a dimension of its own data: a Buffer, or a NumPy array whose last axis is dimension 0."""
        if isinstance(self.array, np.ndarray):
            return 0, int(self.array.shape[self.dimensions - 1 - dimension])
        return self.array.mins()[dimension], self.array.extents()[dimension]


PARAM_NUMBERS = itertools.count()
"""Numbers for the names of Params and ImageParams that are given none."""

IMAGE_PARAMS: weakref.WeakValueDictionary[str, Image] = weakref.WeakValueDictionary()
"""ImageParams by name, for Variables that stand for their metadata; of two of one name the later one."""


def schedule_key(f: Function) -> tuple[object, ...]:
    """What compiled code depends on of the definitions and the schedule of `f`; equal keys, equal code."""
    levels = [(k, h.level, h.known) for k, h in sorted(f.handles.items())]
    pairs = [(n, *map(key, pair)) for n, pair in f.bounds.items()]
    aligned = [(n, key(a), None if b is None else key(b)) for n, (a, b) in f.alignments.items()]
    folds = [(n, key(e), upwards) for n, (e, upwards) in f.folds.items()]
    others = [[(n, key(e)) for n, e in t.items()] for t in (f.extents, f.storage_bounds, f.storage_alignments)]
    parts: list[object] = [f.name, f.compute, f.store, levels, tuple(f.storage_order), pairs, aligned, folds, others]
    parts += [f.traced, f.trace_tags, f.memoized, f.copies, f.ringed, f.memory]
    parts.append(tuple((id(c), id(w)) for c, w in f.wrappers))
    parts.append([(i.name, [(what, key(e)) for what, e in sorted(i.fixed.items())]) for i in f.buffers])
    if f.extern is not None:
        parts.append((f.extern.symbol, [key(e) for e in f.extern.arguments]))
    work = f.definitions() if f.pure is not None else []
    while work:
        d = work.pop(0)
        schedule = d.schedule
        parts.append([(x.var, x.kind) for x in schedule.dims])
        parts.append((tuple(schedule.splits), schedule.atomic, schedule.allow_races))
        parts.append([key(e) for e in (*d.values, *d.args)])
        if d.domain is not None:
            parts.append([key(e) for e in d.domain.predicates])
            parts.append([(n, key(low), key(extent)) for n, low, extent in d.domain.variables])
        if schedule.fused_with is not None:
            parts.append((schedule.fused_with.level.level, schedule.fused_with.align, schedule.fused_with.otherwise))
        for s in schedule.specializations:
            parts.append((key(s.condition), s.failure))
            work.append(s.definition)
    return tuple(parts)


def schedule_state(functions: list[Function], images: list[Image]) -> list[object]:
    """The objects that `schedule_key` of the functions, and the metadata of the images, are made of.

    Where each object of two such lists is the same one, nothing changed in between; much cheaper to make than keys."""
    out: list[object] = []
    for f in functions:
        out += (f.name, f.compute, f.store, f.extern, f.traced, f.trace_tags, f.memoized, f.copies, f.ringed, f.memory)
        out += f.storage_order
        for h in f.handles.values():
            out += (h.level, h.known)
        for table in (f.bounds, f.alignments, f.folds, f.extents, f.storage_bounds, f.storage_alignments):
            if table:
                out += (*table, *table.values())
        for pair in f.wrappers:
            out += pair
        if f.extern is not None:
            out += (f.extern.symbol, f.extern.arguments)
        work = [f.pure, *f.updates]
        for d in work:
            if d is None:
                continue
            schedule = d.schedule
            for x in schedule.dims:
                out += (x.var, x.kind)
            out += (d.args, d.values, schedule.atomic, schedule.allow_races, schedule.fused_with, *schedule.splits)
            if d.domain is not None:
                out += (d.domain, *d.domain.predicates)
            if schedule.fused_with is not None:
                out.append(schedule.fused_with.level.level)
            for s in schedule.specializations:
                out += (s.condition, s.failure)
                work.append(s.definition)
        for i in f.buffers:
            out += (i.name, i.alignment, *i.fixed, *i.fixed.values())
    for i in images:
        out += (i.name, i.alignment, i.traced, i.trace_tags, *i.fixed, *i.fixed.values())
        for pair in i.wrappers:
            out += pair
    return out
