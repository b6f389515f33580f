"""Conditions and sizes over a function's parameters as Python source over plain numbers.

Python's integers do not wrap: where the original's would, the text says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from codegen.intervals import Intervals
from codegen.portable_math import base_of, called
from codegen.printer import PythonPrinter, python_float
from halide_core.interp.libm import split_name
from halide_core.ir import expr as E
from halide_core.ir.expr import I64, Call, CallType, Expr, Variable, const_value
from halide_core.ir.types import Type
from lifter.ir.c_library import as_compiled
from lifter.ir.loop_ir import Function
from lifter.ir.names import is_address, pointer_of

HELPERS = {
    "_library": '''def _library(name, *args):
    """The C library's function; the language's own where that is all there is."""
    return hl.libm(name, *args) if hasattr(hl, "libm") else getattr(hl, name)(*args)
''',
    "_evaluated": '''def _evaluated(expression):
    """The value of an expression without variables."""
    value = hl.Func("value")
    value[()] = expression
    return np.asarray(value.realize([]))[()]
''',
    "_wrapped": '''def _wrapped(number, bits, signed):
    """An integer in so many bits."""
    number = int(number) & ((1 << bits) - 1)
    return number - (1 << bits) if signed and number >> (bits - 1) else number
''',
    "_whole": '''def _whole(number, bits):
    """A floating-point number as an int of so many bits, the least one where it does not fit."""
    return int(number) if abs(number) < 2.0 ** (bits - 1) else -(2 ** (bits - 1))
''',
    "_quotient": '''def _quotient(a, b):
    """C's quotient; 0 of division by zero."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
''',
    "_remainder": '''def _remainder(a, b):
    """C's remainder; 0 of division by zero."""
    return 0 if b == 0 else a - _quotient(a, b) * b
''',
    "_floored": '''def _floored(a, b):
    """The quotient that leaves no negative remainder; 0 of division by zero."""
    return 0 if b == 0 else a // b if b > 0 else -(a // -b)
''',
    "_shifted": '''def _shifted(number, left):
    """A number shifted to the left, or where `left` is negative to the right; 64 bits and more are all the same."""
    return number << min(left, 64) if left >= 0 else number >> -left
''',
}
"""Functions that texts may call, by name; those before others call them."""
_NEEDS = {"_remainder": ("_quotient",)}
_SYMBOLS: dict[type, str] = {
    E.Add: "+", E.Sub: "-", E.Mul: "*", E.EQ: "==", E.NE: "!=", E.LT: "<", E.LE: "<=", E.GT: ">", E.GE: ">=",
    E.And: "and", E.Or: "or",
}
_EXACT = {"sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint", "fmod": "fmod"}
"""Functions of the C library that NumPy computes to the same bits."""
_BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}


def helpers(text: str) -> list[str]:
    """Source of the functions that `text` calls."""
    wanted = {n for n in HELPERS if f"{n}(" in text}
    wanted |= {n for w in wanted for n in _NEEDS.get(w, ())}
    return [HELPERS[n] for n in HELPERS if n in wanted]


def pointer_names(function: Function, conditions: Iterable[Expr]) -> dict[str, tuple[str, bool]]:
    """For each pointer of which conditions ask: its parameter in the text, and whether that is its address.

    It is so where they ask for more than whether the pointer is null."""
    found: dict[str, bool] = {}
    for n in _outer(conditions):
        name = _null_test(n)
        if name is not None:
            found.setdefault(name, False)
        elif isinstance(n, Variable) and is_address(n.name):
            found[pointer_of(n.name)] = True
    taken = {p.name for p in function.params}
    names: dict[str, tuple[str, bool]] = {}
    for pointer, address in found.items():
        name = f"{pointer}_address" if address else f"{pointer}_is_null"
        while name in taken:
            name += "_"
        names[pointer] = name, address
    return names


def _outer(conditions: Iterable[Expr]) -> Iterable[Expr]:
    """All nodes, but not those of tests for null."""
    stack, seen = list(conditions), set()
    while stack:
        n = stack.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        yield n
        if _null_test(n) is None:
            stack += E.children(n)


def _null_test(e: Expr) -> str | None:
    """The pointer that `e` compares with null."""
    if isinstance(e, E.EQ | E.NE):
        for a, b in ((e.a, e.b), (e.b, e.a)):
            if isinstance(a, Variable) and is_address(a.name) and const_value(b) == 0:
                return pointer_of(a.name)
    return None


class _Numbers(PythonPrinter):
    """A call in the language of arguments that are numbers, the texts of `numbers`."""

    def __init__(self, numbers: list[str]) -> None:
        super().__init__()
        self.numbers = numbers

    def variable(self, e: Variable) -> str:
        number = self.numbers[int(e.name)]
        return self.cast(e.type, f"float({number})" if e.type.is_float() else number)


class NumberText:
    """Expressions over parameters as Python source, with the value that the language gives them; `places` are elements
    and sizes, integers of 64 bits that do not wrap (docs/soundness.md)."""

    def __init__(
        self, name: Callable[[str], str], pointers: Mapping[str, tuple[str, bool]] | None = None, places: bool = False
    ) -> None:
        self.name, self.places = name, places
        self.pointers = pointers or {}
        self.intervals = Intervals({})

    def text(self, e: Expr) -> str:
        """Source of the value: an int, a bool or a NumPy float."""
        value = const_value(e)
        if value is not None:
            return f"np.float{e.type.bits}({python_float(value)})" if e.type.is_float() else repr(value)
        if isinstance(e, Variable):
            return self._variable(e)
        name, address = self.pointers.get(_null_test(e) or "", ("", True))
        if not address:
            return name if isinstance(e, E.EQ) else f"(not {name})"
        if isinstance(e, E.Cast):
            return self._cast(e.type, e.value)
        if isinstance(e, E.Reinterpret):
            return self._reinterpret(e.type, e.value)
        if isinstance(e, E.Select):
            condition, yes, no = map(self.text, E.children(e))
            return f"({yes} if {condition} else {no})"
        if isinstance(e, E.Not):
            return f"(not {self.text(e.a)})"
        if isinstance(e, E.Min | E.Max):
            return self._extreme(e)
        if isinstance(e, E.Div | E.Mod):
            return self._quotient(e)
        if isinstance(e, Call):
            return self._call(e)
        a, b = map(self.text, E.children(e))
        return self._in_type(e, f"({a} {_SYMBOLS[type(e)]} {b})")

    def _variable(self, e: Variable) -> str:
        if is_address(e.name):
            return self.pointers[pointer_of(e.name)][0]
        return self.name(e.name)

    def _in_type(self, e: Expr, text: str) -> str:
        if self.places and e.type == I64:
            return text
        wraps = e.type.is_int_or_uint() and not e.type.is_bool() and self.intervals.wraps(e)
        return _wrapped(text, e.type) if wraps else text

    def _cast(self, t: Type, value: Expr) -> str:
        inner = self.text(value)
        if t.is_float():
            return f"np.float{t.bits}({inner})"
        if t.is_bool():
            return inner if value.type.is_bool() else f"({inner} != 0)"
        if value.type.is_float():
            assert t.bits < 64 or t.is_int(), "no text for floats as uint64"
            wide = 64 if t.bits == 64 or (t.is_uint() and t.bits == 32) else 32
            whole = f"_whole({inner}, {wide})"
            return whole if t.is_int() and t.bits == wide else _wrapped(whole, t)
        low, high = self.intervals.integer(value)
        if self.places and t == I64:
            return inner
        return inner if t.min() <= low and high <= t.max() else _wrapped(inner, t)

    def _reinterpret(self, t: Type, value: Expr) -> str:
        inner = self.text(value)
        if value.type.is_float():
            bits = f"np.float{t.bits}({inner}).view(np.{'u' if t.is_uint() else ''}int{t.bits})"
            return f"int({bits})" if not t.is_float() else inner
        if t.is_float():
            return f"np.{'u' if value.type.is_uint() else ''}int{t.bits}({inner}).view(np.float{t.bits})"
        return _wrapped(inner, t)

    def _extreme(self, e: E.Min | E.Max) -> str:
        a, b = map(self.text, E.children(e))
        if e.type.is_float():
            return f"({a} if {a} {'<' if isinstance(e, E.Min) else '>'} {b} else {b})"
        return f"{'min' if isinstance(e, E.Min) else 'max'}({a}, {b})"

    def _quotient(self, e: E.Div | E.Mod) -> str:
        a, b = map(self.text, E.children(e))
        if e.type.is_float():
            assert isinstance(e, E.Div), "no text for the remainder of floats"
            return f"({a} / {b})"
        positive = self.intervals.integer(e.b)[0] > 0
        if isinstance(e, E.Div):
            return f"({a} // {b})" if positive else _wrapped(f"_floored({a}, {b})", e.type)
        return f"({a} % {b})" if positive else f"({a} - _floored({a}, {b}) * {b})"

    def _call(self, e: Call) -> str:
        if e.call_type is CallType.PURE_EXTERN and split_name(e.name) is None:
            made = as_compiled(e)
            return self.text(made if made is not e else called(e, e.args))
        args = [self.text(a) for a in e.args]
        if e.call_type is CallType.PURE_EXTERN and base_of(e) in _EXACT:
            return f"np.{_EXACT[base_of(e)]}({', '.join(args)})"
        if e.name in _BITS:
            return f"({args[0]} {_BITS[e.name]} {args[1]})"
        if e.name == "bitwise_not":
            return _wrapped(f"~{args[0]}", e.type)
        if e.name == "abs":
            return f"abs({args[0]})"
        if e.name in ("shift_left", "shift_right"):
            low, high = self.intervals.integer(e.args[1])
            if low >= 0 and high < e.type.bits:
                return self._in_type(e, f"({args[0]} {'<<' if e.name == 'shift_left' else '>>'} {args[1]})")
            return _wrapped(f"_shifted({args[0]}, {'' if e.name == 'shift_left' else '-'}({args[1]}))", e.type)
        if e.name in ("div_round_to_zero", "mod_round_to_zero"):
            return self._truncated(e, args)
        return self._evaluated(e, args)

    def _evaluated(self, e: Call, args: list[str]) -> str:
        """What only the language computes: functions of the C library, and the like."""
        places = [Variable(a.type, str(k)) for k, a in enumerate(e.args)]
        text = f"_evaluated({_Numbers(args).text(replace(e, args=tuple(places)))})"
        return text if e.type.is_float() else f"{'bool' if e.type.is_bool() else 'int'}({text})"

    def _truncated(self, e: Call, args: list[str]) -> str:
        plain = self.intervals.integer(e.args[0])[0] >= 0 and self.intervals.integer(e.args[1])[0] > 0
        if plain:
            return f"({args[0]} {'//' if e.name.startswith('div') else '%'} {args[1]})"
        if e.name.startswith("div"):
            return _wrapped(f"_quotient({args[0]}, {args[1]})", e.type)
        return f"_remainder({args[0]}, {args[1]})"


def _wrapped(text: str, t: Type) -> str:
    return f"_wrapped({text}, {t.bits}, {t.is_int()})"

