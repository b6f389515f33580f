"""Running pipelines in this process, on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from halide_core.buffer_checks import (
    are_disjoint,
    check_added,
    check_alignment,
    check_bounds,
    check_buffer,
    check_constraints,
    check_parameters,
    check_same_shapes,
    output_images,
    parameter_value,
)
from halide_core.dsl.buffer import Buffer
from halide_core.dsl.variables import PARAMS
from halide_core.errors import ArgumentError, HalideError
from halide_core.extern_calls import answers_at_entry
from halide_core.gpu.runtime import check_device
from halide_core.interface import Array
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import const_value
from halide_core.ir.structural import key
from halide_core.jit_code import Compiled, compiled
from halide_core.requirements import check_requirements, enlarged_outputs, required_box
from halide_core.target import Target

# How often the shapes of buffers that depend on each other are looked at again.
_MOST_ROUNDS = 64


def realize(pipeline: Any, where: Any, target: Target | None) -> Any:
    """Runs the pipeline over sizes (a list) or into Buffers; returns the Buffer, or a tuple of several.
    Nothing is returned where Buffers are given.

    Raises HalideError when an input is missing, of the wrong shape, or too small for what is read."""
    check_added(pipeline.added_requirements)
    code = compiled(pipeline, target)
    given = _given(code, where)
    if given is not None and code.last is not None and code.last[0] == given:
        code.call(code.last[1], code.last[2])
        return None
    buffers: dict[str, Buffer] = {}
    for a in code.interface.inputs:
        buffers[a.name] = check_buffer("Input", a, code.images[a.name].array)
    outputs, results = _output_buffers(code, where, buffers)
    unit = (code.strides.get(f"{a.name}.stride.0") == 1 for a in code.interface.outputs)
    if any(u and b.dimensions() and b.strides()[0] != 1 for u, b in zip(unit, outputs, strict=True)):
        code = compiled(pipeline, target, False)
    for a, buffer in zip(code.interface.outputs, outputs, strict=True):
        buffers[a.name] = check_buffer("Output", a, buffer)
    run(code, buffers, given=given)
    several = isinstance(where, list | tuple)
    if isinstance(where, Buffer) or (several and where and all(isinstance(b, Buffer) for b in where)):
        return None
    for buffer in outputs:
        buffer.copy_to_host()
    return results[0] if len(results) == 1 else tuple(results)


def _given(code: Compiled, where: Any) -> list[object] | None:
    """Where the Buffers of a run lie, their shapes, and the values and ranges of all Params: what a run depends on
    beside the code and what is pinned.  None where there is more, or where the outputs are to be made."""
    outputs = [where] if isinstance(where, Buffer) else where
    if code.interface.queries or not isinstance(outputs, list | tuple) or len(outputs) != len(code.interface.outputs):
        return None
    buffers = [code.images[a.name].array for a in code.interface.inputs]
    out: list[object] = []
    for b in (*buffers, *outputs):
        view = b.view if isinstance(b, Buffer) else None
        if view is None:
            return None
        out += (view.__array_interface__["data"], b.type(), view.shape, view.strides, b.mins())
    for name in code.interface.parameters:
        param = PARAMS.get(name)
        if param is not None:
            out.append(param.get())
            for limit in (param.min_value(), param.max_value()):
                # A limit may depend on other Params.
                if limit is not None and const_value(limit) is None:
                    return None
                out.append(limit if limit is None else const_value(limit))
    return out


def _output_buffers(code: Compiled, where: Any, inputs: dict[str, Buffer]) -> tuple[list[Buffer], list[Buffer]]:
    """(Buffers to run on, Buffers to return): the latter are the parts of the former that were asked for."""
    if isinstance(where, Buffer | np.ndarray):
        where = [where]
    items = list(where) if where is not None else []
    if items and all(isinstance(b, Buffer | np.ndarray) for b in items):
        count = len(code.interface.outputs)
        if len(items) != count:
            raise HalideError(f"Realization requires {len(items)} output(s) but pipeline produces {count} result(s).")
        given = [b if isinstance(b, Buffer) else Buffer(b) for b in items]
        return given, given
    if any(isinstance(n, float | str) or not hasattr(n, "__index__") for n in items):
        raise ArgumentError(f"realize(): incompatible function arguments; sizes are integers, and not {items}")
    sizes = [int(n) for n in items]
    for a in code.interface.outputs:
        if a.dimensions != len(sizes):
            raise HalideError(
                f"Func {a.owner} is defined with {a.dimensions} dimensions, but realize() is requesting a realization "
                f"with {len(sizes)} dimensions."
            )
    whole: list[Buffer] = []
    parts: list[Buffer] = []
    boxes = enlarged_outputs(code.interface, sizes, _input_values(code, inputs), inputs)
    for a, box in zip(code.interface.outputs, boxes, strict=True):
        buffer = Buffer._for_result(a.type, [extent for _, extent in box])
        whole.append(buffer)
        if box != [(0, n) for n in sizes]:
            buffer.set_min([low for low, _ in box])
            buffer = buffer.cropped([(0, n) for n in sizes])
        parts.append(buffer)
    return whole, parts


def _input_values(code: Compiled, buffers: dict[str, Buffer]) -> dict[str, Any]:
    """Metadata of the inputs and values of the Params; not what depends on the outputs."""
    values: dict[str, Any] = {}
    for a in code.interface.inputs:
        if a.name in buffers:
            buffer = buffers[a.name]
            for d, (low, extent) in enumerate(zip(buffer.mins(), buffer.extents(), strict=True)):
                values[f"{a.owner}.min.{d}"], values[f"{a.owner}.extent.{d}"] = low, extent
                values[f"{a.name}.stride.{d}"] = buffer.strides()[d]
            values[f"{a.name}.offset"] = -sum(m * s for m, s in zip(buffer.mins(), buffer.strides(), strict=True))
    owners = {a.owner for a in (*code.interface.inputs, *code.interface.outputs)}
    for name in code.interface.parameters:
        if name.split(".")[0] not in owners:
            values[name] = parameter_value(name)
    return values


def infer_input_bounds(pipeline: Any, where: Any, target: Target | None) -> None:
    """Gives every ImageParam without a Buffer one of the shape that a realization over `where` reads.

    `where` is sizes or Buffers; those without memory get the shape that is computed.  The shape of a buffer may depend
    on that of others, so the boxes are evaluated until they no longer change."""
    code = compiled(pipeline, target)
    unknown = {a.name: Buffer.make_bounds_query(a.type, [0] * a.dimensions) for a in code.interface.inputs}
    unknown = {n: b for n, b in unknown.items() if code.images[n].array is None}
    buffers = {a.name: unknown.get(a.name) or code.images[a.name].array for a in code.interface.inputs}
    known = {a.name: buffers[a.name] for a in code.interface.inputs if a.name not in unknown}
    outputs, _ = _output_buffers(code, where, known)
    buffers |= {a.name: b for a, b in zip(code.interface.outputs, outputs, strict=True)}
    for _ in range(_MOST_ROUNDS):
        values = _values(code, buffers)
        values |= answers_at_entry(code.interface, values, buffers)
        changed = _reshape_outputs(code, buffers, values)
        for a in code.interface.inputs:
            if a.name not in unknown:
                continue
            box = _box(code, a, values)
            mins, extents = [low for low, _ in box], [max(high - low + 1, 0) for low, high in box]
            changed |= (mins, extents) != (unknown[a.name].mins(), unknown[a.name].extents())
            unknown[a.name].reshape_query(mins, extents)
        if not changed:
            break
    else:
        raise HalideError(f"The bounds of {', '.join(unknown)} depend on each other without end")
    for name, buffer in unknown.items():
        buffer.allocate()
        code.images[name].array = buffer
        if code.images[name].owner is not None:
            code.images[name].owner._buffer = buffer


def _reshape_outputs(code: Compiled, buffers: dict[str, Buffer], values: dict[str, Any]) -> bool:
    """Gives outputs without memory the shape that is computed, and then the one that is stated; whether any changed."""
    stated = {i.name: i.fixed for f in code.functions for i in f.buffers}
    changed = False
    for a in code.interface.outputs:
        buffer = buffers[a.name]
        if buffer.has_memory():
            continue
        box = list(zip(buffer.mins(), buffer.extents(), strict=True))
        box = required_box(code.interface, a.owner, box, values)
        known = dict(values)
        for d, (low, extent) in enumerate(box):
            known[f"{a.owner}.min.{d}"], known[f"{a.owner}.extent.{d}"] = low, extent
        fixed = {what: int(evaluate(e, known).item()) for what, e in stated.get(a.name, {}).items()}
        mins = [fixed.get(f"min.{d}", low) for d, (low, _) in enumerate(box)]
        extents = [fixed.get(f"extent.{d}", extent) for d, (_, extent) in enumerate(box)]
        changed |= (mins, extents) != (buffer.mins(), buffer.extents())
        buffer.reshape_query(mins, extents)
    return changed


def _box(code: Compiled, a: Array, values: dict[str, Any]) -> list[tuple[int, int]]:
    """(first, last) of every dimension of `a`: what is read, or what is stated."""
    box = code.interface.required.get(a.owner)
    out: list[tuple[int, int]] = []
    for d in range(a.dimensions):
        low, high = (None, None) if box is None else box.dims[d]
        if low is None or high is None:
            raise HalideError(f"Input buffer {a.name} is accessed over an unbounded range in dimension {d}")
        first, last = int(evaluate(low, values).item()), int(evaluate(high, values).item())
        fixed = code.images[a.name].fixed
        if f"min.{d}" in fixed:
            first = int(evaluate(fixed[f"min.{d}"], values).item())
        if f"extent.{d}" in fixed:
            last = first + int(evaluate(fixed[f"extent.{d}"], values).item()) - 1
        out.append((first, last))
    return out


def run_with(code: Compiled, buffers: dict[str, Buffer], scalars: dict[str, Any]) -> None:
    """Runs the code on Buffers and Params given by name; Buffers that the pipeline holds are its own."""
    for a in code.interface.inputs:
        given = buffers.get(a.name, code.images[a.name].array)
        buffers[a.name] = check_buffer("Input", a, given)
    for a in code.interface.outputs:
        check_buffer("Output", a, buffers[a.name])
        unit = code.strides.get(f"{a.name}.stride.0") == 1
        if unit and buffers[a.name].dim(0).stride() != 1 and buffers[a.name].dim(0).extent() > 1:
            raise HalideError(f"Constraint violated: {a.name}.stride.0 ({buffers[a.name].dim(0).stride()}) == 1 (1)")
    run(code, buffers, scalars)


def run(
    code: Compiled,
    buffers: dict[str, Buffer],
    scalars: dict[str, Any] | None = None,
    given: list[object] | None = None,
) -> None:
    """Calls the code on the buffers, after checking that every access lies inside them.

    `given`: what this follows from, so that the next run from the same need not find it out again."""
    values = _values(code, buffers, scalars)
    images = [*code.images.values(), *output_images(code.functions)]
    check_same_shapes(code.interface.outputs, buffers)
    check_parameters(list(code.interface.parameters), values)
    check_alignment(images, buffers)
    values |= answers_at_entry(code.interface, values, buffers)
    # The other checks see nothing but these.
    seen = (values, [(i.name, what, key(e)) for i in images for what, e in i.fixed.items()])
    if seen != code.checked:
        check_requirements(code.interface, values)
        check_constraints(images, code.arrays, values)
        check_bounds(code.interface, values)
        code.checked = seen
    disjoint = are_disjoint(code.interface, buffers)
    arguments: list[Any] = [buffers[a.name].address() for a in code.arrays]
    if code.on_device:
        # What the memory of a device is may change without the rest.
        given = None
        arguments += _on_device(code, buffers, disjoint)
    for v in code.variables.values():
        value = values[v.name]
        arguments.append(float(value) if v.type.is_float() else int(value))
    code.last = None if given is None else (given, disjoint, arguments)
    try:
        code.call(disjoint, arguments)
    except BaseException:
        for a in code.interface.outputs if code.on_device else ():
            buffers[a.name].device_memory().after_failure()
        raise


def _on_device(code: Compiled, buffers: dict[str, Buffer], disjoint: bool) -> list[int | None]:
    """The addresses of the Buffers' halide_buffer_ts; none for an array that shares memory with another one, be it in
    the same Buffer, of which a run has a copy of its own: kernels take arrays for apart."""
    check_device()
    out: list[int | None] = []
    for a in code.arrays:
        mine = buffers[a.name]
        others = (buffers[o.name].view for o in code.arrays if o is not a)
        alone = disjoint or not any(np.may_share_memory(mine.view, view) for view in others)
        if alone:
            out.append(mine.device_memory().ready())
        else:
            mine.copy_to_host()
            mine.set_host_dirty()
            out.append(None)
    return out


def _values(code: Compiled, buffers: dict[str, Buffer], scalars: dict[str, Any] | None = None) -> dict[str, Any]:
    """The metadata of all buffers and the values of the parameters, those of Params unless given."""
    values: dict[str, Any] = dict(scalars or {})
    for a in code.arrays:
        buffer = buffers[a.name]
        mins, extents, strides = buffer.mins(), buffer.extents(), list(buffer.strides())
        for d, extent in enumerate(extents):
            if extent <= 1:
                # Any stride will do for a single element; the code may be made for one.
                strides[d] = code.strides.get(f"{a.name}.stride.{d}", strides[d])
        values[f"{a.name}.offset"] = -sum(m * s for m, s in zip(mins, strides, strict=True))
        for d in range(a.dimensions):
            values[f"{a.owner}.min.{d}"], values[f"{a.owner}.extent.{d}"] = mins[d], extents[d]
            values[f"{a.name}.stride.{d}"] = strides[d]
    for name in code.interface.parameters:
        values[name] = _parameter(name, values)
    return values


def _parameter(name: str, values: dict[str, Any]) -> Any:
    if name in values:
        return values[name]
    base, _, dim = name.rpartition(".")
    if f"{base}.{dim}" in values:
        return values[f"{base}.{dim}"]
    return parameter_value(name)
