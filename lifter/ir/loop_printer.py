"""The loop language as text, for people and golden tests."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.printer import to_text
from lifter.ir.loop_ir import (
    Assert,
    Assign,
    Break,
    ConstArray,
    Continue,
    Declare,
    Define,
    Function,
    If,
    Loop,
    Param,
    PureFunction,
    Return,
    Stmt,
    Store,
)

_MOST_VALUES = 16


def function_text(f: Function, lines: bool = False) -> str:
    """A function with its tables and pure functions; `lines` adds the source line of every statement."""
    result = str(f.return_type) if f.return_type is not None else "void"
    out = [_table(t) for t in f.tables.values()]
    out += [_pure(p) for p in f.functions.values()]
    out.append(f"{result} {f.name}({', '.join(_parameter(p) for p in f.params)})")
    out += [f"  local {name}: {type_}" for name, type_ in f.locals.items()]
    parameters = {p.name for p in f.params if p.pointer}
    out += [f"  array {n}: {t}" for n, t in f.arrays.items() if n not in parameters and n not in f.tables]
    out += block_lines(f.body, 1, lines)
    return "\n".join(out) + "\n"


def statement_text(s: Stmt) -> str:
    """One statement."""
    return "\n".join(block_lines((s,), 0, False))


def _parameter(p: Param) -> str:
    if not p.pointer:
        return f"{p.type} {p.name}"
    words = [*(["const"] if p.const else []), f"{p.type}*", *(["restrict"] if p.restrict else []), p.name]
    return " ".join(words)


def _table(t: ConstArray) -> str:
    shown = ", ".join(str(v) for v in t.values[:_MOST_VALUES])
    more = f", ... {len(t.values)} values" if len(t.values) > _MOST_VALUES else ""
    extents = "".join(f"[{e}]" for e in t.shape)
    return f"table {t.type} {t.name}{extents} = {{{shown}{more}}}"


def _pure(p: PureFunction) -> str:
    parameters = ", ".join(f"{t} {n}" for n, t in p.params)
    model = "model " if p.from_model else ""
    return f"{model}{p.type} {p.name}({parameters}) = {to_text(p.body)}"


def block_lines(block: Sequence[Stmt], depth: int, lines: bool) -> list[str]:
    """The lines of a block, indented."""
    out: list[str] = []
    for s in block:
        first = len(out)
        _add(out, s, depth, lines)
        if lines and len(out) > first:
            out[first] = f"{out[first]}  // {s.line}"
    return out


def _add(out: list[str], s: Stmt, depth: int, lines: bool) -> None:
    pad = "  " * depth
    match s:
        case Assign():
            out.append(f"{pad}{s.name} = {to_text(s.value)}")
        case Store():
            out.append(f"{pad}{s.array}[{to_text(s.index)}] = {to_text(s.value)}")
        case Define():
            out.append(f"{pad}{s.name} is {to_text(s.value)}")
        case Declare():
            more, zero = " or more" if s.grows else "", " = 0" if s.zeroed else ""
            out.append(f"{pad}array {s.array}[{to_text(s.size)}]{more}{zero}")
        case If():
            out.append(f"{pad}if {to_text(s.condition)}")
            out += block_lines(s.then, depth + 1, lines)
            if s.otherwise:
                out.append(f"{pad}else")
                out += block_lines(s.otherwise, depth + 1, lines)
        case Loop():
            out.append(f"{pad}loop" if s.test_first else f"{pad}loop, tested from the second iteration on")
            if s.prelude:
                out.append(f"{pad} before")
                out += block_lines(s.prelude, depth + 1, lines)
            out.append(f"{pad} while {to_text(s.condition)}")
            out += block_lines(s.body, depth + 1, lines)
            if s.step:
                out.append(f"{pad} step")
                out += block_lines(s.step, depth + 1, lines)
        case Continue():
            out.append(f"{pad}continue")
        case Break():
            out.append(f"{pad}break")
        case Return():
            out.append(f"{pad}return" if s.value is None else f"{pad}return {to_text(s.value)}")
        case Assert():
            out.append(f"{pad}assert {to_text(s.condition)}")
        case _:
            out.append(f"{pad}{s}")
