"""The value of a call of an intrinsic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.ir.expr import Expr, const
from halide_core.ir.structural import transform
from halide_core.ir.types import Type, UInt
from lifter.simd.lanes import Lanes, as_type, finest, simplified, zeros
from lifter.simd.meanings import Meaning
from lifter.simd.simplify import simplify_node

Operand = Lanes | Expr | int
_HALF = 128


def apply(meaning: Meaning, operands: Sequence[Operand], bits: int) -> Lanes | Expr:
    """The result for operands in the order of the intrinsic's own, without the pointer of a store; `bits` is the size
    of the result (or of what is stored), 0 for a scalar.  Raises NotConstant."""
    if meaning.moves:
        return _padded(_moved(meaning, operands), bits)
    seen = _as_lanes(meaning, operands)
    wide = any(isinstance(v, Lanes) and v.bits > _HALF for v in seen)
    if meaning.halves and wide and bits > _HALF:
        parts = [e for half in (0, 1) for e in meaning.compute(*(_operand(_half(v, half)) for v in seen))]
        return simplified(parts)
    result: Any = meaning.compute(*(_operand(v) for v in seen))
    if isinstance(result, Expr):
        return transform(result, simplify_node)
    return _padded(simplified(result), bits)


def _operand(v: Operand) -> Any:
    return v.parts if isinstance(v, Lanes) else v


def _half(v: Operand, half: int) -> Operand:
    if not isinstance(v, Lanes) or v.bits <= _HALF:
        return v
    n = len(v.parts) // 2
    return Lanes(v.parts[n * half : n * half + n])


def _as_lanes(meaning: Meaning, operands: Sequence[Operand]) -> list[Operand]:
    """The operands with registers as lanes of the types that the meaning wants."""
    registers = [v for v in operands if isinstance(v, Lanes)]
    common = finest(registers) if registers else UInt(8)
    if common.is_float() and len(registers) > 1:
        common = UInt(common.bits)
    out: list[Operand] = []
    position = 0
    for v in operands:
        if isinstance(v, Lanes):
            wanted: Type | None = meaning.lanes[min(position, len(meaning.lanes) - 1)]
            v = as_type(v, wanted or common)
            position += 1
        out.append(v)
    return out


def _moved(meaning: Meaning, operands: Sequence[Operand]) -> Lanes:
    registers = [v for v in operands if isinstance(v, Lanes)]
    others = [v for v in operands if not isinstance(v, Lanes)]
    t = finest(registers, meaning.moves)
    registers = [as_type(v, t) for v in registers]
    if meaning.halves and any(v.bits > _HALF for v in registers):
        halves = [[_half(v, half) for v in registers] for half in (0, 1)]
        return Lanes(tuple(e for half in halves for e in _chosen(meaning, half, others, t)))
    return Lanes(tuple(_chosen(meaning, registers, others, t)))


def _chosen(meaning: Meaning, registers: Sequence[Operand], others: Sequence[Operand], t: Type) -> list[Expr]:
    each = meaning.moves // t.bits
    groups: list[tuple[Expr, ...]] = []
    for v in registers:
        assert isinstance(v, Lanes)
        groups += [v.parts[i : i + each] for i in range(0, len(v.parts), each)]
    first = registers[0]
    assert isinstance(first, Lanes)
    nothing = (const(0, t),) * each
    return [e for i in meaning.compute(len(first.parts) // each, *others) for e in (nothing if i < 0 else groups[i])]


def _padded(v: Lanes, bits: int) -> Lanes:
    """`v` with zeros above, or the low bits of it."""
    if v.bits < bits:
        return Lanes((*v.parts, *zeros(bits - v.bits, v.type)))
    if v.bits > bits:
        v = v if v.type.bits <= bits else as_type(v, UInt(bits))
        return Lanes(v.parts[: bits // v.type.bits])
    return v
