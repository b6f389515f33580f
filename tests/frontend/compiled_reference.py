"""Running lifted functions and the same source compiled by g++ side by side."""

from __future__ import annotations

import ctypes
import random
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from halide_core.interp.expr import dtype_of
from halide_core.ir.types import Type
from lifter.ir.loop_interpreter import Memory, run
from lifter.ir.loop_ir import Function, Param

CASES = Path(__file__).parent / "cases"
ELEMENTS = 600
MARGIN = 40
_SIZES = {"n": (0, 16), "size": (0, 96), "w": (0, 8), "h": (0, 8), "stride": (9, 16)}
_CTYPES = {
    "int8": ctypes.c_int8,
    "int16": ctypes.c_int16,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
}


def compile_source(source: Path, out: Path, optimisation: str = "-O2") -> ctypes.CDLL:
    """The shared library of a source file; floats are not contracted and signed integers wrap."""
    compiler = ["gcc", "-std=gnu11"] if source.suffix == ".c" else ["g++", "-std=gnu++17"]
    flags = ["-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin-memset", "-shared", "-fPIC", "-w"]
    command = [*compiler, optimisation, *flags, "-o", str(out), str(source), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(out))


def ctype(t: Type) -> Any:
    """The ctypes type of a scalar."""
    return _CTYPES[str(t)]


def random_scalar(rng: random.Random, p: Param) -> int | float | bool:
    """A value that hits corners often; sizes are small."""
    if p.name in _SIZES:
        return rng.randint(*_SIZES[p.name])
    return random_value(rng, p.type)


def random_value(rng: random.Random, t: Type) -> int | float | bool:
    """A value of a type: often small, sometimes extreme."""
    if t.is_bool():
        return rng.random() < 0.5
    if t.is_float():
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 255.0, 1e9, -3.25]
        value = rng.choice(special) if rng.random() < 0.4 else rng.uniform(-1000, 1000)
        return float(np.float32(value)) if t.bits == 32 else value
    if rng.random() < 0.4:
        return t.wrap(rng.choice([0, 1, 2, -1, t.max(), t.min(), t.max() - 1, 100, 255]))
    return t.wrap(rng.getrandbits(64)) if rng.random() < 0.5 else t.wrap(rng.randint(-300, 300))


def random_array(rng: random.Random, t: Type, size: int = ELEMENTS) -> np.ndarray[Any, Any]:
    """An array of random values; floats are of moderate size."""
    generator = np.random.default_rng(rng.getrandbits(32))
    if t.is_float():
        return (generator.random(size) * 512 - 256).astype(dtype_of(t))
    if t.is_bool():
        return generator.random(size) < 0.5
    low, high = (t.min(), t.max()) if t.bits <= 16 else (max(t.min(), -1000), 1000)
    return generator.integers(low, high, size, endpoint=True).astype(dtype_of(t))


def bits(value: Any, t: Type) -> Any:
    """A value in a form where equal means the same bits; all NaNs are one."""
    if t.is_float():
        if value != value:
            return "nan"
        return struct.pack("<d", float(value))
    return value


def check(library: ctypes.CDLL, f: Function, rng: random.Random) -> None:
    """Call both on the same random arguments and compare everything written and returned."""
    arguments: dict[str, Any] = {}
    native: list[Any] = []
    arrays: list[tuple[Param, np.ndarray[Any, Any], Memory]] = []
    kinds: list[Any] = []
    for p in f.params:
        if p.pointer:
            data = random_array(rng, p.type)
            memory = Memory(data.copy(), MARGIN)
            arguments[p.name] = memory
            native.append(data.ctypes.data + MARGIN * data.itemsize)
            kinds.append(ctypes.c_void_p)
            arrays.append((p, data, memory))
        else:
            value = random_scalar(rng, p)
            arguments[p.name] = value
            native.append(value)
            kinds.append(ctype(p.type))
    function = getattr(library, f.symbol)
    function.argtypes = kinds
    function.restype = None if f.return_type is None else ctype(f.return_type)
    shown = {k: v for k, v in arguments.items() if not isinstance(v, Memory)}
    expected = function(*native)
    actual = run(f, arguments)
    if f.return_type is not None:
        assert bits(actual, f.return_type) == bits(expected, f.return_type), (f.name, shown, actual, expected)
    for p, data, memory in arrays:
        different = np.nonzero((data != memory.data) & ~((data != data) & (memory.data != memory.data)))[0]
        if len(different):
            i = int(different[0])
            raise AssertionError(f"{f.name}: {p.name}[{i - MARGIN}] is {memory.data[i]}, not {data[i]}; {shown}")
