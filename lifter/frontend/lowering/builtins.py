"""Library functions with a meaning of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import (
    Expr,
    const,
    const_value,
    intrinsic,
)
from halide_core.ir.types import Int, UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import evaluate, in_system_header, operands
from lifter.frontend.lowering import (
    block_copies,
    evaluated,
    evaluation_order,
    float_classes,
    library_math,
    std_algorithms,
)
from lifter.frontend.objects import access, conversions, deallocations, scalar_memory
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Allocation,
    ElementPlace,
    Nothing,
    Place,
    Pointer,
    PointerPlace,
    Record,
    Value,
    expressions_of,
    with_expressions,
)
from lifter.ir.loop_ir import Assert
from lifter.simd.lanes import Lanes

_COMPILERS = "__builtin_"
_BITS_COUNTED = {"popcount": 32, "popcountl": 64, "popcountll": 64}
_ZEROS_COUNTED = {"clz": 32, "clzl": 64, "clzll": 64, "ctz": 32, "ctzl": 64, "ctzll": 64}
_BYTES_SWAPPED = {"bswap16": 16, "bswap32": 32, "bswap64": 64}
_ORDERED = {"memcpy", "memmove", "memset", "fill", "fill_n", "copy", "copy_n"}
_OF_C = {
    *("memcpy", "memmove", "memset", "malloc", "calloc", "free", "alloca", "posix_memalign", "aligned_alloc"),
    *("memalign", "_mm_malloc", "_mm_free"),
}
_Lowers = Callable[[Context, Cursor, str, list[Cursor]], Value | None]
"""Of a call, the name of the function and the arguments, what is its value; None for a function not known here."""


def is_of_c(target: Cursor) -> bool:
    """Whether a function that the file itself declares is one of the C library's: by its symbol and its types."""
    name = target.spelling
    if target.mangled_name != name:
        return False
    return name in _OF_C or name.startswith((_COMPILERS, "__lift_")) or library_math.has_types_of_c(target)


def call(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor]) -> Value | None:
    """The value of a call of a library function; None for a function not known here."""
    name = target.spelling
    if name.startswith(_COMPILERS):
        name = name.removeprefix(_COMPILERS)
        found = _of_compiler(ctx, c, name, arguments)
        if found is not None:
            return found
    algorithm = std_algorithms.NAMES.get(name) == len(arguments)
    if (algorithm or name in _ORDERED) and evaluation_order.depends(arguments):
        ctx.fail(f"call to '{name}' that depends on the order of its arguments", c)
    if algorithm:
        return std_algorithms.call(ctx, c, name, arguments)
    kind = float_classes.call(ctx, c, name, arguments)
    if kind is not None:
        return kind
    counts, lowers = _BY_NAME.get(name, ((), library_math.call))
    return (lowers if not counts or len(arguments) in counts else library_math.call)(ctx, c, name, arguments)


def _of_compiler(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Value | None:
    """The value of a call of the compiler's own function `__builtin_` + name; None for one that is known without."""
    if name in ("expect", "assume_aligned"):
        if any(map(queries.has_effects, arguments[1:])):
            ctx.fail(f"{_COMPILERS}{name} of arguments with side effects", c)
        return descent.value(ctx, arguments[0])
    if name == "prefetch":
        if any(map(queries.has_effects, arguments)):
            ctx.fail("prefetch of an address with side effects", c)
        return Nothing()
    if name == "is_constant_evaluated" and not in_system_header(ctx.frames[-1].cursor.location):
        ctx.fail("code that asks whether the compiler evaluates it", c)
    if name in _ZEROS_COUNTED:  # of zero they are undefined
        wide = UInt(_ZEROS_COUNTED[name])
        v = ctx.settled(op.cast(evaluated.scalar(ctx, arguments[0]), wide))
        if name.startswith("clz"):
            return op.cast(intrinsic("count_leading_zeros", wide, v), Int(32))
        below = op.binary("&", op.binary("-", v, const(1, wide)), op.binary("^", v, const(wide.max(), wide)))
        return op.cast(intrinsic("popcount", wide, below), Int(32))
    if name in _BITS_COUNTED or name in _BYTES_SWAPPED:
        return _of_bits(ctx, name, arguments)
    type_, known = types.scalar(c.type), evaluate(c)
    if name == "constant_p" and known != 1:
        # What is no constant expression may be known all the same once functions are inlined.
        if not in_system_header(ctx.frames[-1].cursor.location):
            ctx.fail("code that asks what the compiler knows", c)
        known = 0
    return const(known, type_) if type_ is not None and known is not None else None


def _assert(ctx: Context, _c: Cursor, name: str, arguments: list[Cursor]) -> Value:
    """What asserts and assumptions of the source become."""
    if name == "__lift_assumed" and queries.has_effects(arguments[0]):
        return Nothing()  # which do not happen
    condition = ctx.settled(evaluated.condition(ctx, arguments[0]))
    if const_value(condition) != 1:
        ctx.emit(Assert(ctx.line, condition))
    return Nothing()


def _ignore(ctx: Context, _c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    for unused in filter(queries.has_effects, arguments):
        descent.discard(ctx, unused)
    return Nothing()


def _free(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    for a in arguments:
        deallocations.free(ctx, evaluated.freed(ctx, a), c)
    return Nothing()


def _same(ctx: Context, _c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    """std::move and the like, where the value is wanted."""
    return descent.value(ctx, arguments[0])


def _bit_cast(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    """std::bit_cast between scalars."""
    value, wanted = evaluated.scalar(ctx, arguments[0]), queries.scalar_type(ctx, c.type, c)
    if not scalar_memory.same_bits(value.type, wanted):
        ctx.fail(f"bit_cast from {value.type} to {wanted}", c)
    return scalar_memory.view(value, wanted)


def _of_bits(ctx: Context, name: str, arguments: list[Cursor]) -> Expr:
    """The number of ones, or the bytes in the other order."""
    wide = UInt(_BITS_COUNTED.get(name) or _BYTES_SWAPPED[name])
    v = op.cast(evaluated.scalar(ctx, arguments[0]), wide)
    if name in _BITS_COUNTED:
        return op.cast(intrinsic("popcount", wide, v), Int(32))
    v = ctx.settled(v)
    last = wide.bits - 8
    out = op.binary("|", op.binary("<<", v, const(last, wide)), op.binary(">>", v, const(last, wide)))
    for place in range(8, last, 8):
        byte = op.binary("&", op.binary(">>", v, const(place, wide)), const(255, wide))
        out = op.binary("|", out, op.binary("<<", byte, const(last - place, wide)))
    return out


def _swap(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    if any(map(queries.has_effects, arguments)):
        ctx.fail("swap of objects whose places have side effects", c)
    first = _frozen(ctx, descent.place(ctx, arguments[0]))
    second = _frozen(ctx, descent.place(ctx, arguments[1]))
    a = access.read(ctx, first, c)
    b = access.read(ctx, second, c)
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if not isinstance(first, PointerPlace) or not isinstance(second, PointerPlace):
            ctx.fail("swap of pointers that are not variables", c)
        saved = Pointer(a.targets, ctx.temporary(a.offset), a.pointee, a.name)
        access.write(ctx, first, b, c)
        access.write(ctx, second, saved, c)
        return Nothing()
    if not _is_copied_by_parts(a) or not _is_copied_by_parts(b):
        ctx.fail("swap of objects that are not copied number by number", c)
    saved_parts = with_expressions(a, tuple(map(ctx.temporary, expressions_of(a))))
    access.write(ctx, first, b, c)
    access.write(ctx, second, saved_parts, c)
    return Nothing()


def _is_copied_by_parts(v: Value) -> bool:
    """Whether an object is numbers, registers, and such objects, copied as the compiler does."""
    if isinstance(v, Record):
        return classes.is_trivial(v.type) and all(map(_is_copied_by_parts, v.fields.values()))
    return isinstance(v, Expr | Lanes)


def _frozen(ctx: Context, p: Place) -> Place:
    if isinstance(p, ElementPlace):
        offset = ctx.settled(p.pointer.offset)
        if const_value(offset) is None:
            offset = ctx.temporary(offset, "p")
        return ElementPlace(replace(p.pointer, offset=offset))
    return p


def _posix_memalign(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    """posix_memalign(&pointer, alignment, size)."""
    target = queries.unwrap(arguments[0])
    while target.kind in (CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_REINTERPRET_CAST_EXPR):
        target = queries.unwrap(operands(target)[-1])
    if target.kind is not CursorKind.UNARY_OPERATOR:
        ctx.fail("posix_memalign of a pointer that is not a variable", c)
    size = op.cast(evaluated.scalar(ctx, arguments[2]), UInt(64))
    place = descent.place(ctx, operands(target)[0])
    if not isinstance(place, PointerPlace):
        ctx.fail("posix_memalign of a pointer that is not a variable", c)
    v = conversions.convert(ctx, Allocation(ctx.settled(size), False), operands(target)[0].type, c)
    access.write(ctx, place, conversions.kept(ctx, v, operands(target)[0].type), c)
    return const(0, Int(32))


def _calloc(ctx: Context, _c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    count, size = (op.cast(v, UInt(64)) for v in evaluated.scalars(ctx, arguments))
    return Allocation(op.binary("*", count, size), True)


def _allocate(ctx: Context, _c: Cursor, name: str, arguments: list[Cursor]) -> Value:
    """malloc and the like, one of whose arguments is a number of bytes."""
    size = arguments[1 if name in ("aligned_alloc", "memalign") else 0]
    return Allocation(op.cast(evaluated.scalar(ctx, size), UInt(64)), False)


_BY_NAME: dict[str, tuple[tuple[int, ...], _Lowers]] = {
    **dict.fromkeys(("__lift_assert", "__lift_assumed"), ((), _assert)),
    "__lift_ignore": ((), _ignore),
    **dict.fromkeys(("free", "cfree", "_mm_free"), ((), _free)),
    **dict.fromkeys(("min", "max"), ((1, 2), library_math.min_max)),
    "clamp": ((3,), library_math.clamp),
    "bit_cast": ((1,), _bit_cast),
    "swap": ((2,), _swap),
    **dict.fromkeys(("move", "forward", "as_const"), ((1,), _same)),
    **dict.fromkeys(("memcpy", "memmove"), ((), block_copies.memcpy)),
    "memset": ((), block_copies.memset),
    **dict.fromkeys(("fill", "fill_n"), ((3,), block_copies.std_fill)),
    **dict.fromkeys(("copy", "copy_n"), ((3,), block_copies.std_copy)),
    **dict.fromkeys(("malloc", "alloca"), ((), _allocate)),
    **dict.fromkeys(("aligned_alloc", "memalign", "_mm_malloc"), ((2,), _allocate)),
    "posix_memalign": ((), _posix_memalign),
    "calloc": ((), _calloc),
}
"""What lowers each function, where it has one of so many arguments; () stands for any number."""
