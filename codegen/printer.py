"""Expressions as Halide source text, in Python and in C++ (paper, section 5.4 and figure 9)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from codegen import reserved
from codegen.portable_math import OWN, base_of, is_missing
from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Cast, Expr, Select, Variable, const_value
from halide_core.ir.types import Type

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


class SourcePrinter:
    """Base of the two: operators and precedence.  Subclasses spell names, casts, calls and constants.

    What is printed is what `codegen/portable.py` leaves of an expression."""

    logical_and, logical_or, logical_not = "&", "|", "~"
    logical_levels = (6, 4)
    bits_bind = True
    """Whether & | and ^ bind more closely than comparisons."""

    def __init__(self, functions: Mapping[str, str] | None = None, taken: AbstractSet[str] = frozenset()) -> None:
        self.functions = dict(functions or {})
        """What the scalar functions are called in the text."""
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
        # A comparison of a comparison is two in Python, which would ask for the truth of the first.
        left = self.operand(a, b, level + (level == 3))
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
        """An argument beside another one: a literal is an int32 there, whatever the other is."""
        return self.operand(e, other if e.type == I32 else None)

    def plain_constant(self, value: int | float, t: Type) -> bool:
        """Whether an untyped literal beside an expression of type `t` means the constant exactly."""
        return t.is_int_or_uint() and not t.is_bool() and abs(value) <= 0x7FFFFFFF

    def _call(self, e: Call) -> tuple[str, int]:
        if e.call_type in (CallType.HALIDE, CallType.IMAGE):
            return self.access(self.name(e.name), [self.text(a) for a in e.args]), 12
        if e.call_type is CallType.FUNCTION:
            name = self.functions.get(e.name, self.name(e.name))
            return f"{name}({', '.join(self.operand(a, None) for a in e.args)})", 12
        if e.call_type is CallType.PURE_EXTERN:
            args = [self.text(a) for a in e.args]
            if e.name in OWN:
                return self.library(base_of(e), args), 12
            return self.libm(base_of(e), e.type, args) if is_missing(e) else self.call(base_of(e), args), 12
        assert e.call_type is CallType.INTRINSIC, e
        if e.name in _BITWISE:
            symbol, level = _BITWISE[e.name]
            return self.binary(e.args[0], e.args[1], symbol, level), level if self.bits_bind else 0
        if e.name in _SHIFTS:
            symbol, level = _SHIFTS[e.name]
            left, right = self.operand(e.args[0], None, level), self.operand(e.args[1], e.args[0], level + 1)
            return f"{left} {symbol} {right}", level
        if e.name == "bitwise_not":
            return f"~{self._at(e.args[0], 11)}", 11
        if e.name == "saturating_cast":
            return self.saturating_cast(e.type, self.text(e.args[0])), 12
        if e.name == "undef":
            return self.undef(e.type), 12
        return self.call(e.name, [self.operand(a, None) for a in e.args]), 12

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

    def library(self, name: str, args: list[str]) -> str:
        """A function of the C library where it is apart from the language's own, else that."""
        return self.call(name, args)

    def libm(self, name: str, t: Type, args: list[str]) -> str:
        """A function of the C library that Halide has no name for."""
        raise NotImplementedError

    def strict(self, text: str) -> str:
        """Floats computed as written."""
        raise NotImplementedError

    def access(self, name: str, coords: list[str]) -> str:
        raise NotImplementedError


class PythonPrinter(SourcePrinter):
    """Halide's Python bindings, imported as `hl`."""

    def name(self, name: str) -> str:
        if "." in name:
            return name
        return reserved.apart(name, reserved.PYTHON)

    def type_text(self, t: Type) -> str:
        """`hl.UInt(8)`."""
        if t.is_bool():
            return "hl.Bool()"
        return f"hl.{'Float' if t.is_float() else 'Int' if t.is_int() else 'UInt'}({t.bits})"

    def constant(self, value: int | float, t: Type) -> str:
        if t.is_bool():
            return f"hl.cast(hl.Bool(), {int(value)})"
        if t.is_float():
            return f"hl.f{t.bits}({python_float(value)})"
        return f"hl.{'i' if t.is_int() else 'u'}{t.bits}({int(value)})"

    def cast(self, t: Type, text: str) -> str:
        return f"hl.{'f' if t.is_float() else 'i' if t.is_int() else 'u'}{t.bits}({text})"

    def saturating_cast(self, t: Type, text: str) -> str:
        return f"hl.saturating_cast({self.type_text(t)}, {text})"

    def reinterpret(self, t: Type, text: str) -> str:
        return f"hl.reinterpret({self.type_text(t)}, {text})"

    def undef(self, t: Type) -> str:
        return f"hl.undef({self.type_text(t)})"

    def call(self, name: str, args: list[str]) -> str:
        return f"hl.{name}({', '.join(args)})"

    def library(self, name: str, args: list[str]) -> str:
        return f'_library("{name}", {", ".join(args)})'

    def libm(self, name: str, t: Type, args: list[str]) -> str:
        return f'hl.libm("{name}", {", ".join(args)})'

    def strict(self, text: str) -> str:
        return f"hl.strict_float({text})"

    def access(self, name: str, coords: list[str]) -> str:
        return f"{name}[{', '.join(coords) if coords else '()'}]"


class CppPrinter(SourcePrinter):
    """Halide's C++ API, inside a Generator."""

    logical_and, logical_or, logical_not = "&&", "||", "!"
    logical_levels = (2, 1)
    bits_bind = False

    def name(self, name: str) -> str:
        if "." in name:
            return name
        return reserved.apart(name, reserved.CPP)

    def type_text(self, t: Type) -> str:
        """`uint8_t`."""
        if t.is_bool():
            return "bool"
        if t.is_float():
            return "float" if t.bits == 32 else "double"
        return f"{'int' if t.is_int() else 'uint'}{t.bits}_t"

    def constant(self, value: int | float, t: Type) -> str:
        if t.is_float():
            return f"Expr({_cpp_float(float(value), t)})"
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

    def libm(self, name: str, t: Type, args: list[str]) -> str:
        symbol = name if t.bits == 64 else f"{name}f"
        make = "Internal::Call::make"
        return f'{make}({self.halide_type(t)}, "{symbol}", {{{", ".join(args)}}}, Internal::Call::PureExtern)'

    def strict(self, text: str) -> str:
        return f"strict_float({text})"

    def access(self, name: str, coords: list[str]) -> str:
        return f"{name}({', '.join(coords)})"


def python_float(value: float) -> str:
    """A float as Python reads it."""
    return repr(value) if math.isfinite(value) else f'float("{value!r}")'


def _cpp_float(value: float, t: Type) -> str:
    if math.isfinite(value):
        return f"{value.hex()}{'f' if t.bits == 32 else ''}"
    limits = f"std::numeric_limits<{'float' if t.bits == 32 else 'double'}>"
    return f"{limits}::quiet_NaN()" if math.isnan(value) else f"{'-' if value < 0 else ''}{limits}::infinity()"


def _cpp_integer(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    return f"{value}LL" if -(1 << 63) <= value < (1 << 63) else f"{value}ULL"
