"""Calls of SIMD intrinsics, lane by lane: what each means is in `lifter/simd`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from clang.cindex import Cursor

from halide_core.ir.expr import I32, I64, Expr, Load, const, const_value
from halide_core.ir.types import UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import in_own_header
from lifter.frontend.lowering import evaluation_order
from lifter.frontend.objects import memory_views, pointers, registers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Held
from lifter.frontend.state.values import Nothing, Pointer, Value, expressions_of, with_expressions
from lifter.ir.loop_ir import Assert, ConstArray
from lifter.simd import neon
from lifter.simd.evaluate import Operand, apply
from lifter.simd.families import Meaning
from lifter.simd.lane_operations import F32, NotConstant
from lifter.simd.lanes import Lanes, as_type, is_constant
from lifter.simd.meanings import table

_NO_EFFECT = {
    *("_mm_prefetch", "_mm_sfence", "_mm_lfence", "_mm_mfence", "_mm_pause", "_mm_clflush"),
    # What they clear no object of the language has to itself: the compiler keeps what it needs elsewhere.
    *("_mm256_zeroupper", "_mm256_zeroall"),
    *("_mm_free", "_mm_empty"),
}
_GATHERS = {"_mm_i32gather_epi32", "_mm256_i32gather_epi32", "_mm_i32gather_ps", "_mm256_i32gather_ps"}
"""Intrinsics that load lanes of 32 bits at numbers of 32 bits."""


_BYTE_SHUFFLES = {
    **dict.fromkeys(("_mm_shuffle_epi8", "_mm256_shuffle_epi8"), 128),
    **{f"{name}_{t}": bits for name, bits in (("vqtbl1", 16), ("vqtbl1q", 16), ("vtbl1", 8)) for t in ("u8", "s8")},
}
"""Intrinsics that choose bytes by data, each with the least number for which there is none."""


_MASKED_STORES = {
    "_mm_maskmoveu_si128": 8,
    **dict.fromkeys(("_mm_maskstore_epi32", "_mm256_maskstore_epi32", "_mm_maskstore_ps", "_mm256_maskstore_ps"), 32),
}
"""Intrinsics that store the lanes whose mask is negative, and the bits of a lane."""
_INTRINSICS = ("_mm_", "_mm256_", "_mm512_")


def is_intrinsic(target: Cursor) -> bool:
    name = target.spelling
    return name.startswith(_INTRINSICS) or (name in neon.signatures() and in_own_header(target.location))


def call(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor]) -> Value:
    """The value of a call of an intrinsic."""
    name = target.spelling
    ctx.uses_registers = True
    if name in _NO_EFFECT:
        for a in arguments:
            if queries.has_effects(a):
                descent.discard(ctx, a)
        return Nothing()
    meaning = table().get(name) or neon.table().get(name)
    if name in _MASKED_STORES:
        return _store_under_mask(ctx, c, target, arguments)
    if name in _GATHERS:
        return _gathered(ctx, c, target, arguments)
    if meaning is None:
        ctx.fail(f"call of the intrinsic '{name}', which is not known lane by lane", c)
    given = _evaluated(ctx, target, arguments)
    pointer = next((v for v in given if isinstance(v, Pointer)), None)
    wanted: list[Operand] = []
    for position, (v, a) in enumerate(zip(given, arguments, strict=True)):
        if isinstance(v, Pointer):
            if not meaning.writes:
                wanted.append(registers.load(ctx, v, meaning.reads, c))
        elif position >= len(given) - meaning.immediates:
            number = const_value(v) if isinstance(v, Expr) else None
            if number is not None:
                wanted.append(int(number))
            elif meaning.counts and isinstance(v, Expr):
                wanted.append(_count(ctx, v))
            else:
                _refuse(ctx, name, a)
        else:
            assert isinstance(v, Expr | Lanes)
            wanted.append(v)
    _learn_lanes(ctx, meaning, wanted)
    bits = 8 * (meaning.writes or types.register_bytes(c.type))
    try:
        result = apply(meaning, wanted, bits)
    except NotConstant:
        found = _looked_up(ctx, wanted, bits, _BYTE_SHUFFLES[name]) if name in _BYTE_SHUFFLES else None
        if found is None:
            _refuse(ctx, name, arguments[-1])
        result = found
    if meaning.writes:
        assert pointer is not None and isinstance(result, Lanes)
        registers.store(ctx, pointer, result, c)
        return Nothing()
    return result


def _store_under_mask(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor]) -> Nothing:
    """Stores of the lanes whose mask is negative, which is known: each run of them as a register of its own."""
    lane = UInt(_MASKED_STORES[target.spelling])
    given = _evaluated(ctx, target, arguments)
    (pointer,) = (v for v in given if isinstance(v, Pointer))
    registers_given = [v for v in given if isinstance(v, Lanes)]
    value, mask = registers_given if isinstance(given[0], Lanes) else registers_given[::-1]
    bits = [const_value(m) for m in as_type(mask, lane).parts]
    if None in bits:
        ctx.fail(f"'{target.spelling}' with a mask that is not constant", c)
    parts = as_type(value, lane).parts
    chosen = [bool(int(b or 0) >> (lane.bits - 1) & 1) for b in bits]
    bytes_ = replace(pointer, pointee=types.pointee(arguments[given.index(pointer)].type))
    for start, end in _runs(chosen):
        n = start * lane.bytes() // max(int(bytes_.pointee.get_size()), 1)
        place = pointers.advance(ctx, bytes_, const(n, I64), c)
        registers.store(ctx, place, Lanes(parts[start:end]), c)
    return Nothing()


def _gathered(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor]) -> Lanes:
    """Lanes that are loaded where numbers say, in steps of whole lanes."""
    pointer, numbers, scale = _evaluated(ctx, target, arguments)
    assert isinstance(pointer, Pointer) and isinstance(numbers, Lanes) and isinstance(scale, Expr)
    step, odd = divmod(int(const_value(scale) or 0), 4)
    if not step or odd:
        ctx.fail(f"'{target.spelling}' with a scale that is no whole number of lanes", c)
    out: list[Expr] = []
    for n in as_type(numbers, I32).parts:
        place = pointers.advance(ctx, pointer, op.binary("*", op.cast(n, I64), const(step, I64)), c)
        out += as_type(registers.load(ctx, place, 4, c), F32 if target.spelling.endswith("ps") else I32).parts
    return Lanes(tuple(out))


def _runs(chosen: list[bool]) -> Iterator[tuple[int, int]]:
    """The first and behind the last of each run of true ones."""
    start = None
    for k, yes in enumerate([*chosen, False]):
        if yes and start is None:
            start = k
        if not yes and start is not None:
            yield start, k
            start = None


def _learn_lanes(ctx: Context, meaning: Meaning, given: list[Operand]) -> None:
    """Has the function lowered again where a register of the caller's is used with lanes that it was not taken to
    have."""
    found = [v for v in given if isinstance(v, Lanes)]
    for position, v in enumerate(found):
        lane = meaning.lanes[min(position, len(meaning.lanes) - 1)]
        first = v.parts[0]
        if lane is None or not isinstance(first, Load) or first.name not in ctx.given_registers:
            continue
        memory = memory_views.key_of_memory(first.name)
        if memory not in ctx.found.lane_types and lane.bits > v.type.bits:
            raise registers.Relaned(memory, lane)


def _count(ctx: Context, n: Expr) -> Expr:
    """A count of bits that is a variable: that it is below 256 is asked of callers."""
    whole = op.cast(n, I64)
    ctx.emit(Assert(0, op.binary(">=", whole, const(0, I64))))
    ctx.emit(Assert(0, op.binary("<", whole, const(256, I64))))
    return n


def _looked_up(ctx: Context, given: list[Operand], bits: int, least: int) -> Lanes | None:
    """A shuffle of bytes by data, of sixteen, or eight, for each half of 128 bits: of constant ones a table.  Numbers
    from `least` on give 0."""
    source, control = given
    if not isinstance(source, Lanes) or not isinstance(control, Lanes):
        return None
    byte = UInt(8)
    values = as_type(source, byte).parts
    size = min(len(values), 16)
    out: list[Expr] = []
    for k, c in enumerate(as_type(control, byte).parts[: bits // 8]):
        start = k // 16 * 16 if len(values) > 16 else 0
        number = op.binary("&", c, const(size - 1, byte))
        found = _entry(ctx, values[start : start + size], number, is_constant(source))
        out.append(op.select(op.binary(">=", c, const(least, byte)), const(0, byte), found))
    return Lanes(tuple(out))


def _entry(ctx: Context, values: Sequence[Expr], number: Expr, constant: bool) -> Expr:
    """The value of a number, which is one of theirs."""
    byte = UInt(8)
    if constant:
        name = _table_of(ctx, tuple(int(const_value(e) or 0) for e in values))
        return Load(byte, name, op.cast(number, I64))
    found = values[-1]
    for k, value in reversed(list(enumerate(values[:-1]))):
        found = op.select(op.binary("==", number, const(k, byte)), value, found)
    return found


def _table_of(ctx: Context, values: tuple[int, ...]) -> str:
    for name, known in ctx.tables.items():
        if known.values == values and known.type == UInt(8):
            return name
    name = ctx.new_array("table", UInt(8))
    ctx.tables[name] = ConstArray(name, UInt(8), values, (len(values),))
    return name


def _refuse(ctx: Context, name: str, at: Cursor) -> NoReturn:
    ctx.fail(f"'{name}' with a control that is not constant", at)


def _evaluated(ctx: Context, target: Cursor, arguments: list[Cursor]) -> list[Value]:
    """The values of the arguments, which C++ evaluates in no particular order."""
    parts = evaluation_order.Operands(ctx)
    values: list[tuple[Value, list[Held]]] = []
    for parameter, a in zip(target.get_arguments(), arguments, strict=True):
        v = descent.value(ctx, a)
        wanted = types.scalar(parameter.type)
        if isinstance(v, Expr) and wanted is not None:
            v = op.cast(v, wanted)
        held = ctx.hold_all(expressions_of(v), unsequenced=True)
        parts.done(*(h.value for h in held))
        values.append((v, held))
    parts.check()
    out = [with_expressions(v, ctx.release_all(held)) for v, held in reversed(values)][::-1]
    for v, a in zip(out, arguments, strict=True):
        if not isinstance(v, Expr | Lanes | Pointer):
            ctx.fail(queries.describe(a.type), a)
    return out
