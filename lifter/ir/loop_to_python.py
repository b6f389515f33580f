"""Translation of the loop language to Python source, for `lifter.ir.loop_interpreter`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.types import Type
from lifter.ir.loop_ir import Assert, Assign, Break, Continue, Declare, Define, Function, If, Loop, Return, Stmt, Store
from lifter.ir.names import is_address

# Python's parser refuses about 200 nested parentheses.
_DEEPEST = 50
_COMPARE = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_INFIX = {"Add": "+", "Sub": "-", "Mul": "*"}
_BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}


@dataclass
class PythonCode:
    """Python source, and the source line that each of its lines came from."""

    text: str
    lines: list[int]

    def source_line(self, traceback: TracebackType | None) -> int:
        """The user's line where an exception inside the code was raised."""
        line = 0
        while traceback is not None:
            if traceback.tb_frame.f_code.co_name == "run" and traceback.tb_lineno <= len(self.lines):
                line = self.lines[traceback.tb_lineno - 1] or line
            traceback = traceback.tb_next
        return line


@dataclass
class ExpressionWriter:
    """Python for expressions; `out` has what must stand before the value: parts that are too deep for one line."""

    function: Function
    out: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    line: int = 0
    depth: int = 1
    temporaries: int = 0
    labels: int = 0
    bound: set[str] = field(default_factory=set)
    """Names that expressions themselves bind."""

    def add(self, text: str) -> None:
        self.out.append("    " * self.depth + text)
        self.lines.append(self.line)

    def variable(self, e: ir.Variable) -> str:
        """A variable that no expression binds."""
        return f"addresses[{e.name[5:]!r}]" if is_address(e.name) else f"v_{e.name}"

    def load(self, e: ir.Load, index: str) -> str:
        """An element of an array."""
        return f"L_{e.name}({index}, {self.line})"

    # Text is (Python, nesting); `lazy` marks operands that may not be evaluated early.

    def value(self, e: Expr) -> str:
        """Python for `e`.  Raises NotImplementedError for nodes that the front end does not make."""
        return self._text(e, False)[0]

    def _text(self, e: Expr, lazy: bool) -> tuple[str, int]:
        text, deep = self._one(e, lazy)
        if deep > _DEEPEST:
            self.temporaries += 1
            name = f"h{self.temporaries}"
            # What may not be evaluated early is when it is called.
            self.add(f"{name} = lambda: {text}" if lazy else f"{name} = {text}")
            return (f"{name}()" if lazy else name), 1
        return text, deep + 1

    def _one(self, e: Expr, lazy: bool) -> tuple[str, int]:
        name = type(e).__name__
        if isinstance(e, ir.IntImm | ir.UIntImm):
            if e.type.is_bool():
                return str(bool(e.value)), 1
            return (f"({e.value})" if e.value < 0 else str(e.value)), 1
        if isinstance(e, ir.FloatImm):
            plain = repr(float(e.value))
            return (f"float('{plain}')" if plain in ("inf", "-inf", "nan") else f"({plain})"), 1
        if isinstance(e, ir.Variable):
            return f"v_{e.name}" if e.name in self.bound else self.variable(e), 1
        if isinstance(e, ir.Load):
            index, deep = self._text(e.index, lazy)
            return self.load(e, index), deep
        if isinstance(e, ir.And | ir.Or):
            a, first = self._text(e.a, lazy)
            b, second = self._text(e.b, True)
            return f"({a} {'and' if isinstance(e, ir.And) else 'or'} {b})", max(first, second)
        if isinstance(e, ir.Select):
            c, first = self._text(e.condition, lazy)
            a, second = self._text(e.true_value, True)
            b, third = self._text(e.false_value, True)
            return f"({a} if {c} else {b})", max(first, second, third)
        if isinstance(e, ir.Let):
            v, first = self._text(e.value, lazy)
            self.bound.add(e.name)
            b, second = self._text(e.body, True)
            return f"[(v_{e.name} := {v}), {b}][1]", max(first, second)
        parts = [self._text(c, lazy) for c in ir.children(e)]
        texts = [t for t, _ in parts]
        deep = max((d for _, d in parts), default=1)
        if isinstance(e, ir.Cast):
            return _cast(texts[0], e.value.type, e.type), deep
        if isinstance(e, ir.Reinterpret):
            return f"reinterpret({texts[0]}, {_code(e.value.type)!r}, {_code(e.type)!r})", deep
        if isinstance(e, ir.Not):
            return f"(not {texts[0]})", deep
        if name in _COMPARE:
            return f"({texts[0]} {_COMPARE[name]} {texts[1]})", deep
        if isinstance(e, ir.Call):
            return self._call(e, texts), deep + 1
        a, b = texts
        if isinstance(e, ir.Min | ir.Max):
            self.temporaries += 1
            x, y = f"m{self.temporaries}", f"n{self.temporaries}"
            sign = "<" if isinstance(e, ir.Min) else ">"
            return f"({x} if ({x} := {a}) {sign} ({y} := {b}) else {y})", deep
        if name in _INFIX:
            return _fit(f"({a} {_INFIX[name]} {b})", e.type), deep
        if isinstance(e, ir.Div):
            if e.type.is_float():
                return _fit(f"fdivide({a}, {b})", e.type), deep
            return _fit(f"euclidean({a}, {b})", e.type), deep
        if isinstance(e, ir.Mod):
            if e.type.is_float():
                return _fit(f"fmodulo({a}, {b})", e.type), deep
            self.temporaries += 1
            return f"({a} % abs(n{self.temporaries}) if (n{self.temporaries} := {b}) else 0)", deep
        raise NotImplementedError(f"{name} in the loop language")

    def _call(self, e: ir.Call, texts: list[str]) -> str:
        if e.call_type is CallType.FUNCTION:
            return f"f_{e.name}({', '.join(texts)})"
        if e.call_type is CallType.PURE_EXTERN:
            return f"libm({e.name!r})({', '.join(texts)})"
        if e.name in _BITS:
            return f"({texts[0]} {_BITS[e.name]} {texts[1]})"
        if e.name == "bitwise_not":
            return _fit(f"(~{texts[0]})", e.type)
        if e.name in ("shift_left", "shift_right"):
            sign = "" if e.name == "shift_left" else "-"
            return _fit(f"shift({texts[0]}, {sign}({texts[1]}), {e.type.bits})", e.type)
        if e.name == "abs":
            return f"abs({texts[0]})"
        if e.name == "popcount":
            return f"(({texts[0]}) & {(1 << e.args[0].type.bits) - 1}).bit_count()"
        if e.name == "count_leading_zeros":
            bits = e.args[0].type.bits
            return f"({bits} - (({texts[0]}) & {(1 << bits) - 1}).bit_length())"
        if e.name == "absd":
            return f"abs({texts[0]} - {texts[1]})"
        if e.name == "div_round_to_zero":
            return _fit(f"divide({texts[0]}, {texts[1]})", e.type)
        if e.name == "mod_round_to_zero":
            self.temporaries += 1
            x, y = f"m{self.temporaries}", f"n{self.temporaries}"
            return f"(({x} := {texts[0]}) - divide({x}, {y}) * {y} if ({y} := {texts[1]}) else 0)"
        exact = {
            "saturating_cast": "{0}",
            "saturating_add": "{0} + {1}",
            "saturating_sub": "{0} - {1}",
            "mul_shift_right": "{0} * {1} >> {2}",
            "rounding_halving_add": "{0} + {1} + 1 >> 1",
        }.get(e.name)
        if exact is not None:
            return f"min(max({exact.format(*(f'({t})' for t in texts))}, {e.type.min()}), {e.type.max()})"
        raise NotImplementedError(f"{e.name} in the loop language")


@dataclass
class _Writer(ExpressionWriter):
    """Python for statements."""

    def block(self, statements: Sequence[Stmt], step: tuple[Stmt, ...]) -> None:
        if not statements:
            self.add("pass")
        for s in statements:
            self.line = s.line
            self.statement(s, step)

    def statement(self, s: Stmt, step: tuple[Stmt, ...]) -> None:
        match s:
            case Assign():
                self.add(f"v_{s.name} = {self.value(s.value)}")
            case Store():
                index = self.value(s.index)
                self.add(f"S_{s.array}({index}, {self.value(s.value)}, {s.line})")
            case If():
                self.add(f"if {self.value(s.condition)}:")
                self._nested(s.then, step)
                if s.otherwise:
                    self.add("else:")
                    self._nested(s.otherwise, step)
            case Loop():
                self._loop(s)
            case Continue():
                for inner in step:
                    self.statement(inner, ())
                self.add("continue")
            case Break():
                self.add("break")
            case Return():
                self.add("return" if s.value is None else f"return {self.value(s.value)}")
            case Assert():
                self.add(f"if not {self.value(s.condition)}: failed_assert({s.line})")
            case Define():
                self.statement(Assign(s.line, s.name, s.value), step)
            case Declare():
                zero = _zero(self.function.arrays[s.array]) if s.zeroed else "None"
                self.add(f"a = new_array({s.array!r}, {self.value(s.size)}, {zero}, {s.line}, {s.grows})")
                self.add(f"L_{s.array} = getattr(a, LOAD); S_{s.array} = getattr(a, STORE)")
            case _:
                raise NotImplementedError(f"{type(s).__name__} in a finished function")

    def _nested(self, statements: Sequence[Stmt], step: tuple[Stmt, ...]) -> None:
        self.depth += 1
        self.block(statements, step)
        self.depth -= 1

    def _loop(self, s: Loop) -> None:
        first = ""
        if not s.test_first:
            self.labels += 1
            first = f"first{self.labels}"
            self.add(f"{first} = True")
        self.add("while True:")
        self.depth += 1
        self.add("steps -= 1")
        self.add("if steps < 0: out_of_steps(limit)")
        if first:
            self.add(f"if {first}: {first} = False")
            self.add("else:")
            self.depth += 1
        for inner in s.prelude:
            self.statement(inner, ())
        self.line = s.line
        self.add(f"if not {self.value(s.condition)}: break")
        if first:
            self.depth -= 1
        self.block(s.body, s.step)
        for inner in s.step:
            self.line = inner.line
            self.statement(inner, ())
        self.depth -= 1
        self.line = s.line


def _zero(t: Type) -> str:
    return "0.0" if t.is_float() else "False" if t.is_bool() else "0"


def _code(t: Type) -> str:
    """The letter of `struct` for a type."""
    letter = {8: "b", 16: "h", 32: "i", 64: "q"}[t.bits]
    return {32: "f", 64: "d"}[t.bits] if t.is_float() else letter.upper() if t.is_uint() else letter


def _fit(text: str, t: Type) -> str:
    """A result brought into the range of its type."""
    if t.is_float():
        return text if t.bits == 64 else f"single({text})"
    if t.is_int():
        half = 1 << (t.bits - 1)
        return f"((({text} + {half}) & {2 * half - 1}) - {half})"
    return f"({text} & {(1 << t.bits) - 1})"


def _cast(text: str, source: Type, target: Type) -> str:
    if source == target:
        return text
    if target.is_bool():
        return f"({text} != 0)"
    if target.is_float():
        if source.is_float() and target.bits >= source.bits:
            return text
        if target.bits == 32 and not source.is_float() and source.bits > 24:
            return f"int_to_single({text})" if source.bits == 64 else f"single({text})"
        return f"float({text})" if target.bits == 64 or not source.is_float() else f"single({text})"
    if source.is_float():
        if target.bits == 64 and target.is_uint():
            big = f"to_int(y - {2.0**63}, 64) + {1 << 63}"
            return f"((to_int(y, 64) if (y := {text}) < {2.0**63} else {big}) & {(1 << 64) - 1})"
        wide = 64 if target.bits == 64 or (target.bits == 32 and target.is_uint()) else 32
        return _fit(f"to_int({text}, {wide})", target)
    if source.is_bool():
        return f"int({text})"
    return text if target.can_represent(source) else _fit(text, target)


def pure_functions(function: Function) -> list[str]:
    """The lines of Python functions for the pure functions of `function`."""
    out: list[str] = []
    for f in function.functions.values():
        writer = _Writer(function, depth=1)
        value = writer.value(f.body)
        out.append(f"def f_{f.name}({', '.join(f'v_{n}' for n, _ in f.params)}):")
        out += [*writer.out, f"    return {value}"]
    return out


def translate(function: Function) -> PythonCode:
    """The Python source of a function `run(values, arrays, addresses, limit, guard)`.

    Raises NotImplementedError for nodes that the front end does not make."""
    out = pure_functions(function)
    lines = [0] * len(out)
    body = _Writer(function)
    names = [f"v_{p.name}" for p in function.params if not p.pointer]
    if names:
        body.add(f"({', '.join(names)},) = values")
    body.add("steps = limit")
    for p in function.params:
        if p.pointer:
            body.add(f"v_{p.name} = 0")
    for name in (*(p.name for p in function.params if p.pointer), *function.tables):
        body.add(f"a = arrays[{name!r}]; L_{name} = getattr(a, LOAD); S_{name} = getattr(a, STORE)")
    body.block(function.body, ())
    out += ["def run(values, arrays, addresses, limit, guard):", *body.out]
    lines += [function.line, *body.lines]
    return PythonCode("\n".join(out) + "\n", lines)
