"""print and require as LLVM control flow: a message is written into a buffer and handed to the run time."""

from __future__ import annotations

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import llvm_type
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import REQUIRE
from halide_core.ir.types import Float, Int, Type, UInt

_MESSAGE_BYTES = 1024


def emit_effect(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    """Writes, lane by lane, what `e` writes where its condition says; its value."""
    for lane in range(e.type.lanes):
        operands = [_lane(b, a.type, x, lane) for a, x in zip(e.args, args, strict=True)]
        _one(b, e, operands)
    return args[1]


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
    b.module.declare("snprintf", "i32", ["ptr", "i64", "ptr", "..."])
    space = b.alloca(f"[{_MESSAGE_BYTES} x i8]", align=16)
    rest = "".join(f", {v}" for v in values)
    form = b.module.string("".join(texts))
    b.emit(f"call i32 (ptr, i64, ptr, ...) @snprintf(ptr {space}, i64 {_MESSAGE_BYTES}, ptr {form}{rest})")
    if not fails:
        b.do(f"call void @halide_print(ptr null, ptr {space})")
        b.branch(after)
    else:
        b.do(f"call void @halide_error(ptr null, ptr {space})")
        b.fail()
    b.start(after)


def _formatted(b: FunctionBuilder, t: Type, x: str) -> tuple[str, str]:
    """How printf writes a scalar as Halide does, and the typed operand."""
    if t.is_handle():
        return "%s", f"ptr {x}"
    if t.is_bool():
        yes, no = b.module.string("true"), b.module.string("false")
        return "%s", f"ptr {b.emit(f'select i1 {x}, ptr {yes}, ptr {no}')}"
    if t.is_bfloat():
        raise HalideError("A bfloat16 cannot be printed; cast it to float32")
    if t.is_float():
        wide = x if t == Float(64) else b.emit(f"fpext {llvm_type(t)} {x} to double")
        return ("%e" if t.bits == 64 else "%f"), f"double {wide}"
    op = "sext" if t.is_int() else "zext"
    wide = x if t in (Int(64), UInt(64)) else b.emit(f"{op} {llvm_type(t)} {x} to i64")
    return ("%lld" if t.is_int() else "%llu"), f"i64 {wide}"
