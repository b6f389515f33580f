"""Calling original and lifted functions side by side, on memory that ends at an unmapped page."""

from __future__ import annotations

import ctypes
import functools
import mmap
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen import adapter
from codegen.original import compile_original
from halide_core.ir.types import Type
from lifter.loops import Function

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
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


def numpy_type(t: Type) -> np.dtype[Any]:
    """The NumPy type of an element."""
    return np.dtype("bool" if t.is_bool() else str(t))


def fill(target: np.ndarray[Any, np.dtype[np.uint8]], t: Type, rng: np.random.Generator) -> None:
    """Random values: full range for integers, [-0.5, 1.5) with some exact zeros and ones for floats."""
    if t.is_float():
        count = len(target) // t.bytes()
        values = rng.random(count) * 2.0 - 0.5
        values[rng.random(count) < 0.1] = rng.choice([0.0, 1.0])
        target[:] = np.frombuffer(values.astype(numpy_type(t)).tobytes(), np.uint8)
    else:
        target[:] = rng.integers(0, 256, len(target), dtype=np.uint8)
        extremes = rng.random(len(target)) < 0.1
        target[extremes] = rng.choice([0, 255], int(extremes.sum()))


_CTYPES: dict[str, Any] = {
    "bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double,
    **{f"int{b}": getattr(ctypes, f"c_int{b}") for b in (8, 16, 32, 64)},
    **{f"uint{b}": getattr(ctypes, f"c_uint{b}") for b in (8, 16, 32, 64)},
}


def bind(library: ctypes.CDLL, function: Function, symbol: str | None = None) -> Any:
    """The C function with its argument types set."""
    f = getattr(library, symbol or function.symbol)
    target: list[Any] = []
    if function.interface is not None:
        target = [ctypes.cast(f, ctypes.c_void_p)]
        f = getattr(_packer(function), adapter.packer_symbol(function))
    kinds = [ctypes.c_void_p if p.pointer else _CTYPES[str(p.type)] for p in function.params]
    f.argtypes = [ctypes.c_void_p for _ in target] + kinds
    f.restype = None if function.return_type is None else _CTYPES[str(function.return_type)]
    return functools.partial(f, *target) if target else f


_PACKERS: dict[tuple[str, str], ctypes.CDLL] = {}


def _packer(function: Function) -> ctypes.CDLL:
    """A library that makes the objects a function takes from scalars and pointers, and calls it."""
    key = (function.file, function.symbol)
    if key not in _PACKERS:
        with tempfile.TemporaryDirectory(prefix="packer-") as folder:
            source, library = Path(folder) / "packer.cpp", Path(folder) / "packer.so"
            source.write_text(adapter.packers(function.file, [function]))
            flags = ("-O1", *adapter.FLAGS)
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
    if got != expected and not (got != got and expected != expected):
        return f"returns {got} for {expected} with {args.scalars}"
    for name, wanted in after.items():
        if now[name] != wanted:
            a, b = np.frombuffer(wanted, np.uint8), np.frombuffer(now[name], np.uint8)
            where = int(np.nonzero(a != b)[0][0])
            return f"{name}: byte {where} of {len(a)} is {b[where]} for {a[where]} with {args.scalars}"
    return None
