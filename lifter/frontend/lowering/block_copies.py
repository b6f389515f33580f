"""memcpy, memset, std::copy, std::fill and the like as loops of stores."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import I64, Add, Expr, Variable, const, const_value
from halide_core.ir.structural import same
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands, unary_operator
from lifter.frontend.lowering import evaluated
from lifter.frontend.objects import access, counted_loops, memory_views, pointers, registers, scalar_memory
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import ElementPlace, Nothing, Pointer, Value
from lifter.simd.lanes import Lanes

_WRAPPERS = (
    CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR,
    CursorKind.CXX_REINTERPRET_CAST_EXPR,
)  # fmt: skip


def scalar_pointer(ctx: Context, c: Cursor) -> Pointer:
    p = evaluated.pointer(ctx, c)
    return replace(p, pointee=types.innermost(p.pointee))


def _elements(ctx: Context, size: Expr, element: Type, at: Cursor, what: str) -> Expr:
    n = pointers.elements_of(op.cast(size, UInt(64)), element.bytes())
    if n is None:
        ctx.fail(f"{what} of a number of bytes not seen to be whole elements", at, "write n * sizeof(element)")
    return counted_loops.simplified(ctx, op.cast(n, I64))


def memcpy(ctx: Context, c: Cursor, what: str, arguments: list[Cursor]) -> Value:
    """memcpy and memmove; between integers of different widths, the narrower ones are copied."""
    target_register, source_register = map(_register, arguments[:2])
    register = target_register or source_register
    if register is not None:
        return _copy_register(ctx, c, arguments, target_register, source_register, types.register_bytes(register.type))
    target, source, size = _three(ctx, arguments)
    to = queries.element_type(ctx, target.pointee, c)
    element = queries.element_type(ctx, source.pointee, c)
    differ = to != element and (to.is_float() or element.is_float() or to.is_bool() or element.is_bool())
    same_bits = not differ or (to.bits == element.bits and not (to.is_bool() or element.is_bool()))
    in_bytes = 8 in (to.bits, element.bits) and not (to.is_bool() or element.is_bool())
    if (same_bits or in_bytes) and _copies_scalar(ctx, target, source, size, c):
        return target
    if differ:
        ctx.fail(f"{what} between elements of type {element} and {to}", c)
    if to.bytes() < element.bytes():
        source, element = replace(source, pointee=target.pointee), to
    elif element.bytes() < to.bytes():
        copied = replace(target, pointee=source.pointee)
        access.copy(ctx, copied, source, _elements(ctx, size, element, c, what), c, backwards_safe=what == "memmove")
        return target
    count = _elements(ctx, size, element, c, what)
    access.copy(ctx, target, replace(source, pointee=target.pointee), count, c, backwards_safe=what == "memmove")
    return target


def _register(c: Cursor) -> Cursor | None:
    """x of `&x`, for a register x."""
    while c.kind in _WRAPPERS and operands(c):
        c = operands(c)[-1]
    if c.kind is not CursorKind.UNARY_OPERATOR or unary_operator(c) != "&":
        return None
    (inner,) = operands(c)
    return inner if types.register_bytes(inner.type) else None


def _copy_register(
    ctx: Context, c: Cursor, arguments: list[Cursor], to: Cursor | None, source: Cursor | None, bytes_: int
) -> Value:
    """The copy of a whole register, of so many bytes, to or from memory, or to another register."""
    if const_value(evaluated.scalar(ctx, arguments[2])) != bytes_:
        ctx.fail("copy of part of a register", c)
    if source is not None:
        v = evaluated.register(ctx, source)
    else:
        v = registers.load(ctx, scalar_pointer(ctx, arguments[1]), bytes_, c)
    held = ctx.hold_all(v.parts)
    if to is not None:
        place = descent.place(ctx, to)
        access.write(ctx, place, Lanes(ctx.release_all(held)), c)
        return Nothing()
    target = scalar_pointer(ctx, arguments[0])
    registers.store(ctx, target, Lanes(ctx.release_all(held)), c)
    return target


def _copies_scalar(ctx: Context, target: Pointer, source: Pointer, size: Expr, at: Cursor) -> bool:
    """Emits a copy from or to a scalar variable of just that size; False where neither side is one."""
    for side in (target, source):
        if not any(t.startswith("&") for t in side.targets):
            continue
        type_ = queries.element_type(ctx, side.pointee, at)
        if const_value(size) != type_.bytes():
            return False
        other = source if side is target else target
        own = queries.element_type(ctx, other.pointee, at)
        seen = other.pointee if own.bits == type_.bits and own.is_float() != type_.is_float() else side.pointee
        read, written = (seen, side.pointee) if side is target else (side.pointee, seen)
        value = access.read(ctx, ElementPlace(replace(source, pointee=read)), at)
        assert isinstance(value, Expr)
        value = scalar_memory.view(value, queries.element_type(ctx, written, at))
        access.write(ctx, ElementPlace(replace(target, pointee=written)), value, at)
        return True
    return False


def _three(ctx: Context, arguments: list[Cursor]) -> tuple[Pointer, Pointer, Expr]:
    target = scalar_pointer(ctx, arguments[0])
    held = ctx.hold_pointer(target, unsequenced=True)
    source = scalar_pointer(ctx, arguments[1])
    held_source = ctx.hold_pointer(source, unsequenced=True)
    size = ctx.settled(evaluated.scalar(ctx, arguments[2]))
    source = ctx.release_pointer(source, held_source)
    return ctx.release_pointer(target, held), source, size


def memset(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Pointer:
    """memset: every byte of the elements takes the low byte of the value."""
    target = scalar_pointer(ctx, arguments[0])
    held = ctx.hold_pointer(target, unsequenced=True)
    byte = op.cast(evaluated.scalar(ctx, arguments[1]), UInt(8))
    held_byte = ctx.hold(byte, unsequenced=True)
    size = ctx.settled(evaluated.scalar(ctx, arguments[2]))
    byte = ctx.release(held_byte)
    target = ctx.release_pointer(target, held)
    known = const_value(byte)
    if types.register_bytes(target.pointee):
        _set_registers(ctx, c, target, size, known)
        return target
    element = queries.element_type(ctx, target.pointee, c)
    if element.bits == 8:
        value = op.cast(byte, element)
        if known is None and not isinstance(value, Variable):
            value = ctx.temporary(value)
    elif known is None or (known != 0 and not element.is_int_or_uint()) or (known and element.is_bool()):
        ctx.fail(f"memset of elements of type {element} to this value", c)
    else:
        value = const(int.from_bytes(bytes([int(known)]) * element.bytes(), "little"), element)
    access.fill(ctx, target, _elements(ctx, size, element, c, "memset"), value)
    return target


def _set_registers(ctx: Context, c: Cursor, target: Pointer, size: Expr, known: float | None) -> None:
    """Emits the stores of memset on registers."""
    each, count = types.register_bytes(target.pointee), const_value(size)
    if known is None or count is None or int(count) % each:
        ctx.fail("memset of registers to this value, or of part of one", c)
    v = Lanes((const(int(known) & 255, UInt(8)),) * each)
    for k in range(int(count) // each):
        registers.store(ctx, pointers.advance(ctx, target, const(k, I64), c), v, c)


def std_fill(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Pointer:
    """std::fill and std::fill_n; the pointer past what was filled."""
    first = scalar_pointer(ctx, arguments[0])
    held = ctx.hold_pointer(first, unsequenced=True)
    count = _count(ctx, c, arguments[1], first, name.endswith("_n"))
    held_count = ctx.hold(count, unsequenced=True)
    value = op.cast(evaluated.scalar(ctx, arguments[2]), queries.element_type(ctx, first.pointee, c))
    value = ctx.settled(value)
    count = counted_loops.simplified(ctx, ctx.release(held_count))
    first = ctx.release_pointer(first, held)
    if const_value(value) is None and not isinstance(value, Variable):
        value = ctx.temporary(value)
    access.fill(ctx, first, count, value)
    return pointers.advance(ctx, first, count, c)


def _count(ctx: Context, c: Cursor, argument: Cursor, first: Pointer, counted_: bool) -> Expr:
    if counted_:
        return op.cast(evaluated.scalar(ctx, argument), I64)
    return range_length(ctx, c, argument, first)


def range_length(ctx: Context, c: Cursor, argument: Cursor, first: Pointer) -> Expr:
    """How many elements there are up to the pointer that ends a range."""
    last = scalar_pointer(ctx, argument)
    if ctx.array_of(first, c) != ctx.array_of(last, c):
        ctx.fail("range between pointers into different arrays", c)
    each = memory_views.units(ctx, first, c)
    if each < 1 or memory_views.units(ctx, last, c) != each:
        ctx.fail("range between pointers to elements of different sizes", c)
    distance = _distance(first, last)
    return distance if each == 1 else op.binary("/", distance, const(each, I64))


def _distance(first: Pointer, last: Pointer) -> Expr:
    """In units of their array."""
    if const_value(first.offset) == 0:
        return last.offset
    # first + n spelled out: the length is n.
    if isinstance(last.offset, Add) and same(last.offset.a, first.offset):
        return last.offset.b
    return op.binary("-", last.offset, first.offset)


def std_copy(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Pointer:
    """std::copy and std::copy_n, with conversion of the elements; the pointer past what was written."""
    first = scalar_pointer(ctx, arguments[0])
    held = ctx.hold_pointer(first, unsequenced=True)
    count = _count(ctx, c, arguments[1], first, name.endswith("_n"))
    held_count = ctx.hold(count, unsequenced=True)
    target = scalar_pointer(ctx, arguments[2])
    target = replace(target, offset=ctx.settled(target.offset))
    count = counted_loops.simplified(ctx, ctx.release(held_count))
    first = ctx.release_pointer(first, held)
    access.copy(ctx, target, first, count, c)
    return pointers.advance(ctx, target, count, c)
