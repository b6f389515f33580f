"""Kernels as PTX, by way of the same LLVM text as for the host."""

from __future__ import annotations

import functools
import math
import re
import zlib
from collections.abc import Callable, Sequence
from functools import partial

import llvmlite.binding as llvm

from halide_core.backend.llvm_builder import LOOP_ADVICE, FunctionBuilder, ModuleBuilder
from halide_core.backend.llvm_expr import is_instruction
from halide_core.backend.llvm_module import initialize
from halide_core.backend.llvm_stmt import Names, StmtEmitter
from halide_core.backend.llvm_types import llvm_type, memory_type
from halide_core.device_limits import MOST_THREADS
from halide_core.errors import HalideError
from halide_core.gpu.barriers import barriers_in
from halide_core.gpu.capability import STATIC_SHARED, capability
from halide_core.gpu.kernel import ALIGNMENT, AXES, BLOCK, THREAD, Kernel, Table, is_apart, is_barrier
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Call, CallType, Expr, const_value
from halide_core.ir.named_calls import ATOMIC, has_effect, is_atomic
from halide_core.ir.structural import nodes
from halide_core.ir.types import Type
from halide_core.target import Target

TRIPLE = "nvptx64-nvidia-cuda"
_SPECIAL = "llvm.nvvm.read.ptx.sreg"
_BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"


def _bitwise(name: str, t: Type, a: Expr, b: Expr) -> Expr:
    return Call(t, name, (a, b), CallType.INTRINSIC)


# Updates of integers of 32 and 64 bits that devices have, and all that are made of exchanges.
_IN_ONE_STEP = ("add", "min", "max", "and", "or", "xor")
_BY_EXCHANGE: dict[str, Callable[..., Expr]] = {
    "add": ir.Add, "mul": ir.Mul, "min": ir.Min, "max": ir.Max,
    **{n: partial(_bitwise, f"bitwise_{n}") for n in ("and", "or", "xor")},
}
# Threads of a block that may have 255 registers each, the most there are, of the 65,536 of a multiprocessor.
_ANY_REGISTERS = 256
# Spaces of addresses.
_GLOBAL, _CONSTANT = 1, 4
# Memory whose size is said when the kernel starts.
_DYNAMIC = "hl_shared"


def to_ptx(kernels: Sequence[Kernel], capability: int) -> str:
    """The PTX of the kernels, for devices of this compute capability (times ten) and later ones.

    Raises HalideError for what no device has: functions of the C library, text to print."""
    module = ModuleBuilder(fuses=True)
    # A call costs more than the code of what is called.
    module.outlines = False
    module.saturates = True
    for k in kernels:
        _emit(module, k)
    # PTX of a version that drivers have known since CUDA 11.1, or since these devices.
    version = "+ptx78" if capability >= 89 else "+ptx71"
    initialize()
    _leave_sums()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=f"sm_{capability}", features=version, opt=3, reloc="default", codemodel="default"
    )
    source = "\n".join(
        [
            f'target triple = "{TRIPLE}"',
            module.text(),
            'attributes #0 = { "no-trapping-math"="true" }',
            '!0 = !{!"branch_weights", i32 2000, i32 1}',
            "!1 = !{i32 1}",
            # Loops of constant length may be written out, others not.
            LOOP_ADVICE.replace("unroll.disable", "unroll.runtime.disable"),
        ]
    )
    try:
        parsed = llvm.parse_assembly(source)
        parsed.verify()
    except RuntimeError as error:
        raise HalideError(f"The compiler made invalid LLVM IR for a device: {error}") from error
    parsed.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return str(machine.emit_assembly(parsed))


@functools.cache
def _leave_sums() -> None:
    """Has LLVM take no sums apart to find terms of others in them: it is no less code for it, and a kernel of ten
    thousand instructions takes minutes."""
    llvm.set_option("halide_core", "-opt-disable=nary-reassociate")


def ptx_for(kernels: Sequence[Kernel], target: Target) -> str:
    """The PTX of the kernels for the devices of a target."""
    return to_ptx(kernels, capability(target))


def is_static(k: Kernel) -> bool:
    """Whether the kernel declares its shared memory itself, so that none is asked for at its launch."""
    size = const_value(k.shared_bytes)
    return size is not None and size <= STATIC_SHARED


def _emit(module: ModuleBuilder, k: Kernel) -> None:
    check(k)
    b = FunctionBuilder(module)
    names = Names({}, {}, {}, {})
    parameters: list[str] = []
    loads = {n.name for x in st.walk(k.body) for e in st.expressions(x) for n in nodes(e, ir.Load)}
    meets = barriers_in(k.body) > 0
    for i, (name, t) in enumerate(k.arrays):
        # What other threads store before a barrier is seen behind it: such an array is not this thread's alone.
        alone = not meets or name not in k.written or name not in loads
        align = t.bytes() if name in k.given else ALIGNMENT
        # What asks for an address may keep it, for all that LLVM knows.
        kept = "" if name in k.written else "readonly "
        parameters.append(f"ptr {'noalias ' if alone else ''}{kept}align {align} %p{i}")
        names.arrays[name], names.array_types[name], names.groups[name] = f"%p{i}", t, i
    for i, v in enumerate(k.scalars):
        text = "i8" if v.type.is_bool() else llvm_type(v.type)
        parameters.append(f"{text} %s{i}")
        names.operands[v.name] = b.emit(f"trunc i8 %s{i} to i1") if v.type.is_bool() else f"%s{i}"
        names.variable_types[v.name] = v.type
    for register, variables, extents in (("ctaid", BLOCK, k.blocks), ("tid", THREAD, k.threads)):
        for axis, v, extent in zip(AXES, variables, extents, strict=True):
            callee = module.declare(f"{_SPECIAL}.{register}.{axis}", "i32", [], "")
            end = const_value(extent)
            within = "" if end is None or end < 1 else f"range(i32 0, {end}) "
            names.operands[v.name] = b.emit(f"call {within}i32 {callee}()")
            names.variable_types[v.name] = v.type
    emitter = _KernelEmitter(module, b, names, k.name)
    own = {n for n, _ in k.arrays} - k.given
    own |= {a.name for a in k.shared} | {t.name for t in k.tables}
    emitter.expr.memory.aligned |= dict.fromkeys(own, ALIGNMENT)
    if k.shared:
        _emit_shared(module, b, k, emitter)
    for i, table in enumerate(k.tables):
        name = _table(module, table)
        space = _CONSTANT if table.constant else _GLOBAL
        place = b.emit(f"addrspacecast ptr addrspace({space}) @{name} to ptr")
        names.arrays[table.name], names.array_types[table.name] = place, table.type
        names.groups[table.name] = len(k.arrays) + len(k.shared) + i
    emitter.emit(k.body)
    b.do("ret void")
    b.finish(f"define ptx_kernel void @{k.name}({', '.join(parameters)}) nounwind {_bounds(k)}#0")


def _bounds(k: Kernel) -> str:
    """How many threads a block has at most, where there may be so many that not each can have as many registers as it
    likes: a launch would fail.  The assembler is left alone with others, since it spills for more of them at a time."""
    sizes = [const_value(t) for t in k.threads]
    known = [int(n) for n in sizes if n is not None]
    if len(known) < len(sizes):
        return f'"nvvm.maxntid"="{MOST_THREADS}" '
    return f'"nvvm.maxntid"="{",".join(map(str, known))}" ' if math.prod(known) > _ANY_REGISTERS else ""


def _table(module: ModuleBuilder, table: Table) -> str:
    """The variable that a table is in the module, the same for all kernels that have it in one kind of memory."""
    space = _CONSTANT if table.constant else _GLOBAL
    clean = re.sub(r"\W", "_", table.name)
    name = f"{'constant' if table.constant else 'table'}_{clean}_{zlib.crc32(table.name.encode() + table.data):08x}"
    if module.begin(name):
        body = "".join(f"\\{x:02X}" for x in table.data)
        kind = f"internal addrspace({space}) constant [{len(table.data)} x i8]"
        module.globals.append(f'@{name} = {kind} c"{body}", align {ALIGNMENT}')
    return name


def _emit_shared(module: ModuleBuilder, b: FunctionBuilder, k: Kernel, emitter: StmtEmitter) -> None:
    # Of external linkage, for of what is internal LLVM takes a barrier to change nothing.
    if is_static(k):
        name = f"{k.name}_shared"
        size = int(const_value(k.shared_bytes) or 0)
        module.globals.append(f"@{name} = addrspace(3) global [{size} x i8] poison, align 16")
    else:
        name = _DYNAMIC
        if module.begin(name):
            module.globals.append(f"@{name} = external addrspace(3) global [0 x i8], align 16")
    base = b.emit(f"addrspacecast ptr addrspace(3) @{name} to ptr")
    for i, a in enumerate(k.shared):
        place = b.emit(f"getelementptr i8, ptr {base}, i64 {emitter.value(a.offset)}")
        emitter.names.arrays[a.name], emitter.names.array_types[a.name] = place, a.type
        emitter.names.groups[a.name] = len(k.arrays) + i


def check(k: Kernel) -> None:
    """Raises HalideError for what no device has: functions of the C library, text to print."""
    for x in st.walk(k.body):
        for e in st.expressions(x):
            for n in nodes(e, ir.Call):
                if has_effect(n):
                    raise HalideError(f"{k.name}: print, require and traces cannot stand in what a device computes")
                if n.call_type is CallType.PURE_EXTERN and not is_instruction(n):
                    raise HalideError(
                        f"{k.name}: a device has no function {n.name}; compute that stage on the host, or with the "
                        "functions of the language"
                    )


class _KernelEmitter(StmtEmitter):
    """Emits what one thread does."""

    def emit(self, s: st.Stmt) -> None:
        """Appends the code of `s`; control continues in the current block."""
        if is_barrier(s):
            callee = self.module.declare(_BARRIER, "void", ["i32"], "convergent nounwind")
            self.b.do(f"call void {callee}(i32 0)")
            self.expr.reset()
            return
        if is_apart(s):
            self.b.do('call void asm sideeffect "", "~{memory}"()')
            return
        if isinstance(s, st.Store) and is_atomic(s.value):
            self._update(s)
            return
        super().emit(s)

    def _update(self, s: st.Store) -> None:
        """Updates an element in one step, whatever other threads do."""
        assert isinstance(s.value, ir.Call) and s.predicate is None
        (operand,) = s.value.args
        t = operand.type
        operation = s.value.name.removeprefix(ATOMIC)
        value = self.value(operand)
        place = self.expr.memory.address(s.name, s.index, t)
        if t.is_float() or t.bits < 32 or operation not in _IN_ONE_STEP:
            self._exchange(_BY_EXCHANGE[operation], t, value, place)
        else:
            operation = f"u{operation}" if operation in ("min", "max") and t.is_uint() else operation
            self.b.do(f'atomicrmw {operation} ptr {place}, {llvm_type(t)} {value} syncscope("device") monotonic')
        self.expr.reset()

    def _exchange(self, operation: Callable[..., Expr], t: Type, value: str, place: str) -> None:
        """Computes what an element becomes until nobody has changed it meanwhile.

        That is done for words of 32 bits at least, of which those of fewer bits are parts.  Floats are added up so,
        too: a device's own sums of them take what is denormal for 0."""
        b, bits = self.b, max(t.bits, 32)
        word, narrow = f"i{bits}", f"i{t.bits}"
        address, shift = place, "0"
        if t.bits < bits:
            number = b.emit(f"ptrtoint ptr {place} to i64")
            beyond = b.emit(f"and i64 {number}, 3")
            back = b.emit(f"sub i64 0, {beyond}")
            address = b.emit(f"getelementptr i8, ptr {place}, i64 {back}")
            beyond = b.emit(f"shl i64 {beyond}, 3")
            shift = b.emit(f"trunc i64 {beyond} to i32")
        mask = b.emit(f"shl {word} {(1 << t.bits) - 1 if t.bits < bits else -1}, {shift}")
        others = b.emit(f"xor {word} {mask}, -1")
        seen = b.alloca(word, align=8)
        first = b.emit(f'load atomic {word}, ptr {address} syncscope("device") monotonic, align {bits // 8}')
        b.do(f"store {word} {first}, ptr {seen}")
        again, done = b.label("exchange"), b.label("exchanged")
        b.branch(again)
        b.start(again)
        old = b.emit(f"load {word}, ptr {seen}")
        own = b.emit(f"lshr {word} {old}, {shift}")
        own = b.emit(f"trunc {word} {own} to {narrow}") if t.bits < bits else own
        own = b.emit(f"bitcast {narrow} {own} to {llvm_type(t)}") if t.is_float() else own
        names = "gpu.atomic.own", "gpu.atomic.by"
        for name, operand in zip(names, (own, value), strict=True):
            self.names.operands[name], self.names.variable_types[name] = operand, t
        made = self.value(operation(t, *(ir.Variable(t, n) for n in names)))
        made = b.emit(f"bitcast {llvm_type(t)} {made} to {narrow}") if t.is_float() else made
        made = b.emit(f"zext {narrow} {made} to {word}") if t.bits < bits else made
        made = b.emit(f"shl {word} {made}, {shift}")
        kept = b.emit(f"and {word} {old}, {others}")
        new = b.emit(f"or {word} {made}, {kept}")
        order = 'syncscope("device") monotonic monotonic'
        pair = b.emit(f"cmpxchg ptr {address}, {word} {old}, {word} {new} {order}")
        now = b.emit(f"extractvalue {{ {word}, i1 }} {pair}, 0")
        b.do(f"store {word} {now}, ptr {seen}")
        b.branch_if(b.emit(f"extractvalue {{ {word}, i1 }} {pair}, 1"), done, again)
        b.start(done)

    def _allocate(self, s: st.Allocate) -> None:
        size = const_value(s.size)
        assert size is not None, "storage of one thread has constant size"
        pointer = self.b.alloca(f"[{max(int(size), 1)} x {memory_type(s.type)}]", align=16)
        self.within(s, pointer)
