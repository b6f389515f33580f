"""The value of a call of an intrinsic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from halide_core.ir.expr import Expr, const
from halide_core.ir.structural import transform
from halide_core.ir.types import Type, UInt
from lifter.simd.families import Meaning
from lifter.simd.lanes import Lanes, as_type, finest, is_constant, simplified, zeros
from lifter.simd.masks import chosen
from lifter.simd.simplify import simplify_node

Operand = Lanes | Expr | int
_HALF = 128


def apply(meaning: Meaning, operands: Sequence[Operand], bits: int) -> Lanes | Expr:
    """The result for operands in the order of the intrinsic's own, without the pointer of a store; `bits` is the size
    of the result (or of what is stored), 0 for a scalar.  Raises NotConstant."""
    if meaning.masked is not None:
        return _masked(meaning, meaning.masked, operands, bits)
    if meaning.moves:
        return _padded(_moved(meaning, operands), bits)
    seen = _as_lanes(meaning, operands)
    count = max((v.bits // _HALF for v in seen if isinstance(v, Lanes)), default=1)
    if meaning.halves and count > 1 and bits > _HALF:
        each = range(count)
        return simplified([e for k in each for e in meaning.compute(*(_operand(_half(v, k, count)) for v in seen))])
    result: Any = meaning.compute(*(_operand(v) for v in seen))
    if isinstance(result, Expr):
        return transform(result, simplify_node)
    return _padded(simplified(result), bits)


def _operand(v: Operand) -> Any:
    return v.parts if isinstance(v, Lanes) else v


def _masked(meaning: Meaning, t: Type, operands: Sequence[Operand], bits: int) -> Lanes:
    """What is computed of lanes that have their bits in a mask."""
    kept = None if meaning.zeroing else operands[0]
    mask, *others = operands if meaning.zeroing else operands[1:]
    found = apply(replace(meaning, masked=None), others, bits)
    assert isinstance(found, Lanes) and isinstance(mask, Expr)
    yes = as_type(found, t).parts
    no = as_type(kept, t).parts if isinstance(kept, Lanes) else (const(0, t),) * len(yes)
    return simplified(chosen(mask, yes, no))


def _half(v: Operand, k: int, count: int) -> Operand:
    """The 128 bits of a number, of so many."""
    if not isinstance(v, Lanes) or v.bits <= _HALF:
        return v
    n = len(v.parts) // count
    return Lanes(v.parts[n * k : n * k + n])


def _as_lanes(meaning: Meaning, operands: Sequence[Operand]) -> list[Operand]:
    """The operands with registers as lanes of the types that the meaning wants."""
    registers = [v for v in operands if isinstance(v, Lanes)]
    common = finest(registers) if registers else UInt(8)
    if common.is_float() and len(registers) > 1:
        common = UInt(common.bits)
    unsigned = meaning.any_sign and all(v.type.is_uint() or is_constant(v) for v in registers)
    out: list[Operand] = []
    position = 0
    for v in operands:
        if isinstance(v, Lanes):
            wanted: Type | None = meaning.lanes[min(position, len(meaning.lanes) - 1)]
            if unsigned and wanted is not None:
                wanted = UInt(wanted.bits)
            v = as_type(v, wanted or common)
            position += 1
        out.append(v)
    return out


def _moved(meaning: Meaning, operands: Sequence[Operand]) -> Lanes:
    registers = [v for v in operands if isinstance(v, Lanes)]
    others = [v for v in operands if not isinstance(v, Lanes)]
    chosen = _chosen(meaning, registers, others)
    t = finest(registers)
    # Lanes that stay whole are moved as they are.
    whole = _of_lanes(chosen, t.bits // meaning.moves) if t.bits > meaning.moves else None
    bits = meaning.moves
    if whole is not None:
        chosen, bits = whole, t.bits
    t = finest(registers, bits)
    each = bits // t.bits
    groups: list[tuple[Expr, ...]] = []
    for v in registers:
        parts = as_type(v, t).parts
        groups += [parts[i : i + each] for i in range(0, len(parts), each)]
    nothing = (const(0, t),) * each
    return Lanes(tuple(e for i in chosen for e in (nothing if i < 0 else groups[i])))


def _chosen(meaning: Meaning, registers: Sequence[Lanes], others: Sequence[Operand]) -> list[int]:
    """The numbers of the groups chosen, of all those of the registers one after the other."""
    sizes = [v.bits // meaning.moves for v in registers]
    if not meaning.halves or max(v.bits for v in registers) <= _HALF:
        return list(meaning.compute(sizes[0], *others))
    # In each half, or quarter, those of the registers follow one another.
    count = max(v.bits for v in registers) // _HALF
    half = sizes[0] // count
    found = meaning.compute(half, *others)
    return [i if i < 0 else i // half * sizes[0] + k * half + i % half for k in range(count) for i in found]


def _of_lanes(chosen: Sequence[int], each: int) -> list[int] | None:
    """The numbers of lanes of `each` groups that are chosen whole, or None."""
    out: list[int] = []
    for start in range(0, len(chosen), each):
        lane = list(chosen[start : start + each])
        if all(i < 0 for i in lane):
            out.append(-1)
        elif lane[0] >= 0 and lane[0] % each == 0 and lane == list(range(lane[0], lane[0] + each)):
            out.append(lane[0] // each)
        else:
            return None
    return out if len(chosen) % each == 0 else None


def _padded(v: Lanes, bits: int) -> Lanes:
    """`v` with zeros above, or the low bits of it."""
    if v.bits < bits:
        return Lanes((*v.parts, *zeros(bits - v.bits, v.type)))
    if v.bits > bits:
        v = v if v.type.bits <= bits else as_type(v, UInt(bits))
        return Lanes(v.parts[: bits // v.type.bits])
    return v
