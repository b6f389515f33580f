"""External stages called from Python: for the boxes that they need, and by the reference interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halide_core.errors import HalideError
from halide_core.interface import Interface
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.named_calls import is_buffer
from halide_core.ir.structural import variables
from halide_core.ir.types import Type
from halide_core.raw_buffer import RawBuffer, RawDimension


@dataclass(slots=True)
class Memory:
    """A buffer argument: the address of the element at the mins, or None; (min, extent, stride) by dimension."""

    type: Type
    host: int | None
    dims: list[tuple[int, int, int]]


def address_of(symbol: str) -> int:
    """Where the function `symbol` of this process is.  Raises HalideError when there is none."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(None), symbol), ctypes.c_void_p).value or 0
    except AttributeError:
        raise HalideError(
            f"There is no function {symbol} in this process, which an external stage calls; load its library with "
            "ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) first"
        ) from None


def failed(symbol: str, is_query: bool) -> str:
    """What is said of a call that did not return 0, before its result."""
    return f"{'Bounds inference call' if is_query else 'Call'} to external stage {symbol} returned non-zero value: "


def call_extern(symbol: str, args: Sequence[Memory | tuple[Type, Any]], is_query: bool) -> None:
    """Calls `symbol` with buffers and scalars; buffers get the bounds that it leaves in them.

    Raises HalideError when there is no such function, or when it returns anything but 0."""
    values: list[Any] = []
    raws: list[tuple[Memory, Any, Any]] = []
    for a in args:
        if isinstance(a, Memory):
            dims = (RawDimension * max(1, len(a.dims)))(*(RawDimension(*d, 0) for d in a.dims))
            raw = RawBuffer(0, None, a.host, 0, int(a.type.code), a.type.bits, 1, len(a.dims), dims, None)
            raws.append((a, raw, dims))
            values.append(ctypes.byref(raw))
        else:
            values.append(scalar_type(a[0])(a[1]))
    function = ctypes.CFUNCTYPE(ctypes.c_int)(address_of(symbol))
    status = function(*values)
    if status:
        raise HalideError(f"{failed(symbol, is_query)}{status}")
    for a, _, dims in raws:
        a.dims = [(d.min, d.extent, d.stride) for d in dims[: len(a.dims)]]


def scalar_type(t: Type) -> Any:
    """The ctypes type of a scalar."""
    if t.is_float():
        if t.bits == 16:
            raise HalideError(f"A scalar of {t} cannot be passed to an external stage; cast it to float32")
        return ctypes.c_float if t.bits == 32 else ctypes.c_double
    if t.is_bool():
        return ctypes.c_bool
    return getattr(ctypes, f"c_{'' if t.is_int() else 'u'}int{t.bits}")


def answers_at_entry(interface: Interface, values: Mapping[str, Any], buffers: Mapping[str, Any]) -> dict[str, int]:
    """What the queries of `interface` find where `values` has the metadata and the Params; `buffers` are the images.

    A query whose arguments `values` does not tell, and those after it, are left out."""
    known = dict(values)
    found: dict[str, int] = {}
    for q in interface.queries:
        if not all(variables(a) <= known.keys() for a in q.args):
            break
        args = [_argument(a, known, buffers) for a in q.args]
        call_extern(q.symbol, args, True)
        for k, a in enumerate(args):
            for d, (low, extent, _) in enumerate(a.dims if isinstance(a, Memory) else ()):
                found[f"{q.prefix}.{k}.min.{d}"], found[f"{q.prefix}.{k}.max.{d}"] = low, low + extent - 1
        known |= found
    return found


def _argument(e: Expr, known: Mapping[str, Any], buffers: Mapping[str, Any]) -> Memory | tuple[Type, Any]:
    if not is_buffer(e):
        return e.type, evaluate(e, known).item()
    assert isinstance(e, ir.Call)
    element = e.args[0]
    bounds = [int(evaluate(x, known).item()) for x in e.args[1:]]
    buffer = buffers.get(element.name) if isinstance(element, ir.Load) else None
    # The array starts at its mins.
    host = buffer.array.ctypes.data if buffer is not None and buffer.has_memory() else None
    return Memory(element.type, host, list(zip(bounds[::3], bounds[1::3], bounds[2::3], strict=True)))


