"""Pointers made from numbers that are addresses moved: `(uint8_t *)((uintptr_t)(line + n) ^ 3)`.

An address is the array's start and a distance.  What changes the lowest bits of an address alone changes those of the
distance, where the start is a multiple of the power of two above these bits: the contract asks for that, of no more
than what the address of an element is a multiple of anyway."""

from __future__ import annotations

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import BOOL, EQ, I64, Add, Call, Cast, Expr, Mod, Mul, Sub, Variable, const, const_value
from halide_core.ir.structural import variables
from halide_core.ir.types import UInt
from lifter.frontend.clang import types
from lifter.frontend.objects import memory_views, pointers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import PartPointer, Pointer
from lifter.ir.names import address_name, is_address

_OF_LOW_BITS = {"bitwise_xor": "^", "bitwise_or": "|", "bitwise_and": "&"}


def pointer(ctx: Context, address: Expr, target: ClangType, at: Cursor) -> Pointer | PartPointer | None:
    """A number of 64 bits as a pointer to `target`; None where it is not the address of one array, moved."""
    found = _distance(address)
    if found is None:
        return None
    array, distance, alignment = found
    type_ = types.scalar(target)
    if array not in ctx.pointer_parameters | ctx.heap or array in ctx.untyped or array not in ctx.arrays:
        return None
    unit = ctx.arrays[array]
    if alignment > unit.bytes():
        return None
    whole = _over(distance, unit.bytes())
    if whole is not None:
        _ask(ctx, array, alignment)
        return Pointer(frozenset({array}), whole, target)
    if type_ is not None and type_.bytes() == unit.bytes():
        whole = pointers.asked_quotient(ctx, distance, unit.bytes())
        if whole is not None:
            _ask(ctx, array, alignment)
            return Pointer(frozenset({array}), whole, target)
    if type_ is None or not unit.is_int_or_uint() or _over(distance, type_.bytes()) is None:
        return None
    if not type_.is_int_or_uint() or type_.bits >= unit.bits or alignment < unit.bytes():
        # Only of an element that lies on a multiple of its size the rest is sure to be there.
        memory_views.narrow(ctx, array, type_.bytes(), at)
    _ask(ctx, array, alignment)
    index, inside = _split(distance, unit.bytes(), type_.bytes())
    return PartPointer(Pointer(frozenset({array}), index, target), inside)


def _ask(ctx: Context, array: str, alignment: int) -> None:
    """Asks that an array that the caller gives begins at a multiple of `alignment`, as allocated memory does."""
    if array in ctx.heap or alignment == 1:
        return
    name = address_name(array)
    alignment = max(alignment, ctx.alignments.get(array, 1))
    ctx.alignments[array] = alignment
    start, zero = Variable(UInt(64), name), const(0, UInt(64))
    ctx.asked[name] = EQ(BOOL, Mod(UInt(64), start, const(alignment, UInt(64))), zero)
    ctx.assumed.add(name)


def _distance(e: Expr) -> tuple[str, Expr, int] | None:
    """(array, distance in bytes (int64), alignment) of a number that is the address of an array, moved, if the array
    starts at a multiple of the alignment."""
    if isinstance(e, Cast) and e.type.bits == 64 and e.value.type.bits == 64:
        return _distance(e.value)
    if isinstance(e, Variable):
        return (e.name.partition(".")[2], const(0, I64), 1) if is_address(e.name) else None
    if isinstance(e, Add | Sub):
        sides = [(e.a, e.b)] if isinstance(e, Sub) else [(e.a, e.b), (e.b, e.a)]
        for start, more in sides:
            found = _distance(start)
            if found is not None and not any(map(is_address, variables(more))):
                array, distance, alignment = found
                return array, _plus(distance, _signed(more), isinstance(e, Sub)), alignment
        return None
    if isinstance(e, Call) and e.name in _OF_LOW_BITS:
        for start, mask in (e.args, e.args[::-1]):
            value, found = const_value(mask), _distance(start)
            if value is None or found is None:
                continue
            bits = int(value) % (1 << 64)
            bits = bits ^ ((1 << 64) - 1) if e.name == "bitwise_and" else bits
            array, distance, alignment = found
            moved = op.binary(_OF_LOW_BITS[e.name], distance, const(_as_signed(int(value)), I64))
            return array, moved, max(alignment, 1 << bits.bit_length())
    return None


def _signed(e: Expr) -> Expr:
    """An integer of 64 bits as int64: sums and multiples of signed ones as such, which do not wrap."""
    found = _of_signed(e)
    return op.cast(e, I64) if found is None else found


def _of_signed(e: Expr) -> Expr | None:
    value = const_value(e)
    if value is not None:
        return const(_as_signed(int(value)), I64)
    if isinstance(e, Cast) and (e.value.type.is_int() or (e.value.type.is_uint() and e.value.type.bits < 64)):
        return op.cast(e.value, I64)
    if isinstance(e, Add | Sub | Mul):
        if isinstance(e, Mul) and const_value(e.a) is None and const_value(e.b) is None:
            return None
        a, b = _of_signed(e.a), _of_signed(e.b)
        operator = "+" if isinstance(e, Add) else "-" if isinstance(e, Sub) else "*"
        return None if a is None or b is None else op.binary(operator, a, b)
    return None


def _as_signed(value: int) -> int:
    """The int64 of the same bits."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _over(distance: Expr, size: int) -> Expr | None:
    """A distance in elements of a size, where it is seen to be a whole number of them."""
    if isinstance(distance, Call) and distance.name in _OF_LOW_BITS:
        value, inner = const_value(distance.args[1]), _over(distance.args[0], size)
        if inner is None or value is None or int(value) % size:
            return None
        return op.binary(_OF_LOW_BITS[distance.name], inner, const(int(value) // size, I64))
    return pointers.elements_of(distance, size)


def _split(distance: Expr, size: int, step: int) -> tuple[Expr, Expr]:
    """The element of a size that a distance in bytes, a multiple of `step`, ends in, and how far it does behind that
    one's start.  What changes the bits of a place in an element leaves the element."""
    if isinstance(distance, Call) and distance.name in _OF_LOW_BITS:
        value = const_value(distance.args[1])
        bits = None if value is None else int(value) if distance.name != "bitwise_and" else ~int(value)
        if bits is not None and 0 <= bits < size:
            index, inside = _split(distance.args[0], size, step)
            low = int(value or 0) & (size - 1)
            if distance.name == "bitwise_xor" and low == size - step:  # all bits that there are
                return index, op.binary("-", const(low, I64), inside)
            return index, op.binary(_OF_LOW_BITS[distance.name], inside, const(low, I64))
    whole, rest = const(0, I64), const(0, I64)
    work = [(distance, False)]
    while work:
        e, minus = work.pop()
        exact = pointers.elements_of(e, size)
        if exact is not None:
            whole = _plus(whole, exact, minus)
        elif isinstance(e, Add | Sub):
            work += [(e.a, minus), (e.b, minus != isinstance(e, Sub))]
        else:
            rest = _plus(rest, e, minus)
    shift, mask = const(size.bit_length() - 1, I64), const(size - 1, I64)
    return _plus(whole, op.binary(">>", rest, shift)), op.binary("&", rest, mask)


def _plus(a: Expr, b: Expr, minus: bool = False) -> Expr:
    return op.binary("-", a, b) if minus else op.offset_sum(a, b)
