"""Values of other lanes of a warp, by `shfl.sync`."""

from __future__ import annotations

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import llvm_type
from halide_core.ir import expr as ir
from halide_core.ir.expr import const_value
from halide_core.ir.named_calls import SHUFFLE

_WARP = 32
_LANE = "llvm.nvvm.read.ptx.sreg.laneid"


def shuffle(b: FunctionBuilder, e: ir.Call, args: list[str]) -> str:
    """The value of `e`, an `is_shuffle`: of fewer than 32 bits in a word, of 64 in two."""
    value, lane, *_ = args
    kind, t = e.name.removeprefix(SHUFFLE), e.type
    width = int(const_value(e.args[2]) or _WARP)
    working = int(const_value(e.args[3]) or width) if len(e.args) > 3 else width
    text, whole = llvm_type(t), f"i{t.bits}"
    bits = b.emit(f"bitcast {text} {value} to {whole}") if text != whole else value
    if t.bits <= _WARP:
        word = bits if t.bits == _WARP else b.emit(f"zext {whole} {bits} to i32")
        found = _word(b, kind, word, lane, width, working)
        out = found if t.bits == _WARP else b.emit(f"trunc i32 {found} to {whole}")
    else:
        low, high = b.emit(f"trunc i64 {bits} to i32"), b.emit(f"lshr i64 {bits}, 32")
        parts = [_word(b, kind, x, lane, width, working) for x in (low, b.emit(f"trunc i64 {high} to i32"))]
        low, high = (b.emit(f"zext i32 {x} to i64") for x in parts)
        out = b.emit(f"or i64 {low}, {b.emit(f'shl i64 {high}, 32')}")
    return b.emit(f"bitcast {whole} {out} to {text}") if text != whole else out


def _word(b: FunctionBuilder, kind: str, word: str, lane: str, width: int, working: int) -> str:
    callee = b.module.declare(f"llvm.nvvm.shfl.sync.{kind}.i32", "i32", ["i32"] * 4, "convergent nounwind")
    # The lanes of one part of a warp; how far up or down they reach.
    mask = str((1 << working) - 1) if working < _WARP else "-1"
    if width < _WARP:
        own = b.emit(f"call i32 {b.module.declare(_LANE, 'i32', [], '')}()")
        mask = b.emit(f"shl i32 {mask}, {b.emit(f'and i32 {own}, {-width}')}")
    # Who asks a lane that takes no part gets its own value.
    last = _WARP - 1 if working == width else working - 1
    reach = (_WARP - width) << 8 | (0 if kind == "up" else last)
    return b.emit(f"call i32 {callee}(i32 {mask}, i32 {word}, i32 {lane}, i32 {reach})")
