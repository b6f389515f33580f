"""print and require as LLVM control flow: a message is written into a buffer and handed to the run time."""

from __future__ import annotations

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import llvm_type
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.named_calls import REQUIRE, TRACE
from halide_core.ir.types import Float, Int, Type, UInt

_MESSAGE_BYTES = 1024
_TRACE_BYTES = 4096


def emit_effect(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    """Writes, lane by lane, what `e` writes where its condition says; its value."""
    if e.name == TRACE:
        _trace(b, e, args)
        return args[1]
    for lane in range(e.type.lanes):
        operands = [_lane(b, a.type, x, lane) for a, x in zip(e.args, args, strict=True)]
        _one(b, e, operands)
    return args[1]


def _trace(b: FunctionBuilder, e: ir.Call, args: list[str]) -> None:
    """Writes what happens, where, and the value: Store f.0(<0, 1>, <5, 5>) = <7, 8>."""
    what: Expr = e.args[2]
    while isinstance(what, ir.Broadcast):
        what = what.value
    assert isinstance(what, ir.StringImm)
    values: list[str] = []

    def told(a: Expr, x: str) -> str:
        # A bool is a number here.
        parts = [_formatted(b, a.type.element_of(), _lane(b, a.type, x, k), True) for k in range(a.type.lanes)]
        values.extend(value for _, value in parts)
        text = ", ".join(t for t, _ in parts)
        return text if a.type.is_scalar() else f"<{text}>"

    places = ", ".join(told(a, x) for a, x in zip(e.args[3:], args[3:], strict=True))
    text = f"{what.value.replace('%', '%%')}({places}) = {told(e.args[1], args[1])}\n"
    b.do(f"call void @halide_print(ptr null, ptr {_written(b, text, values, _TRACE_BYTES)})")


def _written(b: FunctionBuilder, form: str, values: list[str], size: int) -> str:
    """The text that snprintf makes of its format and typed operands."""
    b.module.declare("snprintf", "i32", ["ptr", "i64", "ptr", "..."])
    space = b.alloca(f"[{size} x i8]", align=16)
    rest = "".join(f", {v}" for v in values)
    b.emit(f"call i32 (ptr, i64, ptr, ...) @snprintf(ptr {space}, i64 {size}, ptr {b.module.string(form)}{rest})")
    return space


def _lane(b: FunctionBuilder, t: Type, x: str, lane: int) -> str:
    return x if t.is_scalar() else b.emit(f"extractelement {llvm_type(t)} {x}, i64 {lane}")


def _one(b: FunctionBuilder, e: ir.Call, operands: list[str]) -> None:
    write, after = b.label("write"), b.label("written")
    fails = e.name == REQUIRE
    b.branch_if(operands[0], after if fails else write, write if fails else after)
    b.start(write)
    texts: list[str] = []
    values: list[str] = []
    for a, x in zip(e.args[2:], operands[2:], strict=True):
        if isinstance(a, ir.StringImm):
            texts.append(a.value.replace("%", "%%"))
            continue
        text, value = _formatted(b, a.type.element_of(), x)
        texts.append(text)
        values.append(value)
    space = _written(b, "".join(texts), values, _MESSAGE_BYTES)
    if not fails:
        b.do(f"call void @halide_print(ptr null, ptr {space})")
        b.branch(after)
    else:
        b.do(f"call void @halide_error(ptr null, ptr {space})")
        b.fail()
    b.start(after)


def _formatted(b: FunctionBuilder, t: Type, x: str, traced: bool = False) -> tuple[str, str]:
    """How printf writes a scalar as Halide does, and the typed operand; a trace has bools as numbers, and float16 as
    float64."""
    if t.is_handle():
        return "%s", f"ptr {x}"
    if t.is_bool() and not traced:
        yes, no = b.module.string("true"), b.module.string("false")
        return "%s", f"ptr {b.emit(f'select i1 {x}, ptr {yes}, ptr {no}')}"
    if t.is_bfloat():
        raise HalideError("A bfloat16 cannot be printed; cast it to float32")
    if t.is_float():
        wide = x if t == Float(64) else b.emit(f"fpext {llvm_type(t)} {x} to double")
        return ("%e" if t.bits == 64 or (traced and t.bits == 16) else "%f"), f"double {wide}"
    op = "sext" if t.is_int() else "zext"
    wide = x if t in (Int(64), UInt(64)) else b.emit(f"{op} {llvm_type(t)} {x} to i64")
    return ("%lld" if t.is_int() else "%llu"), f"i64 {wide}"
