"""Running pipelines in this process, on NumPy arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_module import CompiledModule
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.backend.llvm_types import llvm_type
from halide_core.dsl.image import Buffer
from halide_core.dsl.variables import PARAMS
from halide_core.errors import HalideError
from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.types import Type
from halide_core.lower import Array, Lowered, lower, metadata_variables, output_arrays
from halide_core.target import Target


class Compiled:
    """A pipeline's machine code and how to call it."""

    def __init__(self, pipeline: Any, target: Target, dense: bool) -> None:
        functions = pipeline.functions()
        # Outputs have unit stride in dimension 0 unless a buffer shows otherwise.
        known: dict[str, Expr] = {
            f"{a.name}.stride.0": const(1, I64) for f in functions for a in output_arrays(f) if dense and a.dimensions
        }
        self.lowered: Lowered = lower(functions, target, known)
        self.arrays: tuple[Array, ...] = self.lowered.inputs + self.lowered.outputs
        self.images = {i.name: i for i in self.lowered.environment.images}
        self.variables = {v.name: v for a in self.arrays for v in metadata_variables(a)} | self.lowered.parameters
        module = ModuleBuilder(target.psad_bytes)
        names = Names({}, {}, {}, {})
        parameters: list[str] = []
        kinds: list[Any] = []
        for k, a in enumerate(self.arrays):
            names.arrays[a.name], names.array_types[a.name], names.groups[a.name] = f"%p{k}", a.type, k
            parameters.append(f"ptr %p{k}")
            kinds.append(ctypes.c_void_p)
        b = FunctionBuilder(module)
        for k, v in enumerate(self.variables.values()):
            parameters.append(f"{'i8' if v.type.is_bool() else llvm_type(v.type)} %s{k}")
            kinds.append(_ctype(v.type))
            names.operands[v.name] = b.emit(f"trunc i8 %s{k} to i1") if v.type.is_bool() else f"%s{k}"
            names.variable_types[v.name] = v.type
        # Two buffers of a realization may share memory, so nothing is promised about aliasing.
        names.groups = dict.fromkeys(names.groups, 0)
        StmtEmitter(module, b, names, "pipeline").emit(self.lowered.stmt)
        b.do("ret void")
        b.finish(f"define void @pipeline({', '.join(parameters)}) nounwind #0")
        self.module = CompiledModule(module.text(), target)
        self.call = self.module.jit().function("pipeline", None, *kinds)


def _ctype(t: Type) -> Any:
    if t.is_float():
        if t.bits == 16:
            raise HalideError("float16 parameters are not supported by the JIT")
        return ctypes.c_float if t.bits == 32 else ctypes.c_double
    if t.is_bool():
        return ctypes.c_uint8
    names = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
    return getattr(ctypes, f"c_{'' if t.is_int() else 'u'}{names[t.bits]}")


def _fingerprint(pipeline: Any) -> tuple[object, ...]:
    from halide_core.passes.realization_order import build_environment

    environment = build_environment(pipeline.functions())
    parts: list[object] = []
    for f in environment.order:
        parts += [f.name, str(f.compute), str(f.store), tuple(f.storage_order), len(f.updates), str(f.bounds)]
        for d in f.definitions():
            parts += [tuple((x.var, x.kind) for x in d.schedule.dims), tuple(d.schedule.splits), id(d.values[0])]
    parts += [(i.name, tuple(sorted((k, str(v)) for k, v in i.fixed.items()))) for i in environment.images]
    return tuple(parts)


def compiled(pipeline: Any, target: Target | None, dense: bool = True) -> Compiled:
    """The pipeline's code, compiled again only after a change of definitions or schedules."""
    chosen = target if target is not None else Target("host")
    key = (_fingerprint(pipeline), chosen, dense)
    cached = getattr(pipeline, "_compiled", None)
    if cached is None or cached[0] != key:
        cached = (key, Compiled(pipeline, chosen, dense))
        pipeline._compiled = cached
    result: Compiled = cached[1]
    return result


def realize(pipeline: Any, where: Any, target: Target | None) -> Any:
    """Runs the pipeline over sizes (a list) or into Buffers; returns the Buffer, or a list of several.

    Raises HalideError when an input is missing, of the wrong shape, or too small for what is read."""
    code = compiled(pipeline, target)
    outputs = _output_buffers(pipeline, code, where)
    buffers: dict[str, Buffer] = {}
    for a in code.lowered.inputs:
        buffer = code.images[a.name].array
        if buffer is None:
            raise HalideError(f"Input {a.name} has no buffer; call set() on the ImageParam first")
        if buffer.type() != a.type or buffer.dimensions() != a.dimensions:
            raise HalideError(
                f"Input buffer {a.name} has type {buffer.type()} and {buffer.dimensions()} dimensions, "
                f"not {a.type} and {a.dimensions}"
            )
        buffers[a.name] = buffer
    if any(b.dimensions() and b.strides()[0] != 1 for b in outputs):
        code = compiled(pipeline, target, False)
    for a, buffer in zip(code.lowered.outputs, outputs, strict=True):
        if buffer.type() != a.type or buffer.dimensions() != a.dimensions:
            raise HalideError(
                f"Output buffer {a.name} has type {buffer.type()} and {buffer.dimensions()} dimensions, "
                f"not {a.type} and {a.dimensions}"
            )
        buffers[a.name] = buffer
    run(code, buffers)
    return outputs[0] if len(outputs) == 1 else outputs


def _output_buffers(pipeline: Any, code: Compiled, where: Any) -> list[Buffer]:
    if isinstance(where, Buffer | np.ndarray):
        where = [where]
    items = list(where) if where is not None else []
    if items and all(isinstance(b, Buffer | np.ndarray) for b in items):
        return [b if isinstance(b, Buffer) else Buffer(b) for b in items]
    outputs: list[Buffer] = []
    for a in code.lowered.outputs:
        if a.dimensions != len(items):
            raise HalideError(f"Func {a.owner} has {a.dimensions} dimensions and is realized with {len(items)} sizes")
        outputs.append(Buffer(np.zeros(tuple(int(n) for n in reversed(items)), dtype=dtype_of(a.type))))
    return outputs


def run(code: Compiled, buffers: dict[str, Buffer]) -> None:
    """Calls the code on the buffers, after checking that every access lies inside them."""
    values: dict[str, Any] = {}
    for a in code.arrays:
        buffer = buffers[a.name]
        mins, extents, strides = buffer.mins(), buffer.extents(), buffer.strides()
        values[f"{a.name}.offset"] = -sum(m * s for m, s in zip(mins, strides, strict=True))
        for d in range(a.dimensions):
            values[f"{a.owner}.min.{d}"], values[f"{a.owner}.extent.{d}"] = mins[d], extents[d]
            values[f"{a.name}.stride.{d}"] = strides[d]
    for name in code.lowered.parameters:
        values[name] = _parameter(name, values)
    check_fixed(code, values)
    check_bounds(code, values)
    arguments: list[Any] = [buffers[a.name].array.ctypes.data for a in code.arrays]
    for v in code.variables.values():
        value = values[v.name]
        arguments.append(float(value) if v.type.is_float() else int(value))
    code.call(*arguments)


def _parameter(name: str, values: dict[str, Any]) -> Any:
    if name in values:
        return values[name]
    base, _, dim = name.rpartition(".")
    if f"{base}.{dim}" in values:
        return values[f"{base}.{dim}"]
    param = PARAMS.get(name)
    if param is None or param.get() is None:
        raise HalideError(f"Parameter {name} has no value; call set() on the Param first")
    return param.get()


def check_fixed(code: Compiled, values: dict[str, Any]) -> None:
    """Metadata that set_min, set_extent and set_stride pinned must hold."""
    for image in code.images.values():
        for what, wanted in image.fixed.items():
            kind, d = what.split(".")
            actual = values.get(f"{image.name}.{what}")
            expected = int(evaluate(wanted, values).item())
            if actual is not None and int(actual) != expected:
                raise HalideError(f"Constraint violated: {image.name}.{kind}.{d} ({actual}) == {expected} ({expected})")


def check_bounds(code: Compiled, values: dict[str, Any]) -> None:
    """Every box that is touched must lie inside its buffer."""
    for a in code.arrays:
        box = code.lowered.required.get(a.owner)
        if box is None or any(
            int(values[f"{o.owner}.extent.{d}"]) <= 0 for o in code.lowered.outputs for d in range(o.dimensions)
        ):
            continue
        for d, (low, high) in enumerate(box.dims):
            least, extent = int(values[f"{a.owner}.min.{d}"]), int(values[f"{a.owner}.extent.{d}"])
            role = "Input" if a in code.lowered.inputs else "Output"
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
