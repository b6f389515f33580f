"""From a lowered pipeline to an object for this process; imported only where no such object is cached."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_module import CompiledModule, module_builder
from halide_core.backend.llvm_profile import Profiler
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.backend.llvm_types import llvm_type
from halide_core.compiler_memory import frugal
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.interface import Array
from halide_core.ir import expr as ir
from halide_core.lower import Lowered
from halide_core.target import Target

SYMBOL = "pipeline"


@frugal
@on_deep_stack(lambda lowered, *_: is_deep(lowered.environment.order))
def compile_for_process(
    lowered: Lowered, arrays: Sequence[Array], variables: Sequence[ir.Variable], target: Target, disjoint: bool
) -> CompiledModule:
    """A module whose function SYMBOL takes the addresses of `arrays`, then the values of `variables`; where a device
    runs kernels, in between for each array the address of its halide_buffer_t, or null.

    `disjoint`: no output shares memory with another array."""
    module = module_builder(target)
    names = Names({}, {}, {}, {})
    parameters: list[str] = []
    for k, a in enumerate(arrays):
        names.arrays[a.name], names.array_types[a.name] = f"%p{k}", a.type
        names.groups[a.name] = k if disjoint else 0
        parameters.append(f"ptr {'noalias ' if disjoint else ''}%p{k}")
    for k, a in enumerate(arrays if lowered.kernels else ()):
        names.given[a.name] = f"%d{k}"
        parameters.append(f"ptr %d{k}")
    b = FunctionBuilder(module)
    for k, v in enumerate(variables):
        parameters.append(f"{'i8' if v.type.is_bool() else llvm_type(v.type)} %s{k}")
        names.operands[v.name] = b.emit(f"trunc i8 %s{k} to i1") if v.type.is_bool() else f"%s{k}"
        names.variable_types[v.name] = v.type
    if target.has_feature("profile"):
        module.profiler = Profiler()
        module.profiler.start(b)
    if lowered.kernels:
        from halide_core.backend.llvm_device import begin
        from halide_core.backend.ptx import ptx_for

        begin(b, ptx_for(lowered.kernels, target))
    StmtEmitter(module, b, names, SYMBOL).emit(lowered.stmt)
    if module.profiler is not None:
        module.profiler.charge(b, 0)
    b.do("ret void")
    b.finish(f"define void @{SYMBOL}({', '.join(parameters)}) nounwind #0")
    made = CompiledModule(module.text(), target, jit=True)
    made.on_device = bool(lowered.kernels)
    made.profiled = tuple(module.profiler.names) if module.profiler is not None else ()
    return made
