"""What symbolic execution knows at a place of a function, and the signals by which it starts again with more known."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace

from halide_core.ir.expr import And, Expr, Not
from halide_core.ir.structural import key, variables
from lifter.algebra.fold import conjunction, negate, parts
from lifter.algebra.polynomial import Poly
from lifter.ir import loop_ir as L
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo

Decide = Callable[[Sequence[Expr], Expr], bool | None]
"""What conditions on the parameters leave of another one: that it holds, that it does not, or None."""


Same = Callable[[Sequence[Expr], Expr, Expr], bool]
"""Whether two values are proved equal, bit for bit, wherever conditions hold, whatever reads give."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What symbolic execution asks the solver."""

    decide: Decide
    follows: Follows
    same: Same


@dataclass(slots=True)
class Plan:
    """How the loops and variables of a function are taken; each start finds out more."""

    cells: set[str] = field(default_factory=set)
    """Variables that carry values: arrays of one element."""
    unrolled: set[int] = field(default_factory=set)
    """Ids of loops that are unrolled."""
    turning: set[int] = field(default_factory=set)
    """Ids of loops that are executed in parts."""
    defined: dict[str, Poly] = field(default_factory=dict)
    """The locals of `Define`, over the parameters."""
    implied: bool = False
    """Whether conditionals hold where the loops inside of them run only then: for fewer paths."""
    may_imply: bool = False
    """Whether there are conditionals that may be taken so."""
    windows: bool = False
    """Whether sums over windows that are cut to the image run over whole windows."""
    settings: tuple[Expr, ...] = ()
    """Conditions on parameters on which all paths fork."""
    reshaping: bool = True
    """Whether conditionals that change the shapes of loops fork the path."""


class NeedCell(Exception):
    """A variable carries a value between iterations."""

    def __init__(self, name: str) -> None:
        self.name = name


class NeedDefinition(Exception):
    """A local of `Define` was met with its value."""

    def __init__(self, name: str, value: Poly) -> None:
        self.name, self.value = name, value


class NeedUnroll(Exception):
    """A loop must be unrolled."""

    def __init__(self, loop: L.Loop) -> None:
        self.loop = loop


class NeedTurns(Exception):
    """A loop must be executed in parts."""

    def __init__(self, loop: L.Loop) -> None:
        self.loop = loop


class NeedSetting(Exception):
    """A path must know whether a condition on the parameters holds before it can go on as one."""

    def __init__(self, condition: Expr) -> None:
        self.condition = condition


class NeedSeveral(Exception):
    """What the arms of a conditional need, each for itself."""

    def __init__(self, needs: list[Need]) -> None:
        self.needs = needs


Need = NeedCell | NeedUnroll | NeedTurns


@dataclass(slots=True)
class PendingStore:
    """A store of the iteration that no read has forced out yet."""

    array: str
    index: Poly
    value: Expr
    guard: Expr | None
    line: int
    # Whether it has replaced an earlier store of the iteration, with something read from memory.
    rewritten: bool = False


@dataclass(slots=True)
class State:
    """What is known where execution has come to."""

    env: dict[str, Expr]
    live: Expr | None = None
    guard: Expr | None = None
    loops: tuple[LoopInfo, ...] = ()
    pending: list[PendingStore] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    arrays: dict[str, ArrayInfo] = field(default_factory=dict)
    conditions: list[Expr] = field(default_factory=list)
    asserts: list[tuple[Expr, int]] = field(default_factory=list)
    obligations: list[FoundObligation] = field(default_factory=list)
    trips: list[tuple[LoopInfo, tuple[LoopInfo, ...], Expr | None]] = field(default_factory=list)
    uses: list[Expr] = field(default_factory=list)
    reads: list[Effect] = field(default_factory=list)
    result: Expr | None = None
    result_line: int = 0
    returned: bool = False
    clock: int = 0
    defined: list[tuple[str, Poly, int]] = field(default_factory=list)
    apart: set[frozenset[str]] = field(default_factory=set)
    """Pairs of arrays that must not be the same memory."""

    def names(self) -> set[str]:
        """The variables in effects, in how often loops run, and in what is used."""
        out: set[str] = set()
        for e in self.effects:
            out |= variables(e.value) | e.index.names()
            if e.guard is not None:
                out |= variables(e.guard)
        for info, _, guard in self.trips:
            out |= info.trip.names()
            if guard is not None:
                out |= variables(guard)
        return out.union(*map(variables, self.uses))

    def fork(self) -> State:
        return replace(
            self,
            env=dict(self.env),
            pending=[replace(p) for p in self.pending],
            effects=list(self.effects),
            arrays=dict(self.arrays),
            conditions=list(self.conditions),
            asserts=list(self.asserts),
            obligations=list(self.obligations),
            trips=list(self.trips),
            uses=list(self.uses),
            reads=list(self.reads),
            defined=list(self.defined),
            apart=set(self.apart),
        )


def both(a: Expr | None, b: Expr | None) -> Expr | None:
    """The conjunction of two guards; None is always.  Of what they deny together, that is left which they do not hold:
    where `y == 0`, of `!(x == 0 && y == 0)` that `x != 0`."""
    found = [e for g in (a, b) for e in parts(g)]
    if any(isinstance(e, Not) and isinstance(e.a, And) for e in found):
        held = {key(e) for e in found}
        found = [_left_of(e, held) for e in found]
    return conjunction(found)


def _left_of(e: Expr, held: Container[int]) -> Expr:
    if not isinstance(e, Not) or not isinstance(e.a, And):
        return e
    left = conjunction([c for c in parts(e.a) if key(c) not in held])
    return e if left is None else negate(left)
