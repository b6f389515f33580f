"""Compiling pipelines ahead of time: raw entry points with a caller's own C signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halide_core.backend.halide_entry import emit_halide_function
from halide_core.backend.llvm_module import CompiledModule, JitModule, module_builder
from halide_core.backend.raw_device import DeviceVariant
from halide_core.backend.raw_entry import emit_raw_function
from halide_core.compiler_memory import frugal
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.gpu.nests import runs_on_device
from halide_core.interface import output_arrays, unit_strides
from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from halide_core.lower import Lowered, lower
from halide_core.passes.realization_order import build_environment
from halide_core.target import Target


@dataclass(frozen=True, slots=True)
class RawParam:
    """A parameter of the C function; `type` is the scalar's type, or the type pointed to."""

    name: str
    type: Type
    is_pointer: bool = False


@dataclass(frozen=True, slots=True)
class RawBuffer:
    """How an ImageParam or an output Func lies in the caller's memory.

    `pointer` names a pointer parameter, or is "" for storage allocated for the call.  `offset` counts elements
    (int64) from the pointer to the coordinate (0, ..., 0); mins, extents and strides are by dimension, strides in
    elements (int64); all are expressions over the scalar parameters."""

    pointer: str
    offset: Expr
    mins: tuple[Expr, ...]
    extents: tuple[Expr, ...]
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to compute the function, taken when `condition` holds.  An image with data of its own (`Image.array`)
    goes into the object as a constant.

    `condition` is a bool over scalar parameters and Variable(UInt(64), "addr." + pointer parameter).  Buffers with
    different pointers must be disjoint whenever it holds; buffers with one pointer may coincide element by element.
    `result` is the returned value, over scalar parameters and Load(type, array, 0) of outputs with pointer ""."""

    condition: Expr
    pipeline: Any
    buffers: dict[str, RawBuffer] = field(default_factory=dict)
    scalars: dict[str, Expr] = field(default_factory=dict)
    result: Expr | None = None


class Module:
    """Compiled functions that go into one object."""

    def __init__(self, target: Target, shows_runtime: bool = True) -> None:
        """`shows_runtime`: other code of the program may call the run time's functions for devices."""
        self.target = target
        self.shows_runtime = shows_runtime
        self.builder = module_builder(target)
        self._compiled: CompiledModule | None = None

    def compiled(self) -> CompiledModule:
        """The module as it stands, optimised."""
        if self._compiled is None:
            self._compiled = CompiledModule(self.builder.text(), self.target, shows_runtime=self.shows_runtime)
        return self._compiled

    def changed(self) -> None:
        """Forgets compiled code after a function was added."""
        self._compiled = None

    def write_object(self, path: str | Path) -> None:
        """Writes a relocatable, position-independent ELF object."""
        self.compiled().write_object(path)

    def object_bytes(self) -> bytes:
        return self.compiled().object_bytes()

    def llvm_ir(self) -> str:
        """Optimised LLVM IR."""
        return self.compiled().llvm_ir()

    def source(self) -> str:
        """LLVM IR before optimisation."""
        return self.compiled().source

    def bitcode(self) -> bytes:
        """Optimised LLVM IR in its binary form."""
        return self.compiled().bitcode()

    def assembly(self) -> str:
        return self.compiled().assembly()

    def jit(self) -> JitModule:
        """The functions, callable in this process."""
        return self.compiled().jit()

    def unoptimised_jit(self) -> JitModule:
        """As `jit`, without LLVM's optimiser, whose time is most of a small function's."""
        return CompiledModule(self.builder.text(), self.target, optimize=False).jit()


def compile_raw(
    symbol: str,
    params: Sequence[RawParam],
    return_type: Type | None,
    variants: Sequence[Variant | DeviceVariant],
    fallback: str | None,
    target: Target,
    module: Module | None = None,
) -> Module:
    """Compiles the C function `symbol`: the first variant whose condition holds is run, else `fallback` is called.

    `fallback` is an external function of the same signature; without one nothing happens and 0 is returned.
    A DeviceVariant (`backend.raw_entry.for_device`) is run where there is a device that it pays on, and left for the
    next when anything fails there.  A variant is also left for the next when its extents do not fit 32 bits.
    The function is added to `module` when one is given.  Raises HalideError for schedules that cannot run on the
    given buffers."""
    out = module if module is not None else Module(target)
    emit_raw_function(out.builder, symbol, list(params), return_type, list(variants), fallback, target)
    out.changed()
    return out


@frugal
@on_deep_stack(lambda pipeline, *_, **__: is_deep(pipeline.functions()))
def compile_pipeline(
    pipeline: Any, arguments: Sequence[Any], symbol: str, target: Target, module: Module | None = None
) -> Module:
    """Compiles `pipeline` with Halide's signature: `arguments` (ImageParams and Params), then outputs.

    The function is added to `module` when one is given."""
    functions = pipeline.functions()
    outputs = [a for f in functions for a in output_arrays(f)]
    assumed = unit_strides(outputs, [i for f in functions for i in f.buffers])
    lowered = lower(functions, target, assumed)
    out = module if module is not None else Module(target)
    emit_halide_function(out.builder, symbol, _definitions(arguments, lowered), lowered, assumed, target)
    out.changed()
    return out


def _definitions(arguments: Sequence[Any] | None, lowered: Lowered) -> list[Any]:
    if arguments is None:
        return [*lowered.environment.images, *lowered.parameters.values()]
    return [a._image if hasattr(a, "_image") else a._as_expr() for a in arguments]


# What callers of code with kernels need, as HalideRuntime.h and HalideRuntimeCuda.h declare it.
_OF_DEVICES = """
/* Results stay where they were computed until they are asked for. */
struct halide_device_interface_t;
extern int halide_copy_to_host(void *user_context, struct halide_buffer_t *buf);
extern int halide_buffer_copy(void *user_context, struct halide_buffer_t *src,
                              const struct halide_device_interface_t *dst_device_interface,
                              struct halide_buffer_t *dst);
extern int halide_device_sync(void *user_context, struct halide_buffer_t *buf);
extern int halide_device_free(void *user_context, struct halide_buffer_t *buf);
extern void halide_device_release(void *user_context, const struct halide_device_interface_t *device_interface);
extern const struct halide_device_interface_t *halide_cuda_device_interface();
"""


def header(pipeline: Any, arguments: Sequence[Any], symbol: str) -> str:
    """The C declaration of the compiled pipeline, and of what it takes to use results of a device."""
    of_devices = _OF_DEVICES if runs_on_device(build_environment(pipeline.functions()).order) is not None else ""
    kinds = ["struct halide_buffer_t *" if hasattr(a, "_image") else c_type(a.type()) + " " for a in arguments]
    names = [a.name() for a in arguments]
    for f in pipeline.functions():
        for a in output_arrays(f):
            kinds.append("struct halide_buffer_t *")
            names.append(a.name)
    clean = ["".join(c if c.isalnum() else "_" for c in n) for n in names]
    parameters = ", ".join(f"{k}_{n}" for k, n in zip(kinds, clean, strict=True))
    guard = f"HALIDE_{symbol.upper()}_H"
    return (
        f"#ifndef {guard}\n#define {guard}\n#include <stdint.h>\n\nstruct halide_buffer_t;\n\n"
        f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n'
        f"int {symbol}({parameters});\n{of_devices}\n"
        f'#ifdef __cplusplus\n}}  // extern "C"\n#endif\n\n#endif\n'
    )


def c_type(t: Type) -> str:
    """The C name of a scalar type."""
    if t.is_float():
        return {16: "_Float16", 32: "float", 64: "double"}[t.bits]
    return "bool" if t.is_bool() else f"{'' if t.is_int() else 'u'}int{t.bits}_t"
