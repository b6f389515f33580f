"""Expressions that do something at run time: print, and require, which ends a realization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir.expr import Call, CallType, Expr, StringImm, make_bool
from halide_core.ir.named_calls import PRINT, REQUIRE
from halide_core.ir.operators import as_expr
from halide_core.ir.types import Handle


def _parts(values: Sequence[Any]) -> list[Expr]:
    """What is written, with spaces between."""
    out: list[Expr] = []
    for k, v in enumerate(values):
        if k:
            out.append(StringImm(Handle(), " "))
        out.append(as_expr(v))
    return out


def print(*args: Any) -> Expr:
    """The first argument; all of them are written to standard output whenever it is evaluated."""
    return print_when(make_bool(True), *args)


def print_when(condition: Any, *args: Any) -> Expr:
    """The first argument; all of them are written when it is evaluated where `condition` holds."""
    if not args:
        raise HalideError("print needs something to print, which is also its value")
    value = as_expr(args[0])
    parts = [*_parts([value, *args[1:]]), StringImm(Handle(), "\n")]
    return Call(value.type, PRINT, (_condition("print_when", condition), value, *parts), CallType.EXTERN)


def require(condition: Any, value: Any, *args: Any) -> Expr:
    """`value`; where `condition` fails the realization ends with an error that tells the further arguments."""
    test, e = _condition("require", condition), as_expr(value)
    return Call(e.type, REQUIRE, (test, e, *requirement([e, *args])), CallType.EXTERN)


def requirement(args: Sequence[Any]) -> list[Expr]:
    """The message of a requirement that failed, in Halide's words."""
    return [StringImm(Handle(), "Requirement Failed: (false) "), *_parts(args)]


def _condition(name: str, condition: Any) -> Expr:
    e = as_expr(condition)
    if not e.type.is_bool():
        raise HalideError(f"The condition of {name} must be a boolean, and {e} has type {e.type}")
    return e
