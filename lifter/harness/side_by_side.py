"""Calling original and lifted functions side by side, on memory that ends at an unmapped page."""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen import flat_arguments, packer
from codegen.native import entry_symbol
from codegen.original import compile_original, is_c
from halide_core.ir.types import Type
from lifter.harness.contents import Bytes, numpy_type
from lifter.harness.other_files import others_of
from lifter.harness.stubs import stubs_of
from lifter.ir.loop_ir import NULL_RESULT, Function

_LIBC = ctypes.CDLL(None, use_errno=True)
_PAGE = mmap.PAGESIZE


class Guarded:
    """`size` bytes between two unmapped pages, touching the second (or with `front`, the first)."""

    def __init__(self, size: int, front: bool = False) -> None:
        body = max(1, (size + _PAGE - 1) // _PAGE) * _PAGE
        self._map = mmap.mmap(-1, body + 2 * _PAGE)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        for guard in (self._base, self._base + _PAGE + body):
            if _LIBC.mprotect(ctypes.c_void_p(guard), _PAGE, 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")
        offset = _PAGE if front else _PAGE + body - size
        self.address = self._base + offset
        memory: Any = (ctypes.c_uint8 * max(size, 1)).from_address(self.address)
        self.bytes: Bytes = np.frombuffer(memory, np.uint8)[:size]


@dataclass(slots=True)
class Block:
    """The memory behind one pointer argument."""

    memory: Guarded
    pointer: int
    """Address that the function is given: that of the first element inside the margin."""
    type: Type

    def snapshot(self) -> bytes:
        return self.memory.bytes.tobytes()


_CTYPES: dict[str, Any] = {
    "bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double,
    **{f"int{b}": getattr(ctypes, f"c_int{b}") for b in (8, 16, 32, 64)},
    **{f"uint{b}": getattr(ctypes, f"c_uint{b}") for b in (8, 16, 32, 64)},
}


def bind(
    library: ctypes.CDLL, function: Function, symbol: str | None = None, packers: ctypes.CDLL | None = None
) -> Any:
    """The C function with its argument types set.  `packers` has its packer, where that is compiled already."""
    f = getattr(library, symbol or function_symbol(function))
    if symbol is None and function.internal and function.qualified:
        f.restype = ctypes.c_void_p
        result, kinds = signature(function)
        f = ctypes.CFUNCTYPE(result, *kinds)(f())
    target: list[Any] = []
    if function.interface is not None:
        target = [ctypes.cast(f, ctypes.c_void_p)]
        f = getattr(packers or _packer(function), flat_arguments.packer_symbol(function))
    result, kinds = signature(function)
    f.argtypes = [ctypes.c_void_p for _ in target] + kinds
    f.restype = result
    return functools.partial(f, *target) if target else f


def bind_flat(library: ctypes.CDLL, function: Function) -> Any:
    """The lifted function over scalars and pointers, as objects have it."""
    f = getattr(library, entry_symbol(function))
    f.restype, f.argtypes = signature(function)
    return f


def function_symbol(function: Function) -> str:
    """What a library has of the original: the function, or what gives its address."""
    return flat_arguments.shown_symbol(function) if function.internal and function.qualified else function.symbol


def signature(function: Function) -> tuple[Any, list[Any]]:
    """The result and the parameters of the function over scalars and pointers, as ctypes has them."""
    kinds = [ctypes.c_void_p if p.pointer else _CTYPES[str(p.type)] for p in function.params]
    return None if function.return_type is None else _CTYPES[str(function.return_type)], kinds


def load(path: Path) -> ctypes.CDLL:
    """A library of which some functions may call what is elsewhere: such a call ends the process, loading does not."""
    lazily = _LIBC.dlopen
    lazily.restype, lazily.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    if others_of(path).exists():  # what is found there is not looked for in the stand-ins
        lazily(os.fsencode(others_of(path)), os.RTLD_LAZY | os.RTLD_GLOBAL)
        load_stubs = stubs_of(others_of(path))
        if load_stubs.exists():
            lazily(os.fsencode(load_stubs), os.RTLD_NOW | os.RTLD_GLOBAL)
    if stubs_of(path).exists() and not lazily(os.fsencode(stubs_of(path)), os.RTLD_NOW | os.RTLD_GLOBAL):
        raise OSError(f"the stand-ins for what {path.name} takes from its program cannot be loaded")
    handle = lazily(os.fsencode(path), os.RTLD_LAZY | os.RTLD_LOCAL)
    if not handle:
        _LIBC.dlerror.restype = ctypes.c_char_p
        raise OSError((_LIBC.dlerror() or b"it cannot be loaded").decode(errors="replace"))
    return ctypes.CDLL(str(path), handle=handle)


_PACKERS: dict[tuple[str, str], ctypes.CDLL] = {}


def _packer(function: Function) -> ctypes.CDLL:
    """A library that makes the objects a function takes from scalars and pointers, and calls it."""
    key = (function.file, function.symbol)
    if key not in _PACKERS:
        with tempfile.TemporaryDirectory(prefix="packer-") as folder:
            c = is_c(function.file)
            source, library = Path(folder) / ("packer.c" if c else "packer.cpp"), Path(folder) / "packer.so"
            source.write_text(packer.packers(function.file, [function]))
            flags = ("-O1", *([] if c else flat_arguments.FLAGS))
            _PACKERS[key] = ctypes.CDLL(str(compile_original(source, (), library, flags)))
    return _PACKERS[key]


@dataclass(slots=True)
class Arguments:
    """One call's worth of arguments."""

    scalars: dict[str, int | float]
    blocks: dict[str, Block]

    def values(self, function: Function) -> list[Any]:
        return [self.blocks[p.name].pointer if p.pointer else self.scalars[p.name] for p in function.params]

    def snapshot(self) -> dict[str, bytes]:
        return {n: b.snapshot() for n, b in self.blocks.items()}

    def restore(self, saved: dict[str, bytes]) -> None:
        for n, b in self.blocks.items():
            b.memory.bytes[:] = np.frombuffer(saved[n], np.uint8)


def difference(function: Function, original: Any, lifted: Any, args: Arguments) -> str | None:
    """Calls both on the same memory; what differs, in words, or None."""
    before = args.snapshot()
    expected = original(*args.values(function))
    after = args.snapshot()
    args.restore(before)
    got = lifted(*args.values(function))
    now = args.snapshot()
    values = args.values(function)
    if not same_value(one_way(function, values, got), one_way(function, values, expected)):
        return f"returns {got} for {expected} with {args.scalars}"
    for name, wanted in after.items():
        where = first_difference(wanted, now[name], args.blocks[name].type)
        if where is not None:
            a, b = wanted[where], now[name][where]
            return f"{name}: byte {where} of {len(wanted)} is {b} for {a} with {args.scalars}"
    return None


def one_way(function: Function, values: Sequence[Any], returned: object) -> object:
    """What was returned by a call with `values`; null, which may be said in two ways where the pointer that a returned
    one lies behind is null, in one of them."""
    pointer = function.interface.pointer if function.interface is not None else None
    if pointer is None or returned != NULL_RESULT:
        return returned
    null = any(not v for p, v in zip(function.params, values, strict=True) if p.name == pointer.base)
    return 0 if null else returned


def same_value(a: object, b: object) -> bool:
    """Whether two returned values are the same: 0.0 is not -0.0, and any NaN is any other."""
    if isinstance(a, float) and isinstance(b, float):
        return (a != a and b != b) or struct.pack("d", a) == struct.pack("d", b)
    return a == b


def first_difference(a: bytes, b: bytes, t: Type) -> int | None:
    """The first byte that two memories of elements of a type do not have alike.

    Any NaN is any other: which operand's bits an operation on two of them gives, and the sign of a NaN that it makes,
    are a compiler's choice.  Memory whose bits are read as integers too is of integers here (its unit), and compared
    bit by bit."""
    if a == b:
        return None
    one, two = np.frombuffer(a, np.uint8), np.frombuffer(b, np.uint8)
    differ = one != two
    if t.is_float() and len(a) % t.bytes() == 0:
        with np.errstate(invalid="ignore"):
            nan = np.isnan(np.frombuffer(a, numpy_type(t))) & np.isnan(np.frombuffer(b, numpy_type(t)))
        differ &= ~np.repeat(nan, t.bytes())
    where = np.nonzero(differ)[0]
    return int(where[0]) if len(where) else None
