"""The types in which operands meet, and what is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from tests.conformance.cases import add, case

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
TYPES = [*INTEGERS, "f16", "f32", "f64", "b"]
LITERALS = [1, 3, -3, 300, 70000, 1 << 31, 1 << 40, 2.5, True]


def type_of(hl: Any, name: str) -> Any:
    if name == "b":
        return hl.Bool()
    maker = {"u": hl.UInt, "i": hl.Int, "f": hl.Float}[name[0]]
    return maker(int(name[1:]))


def outcome(build: Callable[[], Any]) -> str:
    """The type of an expression, or that there is none."""
    try:
        return str(build().type())
    except AttributeError:
        raise  # no such function: a gap, not a refusal
    except Exception:
        return "refused"


def expressions(hl: Any, names: list[str]) -> dict[str, Any]:
    x = hl.Var("x")
    return {n: hl.cast(type_of(hl, n), x) for n in names}


def table(operation: Callable[[Any, Any, Any], Any], names: list[str], literals: list[Any]) -> Callable[[Any], Any]:
    """Results of an operation of two operands: each pair of types, and each type with literals on either side."""

    def script(hl: Any) -> Any:
        e = expressions(hl, names)
        found: list[str] = []
        for a in names:
            found += [outcome(lambda a=a, b=b: operation(hl, e[a], e[b])) for b in names]
            for v in literals:
                found.append(outcome(lambda a=a, v=v: operation(hl, e[a], v)))
                found.append(outcome(lambda a=a, v=v: operation(hl, v, e[a])))
        return found

    return script


def _operator(name: str) -> Callable[[Any, Any, Any], Any]:
    chosen = getattr(operator, name)
    return lambda hl, a, b: chosen(a, b)


def _named(name: str) -> Callable[[Any, Any, Any], Any]:
    return lambda hl, a, b: getattr(hl, name)(a, b)


for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"]:
    add(f"type_cases.{name}", table(_operator(name), TYPES, LITERALS))
for name in ["and_", "or_", "xor", "lshift", "rshift"]:
    integers = [v for v in LITERALS if isinstance(v, int)]
    add(f"type_cases.{name}", table(_operator(name), INTEGERS, integers))
for name in ["min", "max", "pow", "atan2", "hypot", "absd"]:
    add(f"type_cases.{name}", table(_named(name), TYPES, LITERALS[:-1]))
for name in ["saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add"]:
    add(f"type_cases.{name}", table(_named(name), INTEGERS, LITERALS[:-2]))
for name in ["div_round_to_zero", "mod_round_to_zero", "rounding_shift_left", "rounding_shift_right"]:
    add(f"type_cases.{name}", table(_named(name), INTEGERS, LITERALS[:-2]))
for name in ["widening_add", "widening_sub", "widening_mul", "widen_right_add", "widen_right_sub", "widen_right_mul"]:
    add(f"type_cases.{name}", table(_named(name), INTEGERS[:-2], LITERALS[:4]))
for name in ["widening_shift_left", "widening_shift_right"]:
    add(f"type_cases.{name}", table(_named(name), INTEGERS[:-2], LITERALS[:4]))
add("type_cases.mul_shift_right", table(lambda hl, a, b: hl.mul_shift_right(a, b, 3), INTEGERS, []))
add(
    "type_cases.rounding_mul_shift_right",
    table(lambda hl, a, b: hl.rounding_mul_shift_right(a, b, 3), INTEGERS[:6], []),
)
add("type_cases.select", table(lambda hl, a, b: hl.select(hl.Var("x") > 1, a, b), TYPES, LITERALS[:-1]))
add(
    "type_cases.select_of_several",
    table(lambda hl, a, b: hl.select(hl.Var("x") > 1, a, hl.Var("x") > 3, b, 4), TYPES, LITERALS[:-1]),
)
add("type_cases.mux", table(lambda hl, a, b: hl.mux(hl.Var("x"), [a, b, a]), TYPES, LITERALS[:-1]))
add("type_cases.clamp", table(lambda hl, a, b: hl.clamp(a, 0, b), TYPES, []))
add("type_cases.clamp_to_literals", table(lambda hl, a, b: hl.clamp(a, b, b), TYPES, LITERALS[:-1]))
add("type_cases.lerp", table(lambda hl, a, b: hl.lerp(a, a, b), TYPES, []))


@case
def functions_of_one(hl: Any) -> Any:
    names = ["sqrt", "floor", "ceil", "round", "trunc", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"]
    names += ["sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "fract", "is_nan", "is_inf", "is_finite"]
    names += ["popcount", "count_leading_zeros", "count_trailing_zeros", "fast_exp", "fast_log", "fast_sin"]
    names += ["fast_cos", "fast_inverse", "fast_inverse_sqrt", "logical_not", "likely", "strict_float", "abs"]
    names += ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "u8_sat", "i16_sat", "i32_sat"]
    e = expressions(hl, TYPES)
    operands = [*e.values(), *LITERALS]
    return [outcome(lambda n=n, v=v: getattr(hl, n)(v)) for n in names for v in operands]


@case
def conversions(hl: Any) -> Any:
    e = expressions(hl, TYPES)
    found: list[str] = []
    for n in TYPES:
        t = type_of(hl, n)
        for v in [*e.values(), *LITERALS]:
            found.append(outcome(lambda t=t, v=v: hl.cast(t, v)))
            found.append(outcome(lambda t=t, v=v: hl.saturating_cast(t, v)))
    return found


@case
def signs(hl: Any) -> Any:
    e = expressions(hl, TYPES)
    return [outcome(lambda v=v: -v) for v in e.values()] + [outcome(lambda v=v: ~v) for v in e.values()]


@case
def predicates(hl: Any) -> Any:
    types = [type_of(hl, n) for n in TYPES] + [hl.UInt(8, 4), hl.BFloat(16), hl.Handle()]
    found: list[Any] = []
    for t in types:
        found += [t.is_int(), t.is_uint(), t.is_float(), t.is_bool(), t.is_handle(), t.is_bfloat()]
        found += [t.is_scalar(), t.is_vector(), t.bits(), t.lanes(), t.bytes(), t.code().value]
        found += [str(t), str(t.with_lanes(3)), str(t.with_bits(64)), str(t.element_of())]
        found += [t.can_represent(o) for o in types]
    return [str(f) for f in found]


@case
def limits(hl: Any) -> Any:
    x = hl.Var("x")
    found = []
    for n in ["u8", "i8", "u16", "i16", "i32", "f32", "f64"]:
        f = hl.Func("f")
        t = type_of(hl, n)
        f[x] = hl.select(x == 0, t.min(), t.max())
        found.append(f.realize([2]))
    return [*found, hl.UInt(8).is_max(255), hl.UInt(8).is_max(254), hl.Int(8).is_min(-128)]
