"""The summary of a function: region of interest, terminals and expression of each stage (paper, sections 3 and 4).

Coordinates are int32 Variables: the dimension names of a Func's layout (x innermost) and `r.x`, `r.y`, ... of a
reduction domain.  A terminal is a Call: IMAGE for what the function was given, HALIDE for what an earlier stage (or an
earlier definition of the same Func) computed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from halide_core.ir.expr import I32, Call, CallType, Expr, IntImm, UIntImm, Variable
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly
from lifter.ir.loop_ir import Function, PureFunction


def dim_names(function: Function) -> tuple[str, ...]:
    """Names for dimensions, innermost first, that no parameter bears."""
    taken = {p.name for p in function.params} | set(function.arrays)
    names = []
    for n in ("x", "y", "z", "w", "v", "u", "t", "s"):
        while n in taken:
            n += "_"
        names.append(n)
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Dim:
    """min <= name < min + extent.  `stride` in elements; None for a dimension that stands for the iterations of an
    enclosing loop, in each of which the array (a local) is new."""

    name: str
    min: Poly
    extent: Poly
    stride: Poly | None


@dataclass(frozen=True, slots=True)
class Layout:
    """Element index in `array` of a point: offset + sum of stride * coordinate."""

    array: str
    offset: Poly
    dims: tuple[Dim, ...]

    def index(self, coords: tuple[Poly, ...]) -> Poly:
        """The element index of a point given by one polynomial per dimension."""
        total = self.offset
        for d, c in zip(self.dims, coords, strict=True):
            if d.stride is not None:
                total = total + d.stride * c
        return total

    def corners(self) -> tuple[Poly, Poly]:
        """The least and the greatest index in the box, where no stride is negative."""
        one = Poly.constant(1)
        low = self.index(tuple(d.min for d in self.dims))
        return low, self.index(tuple(d.min + d.extent - one for d in self.dims))

    def private(self, coords: tuple[Poly, ...]) -> tuple[Poly, ...]:
        """The coordinates along dimensions without a stride."""
        return tuple(c for d, c in zip(self.dims, coords, strict=True) if d.stride is None)


@dataclass(frozen=True, slots=True)
class RDim:
    """0 <= name < extent, a dimension of a reduction domain."""

    name: str
    extent: Poly


@dataclass(frozen=True, slots=True)
class EffectMap:
    """How the iterations of one effect lie in a definition's domain.

    coords: per dimension of the layout, over the effect's counters; rvars: per dimension of the reduction domain;
    inverse: each counter over the dimensions' names; guard_in_value: where the effect's guard fails the location keeps
    its value, and the definition's value says so."""

    order: int
    coords: tuple[Poly, ...]
    rvars: tuple[Poly, ...] = ()
    inverse: Mapping[str, Poly] = field(default_factory=dict)
    guard_in_value: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """func(args) = value, for every point of the layout's box, or of the reduction domain and the pure variables; of an
    update only for those `where` a condition holds, which is then all that is evaluated of the others."""

    args: tuple[Expr, ...]
    value: Expr
    maps: tuple[EffectMap, ...]
    rdom: tuple[RDim, ...] = ()
    update: bool = False
    origin: Expr | None = None
    """What `steps` turn into `value`: the expression as it was found, None where it is `value` itself."""
    steps: tuple[tuple[Expr, Expr], ...] = ()
    """Lemmas old == new, applied to `origin` in order, each replacing every occurrence of `old`."""
    where: Expr | None = None

    def expressions(self) -> tuple[Expr, ...]:
        """All that is evaluated: the value, the coordinates, and the condition."""
        return (self.value, *self.args, *([self.where] if self.where is not None else []))

    def terms(self) -> list[Expr]:
        """The terminals: reads, parameters and constants of the expression, each once, in reading order."""
        found: dict[int, Expr] = {}
        inside: set[int] = set()
        for n in post_order(self.value):
            if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
                inside.update(key(m) for a in n.args for m in post_order(a))
        for n in _leaves(self.value):
            if isinstance(n, Call) or key(n) not in inside or isinstance(n, IntImm | UIntImm):
                found.setdefault(key(n), n)
        return list(found.values())


def _leaves(e: Expr) -> list[Expr]:
    from halide_core.ir.expr import children

    out: list[Expr] = []
    stack = [e]
    seen: set[int] = set()
    while stack:
        n = stack.pop()
        if key(n) in seen:
            continue
        seen.add(key(n))
        if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
            out.append(n)
            continue
        inner = children(n)
        if not inner:
            out.append(n)
        stack.extend(reversed(inner))
    return out


@dataclass(frozen=True, slots=True)
class FuncSummary:
    """One Func: its definitions in order; the first is pure unless `undefined` (then the memory's own contents)."""

    name: str
    type: Type
    layout: Layout
    definitions: tuple[Definition, ...]
    output: bool
    undefined: bool = False

    def orders(self) -> set[int]:
        """Orders of the effects that the definitions account for."""
        return {m.order for d in self.definitions for m in d.maps}


@dataclass(frozen=True, slots=True)
class InputSummary:
    """An image the function reads as the caller gave it."""

    name: str
    type: Type
    layout: Layout


@dataclass(frozen=True, slots=True)
class ContractItem:
    """A condition under which the summary holds.  `condition` is over the scalar parameters; for disjointness it is
    None and `arrays` names the two."""

    kind: str
    text: str
    condition: Expr | None = None
    arrays: tuple[str, ...] = ()
    inferred: bool = True
    may_coincide: bool = False
    """Disjointness only: also right where the two arrays start at the same address."""
    bound: Poly | None = None
    """Overflow only: what must be representable, as a polynomial."""
    most: int = 0
    """Overflow only: what `bound` is at most, half of what the type holds."""


@dataclass(frozen=True, slots=True)
class PathSummary:
    """One path through the top-level conditionals."""

    conditions: tuple[Expr, ...]
    funcs: tuple[FuncSummary, ...]
    inputs: tuple[InputSummary, ...]
    result: Expr | None = None
    contract: tuple[ContractItem, ...] = ()

    def func(self, name: str) -> FuncSummary:
        return next(f for f in self.funcs if f.name == name)

    def layouts(self) -> dict[str, Layout]:
        """Layout of every Func and input, by name."""
        return {f.name: f.layout for f in self.funcs} | {i.name: i.layout for i in self.inputs}


    def sizes_without(self, names: Collection[str]) -> list[Poly]:
        """How far each dimension of a Func and of a reduction extends, where that is not made of `names`."""
        boxes = [d.extent for f in self.funcs for d in f.layout.dims]
        domains = [r.extent for f in self.funcs for d in f.definitions for r in d.rdom]
        found = dict.fromkeys(p for p in (*boxes, *domains) if p.constant_value() is None)
        return [p for p in found if p.names().isdisjoint(names)]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a function computes."""

    function: Function
    paths: tuple[PathSummary, ...]
    functions: Mapping[str, PureFunction] = field(default_factory=dict)


def var(name: str) -> Variable:
    """A coordinate."""
    return Variable(I32, name)
