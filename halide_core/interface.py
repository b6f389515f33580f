"""How compiled pipelines are called: the arrays and Variables that are their arguments, and what these must satisfy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halide_core.function import Function, Image
from halide_core.ir import expr as ir
from halide_core.ir.box import Box
from halide_core.ir.expr import I32, I64, Expr, const, const_value
from halide_core.ir.stmt import ExternCall
from halide_core.ir.types import Type


def storage_name(name: str, index: int, count: int) -> str:
    """The flat array of value `index` of a Func with `count` values."""
    return name if count == 1 else f"{name}.{index}"


@dataclass(frozen=True, slots=True)
class Array:
    """An input or output array: its name in the statement, type, dimensions, and the Func or image it holds."""

    name: str
    type: Type
    dimensions: int
    owner: str


@dataclass(frozen=True, slots=True)
class Interface:
    """How a lowered pipeline is called.  Its free Variables are the parameters and, for every array a of inputs and
    outputs, a.offset and a.stride.d (int64), and for the owners f.min.d and f.extent.d (int32).

    `required` holds the boxes of inputs and outputs that the statement touches, in those Variables and in what
    `queries` of external stages find, one after the other; `requirements` the conditions on them that must hold, see
    `passes.regions.Context`."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    parameters: dict[str, ir.Variable]
    required: dict[str, Box]
    requirements: list[tuple[Expr, str, tuple[Expr, ...]]]
    queries: tuple[ExternCall, ...]


def output_arrays(f: Function) -> tuple[Array, ...]:
    """The arrays of an output Func, one for each value."""
    count = len(f.types)
    return tuple(Array(storage_name(f.name, k, count), t, len(f.args), f.name) for k, t in enumerate(f.types))


def unit_strides(outputs: Iterable[Array], stated: Iterable[Image]) -> dict[str, Expr]:
    """Unit strides along dimension 0 of outputs, unless another stride is stated: for checks at entry to establish."""
    others = {i.name for i in stated if const_value(i.fixed.get("stride.0", const(0, I32))) != 1}
    return {f"{a.name}.stride.0": const(1, I64) for a in outputs if a.dimensions and a.name not in others}


def metadata_names(a: Array) -> list[str]:
    names = [f"{a.name}.offset"]
    for d in range(a.dimensions):
        names += [f"{a.owner}.min.{d}", f"{a.owner}.extent.{d}", f"{a.name}.stride.{d}"]
    return names


def metadata_variables(a: Array) -> list[ir.Variable]:
    """The metadata Variables of an array, in the order offset, then min, extent, stride of each dimension."""
    return [ir.Variable(I32 if ".min." in n or ".extent." in n else I64, n) for n in metadata_names(a)]
