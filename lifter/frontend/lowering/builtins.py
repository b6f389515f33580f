"""Library functions with a meaning of their own."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import (
    BOOL,
    GE,
    LT,
    NE,
    Call,
    CallType,
    Expr,
    Max,
    Min,
    Select,
    Variable,
    const,
    const_value,
    intrinsic,
)
from halide_core.ir.types import Float, Int, Type, UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import evaluate, in_system_header, operands
from lifter.frontend.lowering import block_copies, evaluated, evaluation_order, std_algorithms
from lifter.frontend.objects import access, conversions, deallocations
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Allocation, ElementPlace, Nothing, Place, Pointer, PointerPlace, Value
from lifter.ir.c_library import as_compiled
from lifter.ir.loop_ir import Assert

_UNARY_MATH = {
    *("sqrt", "floor", "ceil", "round", "trunc", "rint", "nearbyint", "exp", "exp2", "expm1", "log", "log2", "log10"),
    *("log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt"),
    *("erf", "erfc", "tgamma", "lgamma"),
}
_BINARY_MATH = {"pow", "atan2", "fmod", "hypot", "fmin", "fmax", "copysign", "fdim", "remainder"}
_TERNARY_MATH = {"fma"}
_MATH = {
    **dict.fromkeys(_UNARY_MATH, 1),
    **dict.fromkeys(_BINARY_MATH, 2),
    **dict.fromkeys(_TERNARY_MATH, 3),
}
_ROUNDING = {"lround", "llround", "lrint", "llrint"}
_ABS = {"abs", "labs", "llabs", "fabs", "fabsf"}
_FREE = {"free", "cfree", "_mm_free"}
_MEMORY_PREFIX = "__builtin_"


_BITS_COUNTED = {"popcount": 32, "popcountl": 64, "popcountll": 64}
_BYTES_SWAPPED = {"bswap16": 16, "bswap32": 32, "bswap64": 64}


_ORDERED = {"memcpy", "memmove", "memset", "fill", "fill_n", "copy", "copy_n"}
_OF_C = {
    *("memcpy", "memmove", "memset", "malloc", "calloc", "free", "alloca", "posix_memalign", "aligned_alloc"),
    *("memalign", "_mm_malloc", "_mm_free"),
}
_WHOLE = {"abs": Int(32), "labs": Int(64), "llabs": Int(64)}


def is_of_c(target: Cursor) -> bool:
    """Whether a function that the file itself declares is one of the C library's: by its symbol and its types."""
    name = target.spelling
    if target.mangled_name != name:
        return False
    if name in _OF_C or name.startswith((_MEMORY_PREFIX, "__lift_")):
        return True
    base = name[:-1] if name.endswith("f") and name[:-1] in {*_MATH, *_ROUNDING, *_ABS} else name
    given = [types.scalar(a.type) for a in target.get_arguments()]
    result = types.scalar(target.result_type)
    if base in _WHOLE:
        return given == [_WHOLE[base]] and result == _WHOLE[base]
    own = Float(32 if base != name else 64)
    count = 1 if base == "fabs" or base in _ROUNDING else _MATH.get(base, 0)
    return given == [own] * count != [] and result == (Int(64) if base in _ROUNDING else own)


def call(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor]) -> Value | None:
    """The value of a call of a library function; None for a function not known here."""
    name = target.spelling
    if name.startswith(_MEMORY_PREFIX):
        name = name[len(_MEMORY_PREFIX) :]
        if name in ("expect", "assume_aligned"):
            if any(map(queries.has_effects, arguments[1:])):
                ctx.fail(f"{target.spelling} of arguments with side effects", c)
            return descent.value(ctx, arguments[0])
        if name == "prefetch":
            if any(map(queries.has_effects, arguments)):
                ctx.fail("prefetch of an address with side effects", c)
            return Nothing()
        if name == "is_constant_evaluated" and not in_system_header(ctx.frames[-1].cursor.location):
            ctx.fail("code that asks whether the compiler evaluates it", c)
        if name in _BITS_COUNTED or name in _BYTES_SWAPPED:
            return _of_bits(ctx, name, arguments)
        type_, known = types.scalar(c.type), evaluate(c)
        if type_ is not None and known is not None:
            return const(known, type_)
    if name == "__lift_assumed" and queries.has_effects(arguments[0]):
        return Nothing()  # which do not happen
    if name in ("__lift_assert", "__lift_assumed"):
        condition = ctx.settled(evaluated.condition(ctx, arguments[0]))
        if const_value(condition) != 1:
            ctx.emit(Assert(ctx.line, condition))
        return Nothing()
    if name in _FREE:
        for a in arguments:
            deallocations.free(ctx, evaluated.freed(ctx, a), c)
        return Nothing()
    if name == "__lift_ignore":
        for unused in filter(queries.has_effects, arguments):
            descent.discard(ctx, unused)
        return Nothing()
    if name in ("min", "max") and len(arguments) in (1, 2):
        return _min_max(ctx, c, name, arguments)
    if name == "clamp" and len(arguments) == 3:
        return _clamp(ctx, c, arguments)
    if name == "swap" and len(arguments) == 2:
        return _swap(ctx, c, arguments)
    if name in ("move", "forward", "as_const") and len(arguments) == 1:
        return descent.value(ctx, arguments[0])
    if name in _ORDERED and evaluation_order.depends(arguments):
        ctx.fail(f"call to '{name}' that depends on the order of its arguments", c)
    if name in ("memcpy", "memmove"):
        return block_copies.memcpy(ctx, c, arguments, name == "memmove")
    if name == "memset":
        return block_copies.memset(ctx, c, arguments)
    if name in ("fill", "fill_n") and len(arguments) == 3:
        return block_copies.std_fill(ctx, c, arguments, name == "fill_n")
    if name in ("copy", "copy_n") and len(arguments) == 3:
        return block_copies.std_copy(ctx, c, arguments, name == "copy_n")
    if std_algorithms.NAMES.get(name) == len(arguments):
        if evaluation_order.depends(arguments):
            ctx.fail(f"call to '{name}' that depends on the order of its arguments", c)
        return std_algorithms.call(ctx, c, name, arguments)
    if name in ("malloc", "alloca"):
        return Allocation(op.cast(evaluated.scalar(ctx, arguments[0]), UInt(64)), False)
    if name == "posix_memalign":
        return _aligned(ctx, c, arguments)
    if name in ("aligned_alloc", "memalign", "_mm_malloc") and len(arguments) == 2:
        size = arguments[0] if name == "_mm_malloc" else arguments[1]
        return Allocation(op.cast(evaluated.scalar(ctx, size), UInt(64)), False)
    if name == "calloc":
        return _calloc(ctx, arguments)
    return _math(ctx, c, name, arguments)


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


def scalars(ctx: Context, arguments: list[Cursor]) -> list[Expr]:
    """The values of arguments, which C++ evaluates in no particular order."""
    parts, held = evaluation_order.Operands(ctx), []
    for a in arguments:
        held.append(ctx.hold(evaluated.scalar(ctx, a), unsequenced=True))
        parts.done(held[-1].value)
    parts.check()
    return [ctx.release(h) for h in reversed(held)][::-1]


def _math(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Value | None:
    result = types.scalar(c.type)
    base = name[:-1] if name.endswith("f") and (name[:-1] in _MATH or name[:-1] in _ROUNDING) else name
    if name in _ABS and len(arguments) == 1 and result is not None:
        (v,) = scalars(ctx, arguments)
        return absolute(op.cast(v, result))
    if base in _MATH and len(arguments) == _MATH[base] and result is not None and result.is_float():
        values = tuple(op.cast(v, result) for v in scalars(ctx, arguments))
        return _rounded(ctx, values[0]) if base == "round" else math_call(base, result, values)
    if base in _ROUNDING and len(arguments) == 1 and result is not None:
        (v,) = scalars(ctx, arguments)
        own = v.type if v.type.is_float() else Float(64)
        own = Float(32) if name.endswith("f") else own
        v = op.cast(v, own)
        return op.cast(_rounded(ctx, v) if base.endswith("round") else math_call("rint", own, (v,)), result)
    if name in ("isnan", "__isnan", "isnanf") and len(arguments) == 1 and result is not None:
        (v,) = scalars(ctx, arguments)
        v = v if isinstance(v, Variable) else ctx.temporary(v)
        return op.cast(NE(BOOL, v, v), result)
    return None


def math_call(name: str, type_: Type, arguments: tuple[Expr, ...]) -> Expr:
    """A libm call by C's name for the type."""
    return as_compiled(Call(type_, name if type_.bits == 64 else f"{name}f", arguments, CallType.PURE_EXTERN))


def _rounded(ctx: Context, v: Expr) -> Expr:
    """C's round: halves go away from zero.  What truncation leaves is exact, so that nothing is rounded twice."""
    v = v if isinstance(v, Variable) else ctx.temporary(v)
    whole = ctx.temporary(math_call("trunc", v.type, (v,)))
    zero, half, one = (const(c, v.type) for c in (0.0, 0.5, 1.0))
    away = Select(v.type, LT(BOOL, v, zero), whole - one, whole + one)
    return Select(v.type, GE(BOOL, absolute(v - whole), half), away, whole)


def absolute(v: Expr) -> Expr:
    """abs of a promoted integer or a float, of the type of the operand."""
    if v.type.is_float():
        return intrinsic("abs", v.type, v)
    if v.type.is_uint():
        return v
    return op.cast(intrinsic("abs", UInt(v.type.bits), v), v.type)


def minimum(a: Expr, b: Expr) -> Expr:
    """std::min(a, b)."""
    return op.select(op.binary("<", b, a), b, a) if a.type.is_float() else _extreme(Min, a, b)


def maximum(a: Expr, b: Expr) -> Expr:
    """std::max(a, b)."""
    return op.select(op.binary("<", a, b), b, a) if a.type.is_float() else _extreme(Max, a, b)


def _extreme(node: type[Min] | type[Max], a: Expr, b: Expr) -> Expr:
    x, y = const_value(a), const_value(b)
    if x is not None and y is not None:
        return const(min(x, y) if node is Min else max(x, y), a.type)
    return node(a.type, a, b)


def _min_max(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Value | None:
    combine = minimum if name == "min" else maximum
    if len(arguments) == 1:
        listed = queries.unwrap(arguments[0])
        if listed.kind.name != "INIT_LIST_EXPR":
            return None
        arguments = operands(listed)
    type_ = types.scalar(c.type)
    if type_ is None:
        ctx.fail(f"std::{name} of values of type '{c.type.spelling}'", c)
    values = [op.cast(v, type_) for v in scalars(ctx, arguments)]
    out = values[0]
    for v in values[1:]:
        out = combine(out, v)
    return out


def _clamp(ctx: Context, c: Cursor, arguments: list[Cursor]) -> Value:
    type_ = queries.scalar_type(ctx, c.type, c)
    v, low, high = (op.cast(e, type_) for e in scalars(ctx, arguments))
    if type_.is_float():
        return op.select(op.binary("<", v, low), low, op.select(op.binary("<", high, v), high, v))
    return _extreme(Max, _extreme(Min, v, high), low)


def _swap(ctx: Context, c: Cursor, arguments: list[Cursor]) -> Value:
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
    if not isinstance(a, Expr) or not isinstance(b, Expr):
        ctx.fail("swap of objects that are not scalars", c)
    kept = ctx.temporary(a)
    access.write(ctx, first, b, c)
    access.write(ctx, second, kept, c)
    return Nothing()


def _frozen(ctx: Context, p: Place) -> Place:
    if isinstance(p, ElementPlace):
        offset = ctx.settled(p.pointer.offset)
        if const_value(offset) is None:
            offset = ctx.temporary(offset, "p")
        return ElementPlace(replace(p.pointer, offset=offset))
    return p


def _aligned(ctx: Context, c: Cursor, arguments: list[Cursor]) -> Value:
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


def _calloc(ctx: Context, arguments: list[Cursor]) -> Value:
    count, size = (op.cast(v, UInt(64)) for v in scalars(ctx, arguments))
    return Allocation(op.binary("*", count, size), True)
