"""Paths as text, which `effect_reader` reads back.

    path, line 3
    condition (w > 0)
    loop k.1: h times, line 4, variable y, while (k.1 < h)
    loop k.2: w times, line 5, variable x, while (k.2 < w)
    run k.1
    run k.2 in k.1
    store 0, line 6, for k.1, k.2: dst[k.1*w + k.2] = uint8((int32(src@0:uint8[(k.2 + 1)]) / 2)) if (k.2 < w)

`store` has an effect's order, `read` is one of `reads`, `run` an entry of `trips`.  What follows a colon is the type of
a constant, variable, load or call; where there is none it is int32.  Values that are long and stand in several places,
or lie deep, have a line of their own (`%1 = ...`).  Two loops with one counter that differ otherwise are `k.1` and
`k.1~2`; names that are no C names with dots stand between back quotes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, CallType, Expr, children
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type, TypeCode
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path
from lifter.ir.names import array_of, is_read, time_of, timed

ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
LOGICAL = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "And": "&&", "Or": "||"}
RESERVED = frozenset({"min", "max", "select", "let", "reinterpret"})
_TYPE = re.compile(r"(int|uint|float|bfloat|handle)(\d+)\Z")
_CODES = {"int": TypeCode.INT, "uint": TypeCode.UINT, "float": TypeCode.FLOAT, "bfloat": TypeCode.BFLOAT,
          "handle": TypeCode.HANDLE}
_PLAIN = re.compile(r"[A-Za-z_][\w.]*\Z")
_LONG = 60
_DEEP = 40


class NotPrinted(Exception):
    """A path holds an expression that the text has no notation for."""


def path_text(path: Path) -> str:
    """A path, which `effect_reader.parse_path` makes again of the text.

    Raises NotPrinted for expressions of vectors and of pipelines, which no path is made of."""
    return _PathPrinter(path).text()


def quoted(name: str) -> str:
    """A name as it stands in the text."""
    if _PLAIN.match(name):
        return name
    if "`" in name or "\n" in name:
        raise NotPrinted(f"the name {name!r}")
    return f"`{name}`"


def type_named(text: str) -> Type | None:
    """The scalar type that prints as `text`."""
    found = _TYPE.match(text)
    return BOOL if text == "bool" else Type(_CODES[found[1]], int(found[2])) if found else None


def shape(x: LoopInfo) -> tuple[object, ...]:
    """Equal for loops that are the same in every field."""
    condition = None if x.condition is None else key(x.condition)
    return x.counter, x.trip, x.line, condition, x.first_unconditional, x.variable


@dataclass(slots=True)
class _Values:
    """Expressions as text; what has a line of its own is in `lines`."""

    uses: dict[int, int] = field(default_factory=dict)
    known: dict[int, tuple[str, int]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def count(self, e: Expr) -> None:
        """Notes what `e` is made of, for which the text is to be used more than once."""
        number = key(e)
        self.uses[number] = self.uses.get(number, 0) + 1
        if self.uses[number] > 1:
            return
        stack = [e]
        while stack:
            for c in children(stack.pop()):
                number = key(c)
                self.uses[number] = self.uses.get(number, 0) + 1
                if self.uses[number] == 1:
                    stack.append(c)

    def text(self, e: Expr) -> str:
        for n in post_order(e):
            number = key(n)
            if number in self.known:
                continue
            parts = [self.known[key(c)] for c in children(n)]
            text, deep = _node_text(n, [t for t, _ in parts]), 1 + max((d for _, d in parts), default=0)
            if deep > _DEEP or (self.uses.get(number, 0) > 1 and len(text) > _LONG):
                self.lines.append(f"%{len(self.lines) + 1} = {text}")
                text, deep = f"%{len(self.lines)}", 1
            self.known[number] = text, deep
        return self.known[key(e)][0]

    def poly(self, p: Poly) -> str:
        """Terms of higher degree first, then by their text."""
        atoms = {a: self._atom(e) for a, e in p.atoms().items()}
        terms = [(sorted(atoms[a] for a in m), c) for m, c in p.terms.items()]
        out = ""
        for factors, c in sorted(terms, key=lambda t: (-len(t[0]), t[0])):
            size = [str(abs(c))] if abs(c) != 1 or not factors else []
            sign = ("-" if c < 0 else "") if not out else (" - " if c < 0 else " + ")
            out += sign + "*".join([*size, *factors])
        return out or "0"

    def _atom(self, e: Expr) -> str:
        text = self.text(e)
        return text if isinstance(e, ir.Variable) and e.type == I32 else f"{{{text}}}"


class _PathPrinter:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.values = _Values()
        self.names: dict[tuple[object, ...], str] = {}
        self.loops: list[LoopInfo] = []
        for x in _all_loops(path):
            self._name(x)
        for e in _expressions(path, self.loops):
            self.values.count(e)

    def text(self) -> str:
        lines = list(self._lines())
        values = [f"{x}\n" for x in self.values.lines]
        return "".join([f"path, line {self.path.line}\n", *values, *(f"{x}\n" for x in lines)])

    def _name(self, x: LoopInfo) -> None:
        shaped = shape(x)
        if shaped not in self.names:
            again = sum(1 for other in self.loops if other.counter == x.counter)
            self.loops.append(x)
            self.names[shaped] = quoted(x.counter) + (f"~{again + 1}" if again else "")

    def _lines(self) -> Iterator[str]:
        p, values = self.path, self.values
        yield from (f"condition {values.text(c)}" for c in p.conditions)
        yield from (f"assert {values.text(c)}, line {line}" for c, line in p.asserts)
        yield from (f"define {quoted(n)} = {values.poly(d)}" for n, d in p.defined.items())
        yield from map(self._loop, self.loops)
        for info, around, guard in p.trips:
            inside = f" in {self._around(around)}" if around else ""
            yield f"run {self.names[shape(info)]}{inside}{self._guard(guard)}"
        yield from (self._array(name, a) for name, a in p.arrays.items())
        yield from map(self._store, p.effects)
        yield from map(self._read, p.reads)
        for o in p.obligations:
            kind = "not negative" if o.obligation.type is None else f"in {o.obligation.type}"
            where = f"line {o.line}{self._for(o.loops)}"
            yield f"obligation {kind}, {where}: {values.poly(o.obligation.poly)}{self._guard(o.guard)}"
        yield from (f"apart {', '.join(map(quoted, pair))}" for pair in sorted(map(sorted, p.apart)))
        if p.result is not None:
            yield f"result {values.text(p.result)}"

    def _loop(self, x: LoopInfo) -> str:
        variable = f", variable {quoted(x.variable)}" if x.variable else ""
        first = ", first unconditional" if x.first_unconditional else ""
        test = f", while {self.values.text(x.condition)}" if x.condition is not None else ""
        return f"loop {self.names[shape(x)]}: {self.values.poly(x.trip)} times, line {x.line}{variable}{first}{test}"

    def _array(self, name: str, a: ArrayInfo) -> str:
        if name != a.name:
            raise NotPrinted(f"the array {a.name}, listed as {name}")
        size = "" if a.size is None else f"[{self.values.poly(a.size)}]"
        return f"{'cell' if a.cell else 'array'} {quoted(name)}{size}, line {a.line}{self._for(a.loops)}"

    def _store(self, e: Effect) -> str:
        target = f"{quoted(e.array)}[{self.values.poly(e.index)}]"
        return f"store {self._where(e)}: {target} = {self.values.text(e.value)}{self._guard(e.guard)}"

    def _read(self, e: Effect) -> str:
        if e.array or not e.index.is_zero():
            raise NotPrinted(f"a value that is stored to {e.array}")
        return f"read {self._where(e)}: {self.values.text(e.value)}{self._guard(e.guard)}"

    def _where(self, e: Effect) -> str:
        return f"{e.order}, line {e.line}{', again' if e.rewritten else ''}{self._for(e.loops)}"

    def _for(self, loops: Sequence[LoopInfo]) -> str:
        return f", for {self._around(loops)}" if loops else ""

    def _around(self, loops: Sequence[LoopInfo]) -> str:
        return ", ".join(self.names[shape(x)] for x in loops)

    def _guard(self, guard: Expr | None) -> str:
        return "" if guard is None else f" if {self.values.text(guard)}"


def _all_loops(path: Path) -> Iterator[LoopInfo]:
    for info, around, _ in path.trips:
        yield from (*around, info)
    for loops in (
        *(a.loops for a in path.arrays.values()), *(e.loops for e in (*path.effects, *path.reads)),
        *(o.loops for o in path.obligations),
    ):
        yield from loops


def _expressions(path: Path, loops: Sequence[LoopInfo]) -> Iterator[Expr]:
    yield from path.conditions
    yield from (c for c, _ in path.asserts)
    polys = [*path.defined.values(), *(x.trip for x in loops), *(a.size for a in path.arrays.values() if a.size)]
    for e in (*path.effects, *path.reads):
        polys.append(e.index)
        yield e.value
    polys += [o.obligation.poly for o in path.obligations]
    for p in polys:
        yield from p.atoms().values()
    guards = [*(e.guard for e in (*path.effects, *path.reads)), *(o.guard for o in path.obligations)]
    guards += [g for _, _, g in path.trips]
    yield from (x for x in (*guards, *(x.condition for x in loops), path.result) if x is not None)


def _typed(text: str, t: Type) -> str:
    return text if t == I32 else f"{text}:{t}"


def _node_text(e: Expr, parts: list[str]) -> str:
    """A node, of whose operands `parts` are the texts.  Raises NotPrinted."""
    name = type(e).__name__
    if isinstance(e, ir.IntImm | ir.UIntImm):
        return str(bool(e.value)).lower() if e.type == BOOL else _typed(str(e.value), e.type)
    if isinstance(e, ir.FloatImm):
        return f"{repr(e.value) if math.isfinite(e.value) else f'#{e.value!r}'}:{e.type}"
    if type(e) is ir.Variable:
        return _typed(quoted(e.name), e.type)
    if isinstance(e, ir.Cast):
        return f"{e.type}({parts[0]})"
    if isinstance(e, ir.Reinterpret):
        return f"reinterpret:{e.type}({parts[0]})"
    if isinstance(e, ir.Min | ir.Max) and e.type == e.a.type:
        return f"{name.lower()}({', '.join(parts)})"
    if (name in ARITHMETIC and e.type == children(e)[0].type) or (name in LOGICAL and e.type == BOOL):
        return f"({parts[0]} {ARITHMETIC.get(name) or LOGICAL[name]} {parts[1]})"
    if isinstance(e, ir.Not) and e.type == BOOL:
        return f"!{parts[0]}"
    if isinstance(e, ir.Select) and e.type == e.true_value.type:
        return f"select({', '.join(parts)})"
    if isinstance(e, ir.Load) and e.predicate is None:
        loaded = timed(quoted(array_of(e)), time_of(e)) if is_read(e) else quoted(e.name)
        return f"{_typed(loaded, e.type)}[{parts[0]}]"
    if isinstance(e, ir.Let) and e.type == e.body.type:
        return f"let({quoted(e.name)} = {parts[0]}, {parts[1]})"
    if isinstance(e, ir.Call) and e.target is None and e.value_index == 0:
        kind = "" if e.call_type is CallType.INTRINSIC else f"{e.call_type.value} "
        callee = f"`{e.name}`" if e.name in RESERVED or type_named(e.name) else quoted(e.name)
        return f"{kind}{_typed(callee, e.type)}({', '.join(parts)})"
    raise NotPrinted(f"{name} of {e.type}")
