"""Functions with a caller's C signature: conditions, variants, fallback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.backend import raw_device
from halide_core.backend.flat_rows import flat_extents
from halide_core.backend.llvm_builder import FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_device import begin
from halide_core.backend.llvm_stmt import NO_MEMORY, NO_MEMORY_YET, Names, Results, StmtEmitter
from halide_core.backend.llvm_types import literal, llvm_type, memory_type
from halide_core.backend.ptx import ptx_for
from halide_core.backend.raw_device import DeviceVariant, Gain
from halide_core.errors import HalideError
from halide_core.function import Function, Split, TailStrategy
from halide_core.gpu.offload import is_partly_defined
from halide_core.interface import Array, metadata_variables, output_arrays
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.operators import cast_to
from halide_core.ir.simplify import simplify
from halide_core.ir.types import Bool, Handle, Type, UInt
from halide_core.lower import Lowered, lower
from halide_core.passes.in_place import check_in_place
from halide_core.passes.realization_order import build_environment
from halide_core.target import Target


def _abi(t: Type) -> tuple[str, str]:
    """(LLVM type, extension attribute) of a scalar in the C ABI; bool is a byte."""
    if t.is_bool():
        return "i8", "zeroext"
    if t.is_int_or_uint() and t.bits < 32:
        return llvm_type(t), "signext" if t.is_int() else "zeroext"
    return llvm_type(t), ""


def emit_raw_function(
    module: ModuleBuilder,
    symbol: str,
    params: list[Any],
    return_type: Type | None,
    variants: list[Any],
    fallback: str | None,
    target: Target,
) -> None:
    """Adds the C function `symbol` to `module`."""
    b = FunctionBuilder(module)
    names = Names({}, {}, {}, {})
    signature: list[str] = []
    forward: list[str] = []
    kinds: list[str] = []
    for k, p in enumerate(params):
        _parameter(b, names, p, k, signature, forward, kinds)
    result, attribute = ("void", "") if return_type is None else _abi(return_type)
    entry = StmtEmitter(module, b, names, symbol)
    for number, v in enumerate(variants):
        name = f"{symbol}.v{number}"
        skip = b.label("next")
        if isinstance(v, DeviceVariant):
            with entry.expr.within():
                value = _on_device(module, entry, name, v, return_type, skip)
                _return(b, return_type, value)
        else:
            lowered = None if v.pipeline is None else _lower_variant(v, target, symbol)
            condition = entry.value(_condition(v, lowered))
            run = b.label("variant")
            b.branch_if(condition, run, skip)
            b.start(run)
            entry.expr.reset()
            otherwise = skip if fallback is not None else None
            value = _run_variant(module, entry, name, v, lowered, return_type, otherwise)
            _return(b, return_type, value)
        b.start(skip)
        entry.expr.reset()
    if fallback is not None:
        module.declare(fallback, f"{attribute} {result}".strip(), kinds, "")
        call = f"tail call {attribute} {result}".replace("  ", " ") + f" @{fallback}({', '.join(forward)})"
        if return_type is None:
            b.do(call)
            b.do("ret void")
        else:
            b.do(f"ret {result} {b.emit(call)}")
    else:
        _return(b, return_type, None)
    b.finish(f"define {attribute} {result} @{symbol}({', '.join(signature)}) nounwind #0")


def _parameter(
    b: FunctionBuilder, names: Names, p: Any, k: int, signature: list[str], forward: list[str], kinds: list[str]
) -> None:
    operand = f"%arg{k}"
    if p.is_pointer:
        signature.append(f"ptr {operand}")
        forward.append(f"ptr {operand}")
        kinds.append("ptr")
        names.operands[p.name] = operand
        names.variable_types[p.name] = Handle()
        address = f"addr.{p.name}"
        names.operands[address] = b.emit(f"ptrtoint ptr {operand} to i64")
        names.variable_types[address] = UInt(64)
        return
    text, attribute = _abi(p.type)
    # Nothing is assumed about how the caller extended a small argument; the fallback gets it extended.
    signature.append(f"{text} {operand}")
    kinds.append(f"{text} {attribute}".strip())
    forward.append(f"{text} {attribute} {operand}".replace("  ", " "))
    names.operands[p.name] = b.emit(f"icmp ne i8 {operand}, 0") if p.type.is_bool() else operand
    names.variable_types[p.name] = p.type


def _return(b: FunctionBuilder, return_type: Type | None, value: str | None) -> None:
    if return_type is None:
        b.do("ret void")
        return
    if value is None:
        value = "null" if return_type.is_handle() else literal(0, return_type)
    if return_type.is_bool():
        value = b.emit(f"zext i1 {value} to i8")
    b.do(f"ret {_abi(return_type)[0]} {value}")


def _metadata(v: Any, arrays: tuple[Array, ...], symbol: str) -> dict[str, Expr]:
    """Metadata Variables of `arrays` as expressions over the C parameters."""
    out: dict[str, Expr] = {}
    for a in arrays:
        if a.name not in v.buffers:
            raise HalideError(f"{symbol}: no RawBuffer is given for {a.name}")
        raw = v.buffers[a.name]
        if not len(raw.mins) == len(raw.extents) == len(raw.strides) == a.dimensions:
            raise HalideError(f"{symbol}: the RawBuffer of {a.name} must have {a.dimensions} dimensions")
        out[f"{a.name}.offset"] = cast_to(I64, raw.offset)
        for d in range(a.dimensions):
            out[f"{a.owner}.min.{d}"] = cast_to(I32, raw.mins[d])
            out[f"{a.owner}.extent.{d}"] = cast_to(I32, raw.extents[d])
            out[f"{a.name}.stride.{d}"] = cast_to(I64, raw.strides[d])
    return {n: simplify(e) for n, e in out.items()}


def _groups(v: Any) -> dict[str, int]:
    """A number for each buffer, shared by those in one pointer's memory."""
    numbers: dict[str, int] = {}
    out: dict[str, int] = {}
    for name, raw in v.buffers.items():
        label = raw.pointer or f"own {name}"
        out[name] = numbers.setdefault(label, len(numbers) + 1)
    return out


def _lower_variant(v: Any, target: Target, symbol: str) -> Lowered:
    outputs: list[Function] = v.pipeline.functions()
    groups = _groups(v)
    for f in outputs:
        shared = groups.get(f.name) is not None and list(groups.values()).count(groups[f.name]) > 1
        for d in f.definitions():
            for s in d.schedule.splits:
                if shared and isinstance(s, Split) and s.tail is TailStrategy.ShiftInwards:
                    raise HalideError(
                        f"Func {f.name} works in place, so the split of loop {s.old} cannot use ShiftInwards: "
                        "elements at the end would be computed twice, the second time from results"
                    )
    environment = build_environment(outputs)
    for f in environment.order:
        if f.extern is not None:
            raise HalideError(f"{symbol}: Func {f.name} is an external stage, which takes halide_buffer_t only")
    check_in_place(environment, outputs, v.buffers)
    inputs = tuple(Array(i.name, i.type, i.dimensions, i.name) for i in environment.images)
    arrays = inputs + tuple(a for f in outputs for a in output_arrays(f))
    lowered = lower(outputs, target, _metadata(v, arrays, symbol), groups)
    if lowered.kernels:
        raise HalideError(f"{symbol}: a variant with loops of a device must be made by for_device")
    return lowered


def for_device(given: Any, target: Target, gain: Callable[[Expr], Gain], symbol: str) -> DeviceVariant:
    """A variant under a schedule for a device.  `gain`: of the number of kernels that it runs, what they save.

    Raises HalideError for what must not run there."""
    v = raw_device.rebased(given)
    outputs: list[Function] = v.pipeline.functions()
    inputs = tuple(Array(i.name, i.type, i.dimensions, i.name) for i in build_environment(outputs).images)
    arrays = inputs + tuple(a for f in outputs for a in output_arrays(f))
    metadata = _metadata(v, arrays, symbol)
    contents = {n: a.tobytes() for n, a in _constants(v).items()}
    lowered = lower(outputs, target, metadata, {a.name: k for k, a in enumerate(arrays, 1)}, contents=contents)
    if not lowered.kernels:
        raise HalideError(f"{symbol}: no loop of this variant runs on a device")
    raw_device.check(lowered)
    more = raw_device.condition(v, lowered, metadata)
    condition = simplify(ir.And(Bool(), _condition(v, lowered), more))
    beside = raw_device.in_place(v, lowered)
    ptx = ptx_for(lowered.kernels, target)
    launches = raw_device.launches(lowered, {**metadata, **v.scalars})
    return DeviceVariant(given, v, lowered, ptx, condition, beside, gain(launches))


def _constants(v: Any) -> dict[str, Any]:
    """The images with data of their own."""
    return {i.name: i.array for i in build_environment(v.pipeline.functions()).images if i.array is not None}


def _on_device(
    module: ModuleBuilder, entry: StmtEmitter, symbol: str, variant: DeviceVariant, return_type: Type | None,
    otherwise: str,
) -> str | None:
    """Runs a variant with kernels; the operand of the result.  Control goes to the label `otherwise` where it must not
    run, is not worth it, or fails."""
    device = raw_device.DeviceEntry(entry, variant, otherwise)
    device.begin()
    owned = _call_kernel(module, entry, symbol, variant.rebased, variant.lowered, otherwise, device)
    return _result(entry, variant.given, return_type, owned)


def _condition(v: Any, lowered: Lowered | None) -> Expr:
    """The variant's own condition, and that every extent fits the compiler's 32-bit coordinates."""
    condition: Expr = v.condition
    if lowered is None:
        return condition
    seen: set[int] = set()
    for raw in v.buffers.values():
        for low, extent in zip(raw.mins, raw.extents, strict=True):
            wide = [cast_to(I64, e) for e in (low, extent) if e.type.bits >= 32 and const_value(e) is None]
            for e in [*wide, *([cast_to(I64, low) + cast_to(I64, extent)] if wide else [])]:
                from halide_core.ir.structural import key

                if key(e) in seen:
                    continue
                seen.add(key(e))
                fits = simplify(e == cast_to(I64, cast_to(I32, e)))
                condition = simplify(ir.And(Bool(), condition, fits))
    return condition


def _run_variant(
    module: ModuleBuilder, entry: StmtEmitter, symbol: str, v: Any, lowered: Lowered | None, return_type: Type | None,
    otherwise: str | None,
) -> str | None:
    """Calls the variant's own function; the operand of the result.  Control goes to the label `otherwise` where storage
    for it cannot be had."""
    owned: list[str] = []
    if lowered is not None:
        owned = _call_kernel(module, entry, symbol, v, lowered, otherwise)
    return _result(entry, v, return_type, owned)


def _result(entry: StmtEmitter, v: Any, return_type: Type | None, owned: list[str]) -> str | None:
    """The operand of what is returned; storage of the call is given back."""
    value: str | None = None
    if v.result is not None and return_type is not None:
        value = entry.value(cast_to(return_type, v.result))
    for pointer in owned:
        entry.free(pointer)
    return value


def _call_kernel(
    module: ModuleBuilder, entry: StmtEmitter, symbol: str, v: Any, lowered: Lowered, otherwise: str | None,
    device: raw_device.DeviceEntry | None = None,
) -> list[str]:
    """Calls the kernel of a variant, which is made with the call; the storage that the call owns."""
    b = entry.b
    arrays = lowered.inputs + lowered.outputs
    metadata = _metadata(v, arrays, symbol)
    groups = _groups(v) if device is None else {a.name: k for k, a in enumerate(arrays, 1)}
    kernel = _Kernel(module, symbol, groups, device is not None)
    arguments, owned = _array_arguments(module, entry, symbol, v, arrays, kernel, otherwise, device)
    if device is None:
        metadata |= flat_extents(v.pipeline.functions(), arrays, metadata)
    arguments += _scalar_arguments(entry, symbol, v, lowered, metadata, kernel)
    if device is not None:
        arguments.append(f"ptr {device.context}")
        kernel.on_device(device)
        device.end(b.emit(f"call i32 @{symbol}({', '.join(arguments)})"))
        entry.expr.reset()
        return owned
    kernel.finish(lowered)
    status = b.emit(f"call i32 @{symbol}({', '.join(arguments)})")
    failed, fine = b.label("failed"), b.label("fine")
    b.branch_if(b.emit(f"icmp ne i32 {status}, 0"), failed, fine)
    b.start(failed)
    if otherwise is None:
        entry.out_of_memory(symbol)
    else:
        _start_again(entry, v, lowered, status, otherwise)
    b.start(fine)
    entry.expr.reset()
    return owned


def _array_arguments(
    module: ModuleBuilder, entry: StmtEmitter, symbol: str, v: Any, arrays: tuple[Array, ...], kernel: _Kernel,
    otherwise: str | None, device: raw_device.DeviceEntry | None,
) -> tuple[list[str], list[str]]:
    """The pointers that a kernel is called with, one for all arrays of the same memory, and the storage that is the
    call's own."""
    owned: list[str] = []
    pointers: dict[str, tuple[str, str]] = {}
    arguments: list[str] = []
    constants = _constants(v)
    for a in arrays:
        raw = v.buffers[a.name]
        label = raw.pointer or f"own {a.name}"
        if device is not None:
            label = a.name
        if label not in pointers and a.name in constants:
            table = module.table(a.name, constants[a.name].tobytes())
            pointers[label] = (table, kernel.pointer(a))
            arguments.append(f"ptr {table}")
        if label not in pointers:
            own = None if raw.pointer else _own_storage(entry, a, raw, owned, otherwise)
            operand = entry.names.operands.get(raw.pointer) if raw.pointer else own
            if operand is None:
                raise HalideError(f"{symbol}: there is no pointer parameter {raw.pointer} for {a.name}")
            if device is not None and raw.pointer:
                operand = raw_device.first_element(entry, a, device.variant.given.buffers[a.name], operand)
            pointers[label] = (operand, kernel.pointer(a))
            arguments.append(f"ptr {operand}")
        kernel.array(a, pointers[label][1])
        if a.name in constants:
            kernel.names.sizes[a.name] = int(constants[a.name].size)
        if not raw.pointer:
            entry.names.arrays[a.name] = pointers[label][0]
            entry.names.array_types[a.name] = a.type
    return arguments, owned


def _scalar_arguments(
    entry: StmtEmitter, symbol: str, v: Any, lowered: Lowered, metadata: dict[str, Expr], kernel: _Kernel
) -> list[str]:
    """Extents, strides and parameters that a kernel is called with; those that are known are constants in it."""
    arguments: list[str] = []
    arrays = lowered.inputs + lowered.outputs
    wanted = {x.name: x for a in arrays for x in metadata_variables(a)} | lowered.parameters
    for name, variable in wanted.items():
        if name in metadata:
            value = metadata[name]
        elif name in v.scalars:
            value = cast_to(variable.type, v.scalars[name])
        else:
            raise HalideError(f"{symbol}: no value is given for the parameter {name}")
        value = simplify(value)
        if const_value(value) is not None:
            kernel.constant(variable, literal(const_value(value) or 0, variable.type))
        else:
            arguments.append(f"{llvm_type(variable.type)} {entry.value(value)}")
            kernel.scalar(variable)
    return arguments


def _start_again(entry: StmtEmitter, v: Any, lowered: Lowered, status: str, otherwise: str) -> None:
    """Goes to the label `otherwise` after a kernel that had no storage, where everything that it reads is as before."""
    b = entry.b
    for pointer in reversed(b.owned):
        b.do(f"call void @halide_free(ptr null, ptr {pointer})")
    intact = b.emit(f"icmp eq i32 {status}, {NO_MEMORY_YET}")
    written = {v.buffers[a.name].pointer for a in lowered.outputs} - {"", None}
    read = {v.buffers[a.name].pointer for a in lowered.inputs} & set(entry.names.operands)  # not tables
    # What is only updated goes on from what is there.
    kept = {a.name for f in v.pipeline.functions() if is_partly_defined(f) for a in output_arrays(f)}
    read |= {v.buffers[name].pointer for name in kept} & written
    if not written & read:
        apart = "true"
        for one in sorted(written):
            for other in sorted(read):
                differ = b.emit(f"icmp ne ptr {entry.names.operands[one]}, {entry.names.operands[other]}")
                apart = b.emit(f"and i1 {apart}, {differ}")
        intact = b.emit(f"or i1 {intact}, {apart}")
    lost = b.label("lost")
    b.branch_if(intact, otherwise, lost)
    b.start(lost)
    entry.out_of_memory(lowered.outputs[0].name if lowered.outputs else entry.symbol)


def _own_storage(entry: StmtEmitter, a: Array, raw: Any, owned: list[str], otherwise: str | None) -> str:
    size: Expr = const(1, I64)
    for extent in raw.extents:
        size = simplify(size * cast_to(I64, extent))
    known = const_value(size)
    if known is not None and known * a.type.bytes() <= 1 << 16:
        return entry.b.alloca(f"[{max(int(known), 1)} x {memory_type(a.type)}]")
    count = entry.value(simplify(ir.Max(I64, size, const(1, I64)) * const(a.type.bytes(), I64)))
    pointer = entry.allocated(count, a.name, otherwise)
    owned.append(pointer)
    return pointer


class _Kernel:
    """The internal function that runs a lowered pipeline on plain pointers and scalars."""

    def __init__(self, module: ModuleBuilder, symbol: str, groups: dict[str, int], shares: bool = False) -> None:
        """`shares`: several arrays may lie in one pointer's memory, each with a parameter of its own."""
        self.module = module
        self.attribute = "" if shares else "noalias "
        self.symbol = symbol
        self.names = Names({}, {}, {}, {}, groups)
        self.parameters: list[str] = []

    def pointer(self, a: Array) -> str:
        name = f"%p{len(self.parameters)}"
        # One pointer stands for all arrays of its group, so it never aliases another parameter.
        self.parameters.append(f"ptr {self.attribute}{name}")
        return name

    def array(self, a: Array, pointer: str) -> None:
        self.names.arrays[a.name] = pointer
        self.names.array_types[a.name] = a.type

    def constant(self, variable: Variable, text: str) -> None:
        self.names.operands[variable.name] = text
        self.names.variable_types[variable.name] = variable.type

    def scalar(self, variable: Variable) -> None:
        name = f"%s{len(self.parameters)}"
        self.parameters.append(f"{llvm_type(variable.type)} {name}")
        self.constant(variable, name)

    def on_device(self, device: raw_device.DeviceEntry) -> None:
        """The function of a variant with kernels, which takes the context that the run time is called with, too."""
        b = FunctionBuilder(self.module)
        b.failure = f"ret i32 {NO_MEMORY}"
        self.parameters.append("ptr %context")
        b.context, b.interface = "%context", b.emit("call ptr @halide_cuda_device_interface()")
        kernel = StmtEmitter(self.module, b, self.names, self.symbol)
        kernel.outside = frozenset(self.names.arrays)
        kernel.results = Results(device.variant.beside)
        begin(b, device.variant.ptx, device.kernels)
        kernel.emit(device.variant.lowered.stmt)
        b.do("ret i32 0")
        b.finish(f"define internal i32 @{self.symbol}({', '.join(self.parameters)}) nounwind #0")

    def finish(self, lowered: Lowered) -> None:
        b = FunctionBuilder(self.module)
        b.failure = f"ret i32 {NO_MEMORY}"
        kernel = StmtEmitter(self.module, b, self.names, self.symbol)
        kernel.outside = frozenset(self.names.arrays)
        kernel.emit(lowered.stmt)
        b.do("ret i32 0")
        b.finish(f"define internal i32 @{self.symbol}({', '.join(self.parameters)}) nounwind #0")
