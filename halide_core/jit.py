"""Running pipelines in this process, on NumPy arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_module import CompiledModule
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.backend.llvm_types import llvm_type
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
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.dsl.buffer import Buffer
from halide_core.errors import HalideError
from halide_core.function import schedule_key
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.structural import key
from halide_core.ir.types import Type
from halide_core.lower import Array, Lowered, lower, metadata_variables, output_arrays
from halide_core.passes.realization_order import build_environment
from halide_core.passes.wrap_calls import wrap_calls
from halide_core.reports import raise_reported, reports
from halide_core.requirements import check_requirements, enlarged_outputs
from halide_core.target import Target


class Compiled:
    """A pipeline's machine code and how to call it."""

    @on_deep_stack(lambda self, pipeline, *_: is_deep(pipeline.functions()))
    def __init__(self, pipeline: Any, target: Target, dense: bool) -> None:
        functions = self.functions = pipeline.functions()
        # Outputs have unit stride in dimension 0 unless a buffer shows otherwise.
        known: dict[str, Expr] = {
            f"{a.name}.stride.0": const(1, I64) for f in functions for a in output_arrays(f) if dense and a.dimensions
        }
        self.lowered: Lowered = lower(functions, target, known)
        self.arrays: tuple[Array, ...] = self.lowered.inputs + self.lowered.outputs
        self.images = {i.name: i for i in self.lowered.environment.images}
        self.variables = {v.name: v for a in self.arrays for v in metadata_variables(a)} | self.lowered.parameters
        self.target = target
        # Buffers that may share memory need code of their own, made when they come.
        self._calls: dict[bool, tuple[Any, bool]] = {}
        self._emitted(True)
        # The metadata, parameters and constraints that the last run was checked with.
        self.checked: object = None

    def call(self, disjoint: bool, arguments: list[Any]) -> None:
        """Runs the code on addresses of arrays and values of Variables.  `disjoint`: no output shares memory with
        another array.  Raises HalideError where the code reports an error."""
        function, reporting = self._emitted(disjoint)
        function(*arguments)
        if reporting:
            raise_reported()

    def _emitted(self, disjoint: bool) -> tuple[Any, bool]:
        if disjoint not in self._calls:
            self._calls[disjoint] = self._emit(disjoint)
        return self._calls[disjoint]

    @on_deep_stack(lambda self, *_: is_deep(self.functions))
    def _emit(self, disjoint: bool) -> tuple[Any, bool]:
        """(Code as a callable, whether it reports)."""
        module = ModuleBuilder(self.target.psad_bytes, self.target.permutes_bytes)
        module.collects_errors = True
        names = Names({}, {}, {}, {})
        parameters: list[str] = []
        kinds: list[Any] = []
        for k, a in enumerate(self.arrays):
            names.arrays[a.name], names.array_types[a.name] = f"%p{k}", a.type
            names.groups[a.name] = k if disjoint else 0
            parameters.append(f"ptr {'noalias ' if disjoint else ''}%p{k}")
            kinds.append(ctypes.c_void_p)
        b = FunctionBuilder(module)
        for k, v in enumerate(self.variables.values()):
            parameters.append(f"{'i8' if v.type.is_bool() else llvm_type(v.type)} %s{k}")
            kinds.append(_ctype(v.type))
            names.operands[v.name] = b.emit(f"trunc i8 %s{k} to i1") if v.type.is_bool() else f"%s{k}"
            names.variable_types[v.name] = v.type
        StmtEmitter(module, b, names, "pipeline").emit(self.lowered.stmt)
        b.do("ret void")
        b.finish(f"define void @pipeline({', '.join(parameters)}) nounwind #0")
        text = module.text()
        reporting = "@halide_print(" in text or "@halide_error(" in text
        code = CompiledModule(text + reports() if reporting else text, self.target)
        return code.jit().function("pipeline", None, *kinds), reporting


def _ctype(t: Type) -> Any:
    if t.is_float():
        if t.bits == 16:
            raise HalideError("float16 parameters are not supported by the JIT")
        return ctypes.c_float if t.bits == 32 else ctypes.c_double
    if t.is_bool():
        return ctypes.c_uint8
    names = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
    return getattr(ctypes, f"c_{'' if t.is_int() else 'u'}{names[t.bits]}")


class _Cache:
    """The compiled code of one pipeline, for as long as its definitions and schedules stay as they are."""

    __slots__ = ("codes", "functions", "images", "key")

    def __init__(self, pipeline: Any) -> None:
        wrap_calls(pipeline.functions())
        environment = build_environment(pipeline.functions())
        self.functions, self.images = environment.order, environment.images
        self.key = self._present_key(pipeline)
        self.codes: dict[tuple[object, ...], Compiled] = {}

    def _present_key(self, pipeline: Any) -> tuple[object, ...]:
        parts: list[object] = [id(f) for f in pipeline.functions()]
        for f in self.functions:
            parts += [id(f), schedule_key(f)]
        for i in self.images:
            parts.append((i.name, [(what, key(e)) for what, e in sorted(i.fixed.items())]))
        return tuple(parts)

    def is_valid(self, pipeline: Any) -> bool:
        """Whether nothing changed.  What a pipeline reaches follows from the definitions of what it reached before."""
        return self._present_key(pipeline) == self.key


def compiled(pipeline: Any, target: Target | None, dense: bool = True) -> Compiled:
    """The pipeline's code, compiled again only after a change of definitions or schedules."""
    cache: _Cache | None = getattr(pipeline, "_compiled", None)
    if cache is None or not cache.is_valid(pipeline):
        cache = pipeline._compiled = _Cache(pipeline)
    chosen = target if target is not None else Target("host")
    # A Target may change later.
    which = (*chosen.identity(), dense)
    if which not in cache.codes:
        cache.codes[which] = Compiled(pipeline, chosen, dense)
    return cache.codes[which]


def realize(pipeline: Any, where: Any, target: Target | None) -> Any:
    """Runs the pipeline over sizes (a list) or into Buffers; returns the Buffer, or a tuple of several.
    Nothing is returned where Buffers are given.

    Raises HalideError when an input is missing, of the wrong shape, or too small for what is read."""
    check_added(pipeline.added_requirements)
    code = compiled(pipeline, target)
    buffers: dict[str, Buffer] = {}
    for a in code.lowered.inputs:
        buffers[a.name] = check_buffer("Input", a, code.images[a.name].array)
    outputs, results = _output_buffers(code, where, buffers)
    if any(b.dimensions() and b.strides()[0] != 1 for b in outputs):
        code = compiled(pipeline, target, False)
    for a, buffer in zip(code.lowered.outputs, outputs, strict=True):
        buffers[a.name] = check_buffer("Output", a, buffer)
    run(code, buffers)
    if isinstance(where, Buffer) or (where and all(isinstance(b, Buffer) for b in where)):
        return None
    return results[0] if len(results) == 1 else tuple(results)


def _output_buffers(code: Compiled, where: Any, inputs: dict[str, Buffer]) -> tuple[list[Buffer], list[Buffer]]:
    """(Buffers to run on, Buffers to return): the latter are the parts of the former that were asked for."""
    if isinstance(where, Buffer | np.ndarray):
        where = [where]
    items = list(where) if where is not None else []
    if items and all(isinstance(b, Buffer | np.ndarray) for b in items):
        count = len(code.lowered.outputs)
        if len(items) != count:
            raise HalideError(f"Realization requires {len(items)} output(s) but pipeline produces {count} result(s).")
        given = [b if isinstance(b, Buffer) else Buffer(b) for b in items]
        return given, given
    sizes = [int(n) for n in items]
    for a in code.lowered.outputs:
        if a.dimensions != len(sizes):
            raise HalideError(
                f"Func {a.owner} is defined with {a.dimensions} dimensions, but realize() is requesting a realization "
                f"with {len(sizes)} dimensions."
            )
    whole: list[Buffer] = []
    parts: list[Buffer] = []
    boxes = enlarged_outputs(code.lowered, sizes, _input_values(code, inputs))
    for a, box in zip(code.lowered.outputs, boxes, strict=True):
        buffer = Buffer(a.type, [extent for _, extent in box])
        whole.append(buffer)
        if box != [(0, n) for n in sizes]:
            buffer.set_min([low for low, _ in box])
            buffer = buffer.cropped([(0, n) for n in sizes])
        parts.append(buffer)
    return whole, parts


def _input_values(code: Compiled, buffers: dict[str, Buffer]) -> dict[str, Any]:
    """Metadata of the inputs and values of the Params; not what depends on the outputs."""
    values: dict[str, Any] = {}
    for a in code.lowered.inputs:
        if a.name in buffers:
            buffer = buffers[a.name]
            for d, (low, extent) in enumerate(zip(buffer.mins(), buffer.extents(), strict=True)):
                values[f"{a.owner}.min.{d}"], values[f"{a.owner}.extent.{d}"] = low, extent
    owners = {a.owner for a in (*code.lowered.inputs, *code.lowered.outputs)}
    for name in code.lowered.parameters:
        if name.split(".")[0] not in owners:
            values[name] = parameter_value(name)
    return values


def infer_input_bounds(pipeline: Any, where: Any, target: Target | None) -> None:
    """Gives every ImageParam without a Buffer one of the shape that a realization over `where` reads.

    `where` is sizes or Buffers, with or without memory.  The shape of an input may depend on that of others, so
    the boxes are evaluated until they no longer change."""
    code = compiled(pipeline, target)
    unknown = {a.name: Buffer.make_bounds_query(a.type, [0] * a.dimensions) for a in code.lowered.inputs}
    unknown = {n: b for n, b in unknown.items() if code.images[n].array is None}
    buffers = {a.name: unknown.get(a.name) or code.images[a.name].array for a in code.lowered.inputs}
    known = {a.name: buffers[a.name] for a in code.lowered.inputs if a.name not in unknown}
    outputs, _ = _output_buffers(code, where, known)
    buffers |= {a.name: b for a, b in zip(code.lowered.outputs, outputs, strict=True)}
    for _ in range(16):
        values = _values(code, buffers)
        changed = False
        for a in code.lowered.inputs:
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


def _box(code: Compiled, a: Array, values: dict[str, Any]) -> list[tuple[int, int]]:
    """(first, last) of every dimension of `a`: what is read, or what is stated."""
    box = code.lowered.required.get(a.owner)
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
    for a in code.lowered.inputs:
        given = buffers.get(a.name, code.images[a.name].array)
        buffers[a.name] = check_buffer("Input", a, given)
    for a in code.lowered.outputs:
        check_buffer("Output", a, buffers[a.name])
        if a.dimensions and buffers[a.name].dim(0).stride() != 1 and buffers[a.name].dim(0).extent() > 1:
            raise HalideError(f"Constraint violated: {a.name}.stride.0 ({buffers[a.name].dim(0).stride()}) == 1 (1)")
    run(code, buffers, scalars)


def run(code: Compiled, buffers: dict[str, Buffer], scalars: dict[str, Any] | None = None) -> None:
    """Calls the code on the buffers, after checking that every access lies inside them."""
    values = _values(code, buffers, scalars)
    images = [*code.images.values(), *output_images(code.functions)]
    check_same_shapes(code.lowered.outputs, buffers)
    check_parameters(list(code.lowered.parameters), values)
    check_alignment(images, buffers)
    # The other checks see nothing but these.
    seen = (values, [(i.name, what, key(e)) for i in images for what, e in i.fixed.items()])
    if seen != code.checked:
        check_requirements(code.lowered, values)
        check_constraints(images, values)
        check_bounds(code.lowered, values)
        code.checked = seen
    arguments: list[Any] = [buffers[a.name].array.ctypes.data for a in code.arrays]
    for v in code.variables.values():
        value = values[v.name]
        arguments.append(float(value) if v.type.is_float() else int(value))
    code.call(are_disjoint(code.lowered, buffers), arguments)


def _values(code: Compiled, buffers: dict[str, Buffer], scalars: dict[str, Any] | None = None) -> dict[str, Any]:
    """The metadata of all buffers and the values of the parameters, those of Params unless given."""
    values: dict[str, Any] = dict(scalars or {})
    for a in code.arrays:
        buffer = buffers[a.name]
        mins, extents, strides = buffer.mins(), buffer.extents(), buffer.strides()
        values[f"{a.name}.offset"] = -sum(m * s for m, s in zip(mins, strides, strict=True))
        for d in range(a.dimensions):
            values[f"{a.owner}.min.{d}"], values[f"{a.owner}.extent.{d}"] = mins[d], extents[d]
            values[f"{a.name}.stride.{d}"] = strides[d]
    for name in code.lowered.parameters:
        values[name] = _parameter(name, values)
    return values


def _parameter(name: str, values: dict[str, Any]) -> Any:
    if name in values:
        return values[name]
    base, _, dim = name.rpartition(".")
    if f"{base}.{dim}" in values:
        return values[f"{base}.{dim}"]
    return parameter_value(name)
