"""SIMD registers: variables, and memory that they are read from and written to, lane by lane.

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
from lifter.frontend.clang import types
from lifter.frontend.objects import memory_views
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.values import ElementPlace, LanesPlace, Pointer
from lifter.ir.loop_ir import Store
from lifter.simd.lanes import Lanes, as_type, is_constant, zeros


class Relaned(Again):
    """A variable is used with other lanes than were guessed."""

    def __init__(self, key: str, type_: Type) -> None:
        super().__init__(key, type_)
        self.key, self.type = key, type_


class Varied(Again):
    """An array of registers has elements that change, of which one was taken for a constant."""

    def __init__(self, array: str) -> None:
        super().__init__(array)
        self.array = array


class Addressed(Again):
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
    if place.key and place.key not in ctx.found.addressed:
        raise Addressed(place.key)
    ctx.fail("address of a register variable", at)


def read(ctx: Context, place: LanesPlace) -> Lanes:
    """The value of a register variable.  (What is read where nothing has been given may be anything.)"""
    known = ctx.given_once.get(place.names[0])
    if known is not None:
        return as_type(known, place.type)
    return Lanes(tuple(Variable(place.type, n) for n in place.names))


def write(ctx: Context, place: LanesPlace, v: Lanes) -> None:
    """Emits the assignment of all lanes, which may read the old ones."""
    if place.guessed and not is_constant(v) and v.type != place.type:
        raise Relaned(place.guessed, v.type)
    held = ctx.hold_all(as_type(v, place.type).parts[::-1])
    for name in place.names:
        ctx.assign(name, ctx.release(held.pop()))
    ctx.given_once.pop(place.names[0], None)
    if place.once and is_constant(v):
        ctx.given_once[place.names[0]] = v


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
    """An element of a constant table, or the one constant that is stored in an element of a local array of registers,
    as far as the function has been read; `check_constants` looks at the rest."""
    k = const_value(index)
    table = ctx.tables.get(array)
    if table is not None and k is not None and 0 <= k < len(table.values):
        return const(table.values[int(k)], table.type)
    places = ctx.stored.get(array, {})
    if array not in ctx.register_arrays or array in ctx.found.varied or k is None or None in places:
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
    if array in ctx.given_registers:
        ctx.fail(f"assignment to the register '{array}' of the caller's or of the file", at)
    if array in ctx.tables or array in ctx.const_arrays:
        ctx.fail(f"write to the constant array '{array}'", at)
    unit = _unit(ctx, array, size, at)
    guessed = ctx.register_arrays.get(array)
    if guessed and not is_constant(v) and v.type != unit and v.type.bytes() <= size:
        raise Relaned(guessed, v.type)
    memory = memory_views.key_of_memory(array)
    if array in ctx.register_memory and memory not in ctx.found.lane_types and not is_constant(v) and v.type != unit:
        raise Relaned(memory, v.type)
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


def new_array(ctx: Context, name: str, c: Cursor, known_as: str) -> ElementPlace:
    """A local array of registers, or one in a structure, as an array of their lanes; `known_as` is its key in
    `Found.lane_types`."""
    each = types.innermost(c.type)
    unit = ctx.found.lane_types.get(known_as) or types.register_element(each)
    array = ctx.new_array(name, unit)
    ctx.register_arrays[array] = "" if known_as in ctx.found.lane_types else known_as
    ctx.declare_array(array, const(types.count(c.type) * types.register_bytes(each) // unit.bytes(), I64), False)
    return ElementPlace(Pointer(frozenset({array}), const(0, I64), c.type.get_canonical()))


def zero(t: ClangType) -> Lanes:
    """A register of zeros."""
    return Lanes(zeros(8 * types.register_bytes(t), UInt(8)))
