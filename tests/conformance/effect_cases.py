"""print, print_when, require and add_requirement."""

from __future__ import annotations

import contextlib
import ctypes
import io
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import case, refusal
from tests.conformance.output_cases import shared


def printed(run: Callable[[], Any]) -> list[Any]:
    """What `run` gives, and what it writes to standard output."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        found = run()
    return [found, text.getvalue()]


@case
def values_of_every_type(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = hl.print(x * 2, "is twice", x, hl.f32(x) / 4, hl.f64(x) / 8, hl.u8(x), hl.i64(x) - 5, x > 1, hl.u64(x))
    return printed(lambda: f.realize([4]))


@case
def some_values(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = hl.print_when(x % 3 == 1, x * 3, "100 % <- three times", hl.u16(7))
    return printed(lambda: f.realize([8]))


@case
def lanes_print_one_by_one(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = hl.print(hl.f32(x) / 2, "at", x)
    f.vectorize(x, 4)
    return printed(lambda: f.realize([8]))


@case
def updates_print(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 4)])
    f = hl.Func("f")
    f[x] = 0
    f[x] += hl.print(r * 10, "added to", f[x])
    return printed(lambda: f.realize([2]))


def _required(hl: Any, *schedule: str) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.Param(hl.Int(32), "p")
    f = hl.Func("f")
    f[x, y] = hl.require(x * y < p, x + y, hl.Expr("is too much for"), p)
    if "vectorize" in schedule:
        f.vectorize(x, 8)
    if "parallel" in schedule:
        f.parallel(y)
    return f, p


@case
def requirements_that_hold(hl: Any) -> Any:
    found = []
    for schedule in ((), ("vectorize",), ("parallel",), ("vectorize", "parallel")):
        f, p = _required(hl, *schedule)
        p.set(1000)
        found.append(f.realize([16, 9]))
    return found


@refusal("Requirement Failed: (false) 8 is too much for 7")
def a_requirement_that_fails(hl: Any) -> Any:
    f, p = _required(hl)
    p.set(7)
    return f.realize([9, 2])


@refusal("is too much for 30")
def a_requirement_that_fails_in_a_thread(hl: Any) -> Any:
    f, p = _required(hl, "parallel", "vectorize")
    p.set(30)
    return f.realize([64, 64])


@case
def after_a_failure(hl: Any) -> Any:
    f, p = _required(hl)
    p.set(3)
    with contextlib.suppress(Exception):
        f.realize([9, 9])
    p.set(100)
    return f.realize([9, 9])


@refusal("Requirement Failed: (false) p is 7")
def a_requirement_of_a_pipeline(hl: Any) -> Any:
    x, p, f = hl.Var("x"), hl.Param(hl.Int(32), "p"), hl.Func("f")
    f[x] = x * p
    pipeline = hl.Pipeline(f)
    pipeline.add_requirement(p < 3, hl.Expr("p is"), hl.Expr(p))
    p.set(2)
    pipeline.realize([3])
    p.set(7)
    return pipeline.realize([3])


@refusal("must be a boolean")
def a_requirement_that_is_a_number(hl: Any) -> Any:
    return hl.require(hl.Var("x"), 1, hl.Expr("message"))


@case
def objects_return_an_error(hl: Any) -> Any:
    x = hl.Var("x")
    p = hl.Param(hl.Int(32), "p")
    f = hl.Func("f")
    f[x] = hl.require(p > 3, x + p, hl.Expr("too small"))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        f.compile_to_object(f"{folder}/a.o", [p], "fn")
        library = shared([f"{folder}/a.o"])
        handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda context, message: None)
        if hasattr(library, "halide_set_error_handler"):
            library.halide_set_error_handler(handler)
        data = np.zeros(5, np.int32)
        out = hl.Buffer(data)
        for value in (5, 2):
            found.append(library.fn(ctypes.c_int(value), ctypes.c_void_p(out._get_raw_halide_buffer_t())))
            found.append(data.copy())
    return found[:3]
