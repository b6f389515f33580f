"""SIMD registers: variables, memory, and calls of intrinsics, lane by lane.

A register variable is a scalar local for each lane.  Its lanes are those of its first value; where that is a constant
(an accumulator's zero), those of the first value that is not, for which the function is lowered again (`Relaned`).
An access through a register's pointer reads or writes the units of the array that it points into."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Load, Variable, const, const_value
from halide_core.ir.structural import same
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import evaluate, in_own_header, operands
from lifter.frontend.lowering import evaluation_order, expressions
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context, Held
from lifter.frontend.objects import memory_views
from lifter.frontend.objects.values import (
    ElementPlace,
    LanesPlace,
    Nothing,
    Pointer,
    Value,
    expressions_of,
    with_expressions,
)
from lifter.ir.loop_ir import ConstArray, Store
from lifter.simd import neon
from lifter.simd.evaluate import Operand, apply
from lifter.simd.lane_operations import NotConstant
from lifter.simd.lanes import Lanes, as_type, is_constant, zeros
from lifter.simd.meanings import table

_NO_EFFECT = {
    *("_mm_prefetch", "_mm_sfence", "_mm_lfence", "_mm_mfence", "_mm_pause", "_mm_clflush", "_mm256_zeroupper"),
    "_mm_free",
}
_BYTE_SHUFFLES = {
    **dict.fromkeys(("_mm_shuffle_epi8", "_mm256_shuffle_epi8"), 128),
    **{f"{name}_{t}": bits for name, bits in (("vqtbl1", 16), ("vqtbl1q", 16), ("vtbl1", 8)) for t in ("u8", "s8")},
}
"""Intrinsics that choose bytes by data, each with the least number for which there is none."""
_INTRINSICS = ("_mm_", "_mm256_")


class Relaned(Exception):
    """A variable is used with other lanes than were guessed."""

    def __init__(self, key: str, type_: Type) -> None:
        super().__init__(key, type_)
        self.key, self.type = key, type_


class Varied(Exception):
    """An array of registers has elements that change, of which one was taken for a constant."""

    def __init__(self, array: str) -> None:
        super().__init__(array)
        self.array = array


class Addressed(Exception):
    """The address of a variable is taken: it is an array of one register."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


# Variables


def key(c: Cursor) -> str:
    """What identifies a declaration between one lowering of a function and the next."""
    return f"{c.spelling}@{c.location.file}:{c.location.offset}"


def new_place(ctx: Context, hint: str, bits: int, t: Type, guessed: str = "") -> LanesPlace:
    """A register variable of `bits` bits."""
    names = tuple(ctx.new_local(f"{hint or 'v'}_{i}", t) for i in range(bits // t.bits))
    return LanesPlace(names, t, guessed)


def address(ctx: Context, place: LanesPlace, at: Cursor | None) -> NoReturn:
    """Has the function lowered again with a variable in memory."""
    if place.key and place.key not in ctx.addressed:
        raise Addressed(place.key)
    ctx.fail("address of a register variable", at)


def declare(ctx: Context, c: Cursor, init: Cursor | None) -> Lanes | LanesPlace | ElementPlace:
    """The object that the declaration of a register variable creates, or its value for good."""
    if key(c) in ctx.addressed:
        memory = new_array(ctx, c.spelling, c, key(c))
        if init is not None:
            store(ctx, memory.pointer, value(ctx, init), c)
        return memory
    place = _declared(ctx, c, init)
    return replace(place, key=key(c)) if isinstance(place, LanesPlace) else place


def _declared(ctx: Context, c: Cursor, init: Cursor | None) -> Lanes | LanesPlace:
    size = 8 * types.register_bytes(c.type)
    known = ctx.lane_types.get(key(c))
    changes = c.hash in ctx.changed
    if init is None:
        return new_place(ctx, c.spelling, size, known or types.register_element(c.type), "" if known else key(c))
    v = value(ctx, init)
    if is_constant(v) and not changes:
        return v
    guessed = key(c) if known is None and is_constant(v) else ""
    place = new_place(ctx, c.spelling, size, known or v.type, guessed)
    write(ctx, place, v)
    return place


def value(ctx: Context, c: Cursor) -> Lanes:
    """The value of an expression of register type."""
    v = expressions.value(ctx, c)
    if not isinstance(v, Lanes):
        ctx.fail(queries.describe(c.type), c)
    return v


def listed(ctx: Context, c: Cursor) -> Lanes:
    """The register that an initialiser list of its declared lanes gives."""
    element = types.scalar(types.canonical(c.type).element_type)
    assert element is not None
    held: list[Held] = []
    for item in operands(c):
        found = evaluate(item)
        e = ctx.settled(expressions.scalar(ctx, item)) if found is None else const(found, element)
        held.append(ctx.hold(op.cast(e, element)))
    parts = ctx.release_all(held)
    total = 8 * types.register_bytes(c.type)
    return Lanes((*parts, *zeros(total - len(parts) * element.bits, element)))


def read(place: LanesPlace) -> Lanes:
    """The value of a register variable."""
    return Lanes(tuple(Variable(place.type, n) for n in place.names))


def write(ctx: Context, place: LanesPlace, v: Lanes) -> None:
    """Emits the assignment of all lanes, which may read the old ones."""
    if place.guessed and not is_constant(v) and v.type != place.type:
        raise Relaned(place.guessed, v.type)
    held = ctx.hold_all(as_type(v, place.type).parts[::-1])
    for name in place.names:
        ctx.assign(name, ctx.release(held.pop()))


def temporary(ctx: Context, v: Lanes, hint: str = "t") -> LanesPlace:
    """A fresh variable holding a register."""
    place = new_place(ctx, hint, v.bits, v.type)
    write(ctx, place, v)
    return place


# Memory


def load(ctx: Context, p: Pointer, size: int, at: Cursor | None) -> Lanes:
    """`size` bytes at a pointer, as lanes of the array's unit."""
    array = ctx.array_of(p, at)
    if array.startswith("&"):
        whole = _scalar(ctx, p, array, size, at)
        return Lanes((whole,))
    unit = _unit(ctx, array, size, at)
    offsets = [op.offset_sum(p.offset, const(k, I64)) for k in range(size // unit.bytes())]
    known = tuple(e for o in offsets if (e := _constant(ctx, array, o)) is not None)
    if len(known) == len(offsets):
        return Lanes(known)
    return Lanes(tuple(Load(unit, array, o) for o in offsets))


def _constant(ctx: Context, array: str, index: Expr) -> Expr | None:
    """The one constant that is stored in an element of a local array of registers, as far as the function has been
    read; `check_constants` looks at the rest."""
    k = const_value(index)
    places = ctx.stored.get(array, {})
    if array not in ctx.register_arrays or array in ctx.varied or k is None or None in places:
        return None
    found = places.get(int(k), [])
    if not found or const_value(found[0]) is None or any(not same(e, found[0]) for e in found):
        return None
    ctx.taken_as[array, int(k)] = found[0]
    return found[0]


def check_constants(ctx: Context) -> None:
    """Raises Varied where an element that was taken for a constant is stored again.

    (What is read where nothing has been stored may be anything.)"""
    for (array, k), e in ctx.taken_as.items():
        places = ctx.stored.get(array, {})
        if None in places or any(not same(v, e) for v in places.get(k, [])):
            raise Varied(array)


def store(ctx: Context, p: Pointer, v: Lanes, at: Cursor | None) -> None:
    """Emits the stores of a register at a pointer, lane 0 first."""
    array = ctx.array_of(p, at)
    size = v.bits // 8
    if array.startswith("&"):
        whole = _scalar(ctx, p, array, size, at)
        ctx.assign(whole.name, as_type(v, whole.type).parts[0])
        return
    if array in ctx.tables or array in ctx.const_arrays:
        ctx.fail(f"write to the constant array '{array}'", at)
    unit = _unit(ctx, array, size, at)
    guessed = ctx.register_arrays.get(array)
    if guessed and not is_constant(v) and v.type != unit and v.type.bytes() <= size:
        raise Relaned(guessed, v.type)
    address = ctx.hold(p.offset)
    held = ctx.hold_all(as_type(v, unit).parts[::-1])
    for k in range(len(held)):
        e = ctx.release(held.pop())
        ctx.emit(Store(ctx.line, array, op.offset_sum(address.value, const(k, I64)), e))
    ctx.release(address)


def copy(ctx: Context, target: Pointer, source: Pointer, at: Cursor | None) -> None:
    """Emits the copy of an array of registers, which is another one than its source."""
    each = types.innermost(target.pointee)
    size = types.register_bytes(each)
    for k in range(types.count(target.pointee)):
        parts = []
        for p in (target, source):
            unit = ctx.arrays[ctx.array_of(p, at)]
            place = const(k * size // unit.bytes(), I64)
            parts.append(replace(p, offset=op.offset_sum(p.offset, place), pointee=each))
        store(ctx, parts[0], load(ctx, parts[1], size, at), at)


def _unit(ctx: Context, array: str, size: int, at: Cursor | None) -> Type:
    unit = ctx.arrays[array]
    if unit.is_bool():
        ctx.fail(f"memory of type {unit} in a register", at)
    if size % unit.bytes():
        memory_views.narrow(ctx, array, size, at)
    return unit


def _scalar(ctx: Context, p: Pointer, array: str, size: int, at: Cursor | None) -> Variable:
    name = array[1:]
    t = ctx.locals.get(name) or ctx.parameters[name]
    if t.bytes() != size or const_value(p.offset) != 0:
        ctx.fail(f"{size} bytes of the scalar '{name}' of type {t} in a register", at)
    ctx.before_read(name)
    return Variable(t, name)


# Calls


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
                expressions.discard(ctx, a)
        return Nothing()
    meaning = table().get(name) or neon.table().get(name)
    if meaning is None:
        ctx.fail(f"call of the intrinsic '{name}', which is not known lane by lane", c)
    given = _evaluated(ctx, target, arguments)
    pointer = next((v for v in given if isinstance(v, Pointer)), None)
    wanted: list[Operand] = []
    for position, (v, a) in enumerate(zip(given, arguments, strict=True)):
        if isinstance(v, Pointer):
            if not meaning.writes:
                wanted.append(load(ctx, v, meaning.reads, c))
        elif position >= len(given) - meaning.immediates:
            number = const_value(v) if isinstance(v, Expr) else None
            if number is None:
                _refuse(ctx, name, a)
            wanted.append(int(number))
        else:
            assert isinstance(v, Expr | Lanes)
            wanted.append(v)
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
        store(ctx, pointer, result, c)
        return Nothing()
    return result


def _looked_up(ctx: Context, given: list[Operand], bits: int, least: int) -> Lanes | None:
    """A shuffle of constant bytes by data: a table of sixteen, or eight, for each half of 128 bits.  Numbers from
    `least` on give 0."""
    source, control = given
    if not isinstance(source, Lanes) or not isinstance(control, Lanes) or not is_constant(source):
        return None
    byte = UInt(8)
    values = [int(const_value(e) or 0) for e in as_type(source, byte).parts]
    size = min(len(values), 16)
    out: list[Expr] = []
    for k, c in enumerate(as_type(control, byte).parts[: bits // 8]):
        start = k // 16 * 16 if len(values) > 16 else 0
        name = _table_of(ctx, tuple(values[start : start + size]))
        index = op.cast(op.binary("&", c, const(size - 1, byte)), I64)
        outside = op.binary(">=", c, const(least, byte))
        out.append(op.select(outside, const(0, byte), Load(byte, name, index)))
    return Lanes(tuple(out))


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
        v = expressions.value(ctx, a)
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


def new_array(ctx: Context, name: str, c: Cursor, known_as: str) -> ElementPlace:
    """A local array of registers, or one in a structure, as an array of their lanes; `known_as` is its key in
    `Context.lane_types`."""
    each = types.innermost(c.type)
    unit = ctx.lane_types.get(known_as) or types.register_element(each)
    array = ctx.new_array(name, unit)
    ctx.register_arrays[array] = "" if known_as in ctx.lane_types else known_as
    ctx.declare_array(array, const(types.count(c.type) * types.register_bytes(each) // unit.bytes(), I64), False)
    return ElementPlace(Pointer(frozenset({array}), const(0, I64), c.type.get_canonical()))


def fill(ctx: Context, place: ElementPlace, items: list[Cursor | None], at: Cursor) -> None:
    """Emits the stores of an initialiser list; None stands for zeros."""
    (array,) = place.pointer.targets
    each = types.innermost(place.pointer.pointee)
    lanes = types.register_bytes(each) // ctx.arrays[array].bytes()
    for index, item in enumerate(items):
        v = value(ctx, item) if item is not None else zero(each)
        store(ctx, Pointer(place.pointer.targets, const(index * lanes, I64), each), v, at)


def zero(t: ClangType) -> Lanes:
    """A register of zeros."""
    return Lanes(zeros(8 * types.register_bytes(t), UInt(8)))
