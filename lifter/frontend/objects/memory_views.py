"""Memory read and written at other widths than it is declared with, and structures as the scalars inside them.

The loop language has arrays of one scalar type, the array's *unit*.  A wider integer is several units, least
significant first (x86-64 and AArch64 are little-endian); a narrower one makes the array's unit narrower: `Narrower`
asks for the function to be lowered again so."""

from __future__ import annotations

from typing import NoReturn

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Load, const, const_value
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import declared_fields, members
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.values import Pointer
from lifter.ir.loop_ir import Store, Unsupported
from lifter.simd.lanes import reinterpret


class Narrower(Again):
    """An array must have a narrower unit than it has been given."""

    def __init__(self, array: str, bytes_each: int) -> None:
        super().__init__(array, bytes_each)
        self.array, self.bytes_each = array, bytes_each


class Retyped(Again):
    """Allocated memory turns out to hold elements of a type."""

    def __init__(self, array: str, type_: Type) -> None:
        super().__init__(array, type_)
        self.array, self.type = array, type_


def narrow(ctx: Context, array: str, bytes_each: int, at: Cursor | None) -> NoReturn:
    """Asks for a unit of `bytes_each` bytes; refuses where the array cannot have one."""
    if array in ctx.tables:
        ctx.fail(f"constant table '{array}' of type {ctx.arrays[array]} used at another width", at)
    if bytes_each >= ctx.found.unit_bytes.get(array, 1 << 20):
        ctx.fail(f"array '{array}' of type {ctx.arrays[array]} used at another width", at)
    raise Narrower(array, bytes_each)


def scalars_inside(ctx: Context, t: ClangType, at: Cursor | None) -> set[Type]:
    """The scalar types in a value of a type; raises Unsupported where there is something else."""
    inner = types.innermost(t)
    if types.register_bytes(inner):
        return {types.register_element(inner)}
    if inner.kind is not TypeKind.RECORD:
        found = types.scalar(inner)
        if found is None:
            ctx.fail(f"value of type '{inner.spelling}' in a structure", at, "pass it as a parameter")
        return {found}
    if any(c.kind is CursorKind.CXX_BASE_SPECIFIER for c in members(inner.get_declaration())):
        ctx.fail(f"object of the derived class '{inner.spelling}'", at)
    out: set[Type] = set()
    for f in declared_fields(inner):
        if f.is_bitfield():
            ctx.fail(f"bit-field '{f.spelling}'", at)
        if f.type.get_canonical().is_volatile_qualified():
            ctx.fail(f"volatile field '{f.spelling}'", at)
        out |= scalars_inside(ctx, f.type, at)
    if not out:
        ctx.fail(f"object of the empty class '{inner.spelling}'", at)
    return out


def key_of_memory(array: str) -> str:
    """What an array of registers that the caller gives is called in `Found.lane_types`; no declaration has the name."""
    return f"memory of {array}"


def unit_of(ctx: Context, name: str, t: ClangType, at: Cursor | None) -> Type | None:
    """The unit of an array `name` of values of a type; None where their scalars have no common one."""
    wanted = ctx.found.unit_bytes.get(name)
    if types.register_bytes(types.innermost(t)) and name:
        ctx.register_memory.add(name)
        learned = ctx.found.lane_types.get(key_of_memory(name))
        if learned is not None and (wanted is None or wanted >= learned.bytes()):
            return learned
    found = scalars_inside(ctx, t, at)
    least = min(s.bytes() for s in found)
    if len(found) == 1 and (wanted is None or wanted >= least):
        return next(iter(found))
    if any(s.is_bool() for s in found) or (any(s.is_float() for s in found) and not _has_union(t)):
        return None
    return UInt(8 * min(least, wanted or least))


def _has_union(t: ClangType) -> bool:
    """Whether a type has a union in it, whose members are read from the same memory as what they are."""
    inner = types.innermost(t)
    if inner.kind is not TypeKind.RECORD:
        return False
    return classes.is_union(inner) or any(_has_union(f.type) for f in declared_fields(inner))


def units(ctx: Context, p: Pointer, at: Cursor | None = None) -> int:
    """How many units of its array what a pointer points to takes; negative when that is not constant.  Those of a
    scalar variable are its bytes."""
    count = types.count(p.pointee)
    targets = [t for t in p.targets if t in ctx.arrays]
    inner = types.innermost(p.pointee)
    if p.targets and count >= 0 and all(t.startswith("&") for t in p.targets):
        return count * max(int(inner.get_size()), 1)
    if count < 0 or not targets:
        return count
    size = inner.get_size()
    found = {size // ctx.arrays[t].bytes() if size % ctx.arrays[t].bytes() == 0 else 0 for t in targets}
    if found == {0}:
        narrow(ctx, targets[0], _common(size, ctx.arrays[targets[0]].bytes()), at)
    if len(found) != 1 or 0 in found:
        ctx.fail(f"pointer {p.name or 'expression'} into arrays whose elements have different widths", at)
    return count * found.pop()


def _common(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def parts(ctx: Context, array: str, wanted: Type, at: Cursor | None) -> int:
    """How many units of an array make a scalar; 1 for what is read as it is.  Raises Narrower for less than one."""
    unit = ctx.arrays[array]
    if unit == wanted:
        return 1
    if array in ctx.pointer_parameters and array in ctx.found.allocated:
        raise Narrower(array, 1)
    # Floats are in bytes, or in integers of their size; in narrower ones in objects, but not in memory whose elements
    # were learnt from another call of what allocates it.
    in_bits = not wanted.is_float() or unit.bits in (8, wanted.bits) or array not in ctx.heap
    if unit.is_float() or unit.is_bool() or wanted.is_bool() or not in_bits:
        ctx.fail(f"memory of type {unit} used as {wanted}", at)
    if wanted.bytes() < unit.bytes():
        narrow(ctx, array, wanted.bytes(), at)
    return wanted.bytes() // unit.bytes()


def read(ctx: Context, array: str, offset: Expr, wanted: Type, count: int) -> Expr:
    """The scalar that `count` integers from `offset` on make."""
    unit, wide = ctx.arrays[array], UInt(wanted.bits)
    total: Expr | None = None
    for k in range(count):
        piece = Load(unit, array, op.offset_sum(offset, const(k, I64)))
        # Zero-extended: only the most significant unit's sign would matter, and the last cast gives it back.
        value = op.cast(op.cast(piece, UInt(unit.bits)), wide)
        if k:
            value = op.binary("<<", value, const(k * unit.bits, wide))
        total = value if total is None else op.binary("|", total, value)
    assert total is not None
    return reinterpret(total, wanted) if wanted.is_float() else op.cast(total, wanted)


def write(ctx: Context, array: str, offset: Expr, value: Expr, count: int) -> None:
    """Stores of the units of a scalar, least significant first."""
    unit, bits = ctx.arrays[array], UInt(value.type.bits)
    wide = reinterpret(value, bits) if value.type.is_float() else op.cast(value, bits)
    if const_value(wide) is None:
        # The stores must not change what later ones still read.
        wide = ctx.temporary(wide)
    for k in range(count):
        piece = op.binary(">>", wide, const(k * unit.bits, wide.type)) if k else wide
        ctx.emit(Store(ctx.line, array, op.offset_sum(offset, const(k, I64)), op.cast(piece, unit)))


def bytes_of(whole: Expr, offset: Expr, wanted: Type) -> Expr:
    """What lies `offset` bytes behind the first one of the integer `whole`."""
    wide = UInt(whole.type.bits)
    return op.cast(op.binary(">>", op.cast(whole, wide), _bits(offset, wide)), wanted)


def with_bytes(whole: Expr, offset: Expr, part: Expr) -> Expr:
    """The integer `whole` with the bytes that lie `offset` behind its first one, as many as `part` has, replaced."""
    wide = UInt(whole.type.bits)
    places = op.binary("<<", const((1 << part.type.bits) - 1, wide), _bits(offset, wide))
    kept = op.binary("&", op.cast(whole, wide), op.binary("^", places, const((1 << wide.bits) - 1, wide)))
    new = op.binary("<<", op.cast(op.cast(part, UInt(part.type.bits)), wide), _bits(offset, wide))
    return op.cast(op.binary("|", kept, new), whole.type)


def _bits(offset: Expr, wide: Type) -> Expr:
    known = const_value(offset)
    return const(8 * int(known), wide) if known is not None else op.cast(op.binary("*", offset, const(8, I64)), wide)


def lies_in_arrays(ctx: Context, t: ClangType) -> bool:
    """Whether structures of a type can be memory: they hold scalars that have a common unit."""
    try:
        return unit_of(ctx, "", t, None) is not None
    except Unsupported:
        return False


def is_of_one_width(ctx: Context, t: ClangType) -> bool:
    """Whether all scalars in a structure are as wide."""
    return len({s.bytes() for s in scalars_inside(ctx, t, None)}) == 1


def field_of(ctx: Context, p: Pointer, declaration: Cursor, c: Cursor | None) -> Pointer:
    """The pointer to a field of the structure that a pointer points to."""
    if declaration.is_bitfield():
        ctx.fail(f"bit-field '{declaration.spelling}'", c)
    if types.is_pointer(declaration.type):
        ctx.fail(f"pointer '{declaration.spelling}' in a structure", c, "pass it as a parameter")
    if types.is_reference(declaration.type):
        ctx.fail(f"reference '{declaration.spelling}' in a structure", c)
    bits = _offset(types.canonical(p.pointee), declaration)
    array = ctx.array_of(p, c)
    variable = array.startswith("&")  # whose units are its bytes
    if bits is None or bits % 8 or not (variable or array in ctx.arrays):
        ctx.fail(f"access to the member '{declaration.spelling}' of an object", c)
    each = 1 if variable else ctx.arrays[array].bytes()
    if (bits // 8) % each:
        narrow(ctx, array, _common(bits // 8, each), c)
    offset = op.offset_sum(p.offset, const(bits // 8 // each, I64))
    return Pointer(p.targets, offset, declaration.type.get_canonical(), p.name)


def _offset(record: ClangType, declaration: Cursor) -> int | None:
    """Bits from the start of a record to a field of it; None where it has no such field.

    Fields of unnamed members belong to the record; libclang leaves out some of the members on the way to them."""
    if record.kind is not TypeKind.RECORD:
        return None
    for f in declared_fields(record):
        start = int(f.get_field_offsetof())
        if f == declaration:
            return start if start >= 0 else None
        inner = types.canonical(f.type)
        if inner.kind is TypeKind.RECORD and inner.get_declaration().is_anonymous():
            found = _offset(inner, declaration)
            if found is not None and start >= 0:
                return start + found
    return None
