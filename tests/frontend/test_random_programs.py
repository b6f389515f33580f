"""Random programs full of side effects, against g++.

No variable that an expression changes is read or changed elsewhere in the same expression, and shifts and
divisions are in range, so every program has one meaning."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from compiled_reference import check, compile_source

from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function
from tests.pairs import ALL

pytestmark = pytest.mark.long

_TYPES = ["int", "unsigned", "short", "uint8_t", "int8_t", "int64_t", "uint64_t", "bool"]
_PROGRAMS = 400 if ALL else 40
_ROUNDS = 6


class _Generator:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = [f"v{i}" for i in range(6)]
        self.types = {n: self.rng.choice(_TYPES) for n in self.names}
        self.free: list[str] = []
        self.loops = 0
        self.nesting = 0

    def fresh(self) -> None:
        """Start a full expression: every variable may be used once more for an effect or often for reading."""
        self.changing = set(self.rng.sample(self.names, 3))
        self.unused = list(self.changing)

    def readable(self) -> str:
        return self.rng.choice([n for n in self.names if n not in self.changing])

    def effect(self, depth: int) -> str:
        """An expression with a side effect on a variable (or element) nothing else in it touches."""
        if not self.unused:
            return self.readable()
        name = self.unused.pop()
        kind = self.rng.randrange(5 if self.types[name] != "bool" else 1)
        if kind == 0:
            return f"({name} = {self.expression(depth - 1)})"
        if kind == 1:
            return f"({name} {self.rng.choice(['+=', '-=', '*=', '^=', '|=', '&='])} {self.expression(depth - 1)})"
        if kind == 2:
            return f"({name} <<= {self.rng.randrange(4)})"
        return self.rng.choice([f"{name}++", f"{name}--", f"++{name}", f"--{name}"])

    def expression(self, depth: int) -> str:
        if depth <= 0:
            return self.rng.choice([self.readable(), self.readable(), str(self.rng.randint(-9, 300))])
        a = lambda: self.expression(depth - 1)  # noqa: E731
        kind = self.rng.randrange(12)
        if kind < 2:
            return self.effect(depth)
        if kind < 5:
            return f"({a()} {self.rng.choice('+-*&|^')} {a()})"
        if kind == 5:
            return f"({a()} {self.rng.choice(['<', '<=', '==', '!=', '>', '>='])} {a()})"
        if kind == 6:
            return f"({a()} {self.rng.choice(['&&', '||'])} {a()})"
        if kind == 7:
            return f"({a()} ? {a()} : {a()})"
        if kind == 8:
            return f"({a()} {self.rng.choice(['/', '%'])} (({a()} & 7) + 1))"
        if kind == 9:
            return f"({a()} {self.rng.choice(['<<', '>>'])} ({self.readable()} & 7))"
        if kind == 10:
            return f"(({self.rng.choice(_TYPES)}){a()})"
        return self.rng.choice([f"(- {a()})", f"(!{a()})", f"helper({a()}, {a()})", f"t[{a()} & 7]"])

    def full(self, depth: int = 3) -> str:
        self.fresh()
        return self.expression(depth)

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(13 if depth > 0 else 4)
        if kind < 2:
            self.fresh()
            return [f"{self.effect(3)};"]
        if kind == 2:
            self.fresh()
            target = self.readable()
            return [f"t[{target} & 7] {self.rng.choice(['=', '+=', '^='])} {self.without_array()};"]
        if kind == 3 and self.nesting:
            return [f"if ({self.full(2)}) {self.rng.choice(['break', 'continue'])};"]
        if kind < 7:
            out = [f"if ({self.full()}) {{", *self.block(depth), "}"]
            return [*out, "else {", *self.block(depth), "}"] if self.rng.random() < 0.5 else out
        if kind < 10:
            return self.loop(depth)
        if kind == 10:
            return [f"if ({self.full(2)}) return {self.full(2)};"]
        if kind == 11:
            return self.switch(depth)
        return [f"t[{self.rng.randrange(8)}] = inlined({self.full(2)}, t);"]

    def without_array(self) -> str:
        text = self.expression(2)
        return text if "t[" not in text else self.readable()

    def loop(self, depth: int) -> list[str]:
        self.loops += 1
        k, n = f"k{self.loops}", self.rng.randrange(5)
        self.nesting += 1
        body = self.block(depth)
        self.nesting -= 1
        form = self.rng.randrange(4)
        if form == 0:
            return [f"for (int {k} = 0; {k} < {n}; {k}++) {{", *body, "}"]
        if form == 1:
            return [f"int {k} = {n};", f"while ({k}-- > 0 && {self.full(2)}) {{", *body, "}"]
        if form == 2:
            return [f"int {k} = {n};", "do {", *body, f"}} while (--{k} > 0);"]
        return [f"for (int {k} = {n}; {k}--;) {{", *body, "}"]

    def switch(self, depth: int) -> list[str]:
        nesting, self.nesting = self.nesting, 0
        out = [f"switch ({self.full(2)} & 3) {{"]
        for label in ("case 0:", "case 1:", self.rng.choice(["default:", "case 2:"])):
            out += [label, "{", *self.block(depth), "}", *(["break;"] if self.rng.random() < 0.6 else [])]
        self.nesting = nesting
        return [*out, "}"]

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth - 1)]

    def function(self, name: str) -> str:
        parameters = ", ".join(f"{self.types[n]} {n}" for n in self.names)
        lines = [f"int64_t {name}({parameters}, int *t) {{"]
        for _ in range(5):
            lines += [f"  {s}" for s in self.statement(3)]
        mixed = " + ".join(f"{i + 1} * (int64_t){n}" for i, n in enumerate(self.names))
        return "\n".join([*lines, f"  return {mixed};", "}"])


_PRELUDE = """#include <cstdint>
static int helper(int a, int b) { if (a > b) return a - b; b ^= a; return b > 5 ? b : a; }
static int inlined(int a, int *t) {
  for (int i = 0; i < 4; i++) { if (t[i] == a) return i; t[i] += a; if (t[i] & 1) continue; a++; }
  if (a < 0) return -a;
  return a;
}
extern "C" {
"""


def test_random_programs(tmp_path: Path) -> None:
    source = _PRELUDE + "\n".join(_Generator(i).function(f"program{i}") for i in range(_PROGRAMS)) + "\n}\n"
    file = tmp_path / "programs.cpp"
    file.write_text(source)
    functions = parse_file(str(file)).functions
    library = compile_source(file, tmp_path / "programs.so", "-O1")
    for f in functions:
        assert isinstance(f, Function), f"{f.name}: {f.reason}"
        if f.internal:
            continue
        rng = random.Random(f.name)
        for _ in range(_ROUNDS):
            check(library, f, rng)
