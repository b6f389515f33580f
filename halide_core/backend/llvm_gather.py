"""Gathers: of elements that are smaller than what one instruction gathers, the words that they lie in.

A word that is aligned lies in one page, so that what is beside the element can be read too, whatever it is."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import literal, llvm_type, mangle
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool, Int, Type, UInt

_WORD = 4
_LANES = 16
"""Words that an instruction gathers at the most: fewer than half of them are not worth their shifts."""


def gather(
    b: FunctionBuilder, emit: Callable[[Expr], str], base: str, index: Expr, t: Type, mask: str | None
) -> str:
    """Elements of type `t` at an index from `base`; 0 where a lane of the mask is false."""
    if b.module.gathers_words and t.bytes() < _WORD and t.lanes >= _LANES // 2:
        same, own = _split(index)
        narrow = _narrow(own)
        if same is not None:
            base = b.emit(f"getelementptr {llvm_type(t.element_of())}, ptr {base}, {llvm_type(same.type)} {emit(same)}")
        indices = (emit(own), own.type) if narrow is None else _as_words(b, emit, narrow)
        return _parts(b, base, indices, t, mask)
    element = llvm_type(t.element_of())
    pointers = b.emit(f"getelementptr {element}, ptr {base}, {llvm_type(index.type)} {emit(index)}")
    return _gathered(b, pointers, t, mask)


def _split(index: Expr) -> tuple[Expr | None, Expr]:
    """What all lanes of an index add alike, a scalar, and the rest."""
    if isinstance(index, ir.Add):
        for one, other in ((index.a, index.b), (index.b, index.a)):
            if isinstance(one, ir.Broadcast):
                more, own = _split(other)
                return (one.value if more is None else ir.Add(one.value.type, one.value, more)), own
    return None, index


def _narrow(index: Expr) -> Expr | None:
    """The integers of less than 64 bits that an index is, where an int32 holds them."""
    inner = index.value if isinstance(index, ir.Cast) and index.type.bits == 64 else index
    t = inner.type
    fits = t.is_int_or_uint() and not t.is_bool() and Int(32, t.lanes).can_represent(t)
    return inner if fits else None


def _as_words(b: FunctionBuilder, emit: Callable[[Expr], str], index: Expr) -> tuple[str, Type]:
    words = Int(32, index.type.lanes)
    value = emit(index)
    if index.type.bits < 32:
        widen = "sext" if index.type.is_int() else "zext"
        value = b.emit(f"{widen} {llvm_type(index.type)} {value} to {llvm_type(words)}")
    return value, words


def _gathered(b: FunctionBuilder, pointers: str, t: Type, mask: str | None) -> str:
    """One instruction until code is generated, whatever the target has: lanes written out take four each."""
    text, mask_type = llvm_type(t), llvm_type(Bool(t.lanes))
    name = f"llvm.masked.gather.{mangle(t)}.v{t.lanes}p0"
    vector = f"<{t.lanes} x ptr>"
    b.module.declare(name, text, [vector, mask_type, text], "")
    where, held = f"{vector} align {t.bytes()} {pointers}", mask if mask is not None else literal(1, Bool(t.lanes))
    return b.emit(f"call {text} @{name}({where}, {mask_type} {held}, {text} zeroinitializer)")


def _parts(b: FunctionBuilder, base: str, index: tuple[str, Type], t: Type, mask: str | None) -> str:
    """The words around elements of 8 or 16 bits, shifted down."""
    indices, kind = index
    each, shift = _WORD // t.bytes(), (_WORD // t.bytes()).bit_length() - 1
    words, text = UInt(32, t.lanes), llvm_type(kind)
    b.module.declare("llvm.ptrmask.p0.i64", "ptr", ["ptr", "i64"], "nounwind")
    start = b.emit(f"call ptr @llvm.ptrmask.p0.i64(ptr {base}, i64 {-_WORD})")
    address = b.emit(f"ptrtoint ptr {base} to i64")
    ahead = b.emit(f"and i64 {address}, {_WORD - 1}")
    ahead = b.emit(f"lshr i64 {ahead}, {t.bytes() // 2}")  # elements of one byte, or of two
    if kind.bits == 32:
        ahead = b.emit(f"trunc i64 {ahead} to i32")
    one = b.emit(f"insertelement {text} poison, i{kind.bits} {ahead}, i64 0")
    firsts = b.emit(f"shufflevector {text} {one}, {text} poison, <{t.lanes} x i32> zeroinitializer")
    # The index itself may be too large for the sum: its whole words are added up apart.
    part = b.emit(f"and {text} {indices}, {literal(each - 1, kind)}")
    part = b.emit(f"add {text} {part}, {firsts}")
    whole = b.emit(f"ashr {text} {indices}, {literal(shift, kind)}")
    over = b.emit(f"lshr {text} {part}, {literal(shift, kind)}")
    whole = b.emit(f"add {text} {whole}, {over}")
    pointers = b.emit(f"getelementptr i32, ptr {start}, {text} {whole}")
    found = _gathered(b, pointers, words, mask)
    down = b.emit(f"and {text} {part}, {literal(each - 1, kind)}")
    if kind.bits == 64:
        down = b.emit(f"trunc {text} {down} to {llvm_type(words)}")
    down = b.emit(f"shl {llvm_type(words)} {down}, {literal(3 + t.bytes() // 2, words)}")
    text = llvm_type(words)
    found = b.emit(f"lshr {text} {found}, {down}")
    bits = UInt(t.bits, t.lanes)
    value = b.emit(f"trunc {text} {found} to {llvm_type(bits)}")
    return value if llvm_type(bits) == llvm_type(t) else b.emit(f"bitcast {llvm_type(bits)} {value} to {llvm_type(t)}")
