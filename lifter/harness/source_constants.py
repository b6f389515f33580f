"""Numbers worth trying: those that a function's source and its summary compare with, or index by, and their neighbours.

They come from the text as well as from the summary: where a number was misread, the summary has the wrong one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from halide_core.ir.expr import EQ, GE, GT, LE, LT, NE, Cast, Expr, FloatImm, IntImm, UIntImm, Variable, const_value
from halide_core.ir.structural import post_order
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Summary

Number = int | float
_LITERAL = re.compile(
    r"(?<![\w.])(?:0[xX](?P<hex>[\da-fA-F']+)|(?P<float>\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)"
    r"|(?P<int>\d[\d']*))[uUlLfF]*(?![\w.])|'(?P<char>[^'\\])'"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"", re.S)
_MOST = 48
"""Numbers of one function, before their neighbours; of more the first ones."""


@dataclass(frozen=True, slots=True)
class Constants:
    """What to draw from: for the parameters that are compared with numbers these, and all numbers."""

    of: Mapping[str, tuple[Number, ...]]
    every: tuple[Number, ...]


def constants_of(summary: Summary, text: str = "") -> Constants:
    """The numbers of a summary, and of `text`, its function's source."""
    of: dict[str, list[Number]] = {}
    every: list[Number] = []
    for e in _expressions(summary):
        for n in post_order(e):
            if isinstance(n, IntImm | UIntImm | FloatImm):
                every.append(n.value)
            elif isinstance(n, EQ | NE | LT | LE | GT | GE):
                for a, b in ((n.a, n.b), (n.b, n.a)):
                    name, value = _variable(a), const_value(b)
                    if name is not None and isinstance(value, int | float):
                        of.setdefault(name, []).append(value)
    every += [len(t.values) for t in summary.function.tables.values()]
    every += literals(text)
    return Constants({n: _with_neighbours(v) for n, v in of.items()}, _with_neighbours(every))


def function_text(function: Function) -> str:
    """The lines of a function in its file; the empty string where the file is gone."""
    try:
        with open(function.file, encoding="utf-8", errors="replace") as f:
            lines = f.read().splitlines()
    except OSError:
        return ""
    return "\n".join(lines[max(function.line - 1, 0) : function.end_line or function.line])


def literals(text: str) -> list[Number]:
    """The numbers written in a piece of C++."""
    found: list[Number] = []
    for m in _LITERAL.finditer(_COMMENT.sub(" ", text)):
        if m["hex"]:
            found.append(int(m["hex"].replace("'", ""), 16))
        elif m["float"]:
            found.append(float(m["float"]))
        elif m["int"]:
            digits = m["int"].replace("'", "")
            octal = digits.startswith("0") and digits.isdigit() and not set(digits) & set("89")
            found.append(int(digits, 8) if octal else int(digits))
        else:
            found.append(ord(m["char"]))
    return found


def _expressions(summary: Summary) -> Iterable[Expr]:
    for path in summary.paths:
        yield from path.conditions
        yield from (i.condition for i in path.contract if i.condition is not None)
        yield from (e for f in path.funcs for d in f.definitions for e in d.expressions())
        if path.result is not None:
            yield path.result
    yield from (f.body for f in summary.functions.values())


def _variable(e: Expr) -> str | None:
    while isinstance(e, Cast):
        e = e.value
    return e.name if isinstance(e, Variable) else None


def _with_neighbours(numbers: Iterable[Number]) -> tuple[Number, ...]:
    found: dict[Number, None] = {}
    for v in list(dict.fromkeys(numbers))[:_MOST]:
        near = (v + 1, v - 1) if isinstance(v, int) else (math.nextafter(v, math.inf), math.nextafter(v, -math.inf))
        found.update(dict.fromkeys((v, *near)))
    return tuple(found)
