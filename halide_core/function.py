"""Functions, their definitions and schedules, as the compiler sees them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir.expr import Expr
from halide_core.ir.stmt import ForKind
from halide_core.ir.types import Type


class TailStrategy(enum.Enum):
    """What happens at the end of a split whose factor does not divide the extent."""

    GuardWithIf = "guard_with_if"
    ShiftInwards = "shift_inwards"
    RoundUp = "round_up"
    Predicate = "predicate"
    PredicateLoads = "predicate_loads"
    PredicateStores = "predicate_stores"
    Auto = "auto"


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
    target: Function | None = field(default=None, compare=False, repr=False)

    @property
    def is_root(self) -> bool:
        return not self.func


@dataclass(slots=True)
class StageSchedule:
    """Loops of one definition, innermost first, and the splits and fusions that made them."""

    dims: list[Dim]
    splits: list[Split | Fuse] = field(default_factory=list)
    # Whether an associative update may be regrouped, so that its reduction loops run as vectors.
    atomic: bool = False


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
class Function:
    """A named function of integer coordinates; `compute` and `store` None means inlined."""

    name: str
    args: tuple[str, ...] = ()
    pure: Definition | None = None
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


@dataclass(slots=True, eq=False)
class Image:
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
