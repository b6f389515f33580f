"""The free functions of the language: casts, min, max, clamp, select, mux, lerp and hints."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const, const_value, intrinsic
from halide_core.ir.operators import as_expr, broadcast, cast_to, match_types
from halide_core.ir.types import Bool, Float, Int, Type, UInt


def cast(type_: Type, value: Any) -> Expr:
    """`value` converted to `type_`; constants directly.  An integer's bool is its lowest bit, as in Halide."""
    e = as_expr(value)
    if type_.is_bool() and e.type.is_int_or_uint() and not e.type.is_bool() and const_value(e) is None:
        return ir.Cast(type_.with_lanes(e.type.lanes), intrinsic("bitwise_and", e.type, e, const(1, e.type)))
    if isinstance(e, ir.FloatImm) and type_.is_int_or_uint():
        return ir.Cast(type_, e)
    return cast_to(type_, e)


def reinterpret(type_: Type, value: Any) -> Expr:
    """The bits of `value` as a value of `type_`."""
    e = as_expr(value)
    if e.type.bits != type_.bits:
        raise HalideError(f"reinterpret of {e.type} as {type_}: the sizes differ")
    return e if e.type == type_ else ir.Reinterpret(type_, e)


def _caster(type_: Type) -> Callable[[Any], Expr]:
    def convert(value: Any) -> Expr:
        # f64(0.1) is the double nearest to 0.1, although 0.1 alone is a float32.
        if type_.is_float() and isinstance(value, float):
            return const(value, type_)
        if type_.is_int_or_uint() and isinstance(value, int):
            return const(value, type_)  # of 64 bits too
        return cast(type_, value)

    return convert


u1, u8, u16, u32, u64 = (_caster(UInt(n)) for n in (1, 8, 16, 32, 64))
i8, i16, i32, i64 = (_caster(Int(n)) for n in (8, 16, 32, 64))
f32, f64 = _caster(Float(32)), _caster(Float(64))


def saturating_cast(type_: Type, value: Any) -> Expr:
    """`value` clamped to the range of `type_`, then cast."""
    e = as_expr(value)
    if e.type == type_ or type_.is_float():
        return cast_to(type_, e)
    if e.type.is_float():
        low, high = const(type_.min(), e.type), const(type_.max(), e.type)
        return ir.Cast(type_, ir.Max(e.type, ir.Min(e.type, e, high), low))
    return intrinsic("saturating_cast", type_, e)


def _saturating_caster(type_: Type) -> Callable[[Any], Expr]:
    def convert(value: Any) -> Expr:
        return saturating_cast(type_, value)

    return convert


u8_sat, u16_sat, u32_sat, u64_sat = (_saturating_caster(UInt(n)) for n in (8, 16, 32, 64))
i8_sat, i16_sat, i32_sat, i64_sat = (_saturating_caster(Int(n)) for n in (8, 16, 32, 64))


def match(*values: Any) -> tuple[Expr, Expr]:
    """Two arguments of a function in the type in which they meet; here literals have the types they have alone."""
    a, b = values
    return match_types(as_expr(a), as_expr(b))


def min(*args: Any) -> Expr:
    """The smallest argument; of two, a < b ? a : b."""
    return _fold("min", ir.Min, args)


def max(*args: Any) -> Expr:
    """The greatest argument; of two, a > b ? a : b."""
    return _fold("max", ir.Max, args)


def _fold(name: str, node: Callable[[Type, Expr, Expr], Expr], args: tuple[Any, ...]) -> Expr:
    if len(args) < 2:
        raise HalideError(f"{name}() must have at least 2 arguments")
    out = as_expr(args[-1])
    for a in reversed(args[:-1]):
        x, y = match(a, out)
        out = node(x.type, x, y)
    return out


def clamp(value: Any, low: Any, high: Any) -> Expr:
    """max(min(value, high), low), in the type of `value`, which must represent the limits."""
    e = as_expr(value)
    a, b = (_lossless("clamp", e, as_expr(v)) for v in (low, high))
    return ir.Max(e.type, ir.Min(e.type, e, b), a)


def unsafe_promise_clamped(value: Any, low: Any, high: Any) -> Expr:
    """`value`, which the caller promises to lie in [low, high]; here the clamp is kept, so nothing can go wrong."""
    return clamp(value, low, high)


def _lossless(what: str, like: Expr, limit: Expr) -> Expr:
    inner = limit
    while True:
        if like.type.element_of().can_represent(inner.type.element_of()):
            return broadcast(cast_to(like.type, inner), like.type.lanes)
        constant = const_value(inner)
        if constant is not None:
            same = const(constant, like.type)
            if const_value(same) == constant:
                return same
        if not (isinstance(inner, ir.Cast) and inner.type.can_represent(inner.value.type)):
            break
        inner = inner.value
    raise HalideError(
        f"Type mismatch in call to {what}: the first argument ({like}) has type {like.type}, which does not hold every "
        f"value of {limit} of type {limit.type}; use an explicit cast"
    )


def select(condition: Any, true_value: Any, *rest: Any) -> Any:
    """select(c, t, f), or select(c1, v1, c2, v2, ..., otherwise); of Exprs, or of Tuples element by element, under
    one condition or a Tuple of them."""
    if len(rest) % 2 == 0:
        raise HalideError("select() must have an odd number of arguments, at least 3: it ends in an otherwise")
    if len({_as_tuple(c) is None for c in (condition, *rest[:-1:2])}) > 1 and _as_tuple(true_value) is not None:
        raise HalideError("select() on Tuples may not mix Expr and Tuple for the condition elements.")
    false_value = select(*rest) if len(rest) > 1 else rest[0]
    true_tuple, false_tuple, conditions = (_as_tuple(v) for v in (true_value, false_value, condition))
    if true_tuple is not None and false_tuple is not None:
        each = conditions if conditions is not None else [condition] * len(true_tuple)
        if not len(true_tuple) == len(false_tuple) == len(each):
            raise HalideError("select() on Tuples requires all Tuples to have identical sizes.")
        return tuple(select(c, t, f) for c, t, f in zip(each, true_tuple, false_tuple, strict=True))
    c = as_expr(condition)
    if isinstance(c, ir.IntImm):
        c = cast_to(Bool(), c)
    if not c.type.is_bool():
        raise HalideError(f"The first argument to a select must be a boolean: {c} has type {c.type}")
    t, f = as_expr(true_value), as_expr(false_value)
    if isinstance(t, ir.IntImm):
        t = cast_to(f.type, t)
    if isinstance(f, ir.IntImm):
        f = cast_to(t.type, f)
    if t.type.element_of() != f.type.element_of():
        raise HalideError(
            f"The second and third arguments to a select do not have a matching type: {t} has type {t.type}, "
            f"{f} has type {f.type}; cast one"
        )
    lanes = builtins.max(c.type.lanes, t.type.lanes)
    return ir.Select(t.type.with_lanes(lanes), c, broadcast(t, lanes), broadcast(f, lanes))


def _as_tuple(value: Any) -> list[Any] | None:
    """The elements of a Tuple, or of a reference to a Func with several values."""
    if isinstance(value, tuple | list):
        return list(value)
    if hasattr(value, "size") and hasattr(value, "_call") and value.size() > 1:
        return [value[k] for k in range(value.size())]
    return None


def mux(index: Any, values: Any) -> Any:
    """values[index]; the last one for any other index.  The values are Exprs, or Tuples of one size."""
    items = _as_tuple(values) or []
    if not items:
        raise HalideError("mux() requires a non-empty vector of values")
    if isinstance(items[0], tuple):
        from halide_core.dsl.func import Tuple

        return Tuple(*(mux(index, [v[k] for v in items]) for k in range(len(items[0]))))
    exprs = [as_expr(v) for v in items]
    if any(e.type != exprs[0].type for e in exprs):
        raise HalideError("mux() requires all the values to have the same type.")
    i = as_expr(index)
    out = exprs[-1]
    for k in reversed(range(len(exprs) - 1)):
        out = select(i == k, exprs[k], out)
    return out


def lerp(zero: Any, one: Any, weight: Any) -> Expr:
    """Linear interpolation from `zero` to `one`; unsigned weights run from 0 to their type's greatest value, float
    weights from 0 to 1.  Integers are rounded to nearest."""
    a, b, w = as_expr(zero), as_expr(one), as_expr(weight)
    if isinstance(a, ir.IntImm):
        a = cast_to(b.type, a)
    if isinstance(b, ir.IntImm):
        b = cast_to(a.type, b)
    t = a.type
    if t != b.type:
        raise HalideError(f"Can't lerp between {a} of type {a.type} and {b} of different type {b.type}")
    if not (w.type.is_uint() or w.type.is_float()):
        raise HalideError(f"A lerp weight must be an unsigned integer or a float, but {w} has type {w.type}")
    if not t.is_float() and t.bits > 32:
        raise HalideError("Lerping between 64-bit integers is not supported")
    constant = const_value(w)
    if not t.is_float() and w.type.is_float() and constant is not None and not 0.0 <= constant <= 1.0:
        raise HalideError(
            f"Floating-point weight for lerp with integer arguments is {constant}, which is not in the range [0.0, 1.0]"
        )
    if t.is_bool():
        half = const(0.5, w.type) if w.type.is_float() else const(w.type.max() // 2, w.type)
        return select(w > half, b, a)  # type: ignore[no-any-return]
    if t.is_float():
        if not w.type.is_float():
            w = cast_to(t, w) / const(float(w.type.max()), t)
        # A wider weight widens the arithmetic, not the result.
        return cast_to(t, a * (const(1.0, w.type) - w) + b * w)
    # Signed integers are moved to unsigned ones of the same order.
    computed = t.with_code(UInt(8).code)
    bias = const(t.min(), computed)
    if t.is_int():
        a, b = (cast_to(computed, e) - bias for e in (a, b))
    part = _lerp_weight(w, computed)
    wide = computed.with_bits(2 * t.bits)
    rest = const(computed.max(), computed) - part
    total = cast_to(wide, a) * cast_to(wide, rest) + cast_to(wide, b) * cast_to(wide, part)
    divisor = const(computed.max(), wide)
    result = cast_to(computed, (total + const(computed.max() // 2, wide)) / divisor)
    return cast_to(t, result + bias) if t.is_int() else result


def _lerp_weight(w: Expr, t: Type) -> Expr:
    """The weight `w` scaled to the range of the unsigned type `t`."""
    if w.type.is_float():
        if t.bits == 32:
            return ir.Cast(t, const(float(t.max()), Float(64)) * cast_to(Float(64), w))
        return ir.Cast(t, const(float(t.max()), w.type) * w)
    if w.type.bits == t.bits:
        return w
    low, high = sorted((w.type.bits, t.bits))
    scale = ((1 << high) - 1) // ((1 << low) - 1)
    if w.type.bits < t.bits:
        return cast_to(t, w) * const(scale, t)
    return cast_to(t, w / const(scale, w.type))


def undef(type_: Type) -> Expr:
    """Any value; storing it does nothing."""
    return intrinsic("undef", type_)


def likely(a: Any) -> Expr:
    e = as_expr(a)
    return intrinsic("likely", e.type, e)


likely_if_innermost = likely


def strict_float(a: Any) -> Expr:
    """`a`; all floating point is strict here."""
    e = as_expr(a)
    return intrinsic("strict_float", e.type, e)


def memoize_tag(result: Any, *args: Any) -> Expr:
    """`result`; nothing is memoized by its tags here."""
    return as_expr(result)


def logical_not(a: Any) -> Expr:
    """!a of a bool."""
    e = as_expr(a)
    if not e.type.is_bool():
        raise HalideError(f"logical_not of {e.type}; only bools")
    return ~e
