"""Paths as text: what is printed reads back as the same path, and what is no path is refused with its place."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path as File
from typing import Any

import pytest

from halide_core.ir.expr import (
    BOOL,
    I32,
    I64,
    Add,
    Call,
    CallType,
    Expr,
    FloatImm,
    Let,
    Load,
    Reinterpret,
    Variable,
    const,
)
from halide_core.ir.structural import same
from halide_core.ir.types import Float, UInt
from lifter.algebra.polynomial import Poly
from lifter.frontend import Function, parse_file
from lifter.ir.effect_printer import NotPrinted, path_text
from lifter.ir.effect_reader import NotAPath, parse_path
from lifter.ir.effects import Effect, Path
from lifter.symexec import execute
from synth.lift import decided, follows

U8, F32, F64 = UInt(8), Float(32), Float(64)
ROOT = File(__file__).parents[2]
FILES = [
    *("filter/stencils.cpp", "filter/pointwise.cpp", "filter/reductions.cpp", "filter/words.cpp", "dexter/figures.cpp"),
    *("sse_blend/layers.cpp", "sse_blend/pixels.cpp", "blend/classic.cpp"),
]


def equal(a: Any, b: Any) -> bool:
    """Whether two parts of paths are the same in every field."""
    if isinstance(a, Expr) or isinstance(b, Expr):
        return isinstance(a, Expr) and isinstance(b, Expr) and same(a, b)
    if type(a) is not type(b):
        return False
    if is_dataclass(a):
        return all(equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(x, b[n]) for n, x in a.items())
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


@pytest.mark.parametrize("file", FILES)
def test_every_path_of_a_file_reads_back(file: str) -> None:
    count = 0
    for f in parse_file(str(ROOT / "corpus" / file)).functions:
        if isinstance(f, Function):
            for path in execute(f, decided, follows):
                count += 1
                assert equal(parse_path(path_text(path)), path), path_text(path)
    assert count


def _stored(value: Expr) -> Path:
    return Path((), (Effect("d", Poly(), value, None, (), 0, 1),), {}, (), (), ())


@pytest.mark.parametrize(
    "value",
    [
        const(-3, I32), const(-3, I64), const(200, U8), const(True, BOOL), const(-0.0, F32), const(1e-30, F64),
        FloatImm(F32, float("inf")), FloatImm(F64, float("-inf")), Variable(I64, "?x"), Variable(I32, "a'k.1"),
        Load(U8, "m#1|private@4", const(0, I64)), Call(I32, "min", (const(1, I32),), CallType.FUNCTION),
        Call(F32, "expf", (Variable(F32, "x"),), CallType.PURE_EXTERN), Reinterpret(I32, Variable(F32, "x")),
        Let(I32, "t", const(3, I32), Add(I32, Variable(I32, "t"), Variable(I32, "t"))), Variable(I32, "select"),
    ],
)
def test_a_value_reads_back(value: Expr) -> None:
    path = _stored(value)
    assert equal(parse_path(path_text(path)), path), path_text(path)


def test_a_value_that_lies_deep_is_printed_in_parts() -> None:
    value: Expr = Variable(I32, "x")
    for _ in range(5000):
        value = Add(I32, value, value)
    path = _stored(value)
    text = path_text(path)
    assert max(map(len, text.splitlines())) < 1000
    assert equal(parse_path(text), path)


@pytest.mark.parametrize(
    "other", [_stored(const(4, I32)), _stored(const(3, I64)), replace(_stored(const(3, I32)), line=7)]
)
def test_what_differs_is_seen(other: Path) -> None:
    assert not equal(other, _stored(const(3, I32)))
    assert path_text(other) != path_text(_stored(const(3, I32)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("store 0, line 1: d[0] = 1\n", "no line begins with `path`"),
        ("path, line 1\nstore 0, line 1: d[0] = (1 + \n", r"column \d+ of: store"),
        ("path, line 1\nstore 0, line 1, for k.1: d[0] = 1\n", r"column \d+ of: store"),
        ("path, line 1\nstore 0, line 1: d[0] = %3\n", r"column \d+ of: store"),
        ("path, line 1\nforget 3\n", r"column \d+ of: forget"),
        ("path, line 1 2\n", r"column \d+ of: path"),
    ],
)
def test_what_is_no_path_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotAPath, match=message):
        parse_path(text)


def test_what_has_no_notation_is_refused() -> None:
    with pytest.raises(NotPrinted, match="Call of int32"):
        path_text(_stored(Call(I32, "f", (), CallType.HALIDE, value_index=1)))
