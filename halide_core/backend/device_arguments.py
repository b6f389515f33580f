"""The caller's halide_buffer_ts as arguments of code with kernels, by Halide's rules of lazy copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from halide_core import raw_buffer as raw
from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_device import DEVICE_DIRTY, HOST_DIRTY, flags_of, mark, to_host
from halide_core.interface import Array

if TYPE_CHECKING:
    from halide_core.backend.llvm_stmt import StmtEmitter
    from halide_core.lower import Lowered

_NULL_HOST = -34


def emit_device_arguments(
    b: FunctionBuilder, emitter: StmtEmitter, buffers: Mapping[str, str], on_device: Sequence[Array],
    on_host: Sequence[Array], lowered: Lowered,
) -> None:
    """Has the code of `lowered` that follows use what the halide_buffer_ts in `buffers` have of a device.

    A buffer without memory there gets some, and its host's values count as the newest.  Where an output's memory meets
    another array's, the run has copies of its own, since kernels take arrays for apart.  Arrays that the host alone
    accesses have their values there."""
    b.interface = b.emit("call ptr @halide_cuda_device_interface()")
    for a in on_device:
        _count_host_as_newest(b, buffers[a.name])
    for a in on_device:
        others = [o for o in on_device if o is not a and (o in lowered.outputs or a in lowered.outputs)]
        emitter.names.given[a.name] = _given(emitter, a, buffers, others) if others else buffers[a.name]
    for a in on_host:
        if a not in on_device:
            to_host(b, buffers[a.name])
            if a in lowered.outputs:
                mark(b, buffers[a.name], HOST_DIRTY)


def _field(b: FunctionBuilder, buffer: str, offset: int, kind: str) -> str:
    return b.emit(f"load {kind}, ptr {b.emit(f'getelementptr i8, ptr {buffer}, i64 {offset}')}")


def _count_host_as_newest(b: FunctionBuilder, buffer: str) -> None:
    """A buffer that the device has nothing of holds what it holds on the host, whether it is marked so or not."""
    flags = b.emit(f"load i64, ptr {flags_of(b, buffer)}")
    clean = b.emit(f"icmp eq i64 {b.emit(f'and i64 {flags}, {DEVICE_DIRTY}')}, 0")
    none = b.emit(f"icmp eq i64 {_field(b, buffer, raw.DEVICE, 'i64')}, 0")
    some = b.emit(f"icmp ne ptr {_field(b, buffer, raw.HOST, 'ptr')}, null")
    newest = b.emit(f"and i1 {b.emit(f'and i1 {clean}, {none}')}, {some}")
    marked = b.emit(f"or i64 {flags}, {b.emit(f'select i1 {newest}, i64 {HOST_DIRTY}, i64 0')}")
    b.do(f"store i64 {marked}, ptr {flags_of(b, buffer)}")


def _given(emitter: StmtEmitter, a: Array, buffers: Mapping[str, str], others: Sequence[Array]) -> str:
    """The halide_buffer_t of `a` unless its memory meets that of one of the `others`, else null; its values are on the
    host then."""
    b, buffer = emitter.b, buffers[a.name]
    meets = "false"
    for o in others:
        meets = b.emit(f"or i1 {meets}, {b.emit(f'call i1 @hl.cuda.meet(ptr {buffer}, ptr {buffers[o.name]})')}")
    shared, apart = b.label("shared"), b.label("apart")
    b.branch_if(meets, shared, apart)
    b.start(shared)
    nowhere, somewhere = b.label("nowhere"), b.label("somewhere")
    b.branch_if(b.emit(f"icmp eq ptr {_field(b, buffer, raw.HOST, 'ptr')}, null"), nowhere, somewhere)
    b.start(nowhere)
    text = f"{a.name} shares memory of a device with another buffer, and has none on the host"
    b.say(emitter.module.string(text))
    b.fail(str(_NULL_HOST))
    b.start(somewhere)
    to_host(b, buffer)
    mark(b, buffer, HOST_DIRTY)
    b.branch(apart)
    b.start(apart)
    return b.emit(f"select i1 {meets}, ptr null, ptr {buffer}")
