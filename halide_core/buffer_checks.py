"""What must hold of the arguments of a realization, in Halide's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from halide_core.dsl.buffer import Buffer
from halide_core.dsl.variables import PARAMS
from halide_core.errors import HalideError
from halide_core.function import Function, Image
from halide_core.interface import Array, Interface
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import Expr, StringImm
from halide_core.ir.structural import variables


def check_buffer(role: str, a: Array, buffer: Buffer | None) -> Buffer:
    """The Buffer, when it has memory and the type and number of dimensions of `a`."""
    if buffer is None or not buffer.has_memory():
        raise HalideError(f"Buffer argument {a.name} is nullptr: it has no memory; call set() on the ImageParam first")
    if buffer.type() != a.type:
        raise HalideError(
            f"{role} buffer {a.name} has type {a.type} but type of the buffer passed in is {buffer.type()}"
        )
    if buffer.dimensions() != a.dimensions:
        raise HalideError(
            f"{role} buffer {a.name} requires a buffer of exactly {a.dimensions} dimensions, but the buffer passed in "
            f"has {buffer.dimensions()} dimensions"
        )
    return buffer


def check_constraints(images: list[Image], arrays: Iterable[Array], values: Mapping[str, Any]) -> None:
    """Metadata that set_min, set_extent and set_stride pinned must hold."""
    owners = {a.name: a.owner for a in arrays}
    for image in images:
        for what, wanted in image.fixed.items():
            kind, d = what.split(".")
            owner = owners.get(image.name, image.name)
            actual = values.get(f"{image.name if kind == 'stride' else owner}.{what}")
            if actual is None or (kind == "stride" and values.get(f"{owner}.extent.{d}", 2) <= 1):
                # The stride of a single element says nothing.
                continue
            expected = int(evaluate(wanted, values).item())
            if int(actual) != expected:
                raise HalideError(f"Constraint violated: {image.name}.{kind}.{d} ({actual}) == {expected} ({expected})")


def check_same_shapes(arrays: tuple[Array, ...], buffers: Mapping[str, Buffer]) -> None:
    """The values of one Func must lie in buffers of one shape."""
    first: dict[str, Array] = {}
    for a in arrays:
        other = first.setdefault(a.owner, a)
        mine, theirs = buffers[a.name], buffers[other.name]
        for d in range(a.dimensions if other is not a else 0):
            for what in ("min", "extent"):
                found, wanted = (getattr(b.dim(d), what)() for b in (mine, theirs))
                if found != wanted:
                    raise HalideError(
                        f"Constraint violated: {a.name}.{what}.{d} ({found}) == {other.name}.{what}.{d} ({wanted})"
                    )


def check_alignment(images: list[Image], buffers: Mapping[str, Buffer]) -> None:
    """Memory must start where set_host_alignment says."""
    for image in images:
        buffer = buffers.get(image.name)
        if buffer is not None and image.alignment > 1 and buffer.address() % image.alignment:
            raise HalideError(
                f"The host pointer of {image.name} is not aligned to a {image.alignment} bytes boundary."
            )


def output_images(functions: list[Function]) -> list[Image]:
    """What is stated of the outputs' buffers.  A unit stride that nobody asked for is not insisted on."""
    return [i for f in functions for i in f.buffers]


def check_parameters(names: list[str], values: Mapping[str, Any]) -> None:
    """Params must lie in the ranges that set_range stated."""
    for name in names:
        param = PARAMS.get(name)
        if param is not None:
            param.check(values[name], values)


def parameter_value(name: str) -> Any:
    """The value of a Param.  Raises HalideError when there is none."""
    param = PARAMS.get(name)
    if param is None or param.get() is None:
        label = name if param is None else param.label
        raise HalideError(f"Parameter {label} does not have a valid scalar value; call set() on the Param first.")
    return param.get()


def check_added(requirements: list[tuple[Expr, list[Expr]]]) -> None:
    """What add_requirement stated must hold of the Params' values."""
    for condition, message in requirements:
        names = {n for e in (condition, *message) for n in variables(e)}
        values = {n: parameter_value(n) for n in names}
        if not evaluate(condition, values).item():
            texts = [p.value if isinstance(p, StringImm) else str(evaluate(p, values).item()) for p in message]
            raise HalideError("".join(texts))


def check_bounds(interface: Interface, values: Mapping[str, Any]) -> None:
    """Every box that is touched must lie inside its buffer."""
    for a in (*interface.inputs, *interface.outputs):
        box = interface.required.get(a.owner)
        if box is None or any(
            int(values[f"{o.owner}.extent.{d}"]) <= 0 for o in interface.outputs for d in range(o.dimensions)
        ):
            continue
        for d, (low, high) in enumerate(box.dims):
            least, extent = int(values[f"{a.owner}.min.{d}"]), int(values[f"{a.owner}.extent.{d}"])
            role = "Input" if a in interface.inputs else "Output"
            if low is None or high is None:
                raise HalideError(f"{role} buffer {a.name} is accessed over an unbounded range in dimension {d}")
            first, last = int(evaluate(low, values).item()), int(evaluate(high, values).item())
            if last < first:
                continue
            if first < least:
                raise HalideError(
                    f"{role} buffer {a.name} is accessed at {first}, which is before the min ({least}) in dimension {d}"
                )
            if last > least + extent - 1:
                raise HalideError(
                    f"{role} buffer {a.name} is accessed at {last}, which is beyond the max "
                    f"({least + extent - 1}) in dimension {d}"
                )


def are_disjoint(interface: Interface, buffers: Mapping[str, Buffer]) -> bool:
    """Whether the span of memory of every output meets that of no other array."""
    arrays = (*interface.inputs, *interface.outputs)
    outputs = {a.name for a in interface.outputs}
    spans = sorted((*_span(buffers[a.name]), a.name in outputs) for a in arrays)
    end = end_written = 0
    for low, high, written in spans:
        if low < (end if written else end_written):
            return False
        end = max(end, high)
        end_written = max(end_written, high) if written else end_written
    return True


def _span(buffer: Buffer) -> tuple[int, int]:
    """The first address of the Buffer's memory on the host and the one past the last."""
    low = high = buffer.address()
    view = buffer.view
    assert view is not None
    for n, stride in zip(view.shape, view.strides, strict=True):
        reach = (n - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + view.itemsize
