"""Expressions as Halide source text, in Python and in C++ (paper, section 5.4 and figure 9)."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from codegen.mathematics import halide_name
from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Cast, Expr, Select, Variable, const_value
from halide_core.ir.types import Type, UInt

_BINARY: dict[type, tuple[str, int]] = {
    E.Mul: ("*", 9),
    E.Div: ("/", 9),
    E.Mod: ("%", 9),
    E.Add: ("+", 8),
    E.Sub: ("-", 8),
    E.LT: ("<", 3),
    E.LE: ("<=", 3),
    E.GT: (">", 3),
    E.GE: (">=", 3),
    E.EQ: ("==", 3),
    E.NE: ("!=", 3),
}
_BITWISE = {"bitwise_and": ("&", 6), "bitwise_xor": ("^", 5), "bitwise_or": ("|", 4)}
_SHIFTS = {"shift_left": ("<<", 7), "shift_right": (">>", 7)}
_CPP_RESERVED = {"r", "new", "delete", "class", "template", "this", "operator", "register", "default", "switch"}


class SourcePrinter:
    """Base of the two: operators and precedence.  Subclasses spell names, casts, calls and constants."""

    logical_and, logical_or, logical_not = "&", "|", "~"
    logical_levels = (6, 4)

    def __init__(self, names: Mapping[str, str] | None = None, taken: AbstractSet[str] = frozenset()) -> None:
        self.names = dict(names or {})
        self.taken = taken
        """Names that no new local may have."""

    def text(self, e: Expr) -> str:
        """The whole expression."""
        return self._text(e)[0]

    def _at(self, e: Expr, level: int) -> str:
        text, own = self._text(e)
        return text if own >= level else f"({text})"

    def _text(self, e: Expr) -> tuple[str, int]:
        value = const_value(e)
        if value is not None:
            return self.constant(value, e.type), 12
        if isinstance(e, Variable):
            return self.variable(e), 12
        if isinstance(e, Cast):
            return self.cast(e.type, self.text(e.value)), 12
        if isinstance(e, E.Reinterpret):
            return self.reinterpret(e.type, self.text(e.value)), 12
        if type(e) in _BINARY:
            symbol, level = _BINARY[type(e)]
            return self.binary(e.a, e.b, symbol, level), level  # type: ignore[attr-defined]
        if isinstance(e, E.And | E.Or):
            conjunction = isinstance(e, E.And)
            symbol = self.logical_and if conjunction else self.logical_or
            level = self.logical_levels[0 if conjunction else 1]
            return f"{self._at(e.a, level)} {symbol} {self._at(e.b, level + 1)}", level
        if isinstance(e, E.Not):
            return f"{self.logical_not}{self._at(e.a, 11)}", 11
        if isinstance(e, E.Min | E.Max):
            name = "min" if isinstance(e, E.Min) else "max"
            return self.call(name, [self._beside(e.a, e.b), self._beside(e.b, e.a)]), 12
        if isinstance(e, Select):
            arms = [self.text(e.condition), self.operand(e.true_value, None), self.operand(e.false_value, None)]
            return self.call("select", arms), 12
        if isinstance(e, Call):
            return self._call(e)
        raise AssertionError(f"no source for {type(e).__name__}")

    def binary(self, a: Expr, b: Expr, symbol: str, level: int) -> str:
        left = self.operand(a, b, level)
        right = self.operand(b, a, level + 1)
        return f"{left} {symbol} {right}"

    def operand(self, e: Expr, other: Expr | None, level: int = 0) -> str:
        """An operand; a constant beside an expression takes its type from it."""
        value = const_value(e)
        if value is not None:
            plain = other is not None and const_value(other) is None and self.plain_constant(value, e.type)
            return self.literal(value) if plain else self.constant(value, e.type)
        return self._at(e, level)

    def _beside(self, e: Expr, other: Expr) -> str:
        """An argument beside another one.  Halide makes both of them int32 where the signed type of the same width does
        not hold a literal (65535 beside uint16)."""
        value = const_value(e)
        held = value is None or not e.type.is_int_or_uint() or abs(value) < 1 << (e.type.bits - 1)
        return self.operand(e, other if held else None)

    def plain_constant(self, value: int | float, t: Type) -> bool:
        """Whether an untyped literal beside an expression of type `t` means the constant exactly."""
        return t.is_int_or_uint() and not t.is_bool() and abs(value) <= 0x7FFFFFFF

    def _call(self, e: Call) -> tuple[str, int]:
        if e.call_type in (CallType.HALIDE, CallType.IMAGE):
            return self.access(self.name(e.name), [self.text(a) for a in e.args]), 12
        if e.call_type is CallType.FUNCTION:
            return f"{self.name(e.name)}({', '.join(self.operand(a, None) for a in e.args)})", 12
        if e.call_type is not CallType.INTRINSIC:
            return self.call(halide_name(e), [self.text(a) for a in e.args]), 12
        if e.name in _BITWISE:
            symbol, level = _BITWISE[e.name]
            return self.binary(e.args[0], e.args[1], symbol, level), level
        if e.name in _SHIFTS:
            symbol, level = _SHIFTS[e.name]
            return (
                f"{self.operand(e.args[0], e.args[1], level)} {symbol} {self.operand(e.args[1], e.args[0], level + 1)}",
                level,
            )
        if e.name == "bitwise_not":
            return f"~{self._at(e.args[0], 11)}", 11
        if e.name == "saturating_cast":
            return self.saturating_cast(e.type, self.text(e.args[0])), 12
        if e.name == "undef":
            return self.undef(e.type), 12
        if e.name in ("div_round_to_zero", "mod_round_to_zero") and const_value(e.args[1]) is None:
            # Halide traps on zero divisors here, and evaluates both sides of a select
            a, b, zero, one = e.args[0], e.args[1], E.const(0, e.type), E.const(1, e.type)
            safe = Select(e.type, E.EQ(E.BOOL, b, zero), one, b)
            quotient = self.call(e.name, [self.operand(a, None), self.operand(safe, None)])
            test = self.binary(b, zero, "==", 3)
            return self.call("select", [test, self.constant(0, e.type), quotient]), 12
        if e.name == "abs" and e.type.is_float() and e.type.bits == 64:
            # Halide 21's own, where floats are strict, is x > 0 ? x : -x, which gives zeros and NaNs the wrong sign.
            bits = self.reinterpret(UInt(64), self.text(e.args[0]))
            return self.reinterpret(e.type, f"({bits} << 1) >> 1"), 12
        args = [self.operand(a, e.args[1 - i] if len(e.args) == 2 else None) for i, a in enumerate(e.args)]
        return self.call(e.name, args), 12

    def literal(self, value: int | float) -> str:
        return repr(value)

    # Spelled by subclasses.

    def name(self, name: str) -> str:
        raise NotImplementedError

    def variable(self, e: Variable) -> str:
        return self.name(e.name)

    def constant(self, value: int | float, t: Type) -> str:
        raise NotImplementedError

    def cast(self, t: Type, text: str) -> str:
        raise NotImplementedError

    def saturating_cast(self, t: Type, text: str) -> str:
        raise NotImplementedError

    def reinterpret(self, t: Type, text: str) -> str:
        raise NotImplementedError

    def undef(self, t: Type) -> str:
        raise NotImplementedError

    def call(self, name: str, args: list[str]) -> str:
        raise NotImplementedError

    def access(self, name: str, coords: list[str]) -> str:
        raise NotImplementedError


class PythonPrinter(SourcePrinter):
    """Halide's Python bindings, imported as `hl`."""

    def name(self, name: str) -> str:
        if "." in name:
            return name
        name = self.names.get(name, name)
        return name + "_" if keyword.iskeyword(name) or name in ("hl", "r") else name

    def type_text(self, t: Type) -> str:
        """`hl.UInt(8)`."""
        if t.is_bool():
            return "hl.Bool()"
        return f"hl.{'Float' if t.is_float() else 'Int' if t.is_int() else 'UInt'}({t.bits})"

    def constant(self, value: int | float, t: Type) -> str:
        if t.is_bool():
            return f"hl.cast(hl.Bool(), {int(value)})"
        if t.is_int() and t.bits == 32:
            return f"hl.i32({int(value)})" if abs(int(value)) <= 0x7FFFFFFF else "hl.i32(-0x7FFFFFFF) - 1"
        if t.is_int_or_uint() and t.bits == 64 and abs(int(value)) > 0x7FFFFFFF:
            high, low = divmod(int(value), 1 << 24)
            middle, low2 = divmod(high, 1 << 24), low
            wide = self.type_text(t)
            parts = [f"hl.cast({wide}, {v})" for v in (middle[0], middle[1], low2)]
            return f"(({parts[0]} * 16777216 + {parts[1]}) * 16777216 + {parts[2]})"
        if t.is_uint() and t.bits == 32 and int(value) > 0x7FFFFFFF:
            return f"((hl.cast(hl.UInt(32), {int(value) >> 16}) << 16) + {int(value) & 0xFFFF})"
        if t.is_float():
            return f"hl.f{t.bits}({value!r})"
        return f"hl.cast({self.type_text(t)}, {int(value)})"

    def cast(self, t: Type, text: str) -> str:
        if t.is_bool():
            return f"hl.cast(hl.Bool(), {text})"
        return f"hl.{'f' if t.is_float() else 'i' if t.is_int() else 'u'}{t.bits}({text})"

    def saturating_cast(self, t: Type, text: str) -> str:
        return f"hl.saturating_cast({self.type_text(t)}, {text})"

    def reinterpret(self, t: Type, text: str) -> str:
        return f"hl.reinterpret({self.type_text(t)}, {text})"

    def undef(self, t: Type) -> str:
        return f"hl.undef({self.type_text(t)})"

    def call(self, name: str, args: list[str]) -> str:
        return f"hl.{name}({', '.join(args)})"

    def access(self, name: str, coords: list[str]) -> str:
        return f"{name}[{', '.join(coords) if coords else '()'}]"


class CppPrinter(SourcePrinter):
    """Halide's C++ API, inside a Generator."""

    logical_and, logical_or, logical_not = "&&", "||", "!"
    logical_levels = (2, 1)

    def name(self, name: str) -> str:
        if "." in name:
            return name
        name = self.names.get(name, name)
        return name + "_" if name in _CPP_RESERVED else name

    def type_text(self, t: Type) -> str:
        """`uint8_t`."""
        if t.is_bool():
            return "bool"
        if t.is_float():
            return "float" if t.bits == 32 else "double"
        return f"{'int' if t.is_int() else 'uint'}{t.bits}_t"

    def constant(self, value: int | float, t: Type) -> str:
        if t.is_float():
            return f"Expr({float(value).hex()}{'f' if t.bits == 32 else ''})"
        if t.is_int() and t.bits == 32 and abs(int(value)) <= 0x7FFFFFFF:
            return f"Expr({int(value)})"
        if t.is_bool():
            return f"cast<bool>(Expr({int(value)}))"
        return f"Expr({self.type_text(t)}({_cpp_integer(int(value))}))"

    def halide_type(self, t: Type) -> str:
        """`UInt(8)`."""
        return "Bool()" if t.is_bool() else f"{'Float' if t.is_float() else 'Int' if t.is_int() else 'UInt'}({t.bits})"

    def cast(self, t: Type, text: str) -> str:
        return f"cast<{self.type_text(t)}>({text})"

    def saturating_cast(self, t: Type, text: str) -> str:
        return f"saturating_cast<{self.type_text(t)}>({text})"

    def reinterpret(self, t: Type, text: str) -> str:
        return f"reinterpret<{self.type_text(t)}>({text})"

    def undef(self, t: Type) -> str:
        return f"undef<{self.type_text(t)}>()"

    def call(self, name: str, args: list[str]) -> str:
        return f"{name}({', '.join(args)})"

    def access(self, name: str, coords: list[str]) -> str:
        return f"{name}({', '.join(coords)})"


def _cpp_integer(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    return f"{value}LL" if -(1 << 63) <= value < (1 << 63) else f"{value}ULL"
