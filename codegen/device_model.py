"""What a path takes on a device and on the host, over the sizes of a call.

Either side does its arithmetic while it moves its memory, and takes what the slower of the two takes.  A device has
copies there and back before and after, and some time for each kernel."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codegen.plan import PathPlan
from halide_core.backend.raw_device import Gain
from halide_core.ir import expr as E
from halide_core.ir.expr import I64, Call, CallType, Expr, FloatImm, IntImm, Variable
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Float
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.summary import Definition, FuncSummary, Layout

PATH = Path(__file__).with_name("device_model.toml")
_F64 = Float(64)
# Operations that a function of the C library counts for.
_OF_A_FUNCTION = 16


@dataclass(frozen=True, slots=True)
class Device:
    """Seconds that it takes to open the device and to load kernels, of a call and of a kernel; bytes and operations a
    second."""

    open: float
    load: float
    call: float
    launch: float
    to_device: float
    to_host: float
    memory: float
    operations: float


@dataclass(frozen=True, slots=True)
class Host:
    """Seconds of a call; bytes and operations a second, all threads together."""

    call: float
    memory: float
    operations: float


@dataclass(frozen=True, slots=True)
class Model:
    """`origin` says what machine the numbers are of, or that they are declared."""

    origin: str
    device: Device
    host: Host


@cache
def model() -> Model:
    """The numbers that drop-ins are compiled with."""
    return read(PATH.read_text())


def read(text: str) -> Model:
    """A model of its text.  Raises KeyError and TypeError for what is none."""
    found = tomllib.loads(text)
    return Model(found["origin"], Device(**found["device"]), Host(**found["host"]))


def gain(plan: PathPlan, kernels: Expr, m: Model | None = None) -> Gain:
    """What a path that runs so many kernels (float64) saves on a device."""
    chosen = m or model()
    given = _sum(_bytes(i.layout, i.type.bytes()) for i in (*plan.images, *plan.tables))
    made = _sum(_bytes(f.layout, f.type.bytes()) for f in plan.outputs)
    work = _sum(_work(f, d) for f in plan.path.funcs for d in f.definitions)
    moved = _add(given, made)

    def side(memory: float, operations: float) -> Expr:
        return E.Max(_F64, _times(moved, 1 / memory), _times(work, 1 / operations))

    device = chosen.device
    fixed = _add(FloatImm(_F64, device.call), _times(kernels, device.launch))
    copies = _add(_times(given, 1 / device.to_device), _times(made, 1 / device.to_host))
    there = _add(_add(fixed, copies), side(device.memory, device.operations))
    here = _add(FloatImm(_F64, chosen.host.call), side(chosen.host.memory, chosen.host.operations))
    return Gain(E.Sub(_F64, here, there), device.open, device.load)


def _add(a: Expr, b: Expr) -> Expr:
    return E.Add(_F64, a, b)


def _times(a: Expr, factor: float) -> Expr:
    return E.Mul(_F64, a, FloatImm(_F64, factor))


def _sum(parts: Iterable[Expr]) -> Expr:
    total: Expr = FloatImm(_F64, 0.0)
    for part in parts:
        total = _add(total, part)
    return total


def _product(extents: Iterable[Poly], factor: float) -> Expr:
    """Of floats, for products of sizes may wrap."""
    total: Expr = FloatImm(_F64, factor)
    for extent in extents:
        least = E.Max(I64, from_poly(extent, I64), IntImm(I64, 0))
        total = E.Mul(_F64, total, E.Cast(_F64, least))
    return total


def _bytes(layout: Layout, size: int) -> Expr:
    return _product((d.extent for d in layout.dims), float(size))


def _work(f: FuncSummary, d: Definition) -> Expr:
    """Operations of a definition, over all its points."""
    used = {n.name for a in d.args for n in post_order(a) if isinstance(n, Variable)}
    extents = [x.extent for x in f.layout.dims if not d.update or x.name in used]
    return _product([*extents, *(r.extent for r in d.rdom)], _operations(d.expressions()))


def _operations(expressions: Iterable[Expr]) -> float:
    """Arithmetic of a point; what occurs several times is done once."""
    nodes = {key(n): n for e in expressions for n in post_order(e)}
    return float(max(sum(map(_weight, nodes.values())), 1))


def _weight(n: Expr) -> int:
    free: tuple[type[Expr], ...] = (IntImm, E.UIntImm, FloatImm, Variable, E.Cast)
    if isinstance(n, free):
        return 0
    if isinstance(n, Call):
        return _OF_A_FUNCTION if n.call_type is CallType.PURE_EXTERN else 1
    return 1
