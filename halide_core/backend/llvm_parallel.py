"""Parallel loops: the body becomes a function that the thread pool calls with ranges of iterations.

It returns 0, or an error's code, which ends the loop and the function that the loop stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import llvm_type
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I64
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import variables
from halide_core.passes.cost import estimate

if TYPE_CHECKING:
    from halide_core.backend.llvm_stmt import StmtEmitter

# Vector instructions below which waking threads costs more than it saves: about 12 microseconds of work.
_WORTH_THREADS = 40_000
# Work assumed where it is not known beforehand.
_UNKNOWN = 1 << 20
# halide_error_code_requirement_failed.
REQUIREMENT_FAILED = -27


def pointer_attributes(groups: dict[str, int], name: str) -> str:
    """noalias where no other array in sight shares the memory of `name`."""
    mine = groups.get(name)
    alone = mine is not None and sum(1 for g in groups.values() if g == mine) == 1
    return "ptr noalias" if alone else "ptr"


def emit_parallel(emitter: StmtEmitter, s: st.For) -> None:
    """Emits the loop `s` of `emitter`'s function: few instructions run here, more on the pool."""
    from halide_core.backend.llvm_stmt import free_names

    b, names, module = emitter.b, emitter.names, emitter.module
    used, used_arrays = free_names(s.body)
    scalars = sorted(n for n in used if n in names.operands and n != s.name)
    arrays = sorted(n for n in used_arrays if n in names.arrays)
    kinds = ["ptr"] * len(arrays) + [llvm_type(names.variable_types[n]) for n in scalars]
    operands = [names.arrays[n] for n in arrays] + [names.operands[n] for n in scalars]
    struct = "{ " + ", ".join([*kinds, "i8"]) + " }"
    symbol = module.fresh_name(f"{emitter.symbol}.par")
    profiler = module.profiler if b.clock is not None else None
    _emit_body(emitter, s, symbol, arrays, scalars)
    _emit_task(emitter, symbol, kinds, struct)

    low, extent = emitter.value(s.min), emitter.value(s.extent)
    closure = b.alloca(struct)
    for k, (kind, operand) in enumerate(zip(kinds, operands, strict=True)):
        place = b.emit(f"getelementptr inbounds {struct}, ptr {closure}, i32 0, i32 {k}")
        b.do(f"store {kind} {operand}, ptr {place}")
    if profiler is not None:
        profiler.charge(b, emitter.slot)
    status = _emit_iterations(emitter, s, symbol, closure, low, extent)
    failed, fine = b.label("failed"), b.label("fine")
    b.branch_if(b.emit(f"icmp ne i32 {status}, 0"), failed, fine)
    b.start(failed)
    b.fail(status)
    b.start(fine)
    if profiler is not None:
        # The tasks, this thread's too, have kept their own time.
        profiler.start(b)
    emitter.expr.reset()


def _emit_body(emitter: StmtEmitter, s: st.For, symbol: str, arrays: list[str], scalars: list[str]) -> None:
    """The function that runs one iteration, with what it uses as parameters."""
    from halide_core.backend.llvm_stmt import Names, StmtEmitter

    names, module = emitter.names, emitter.module
    groups = {n: names.groups[n] for n in arrays}
    inner = Names({}, {}, {}, {}, dict(groups))
    parameters = ["ptr %job", "i32 %i"]
    for k, n in enumerate(arrays):
        inner.arrays[n] = f"%p{k}"
        inner.array_types[n] = names.array_types[n]
        if n in names.sizes:
            inner.sizes[n] = names.sizes[n]
        parameters.append(f"{pointer_attributes(groups, n)} %p{k}")
    for k, n in enumerate(scalars):
        inner.operands[n] = f"%s{k}"
        inner.variable_types[n] = names.variable_types[n]
        parameters.append(f"{llvm_type(names.variable_types[n])} %s{k}")
    inner.operands[s.name] = "%i"
    inner.variable_types[s.name] = ir.I32
    body = FunctionBuilder(module)
    body.failure, body.job = f"ret i32 {REQUIREMENT_FAILED}", "%job"
    task = StmtEmitter(module, body, inner, emitter.symbol)
    task.slot = emitter.slot
    task.outside, task.written = emitter.outside, emitter.written
    profiler = module.profiler if emitter.b.clock is not None else None
    if profiler is not None:
        profiler.start(body)
    task.emit(s.body)
    if profiler is not None:
        profiler.charge(body, task.slot)
    body.do("ret i32 0")
    body.finish(f"define internal i32 @{symbol}.body({', '.join(parameters)}) nounwind #0")


def _emit_iterations(emitter: StmtEmitter, s: st.For, symbol: str, closure: str, low: str, extent: str) -> str:
    """Runs all iterations, here where they are little work or one, else on the pool; the operand of their status."""
    b, names = emitter.b, emitter.names
    work = simplify_index(ir.Mul(I64, ir.Cast(I64, s.extent), estimate(s.body)))
    serial, pool, after = b.label("serial"), b.label("pool"), b.label("joined")
    amount = str(_UNKNOWN)
    small = b.emit(f"icmp sle i32 {extent}, 1")
    if variables(work) <= set(names.operands):
        amount = emitter.value(work)
        little = b.emit(f"icmp slt i64 {amount}, {_WORTH_THREADS}")
        small = b.emit(f"or i1 {small}, {little}")
    b.branch_if(small, serial, pool)
    b.start(serial)
    end = b.emit(f"add nsw i32 {low}, {extent}")
    alone = b.emit(f"call i32 @{symbol}(ptr {b.job}, ptr {closure}, i32 {low}, i32 {end})")
    if any(isinstance(x, st.Store) and x.streaming for x in st.walk(s.body)):
        b.do("call void @hl.fence()")
    b.branch(after)
    b.start(pool)
    arguments = f"ptr {b.job}, ptr @{symbol}, ptr {closure}, i32 {low}, i32 {extent}, i64 {amount}"
    shared = b.emit(f"call i32 @hl.par_for({arguments})")
    b.branch(after)
    b.start(after)
    return b.emit(f"phi i32 [ {alone}, %{serial} ], [ {shared}, %{pool} ]")


def _emit_task(emitter: StmtEmitter, symbol: str, kinds: list[str], struct: str) -> None:
    """The function that runs a range of iterations with what the closure holds."""
    from halide_core.backend.llvm_stmt import Names, StmtEmitter

    t = FunctionBuilder(emitter.module)
    loaded: list[str] = []
    for k, kind in enumerate(kinds):
        place = t.emit(f"getelementptr inbounds {struct}, ptr %closure, i32 0, i32 {k}")
        loaded.append(f"{kind} {t.emit(f'load {kind}, ptr {place}')}")
    count = t.emit("sub nsw i32 %hi, %lo")
    names = Names({}, {}, {}, {})
    loop = StmtEmitter(emitter.module, t, names, symbol)

    def call() -> None:
        t.loops += 1  # those of the body, most likely
        arguments = ", ".join(["ptr %job", f"i32 {names.operands['i']}", *loaded])
        status = t.emit(f"call i32 @{symbol}.body({arguments})")
        failed, fine = t.label("failed"), t.label("fine")
        t.branch_if(t.emit(f"icmp ne i32 {status}, 0"), failed, fine)
        t.start(failed)
        t.do(f"ret i32 {status}")
        t.start(fine)

    loop.loop("%lo", count, "i", call)
    t.do("ret i32 0")
    t.finish(f"define internal i32 @{symbol}(ptr %job, ptr %closure, i32 %lo, i32 %hi) nounwind #0")
