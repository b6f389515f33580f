"""What the loops of a definition allow a device: which of them run in any order, and how long they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from halide_core.backend.llvm_expr import is_instruction
from halide_core.dsl.rfactor import choice_of
from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr, const_value
from halide_core.ir.named_calls import has_effect
from halide_core.ir.structural import key, post_order, variables
from halide_core.passes.races import (
    atomic_operand,
    is_pure_loop,
    loops_of,
    operation_and_operand,
    predicates_of,
    steps_along,
)
from halide_core.passes.realization_order import definition_expressions

FEW_POINTS = 1 << 12
"""Points that one thread of a device may do one after the other."""
LEAST_THREADS = 32
"""Fewer points at a time are not worth a kernel, where each takes long."""
_CHANNELS = 4


class Layout(Protocol):
    """How a Func lies in memory: mins, extents and strides by dimension, expressions over parameters."""

    @property
    def mins(self) -> Sequence[Expr]: ...
    @property
    def extents(self) -> Sequence[Expr]: ...
    @property
    def strides(self) -> Sequence[Expr]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Loops:
    """The loops of one definition: those `free` to run in any order, the one along memory first, and those `serial`,
    innermost first.  `within`: of these, where none is free, those that run in any order while the ones around stand
    still, as along a row that needs the one above.  `extents`: of loops, as far as these are constants; `mins`: of
    dimensions, where these are.  `apart`: channels are loops as any other."""

    function: Function
    stage: int
    definition: Definition
    free: tuple[str, ...]
    serial: tuple[str, ...]
    within: tuple[str, ...]
    extents: Mapping[str, int]
    mins: Mapping[str, int]
    apart: bool = False

    @property
    def domain(self) -> tuple[str, ...]:
        """The variables of the reduction, innermost first."""
        d = self.definition.domain
        return tuple(n for n, _, _ in d.variables) if d is not None else ()

    @property
    def channels(self) -> tuple[str, ...]:
        """The free loop over the channels of a pixel, which is of few iterations beside others that are not."""
        if self.apart:
            return ()
        few = [n for n in self.free if self.extents.get(n, _CHANNELS + 1) <= _CHANNELS]
        few = [n for n in few if n in self.domain or n in self.mins]
        wide = [n for n in self.free if n not in few]
        return tuple(few[:1]) if wide else ()

    @property
    def wide(self) -> tuple[str, ...]:
        """The free loops that blocks and threads are made of."""
        return tuple(n for n in self.free if n not in self.channels)

    @property
    def is_wide(self) -> bool:
        """Whether there are enough points at a time for a kernel, as far as that is known."""
        return bool(self.free) and (self.points is None or self.points >= LEAST_THREADS)

    @property
    def has_wide_rows(self) -> bool:
        """Whether there are enough points at a time while the loops around stand still."""
        along = self._product(self.within)
        return bool(self.within) and (along is None or along >= LEAST_THREADS)

    @property
    def points(self) -> int | None:
        """How many points the free loops have; None where that is not known."""
        return self._product(self.free)

    @property
    def steps(self) -> int | None:
        """How many points the serial loops have; None where that is not known."""
        return self._product(self.serial)

    def _product(self, names: Sequence[str]) -> int | None:
        total = 1
        for n in names:
            if n not in self.extents:
                return None
            total *= self.extents[n]
        return total

    @property
    def cells(self) -> int | None:
        """How many elements the Func has; None where that, or where they begin, is not known."""
        args = self.function.args
        return self._product(args) if all(a in self.mins for a in args) else None

    @property
    def scatters(self) -> bool:
        """Whether the reduction, or data, choose the places that are written."""
        names = set(self.domain)
        return any(
            variables(a) & names or any(isinstance(n, ir.Call) and is_read(n) for n in post_order(a))
            for a in self.definition.args
        )


def is_read(n: ir.Call) -> bool:
    """Whether a call is a value of an image or of a Func."""
    return n.call_type in (CallType.IMAGE, CallType.HALIDE)


def is_undefined(d: Definition) -> bool:
    """Whether a definition leaves what the memory holds."""
    return all(isinstance(v, ir.Call) and v.name == "undef" for v in d.values)


def loops_of_stage(f: Function, stage: int, layouts: Mapping[str, Layout]) -> Loops:
    """The loops of definition `stage` of `f`."""
    d = f.definitions()[stage]
    names = [x.var for x in d.schedule.dims]
    axes = _axes(f, layouts.get(f.name))
    known, mins = _extents(f, d, layouts.get(f.name)), _mins(f, layouts.get(f.name))
    every = loops_of(f, d)

    def place(name: str) -> int:
        along = [k for k, a in enumerate(axes) if steps_along(d.args[a], name, every) is not None]
        return along[0] if along else len(axes)

    free = [n for n in names if not stage or is_pure_loop(f, d, n)]
    serial = tuple(n for n in names if n not in free)
    within: list[str] = []
    for n in serial[:-1] if not free else ():
        if not is_pure_loop(f, d, n, in_order=True):
            break
        within.append(n)
    return Loops(f, stage, d, tuple(sorted(free, key=place)), serial, tuple(within), known, mins)


def _axes(f: Function, layout: Layout | None) -> list[int]:
    """The dimensions of a Func, the one along memory first."""
    dims = list(range(len(f.args)))
    strides = [const_value(s) for s in layout.strides] if layout is not None else []
    if len(strides) != len(dims):
        return dims
    return sorted(dims, key=lambda k: abs(strides[k] or 0) or math.inf)


def _extents(f: Function, d: Definition, layout: Layout | None) -> dict[str, int]:
    out: dict[str, int] = {}
    for k, a in enumerate(f.args):
        found = f.bounds[a][1] if a in f.bounds else layout.extents[k] if layout is not None else None
        value = const_value(found) if found is not None else None
        if value is not None:
            out[a] = int(value)
    for n, _, extent in d.domain.variables if d.domain is not None else ():
        value = const_value(extent)
        if value is not None:
            out[n] = int(value)
    return out


def _mins(f: Function, layout: Layout | None) -> dict[str, int]:
    known = {a: low for a, low in zip(f.args, layout.mins, strict=True)} if layout is not None else {}
    known |= {a: low for a, (low, _) in f.bounds.items()}
    return {a: int(value) for a, low in known.items() if (value := const_value(low)) is not None}


def refusal(loops: Loops, portable: bool = True) -> str | None:
    """Why a device cannot, or had better not, run a stage, in words; None where it can.  `portable`: under directives
    that the package takes."""
    f, d = loops.function, loops.definition
    if f.extern is not None:
        return "an external stage runs on the host"
    missing = missing_function(d)
    if missing is not None:
        return missing
    if loops.is_wide or loops.has_wide_rows:
        return None
    steps = (loops.points or 1) * (loops.steps or 1) if loops.steps is not None and loops.points is not None else None
    if steps is not None and steps <= FEW_POINTS:
        return None
    # The package has no `rfactor` of choices.
    chooses = not portable and has_first_choice(f, d)
    if d.domain is None or not (has_any_order(f, d) or chooses):
        if d.values[0].type.is_float() and _is_sum(f, d):
            return "it is a sum of floats, whose order is part of its value"
        return "each of its points needs the one before"
    if loops.scatters and (atomic_operand(f, d) is None or d.values[0].type.bits < 32):
        # Such text would not be the package's: it has no atomic updates of these.
        return f"threads would meet in elements of {d.values[0].type}"
    return None


def row_of_sums(loops: Loops) -> str | None:
    """The loop along the rows that are summed up, where a thread for each would read far from its neighbours: one
    that lies along the memory of what is read, as no free loop does."""
    f, d = loops.function, loops.definition
    steps = loops.steps
    if not has_any_order(f, d) or loops.scatters or (steps is not None and steps < 2 * LEAST_THREADS):
        return None
    pure = {a.name for a in d.args if isinstance(a, ir.Variable)}
    if set(loops.free) != set(f.args) or pure != set(f.args):
        return None
    reads = [n for v in d.values for n in post_order(v) if isinstance(n, ir.Call) and is_read(n) and n.target is not f]
    first = [variables(n.args[0]) for n in reads if n.args]
    for name in loops.serial:
        if first and all(name in v and not v & set(loops.free) for v in first):
            return name
    return None


def missing_function(d: Definition) -> str | None:
    """What of a definition is no device's, in words."""
    for e in definition_expressions(d):
        for n in post_order(e):
            if not isinstance(n, ir.Call) or is_read(n):
                continue
            if has_effect(n):
                return "what prints or checks runs on the host"
            if n.call_type in (CallType.PURE_EXTERN, CallType.EXTERN) and not is_instruction(n):
                return f"a device has no function {n.name}"
    return None


def has_any_order(f: Function, d: Definition) -> bool:
    """Whether all values of an update are sums or the like of integers, whose order is no part of what they come to."""
    return all(not v.type.is_float() and operation_and_operand(f, d, k) is not None for k, v in enumerate(d.values))


def has_first_choice(f: Function, d: Definition) -> bool:
    """Whether an update keeps the first of the least or greatest values, with what belongs to it: parts of a reduction
    may do so by themselves, as long as points of each follow one another, and parts as well.

    Where of values that are equal the last one is kept, a part without any point would be."""
    choice = choice_of(f, d)
    conditions = [n for p in predicates_of(d) for n in post_order(p)]
    if choice is None or any(isinstance(n, ir.Call) and n.target is f for n in conditions):
        return False
    own = {key(ir.Call(t, f.name, d.args, CallType.HALIDE, k, f)) for k, t in enumerate(f.types)}
    for v in d.values:
        if isinstance(v, ir.Select):
            strict = (ir.LE, ir.GE) if key(v.true_value) in own else (ir.LT, ir.GT)
            if not isinstance(v.condition, strict):
                return False
        elif v.type.is_float():  # a minimum that may be no number
            return False
    return True


def _is_sum(f: Function, d: Definition) -> bool:
    """Whether an update adds to its own element, or multiplies it."""
    v = d.values[0]
    while isinstance(v, ir.Call) and v.name == "strict_float":
        v = v.args[0]
    own = key(ir.Call(v.type, f.name, d.args, CallType.HALIDE, 0, f))
    return isinstance(v, ir.Add | ir.Sub | ir.Mul) and own in (key(v.a), key(v.b))


def reads(loops: Loops) -> set[int]:
    """The Functions that a stage reads, by identity."""
    expressions: list[Expr] = list(definition_expressions(loops.definition))
    return {
        id(n.target) for e in expressions for n in post_order(e)
        if isinstance(n, ir.Call) and is_read(n) and n.call_type is CallType.HALIDE
    }
