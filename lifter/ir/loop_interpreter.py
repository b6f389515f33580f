"""Concrete execution of the loop language: the reference meaning of a lifted function on real inputs.

A function is translated to Python once and then run; reads and writes out of bounds and reads of
uninitialised memory raise UndefinedBehaviour."""

from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, Protocol

import numpy as np

from halide_core.interp.expr import dtype_of
from halide_core.ir.types import Type
from lifter.ir.loop_ir import Function
from lifter.ir.loop_to_python import PythonCode, translate

Scalar = int | float | bool
_LIMIT = 50_000_000


@dataclass
class Memory:
    """The elements a pointer parameter may reach: the pointer itself points at `data[origin]`.

    `data` is flat and of the element's NumPy type; the function writes to it in place."""

    data: np.ndarray[Any, Any]
    origin: int = 0


@dataclass
class UndefinedBehaviour(Exception):
    """The function did what has no meaning; `line` is the line in its source."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass
class StepLimit(Exception):
    """The function ran for more loop iterations than allowed."""

    limit: int

    def __str__(self) -> str:
        return f"more than {self.limit} loop iterations"


class Array(Protocol):
    """What an array is to a running function: elements by their index, with the line that asks.

    `load_any` and `store_any` stand for memory whose ends are not checked."""

    def load(self, index: int, line: int) -> Any: ...

    def store(self, index: int, value: Any, line: int) -> None: ...

    def load_any(self, index: int, line: int) -> Any: ...

    def store_any(self, index: int, value: Any, line: int) -> None: ...


_CODE: dict[int, tuple[weakref.ref[Function] | None, PythonCode, CodeType]] = {}


class _Cells:
    """An array at run time: a list of Python numbers, None where nothing was written."""

    __slots__ = ("cells", "name", "origin", "size")

    def __init__(self, name: str, cells: list[Any], origin: int) -> None:
        self.name = name
        self.cells = cells
        self.origin = origin
        self.size = len(cells)

    def load(self, index: int, line: int) -> Any:
        position = index + self.origin
        if not 0 <= position < self.size:
            raise UndefinedBehaviour(line, f"read of {self.name}[{index}], which is out of bounds")
        value = self.cells[position]
        if value is None:
            raise UndefinedBehaviour(line, f"read of {self.name}[{index}], which was never written")
        return value

    def store(self, index: int, value: Any, line: int) -> None:
        position = index + self.origin
        if not 0 <= position < self.size:
            raise UndefinedBehaviour(line, f"write of {self.name}[{index}], which is out of bounds")
        self.cells[position] = value

    def load_any(self, index: int, line: int) -> Any:
        position = index + self.origin
        value = self.cells[position] if 0 <= position < self.size else None
        return 0 if value is None else value

    def store_any(self, index: int, value: Any, line: int) -> None:
        position = index + self.origin
        if 0 <= position < self.size:
            self.cells[position] = value


class _Growing(_Cells):
    """An array of a container that takes what is written behind its end."""

    __slots__ = ()

    def store(self, index: int, value: Any, line: int) -> None:
        missing = index + 1 - self.size
        if missing > 0:
            self.cells.extend([None] * missing)
            self.size += missing
        super().store(index, value, line)

    store_any = store


def run(function: Function, args: Mapping[str, Any], *, guard: bool = True, limit: int = _LIMIT) -> Scalar | None:
    """Call a function; arrays are changed in place.  Returns the function's value.

    `args` has a number for a scalar parameter and a Memory, a NumPy array or None (a null pointer) for a
    pointer.  Raises UndefinedBehaviour; without `guard` reads out of bounds give 0 and writes do nothing.
    Raises StepLimit after `limit` loop iterations, and TypeError for arguments that do not fit."""
    arrays: dict[str, Array] = {}
    written: list[tuple[Memory, _Cells]] = []
    addresses: dict[str, int] = {}
    for p in function.params:
        if p.name not in args:
            raise TypeError(f"{function.name}: argument {p.name} is missing")
        value = args[p.name]
        if not p.pointer:
            continue
        memory = _memory(value, p.type, p.name)
        cells = _Cells(p.name, memory.data.tolist(), memory.origin)
        arrays[p.name] = cells
        itemsize = memory.data.dtype.itemsize
        addresses[p.name] = 0 if value is None else int(memory.data.ctypes.data) + memory.origin * itemsize
        if not p.const:
            written.append((memory, cells))
    try:
        return run_in(function, args, arrays, addresses, guard=guard, limit=limit)
    finally:
        for memory, cells in written:
            if cells.cells:
                memory.data[:] = np.array(cells.cells, dtype=memory.data.dtype)


def run_in(
    function: Function,
    args: Mapping[str, Any],
    arrays: Mapping[str, Array],
    addresses: Mapping[str, int],
    *,
    guard: bool = True,
    limit: int = _LIMIT,
) -> Scalar | None:
    """As `run`, in memory of the caller's making: an array and an address for each pointer, changed in place."""
    code, compiled = _compiled(function)
    values = [_scalar(args[p.name], p.type) for p in function.params if not p.pointer]
    tables = {name: _Cells(name, list(table.values), 0) for name, table in function.tables.items()}
    names = namespace(guard)
    exec(compiled, names)
    try:
        result: Scalar | None = names["run"](values, {**arrays, **tables}, addresses, limit, guard)
        return result
    except NameError as e:
        if not isinstance(e, UnboundLocalError) and not (e.name or "").startswith("v_"):
            raise  # no variable of the function
        line = code.source_line(e.__traceback__)
        raise UndefinedBehaviour(line, "read of a variable that was never assigned") from None


def _compiled(function: Function) -> tuple[PythonCode, CodeType]:
    known = _CODE.get(id(function))
    if known is not None and known[0] is not None and known[0]() is function:
        return known[1], known[2]
    code = translate(function)
    compiled = compile(code.text, f"<{function.name}>", "exec")
    try:
        reference = weakref.ref(function)
    except TypeError:
        # A slotted dataclass without a weak reference slot is translated anew.
        return code, compiled
    _CODE[id(function)] = (reference, code, compiled)
    return code, compiled


def _memory(value: Any, type_: Type, name: str) -> Memory:
    dtype = dtype_of(type_)
    if value is None:
        return Memory(np.zeros(0, dtype), 0)
    memory = value if isinstance(value, Memory) else Memory(np.asarray(value).reshape(-1))
    if memory.data.dtype != dtype or memory.data.ndim != 1:
        raise TypeError(f"argument {name} needs a flat array of {dtype}, not {memory.data.dtype}")
    return memory


def _scalar(value: Any, type_: Type) -> Scalar:
    if type_.is_float():
        return float(dtype_of(type_).type(value))
    return bool(value) if type_.is_bool() else type_.wrap(int(value))


def _divide(a: int, b: int) -> int:
    """C's quotient, 0 for b == 0."""
    if b == 0:
        return 0
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _euclidean(a: int, b: int) -> int:
    if b == 0:
        return 0
    return a // b if b > 0 else -(a // -b)


def _float_divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _float_modulo(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        return float(x - y * np.floor(x / y))


def _single(x: float) -> float:
    return ctypes.c_float(x).value


def _int_to_single(x: int) -> float:
    # By way of a double it would round twice.
    wide = np.uint64(x) if x >= 1 << 63 else np.int64(x)
    return float(wide.astype(np.float32))


def _to_int(x: float, bits: int) -> int:
    """Truncation; the least integer of `bits` bits for NaN and values out of range."""
    least = -(1 << (bits - 1))
    if not (-(2.0**63) * 2 < x < 2.0**63 * 2):
        return least
    i = int(x)
    return i if least <= i < -least else least


def _shift(a: int, n: int, bits: int) -> int:
    """a * 2**n for any n, rounding down; not wrapped."""
    if n >= bits:
        return 0
    return a << n if n >= 0 else a >> min(-n, bits)


_LIBRARY: dict[str, Callable[..., float]] = {}


def _libm(name: str) -> Callable[..., float]:
    if name not in _LIBRARY:
        library = ctypes.CDLL("libm.so.6")
        function = getattr(library, name)
        single = name.endswith("f") and name not in ("erf",)
        type_ = ctypes.c_float if single else ctypes.c_double
        function.restype = type_
        count = 3 if name in ("fma", "fmaf") else 2 if name.rstrip("f") in _TWO or name in _TWO else 1
        function.argtypes = [type_] * count
        _LIBRARY[name] = function
    return _LIBRARY[name]


_TWO = {"pow", "atan2", "fmod", "hypot", "fmin", "fmax", "copysign", "fdim", "remainder"}


def _new_array(name: str, size: int, zero: Scalar | None, line: int, grows: bool) -> _Cells:
    if size < 0:
        raise UndefinedBehaviour(line, f"array {name} of negative size {size}")
    return (_Growing if grows else _Cells)(name, [zero] * size, 0)


def _failed_assert(line: int) -> None:
    raise UndefinedBehaviour(line, "an assert of the source does not hold")


def _out_of_steps(limit: int) -> None:
    raise StepLimit(limit)


def _reinterpret(value: Scalar, source: str, target: str) -> Scalar:
    result: Scalar = struct.unpack(f"<{target}", struct.pack(f"<{source}", value))[0]
    return result


def namespace(guard: bool = True) -> dict[str, Any]:
    """What the Python code of a function calls."""
    return {
        "divide": _divide,
        "euclidean": _euclidean,
        "fdivide": _float_divide,
        "fmodulo": _float_modulo,
        "single": _single,
        "to_int": _to_int,
        "int_to_single": _int_to_single,
        "shift": _shift,
        "reinterpret": _reinterpret,
        "libm": _libm,
        "new_array": _new_array,
        "failed_assert": _failed_assert,
        "out_of_steps": _out_of_steps,
        "LOAD": "load" if guard else "load_any",
        "STORE": "store" if guard else "store_any",
    }
