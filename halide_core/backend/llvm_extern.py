"""Calls of external stages: buffers are halide_buffer_t on the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halide_core import raw_buffer as raw
from halide_core.backend.llvm_types import llvm_type, memory_type
from halide_core.errors import HalideError
from halide_core.extern_calls import failed
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32
from halide_core.ir.named_calls import is_buffer
from halide_core.ir.types import Type

if TYPE_CHECKING:
    from halide_core.backend.llvm_stmt import StmtEmitter


def emit_extern(emitter: StmtEmitter, s: st.ExternCall, keep: bool = False) -> None:
    """Emits the call `s`, and the body that may use what a query found; `keep`: what follows may, too."""
    b, names = emitter.b, emitter.names
    emitter.expr.reset()
    operands: list[str] = []
    places: dict[int, str] = {}
    for k, a in enumerate(s.args):
        if is_buffer(a):
            assert isinstance(a, ir.Call)
            pointer, places[k] = _buffer(emitter, a, s.body is not None)
            operands.append(f"ptr {pointer}")
        else:
            operands.append(f"{_scalar_abi(a.type)} {emitter.expr.emit(a)}")
    emitter.module.declare(s.symbol, "i32", [o.rsplit(" ", 1)[0] for o in operands])
    status = b.emit(f"call i32 @{s.symbol}({', '.join(operands)})")
    bad, fine = b.label("failed"), b.label("fine")
    b.branch_if(b.emit(f"icmp ne i32 {status}, 0"), bad, fine)
    b.start(bad)
    emitter.module.declare("snprintf", "i32", ["ptr", "i64", "ptr", "..."])
    space = b.alloca("[512 x i8]", align=16)
    text = emitter.module.string(failed(s.symbol, s.body is not None).replace("%", "%%") + "%d")
    b.emit(f"call i32 (ptr, i64, ptr, ...) @snprintf(ptr {space}, i64 512, ptr {text}, i32 {status})")
    b.do(f"call void @halide_error(ptr null, ptr {space})")
    b.fail(status)
    b.start(fine)
    emitter.expr.reset()
    if s.body is None:
        return
    if keep:
        _bind_answers(emitter, s, places)
        emitter.emit(s.body)
        return
    # Another query of these names has other answers.
    with emitter.expr.within(shadows=any(n in names.operands for n in s.bound())):
        _bind_answers(emitter, s, places)
        emitter.emit(s.body)
    for name in s.bound():
        del names.operands[name]


def _bind_answers(emitter: StmtEmitter, s: st.ExternCall, places: dict[int, str]) -> None:
    """Makes what the query `s` left in the dimensions at `places` known."""
    b = emitter.b
    for name in s.bound():
        k, end, d = name[len(s.prefix) + 1 :].split(".")
        low, extent = (_load(emitter, places[int(k)], int(d) * raw.DIM_BYTES + o) for o in (raw.MIN, raw.EXTENT))
        operand = low if end == "min" else b.emit(f"sub i32 {b.emit(f'add i32 {low}, {extent}')}, 1")
        emitter.names.operands[name], emitter.names.variable_types[name] = operand, I32


def _scalar_abi(t: Type) -> str:
    """The type of a scalar argument, with what C's calling convention asks for."""
    if t.is_float() and t.bits == 16:
        raise HalideError(f"A scalar of {t} cannot be passed to an external stage; cast it to float32")
    if t.is_float() or t.is_handle() or t.bits >= 32:
        return llvm_type(t)
    return f"{llvm_type(t)} {'signext' if t.is_int() else 'zeroext'}"


def _load(emitter: StmtEmitter, pointer: str, offset: int) -> str:
    place = emitter.b.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
    return emitter.b.emit(f"load i32, ptr {place}")


def _buffer(emitter: StmtEmitter, e: ir.Call, is_query: bool) -> tuple[str, str]:
    """A halide_buffer_t and its dimensions."""
    b = emitter.b
    element, bounds = e.args[0], e.args[1:]
    buffer = b.alloca(f"[{raw.BUFFER_BYTES} x i8]", align=16)
    dims = b.alloca(f"[{max(len(bounds) // 3, 1) * raw.DIM_BYTES} x i8]", align=16)

    def put(pointer: str, offset: int, kind: str, value: str) -> None:
        place = b.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        b.do(f"store {kind} {value}, ptr {place}")

    b.do(f"store [{raw.BUFFER_BYTES} x i8] zeroinitializer, ptr {buffer}")
    if isinstance(element, ir.Load):
        put(buffer, raw.HOST, "ptr", _address(emitter, element, is_query))
    t = element.type
    put(buffer, raw.TYPE, "i32", str(int(t.code) | (t.bits << 8) | (1 << 16)))
    put(buffer, raw.DIMENSIONS, "i32", str(len(bounds) // 3))
    put(buffer, raw.DIM, "ptr", dims)
    for k, x in enumerate(bounds):
        put(dims, k // 3 * raw.DIM_BYTES + 4 * (k % 3), "i32", emitter.expr.emit(x))
    for d in range(len(bounds) // 3):
        put(dims, d * raw.DIM_BYTES + 12, "i32", "0")
    return buffer, dims


def _address(emitter: StmtEmitter, element: ir.Load, is_query: bool) -> str:
    """Of the element; in a query of a buffer without memory, null."""
    b, base = emitter.b, emitter.names.arrays[element.name]
    index = emitter.expr.emit(element.index)
    place = b.emit(f"getelementptr {memory_type(element.type)}, ptr {base}, i64 {index}")
    if not is_query:
        return place
    return b.emit(f"select i1 {b.emit(f'icmp eq ptr {base}, null')}, ptr null, ptr {place}")
