"""Paths of the text that `effect_printer` makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, CallType, Expr, FloatImm, IntImm, UIntImm, make_bool
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Obligation, Poly
from lifter.ir.effect_printer import ARITHMETIC, LOGICAL, type_named
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, Path
from lifter.ir.names import timed

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?|#-?inf|#nan)|(?P<value>%\d+)|(?P<name>[A-Za-z_][\w.]*)"
    r"|`(?P<quoted>[^`]*)`|(?P<sign>&&|\|\||[<>=!]=|[-+*/%<>=!()\[\]{},:@~])|(?P<end>\Z))"
)
_BINARY: dict[str, type[ir._Binary]] = {
    sign: getattr(ir, name) for name, sign in (ARITHMETIC | LOGICAL).items()
}
_KINDS = {kind.value: kind for kind in CallType}


class NotAPath(Exception):
    """The text is not that of a path; the message has the line and where in it."""


def parse_path(text: str) -> Path:
    """The path of which `effect_printer.path_text` has made `text`.  Raises NotAPath."""
    reader = _PathReader()
    for line in text.splitlines():
        reader.read(line)
    return reader.path()


class _Line:
    """The tokens of a line; `values` are what lines before it have named."""

    def __init__(self, text: str, values: dict[str, Expr]) -> None:
        self.text, self.values = text, values
        self.at, self.kind, self.token = 0, "", ""
        self.advance()

    def advance(self) -> str:
        """The token, and the next one in its place."""
        now = self.token
        found = _TOKEN.match(self.text, self.at)
        if found is None or found.lastgroup is None:
            self.fail()
        self.kind, self.token, self.at = found.lastgroup, found[found.lastgroup], found.end()
        return now

    def fail(self) -> NoReturn:
        raise NotAPath(f"before column {self.at + 1} of: {self.text}")

    def next_is(self, *words: str) -> bool:
        """Whether a name without quotes or a sign is next, which is then passed over."""
        if self.kind not in ("name", "sign") or self.token not in words:
            return False
        self.advance()
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.next_is(word):
                self.fail()

    def name(self) -> str:
        if self.kind not in ("name", "quoted"):
            self.fail()
        return self.advance()

    def integer(self) -> int:
        sign = -1 if self.next_is("-") else 1
        if self.kind != "number":
            self.fail()
        return sign * int(self.advance())

    def end(self) -> None:
        if self.kind != "end":
            self.fail()

    def type(self) -> Type:
        """The type after a colon; int32 where there is none."""
        return self.named_type() if self.next_is(":") else I32

    def named_type(self) -> Type:
        return type_named(self.name()) or self.fail()

    def expression(self) -> Expr:
        if self.kind == "value":
            return self.named_value(self.advance())
        if self.kind == "number" or (self.kind == "sign" and self.token == "-"):
            return self.number()
        if self.next_is("!"):
            return ir.Not(BOOL, self.expression())
        if self.next_is("("):
            a = self.expression()
            node = _BINARY.get(self.advance()) or self.fail()
            b = self.expression()
            self.expect(")")
            return node(a.type if node.__name__ in ARITHMETIC else BOOL, a, b)
        return self.named()

    def named_value(self, name: str) -> Expr:
        found = self.values.get(name)
        return found if found is not None else self.fail()

    def number(self) -> Expr:
        text = ("-" if self.next_is("-") else "") + self.advance()
        type_ = self.type()
        if type_.is_float():
            return FloatImm(type_, float(text.lstrip("#")))
        return (IntImm if type_.is_int() else UIntImm)(type_, int(text))

    def named(self) -> Expr:
        plain, name = self.kind == "name", self.name()
        if plain and name in ("true", "false"):
            return make_bool(name == "true")
        if plain and name in _KINDS and self.kind in ("name", "quoted") and self.token != "if":
            return self.call(self.name(), _KINDS[name])
        if plain and self.token == "(" and self.kind == "sign":
            known = _SHAPES.get(name)
            if known is not None:
                return known(self)
            converted = type_named(name)
            if converted is not None:
                (value,) = self.operands(1)
                return ir.Cast(converted, value)
        if plain and name == "reinterpret" and self.token == ":":
            target = self.type()
            (value,) = self.operands(1)
            return ir.Reinterpret(target, value)
        return self.element_or_call(name)

    def element_or_call(self, name: str) -> Expr:
        loaded = timed(name, self.integer()) if self.next_is("@") else name
        type_ = self.type()
        if self.next_is("["):
            index = self.expression()
            self.expect("]")
            return ir.Load(type_, loaded, index)
        if self.kind == "sign" and self.token == "(":
            return ir.Call(type_, name, self.operands(), CallType.INTRINSIC)
        return ir.Variable(type_, name)

    def call(self, name: str, kind: CallType) -> Expr:
        type_ = self.type()
        return ir.Call(type_, name, self.operands(), kind)

    def operands(self, count: int | None = None) -> tuple[Expr, ...]:
        self.expect("(")
        found: list[Expr] = []
        while not self.next_is(")"):
            if found:
                self.expect(",")
            found.append(self.expression())
        if count is not None and len(found) != count:
            self.fail()
        return tuple(found)

    def poly(self) -> Poly:
        total = self.term(-1 if self.next_is("-") else 1)
        while self.kind == "sign" and self.token in "+-":
            total += self.term(-1 if self.advance() == "-" else 1)
        return total

    def term(self, sign: int) -> Poly:
        product = Poly.constant(sign)
        while True:
            if self.kind == "number":
                product = product.scale(self.integer())
            elif self.next_is("{"):
                product *= Poly.atom(self.expression())
                self.expect("}")
            else:
                product *= Poly.variable(self.name(), I32)
            if not self.next_is("*"):
                return product

    def guard(self) -> Expr | None:
        return self.expression() if self.next_is("if") else None


def _two(node: type[ir._Binary]) -> Callable[[_Line], Expr]:
    def read(line: _Line) -> Expr:
        a, b = line.operands(2)
        return node(a.type, a, b)

    return read


def _select(line: _Line) -> Expr:
    condition, a, b = line.operands(3)
    return ir.Select(a.type, condition, a, b)


def _let(line: _Line) -> Expr:
    line.expect("(")
    name = line.name()
    line.expect("=")
    value = line.expression()
    line.expect(",")
    body = line.expression()
    line.expect(")")
    return ir.Let(body.type, name, value, body)


_SHAPES: dict[str, Callable[[_Line], Expr]] = {
    "min": _two(ir.Min), "max": _two(ir.Max), "select": _select, "let": _let,
}


@dataclass(slots=True)
class _PathReader:
    line: int | None = None
    values: dict[str, Expr] = field(default_factory=dict)
    loops: dict[str, LoopInfo] = field(default_factory=dict)
    conditions: list[Expr] = field(default_factory=list)
    asserts: list[tuple[Expr, int]] = field(default_factory=list)
    defined: dict[str, Poly] = field(default_factory=dict)
    trips: list[tuple[LoopInfo, tuple[LoopInfo, ...], Expr | None]] = field(default_factory=list)
    arrays: dict[str, ArrayInfo] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    reads: list[Effect] = field(default_factory=list)
    obligations: list[FoundObligation] = field(default_factory=list)
    apart: set[frozenset[str]] = field(default_factory=set)
    result: Expr | None = None

    def read(self, text: str) -> None:
        line = _Line(text, self.values)
        if line.kind == "value":
            name = line.advance()
            line.expect("=")
            self.values[name] = line.expression()
        else:
            statement = _STATEMENTS.get(line.name()) or line.fail()
            statement(self, line)
        line.end()

    def path(self) -> Path:
        if self.line is None:
            raise NotAPath("no line begins with `path`")
        return Path(
            tuple(self.conditions), tuple(self.effects), self.arrays, tuple(self.asserts), tuple(self.obligations),
            tuple(self.trips), self.result, self.line, self.defined, tuple(self.reads), frozenset(self.apart),
        )

    def read_path(self, line: _Line) -> None:
        self.line = self._at_line(line)

    def read_condition(self, line: _Line) -> None:
        self.conditions.append(line.expression())

    def read_assert(self, line: _Line) -> None:
        self.asserts.append((line.expression(), self._at_line(line)))

    def read_define(self, line: _Line) -> None:
        name = line.name()
        line.expect("=")
        self.defined[name] = line.poly()

    def read_loop(self, line: _Line) -> None:
        counter = line.name()
        name = f"{counter}~{line.integer()}" if line.next_is("~") else counter
        line.expect(":")
        trip = line.poly()
        line.expect("times")
        number, variable, unconditional, condition = self._at_line(line), "", False, None
        while line.next_is(","):
            if line.next_is("variable"):
                variable = line.name()
            elif line.next_is("first"):
                line.expect("unconditional")
                unconditional = True
            else:
                line.expect("while")
                condition = line.expression()
        self.loops[name] = LoopInfo(counter, trip, number, condition, unconditional, variable)

    def read_run(self, line: _Line) -> None:
        info = self._loop(line)
        around = self._loops(line) if line.next_is("in") else ()
        self.trips.append((info, around, line.guard()))

    def read_array(self, line: _Line, cell: bool = False) -> None:
        name, size = line.name(), None
        if line.next_is("["):
            size = line.poly()
            line.expect("]")
        number = self._at_line(line)
        self.arrays[name] = ArrayInfo(name, size, self._for(line), number, cell)

    def read_cell(self, line: _Line) -> None:
        self.read_array(line, True)

    def read_store(self, line: _Line) -> None:
        order, number, again, loops = self._where(line)
        array = line.name()
        line.expect("[")
        index = line.poly()
        line.expect("]", "=")
        value = line.expression()
        self.effects.append(Effect(array, index, value, line.guard(), loops, order, number, again))

    def read_read(self, line: _Line) -> None:
        order, number, again, loops = self._where(line)
        value = line.expression()
        self.reads.append(Effect("", Poly(), value, line.guard(), loops, order, number, again))

    def read_obligation(self, line: _Line) -> None:
        bounded = line.next_is("in")
        if not bounded:
            line.expect("not", "negative")
        type_ = line.named_type() if bounded else None
        number, loops = self._at_line(line), self._for(line)
        line.expect(":")
        poly = line.poly()
        self.obligations.append(FoundObligation(Obligation(poly, type_), loops, line.guard(), number))

    def read_apart(self, line: _Line) -> None:
        names = [line.name()]
        while line.next_is(","):
            names.append(line.name())
        self.apart.add(frozenset(names))

    def read_result(self, line: _Line) -> None:
        self.result = line.expression()

    def _at_line(self, line: _Line) -> int:
        line.next_is(",")
        line.expect("line")
        return line.integer()

    def _where(self, line: _Line) -> tuple[int, int, bool, tuple[LoopInfo, ...]]:
        order, number = line.integer(), self._at_line(line)
        again, loops = False, tuple[LoopInfo, ...]()
        while line.next_is(","):
            if line.next_is("again"):
                again = True
            else:
                line.expect("for")
                loops = self._loops(line)
        line.expect(":")
        return order, number, again, loops

    def _for(self, line: _Line) -> tuple[LoopInfo, ...]:
        if not line.next_is(","):
            return ()
        line.expect("for")
        return self._loops(line)

    def _loops(self, line: _Line) -> tuple[LoopInfo, ...]:
        found = [self._loop(line)]
        while line.next_is(","):
            found.append(self._loop(line))
        return tuple(found)

    def _loop(self, line: _Line) -> LoopInfo:
        counter = line.name()
        return self.loops.get(f"{counter}~{line.integer()}" if line.next_is("~") else counter) or line.fail()


_STATEMENTS: dict[str, Callable[[_PathReader, _Line], None]] = {
    name.removeprefix("read_"): statement
    for name, statement in vars(_PathReader).items()
    if name.startswith("read_") and callable(statement)
}
