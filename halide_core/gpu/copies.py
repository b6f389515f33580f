"""Funcs that are scheduled as copies: what they must be."""

from __future__ import annotations

from collections.abc import Iterable

from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Variable


def check_copies(functions: Iterable[Function], outputs: Iterable[Function]) -> None:
    """Raises HalideError where a Func that is scheduled as a copy is none, is computed inline, or copies what is."""
    kept = list(outputs)
    for f in functions:
        if not f.copies:
            continue
        (value,) = f.definitions()[0].values
        if not _is_copied(value, f.args):
            raise HalideError(
                f"Func {f.name} is scheduled as copy_to_host/device, but has value: {value}\n"
                "Expected a single call to another Func with matching dimensionality and argument order."
            )
        if f.compute is None and f not in kept:
            raise HalideError(f"Func {f.name} is scheduled as {f.copies}, but is computed inline; compute it at root")
        assert isinstance(value, ir.Call)
        source = value.target
        if isinstance(source, Function) and source.compute is None:
            raise HalideError(
                f"Func {source.name} cannot be scheduled to be computed inline, because it is used in the "
                f"externally-computed function {f.name}"
            )


def _is_copied(value: ir.Expr, args: tuple[str, ...]) -> bool:
    """Whether a value is another one at the same coordinates."""
    if not isinstance(value, ir.Call) or value.call_type not in (CallType.HALIDE, CallType.IMAGE):
        return False
    names = [a.name if isinstance(a, Variable) else "" for a in value.args]
    return names == list(args)
