"""Variants of functions with a caller's C signature that run kernels, before those of the host.

    if mode != host and condition and (mode == cuda or pays(gain)) and readable(inputs) and ready():
        status = kernel(...)          # copies, kernels; results come back when all of them are there
        if status == 0: return
    the host's variants

A device has memory of its own, so that what outputs overwrite is read before, and arrays lie there from their first
element on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from halide_core.backend.llvm_device import kernels_in
from halide_core.backend.llvm_stmt import StmtEmitter
from halide_core.backend.llvm_types import float_literal
from halide_core.errors import HalideError
from halide_core.interface import Array
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const, const_value
from halide_core.ir.operators import cast_to
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, substitute, variables
from halide_core.ir.types import Float, UInt
from halide_core.runtime.cuda.choice import CUDA
from halide_core.runtime.cuda.driver import QUIET

if TYPE_CHECKING:
    from halide_core.lower import Lowered

_MOST_STRIDE = (1 << 31) - 1
_F64 = Float(64)


@dataclass(frozen=True, slots=True)
class Gain:
    """Seconds (float64) that a call likely saves on a device, over the scalar parameters; and the seconds that it takes
    once to open the device, and once to load the kernels."""

    seconds: Expr
    open: float = 0.0
    load: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceVariant:
    """A variant with kernels (`raw_entry.for_device`), which is left for the next where there is no device, and when
    anything fails there.

    `given` is the variant as it was given, `rebased` with every array counted from its first element on; `condition` is
    when it may run, over the scalar parameters.  `beside`: results must not come into the caller's memory one by
    one."""

    given: Any
    rebased: Any
    lowered: Lowered
    ptx: str
    condition: Expr
    beside: bool
    gain: Gain


def rebased(v: Any) -> Any:
    """The variant with every array counted from its first element on."""
    return replace(v, buffers={n: replace(raw, offset=_to_origin(raw)) for n, raw in v.buffers.items()})


def _to_origin(raw: Any) -> Expr:
    """Elements from the first one to the coordinate (0, ..., 0)."""
    out: Expr = const(0, I64)
    for low, stride in zip(raw.mins, raw.strides, strict=True):
        out = out - cast_to(I64, low) * cast_to(I64, stride)
    return simplify(out)


def first_element(entry: StmtEmitter, a: Array, raw: Any, pointer: str) -> str:
    """The address of the first element of an array of the caller's, `pointer` being what its offset counts from."""
    elements = simplify((cast_to(I64, raw.offset) - _to_origin(raw)) * const(a.type.bytes(), I64))
    if const_value(elements) == 0:
        return pointer
    return entry.b.emit(f"getelementptr i8, ptr {pointer}, i64 {entry.value(elements)}")


def in_place(v: Any, lowered: Lowered) -> bool:
    """Whether an output lies in memory that is read.  Raises HalideError where code of the host stores to it."""
    written = {v.buffers[a.name].pointer for a in lowered.outputs} - {""}
    read = {v.buffers[a.name].pointer for a in lowered.inputs}
    if not written & read:
        return False
    names = {a.name for a in lowered.outputs if v.buffers[a.name].pointer}
    kernels = {n for k in lowered.kernels for n in k.written}
    stored = {x.name for x in st.walk(lowered.stmt) if isinstance(x, st.HostAccess) and x.stores}
    if names & stored or not names <= kernels:
        raise HalideError("What the host computes cannot overwrite what a device is still to read")
    return True


def check(lowered: Lowered) -> None:
    """Raises HalideError where a device's results would hold what only the caller's memory does."""
    for x in st.walk(lowered.stmt):
        if isinstance(x, st.OnDevice) and x.dirty and x.back:
            raise HalideError(f"{x.name} is computed in part: what is beside it may be no memory of the function's")


def condition(v: Any, lowered: Lowered, metadata: dict[str, Expr]) -> Expr:
    """What must hold beside the variant's own condition: distances that a device can count, arrays that all accesses
    lie in, and outputs that lie in no input's memory unless they are said to.  Raises HalideError where it never does.

    `metadata`: the Variables of the arrays over the scalar parameters."""
    parts: list[Expr] = []
    for raw in v.buffers.values():
        for stride in (cast_to(I64, s) for s in raw.strides):
            parts += [ir.GE(BOOL, stride, const(0, I64)), ir.LE(BOOL, stride, const(_MOST_STRIDE, I64))]
    known = {**metadata, **v.scalars}
    for owner in dict.fromkeys(a.owner for a in (*lowered.inputs, *lowered.outputs)):
        for d, part in enumerate(_inside(lowered, owner)):
            if const_value(simplify(substitute(part, known))) == 0:
                raise HalideError(f"{owner} is read beyond the part of it that is given, in dimension {d}")
            parts.append(part)
    parts += [c for c, _, _ in lowered.requirements]
    written = {v.buffers[a.name].pointer for a in lowered.outputs} - {""}
    read = {v.buffers[a.name].pointer for a in lowered.inputs if v.buffers[a.name].pointer} - written
    for one in sorted(written):
        for other in sorted(n for n in read if not n.startswith("table.")):
            parts.append(ir.NE(BOOL, *(Variable(UInt(64), f"addr.{n}") for n in (one, other))))
    out: Expr = ir.make_bool(True)
    for part in parts:
        out = simplify(ir.And(BOOL, out, simplify(substitute(part, known))))
    if const_value(out) == 0:
        raise HalideError("Its arrays are none that a device takes: one runs backwards, or lies within another")
    return out


def launches(lowered: Lowered, known: Mapping[str, Expr]) -> Expr:
    """About how many kernels are run (float64), over the scalar parameters; `known`: the statement's Variables over
    these.  Loops of unknown length count as one turn."""

    def of(s: st.Stmt, turns: Expr, lets: Mapping[str, Expr]) -> Expr:
        match s:
            case st.Launch():
                return turns
            case st.LetStmt():
                return of(s.body, turns, {**lets, s.name: substitute(s.value, lets)})
            case st.For():
                extent = simplify(substitute(substitute(s.extent, lets), known))
                if variables(extent) <= parameters and not contains(extent, ir.Load):
                    turns = ir.Mul(_F64, turns, ir.Cast(_F64, ir.Max(I32, extent, const(0, I32))))
        total: Expr = ir.FloatImm(_F64, 0.0)
        for x in st.bodies(s):
            if any(isinstance(y, st.Launch) for y in st.walk(x)):
                total = ir.Add(_F64, total, of(x, turns, lets))
        return total

    parameters = set().union(*map(variables, known.values()), set())
    return simplify(of(lowered.stmt, ir.FloatImm(_F64, 1.0), {}))


def _inside(lowered: Lowered, owner: str) -> list[Expr]:
    """What is accessed of an array is part of it."""
    box = lowered.required.get(owner)
    parts: list[Expr] = []
    for d, (low, high) in enumerate(box.dims if box is not None else ()):
        if low is None or high is None:
            raise HalideError(f"{owner} is accessed over an unbounded range in dimension {d}")
        first, extent = Variable(I32, f"{owner}.min.{d}"), Variable(I32, f"{owner}.extent.{d}")
        inside = ir.And(BOOL, ir.GE(BOOL, low, first), ir.LT(BOOL, high, ir.Add(I32, first, extent)))
        parts.append(ir.Or(BOOL, ir.LT(BOOL, high, low), inside))
    return parts


class DeviceEntry:
    """The entry of one variant with kernels."""

    def __init__(self, entry: StmtEmitter, variant: DeviceVariant, otherwise: str) -> None:
        self.entry, self.variant, self.otherwise = entry, variant, otherwise
        self.context = ""
        module = entry.module
        self.kernels, self.missed = kernels_in(module), f"@{module.fresh_name('hl.missed')}"
        module.globals.append(f"{self.missed} = internal global double 0.0, align 8")

    def begin(self) -> None:
        """Goes on where the device is to be used, and to the label `otherwise` elsewhere."""
        entry, b = self.entry, self.entry.b
        mode = b.emit("call i32 @hl.device.mode()")
        self._if(f"icmp ne i32 {mode}, 0")
        self._if(f"and i1 true, {entry.value(self.variant.condition)}")
        cuda = b.emit(f"icmp eq i32 {mode}, {CUDA}")
        ask, go = b.label("ask"), b.label("device")
        b.branch_if(cuda, go, ask)
        b.start(ask)
        with entry.expr.within():
            gain = self.variant.gain
            start = ", ".join(f"double {float_literal(x, 64)}" for x in (gain.open, gain.load))
            given = f"ptr {self.kernels}, ptr {self.missed}, double {entry.value(gain.seconds)}, {start}"
            b.branch_if(b.emit(f"call i1 @hl.device.pays({given})"), go, self.otherwise)
        b.start(go)
        for a in self.variant.lowered.inputs:
            raw = self.variant.given.buffers[a.name]
            if raw.pointer in entry.names.operands:
                place = first_element(entry, a, raw, entry.names.operands[raw.pointer])
                self._if(f"call i1 @hl.device.readable(ptr {place}, i64 {entry.value(_span(a, raw))})")
        # Who asks for the device hears why there is none.
        self.context = b.emit(f"select i1 {cuda}, ptr null, ptr {QUIET}")
        self._if(f"call i1 @hl.device.ready(ptr {self.context})")

    def _if(self, condition: str) -> None:
        b = self.entry.b
        go = b.label("device")
        b.branch_if(b.emit(condition), go, self.otherwise)
        b.start(go)

    def end(self, status: str) -> None:
        """Goes on where `status` says that the caller's memory holds the results."""
        b = self.entry.b
        failed, fine = b.label("failed"), b.label("fine")
        b.branch_if(b.emit(f"icmp ne i32 {status}, 0"), failed, fine)
        b.start(failed)
        for pointer in reversed(b.owned):
            b.do(f"call void @halide_free(ptr null, ptr {pointer})")
        b.do(f"call void @hl.device.failed(i32 {status})")
        b.branch(self.otherwise)
        b.start(fine)


def _span(a: Array, raw: Any) -> Expr:
    """Bytes from the first element of an array to its last; 0 where it has none."""
    elements: Expr = const(1, I64)
    some: Expr = ir.make_bool(True)
    for extent, stride in zip(raw.extents, raw.strides, strict=True):
        wide = cast_to(I64, extent)
        elements = elements + (wide - 1) * cast_to(I64, stride)
        some = ir.And(BOOL, some, ir.GT(BOOL, wide, const(0, I64)))
    whole = elements * const(a.type.bytes(), I64)
    return simplify(ir.Select(I64, simplify(some), simplify(whole), const(0, I64)))
