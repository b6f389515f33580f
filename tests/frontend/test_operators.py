"""Every operator on every pair of types, against g++."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled_reference import compile_source

from lifter.frontend import ParsedFile, parse_file
from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Function

pytestmark = pytest.mark.long

TYPES = {
    "bool": np.bool_,
    "char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "uint16_t": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "int64_t": np.int64,
    "unsigned long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
FLOATS = ("float", "double")
_ROUNDS = 60


def _is_float(*types: str) -> bool:
    return any(t in FLOATS for t in types)


def _expressions(a: str, b: str) -> list[str]:
    """Expressions over x of type a, y of type b, a divisor d of type b and a shift amount s."""
    out = ["x + y", "x - y", "x * y", "x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y", "x && y", "x || !y"]
    out += ["-x", "+x", "!x", f"({a})y", f"({b})x", f"static_cast<{a}>(y + 1)", "x ? x : y", "y > 3 ? y : x"]
    out.append("x / d")
    if not _is_float(a, b):
        out += ["x % d", "x & y", "x | y", "x ^ y", "~x", "x << s", "x >> s", "(x << s) >> s"]
    return out


def _updates(a: str, b: str) -> list[str]:
    out = ["z += y", "z -= y", "z *= y", "z /= d", "z = y", "z = z + 1"]
    if a != "bool":
        out += ["z++", "--z", "y += z--"]
    if not _is_float(a, b):
        out += ["z %= d", "z &= y", "z |= y", "z ^= y", "z <<= s", "z >>= s"]
    return out


def _source() -> tuple[str, dict[str, tuple[str, str, list[str]]]]:
    lines = ["#include <cstdint>", 'extern "C" {']
    functions: dict[str, tuple[str, str, list[str]]] = {}
    for i, a in enumerate(TYPES):
        for j, b in enumerate(TYPES):
            name = f"pair_{i}_{j}"
            parts: list[str] = []
            lines.append(f"void {name}({a} x, {b} y, {b} d, int s, int64_t *w, double *f) {{")
            for e in _expressions(a, b):
                position = len(parts)
                lines.append(f"  w[{position}] = {e}; f[{position}] = {e};")
                parts.append(e)
            for u in _updates(a, b):
                position = len(parts)
                lines.append(f"  {{ {a} z = x; {u}; w[{position}] = z; f[{position}] = z; }}")
                parts.append(u)
            lines.append("}")
            functions[name] = (a, b, parts)
    return "\n".join([*lines, "}"]) + "\n", functions


SOURCE, FUNCTIONS = _source()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, dict[str, Function]]:
    folder = tmp_path_factory.mktemp("operators")
    file = folder / "operators.cpp"
    file.write_text(SOURCE)
    parsed: ParsedFile = parse_file(str(file))
    functions = {f.name: f for f in parsed.functions if isinstance(f, Function)}
    assert functions.keys() == FUNCTIONS.keys()
    return compile_source(file, Path(folder) / "operators.so", "-O1"), functions


def _value(rng: random.Random, t: str) -> Any:
    dtype = np.dtype(TYPES[t])
    if t == "bool":
        return bool(rng.getrandbits(1))
    if t in FLOATS:
        return float(dtype.type(rng.choice([0.0, -0.0, 1.0, 2.5, -3.75, 1e6, rng.uniform(-300, 300)])))
    info = np.iinfo(dtype)
    near = rng.choice([0, 1, 2, 3, 127, 128, 255, info.max, info.min, info.max - 1, rng.randint(info.min, info.max)])
    return max(int(info.min), min(int(info.max), int(near)))


def _divisor(rng: random.Random, t: str) -> Any:
    while True:
        value = _value(rng, t)
        # The most negative number by -1 traps.
        if value not in (0, -1):
            return value


_CTYPES = {
    **{"bool": ctypes.c_bool, "char": ctypes.c_int8, "unsigned char": ctypes.c_uint8, "short": ctypes.c_int16},
    **{"uint16_t": ctypes.c_uint16, "int": ctypes.c_int32, "unsigned": ctypes.c_uint32, "int64_t": ctypes.c_int64},
    **{"unsigned long": ctypes.c_uint64, "float": ctypes.c_float, "double": ctypes.c_double},
}


@pytest.mark.parametrize("first", TYPES)
def test_operators(first: str, built: tuple[ctypes.CDLL, dict[str, Function]]) -> None:
    library, functions = built
    rng = random.Random(first)
    for name, (a, b, parts) in FUNCTIONS.items():
        if a != first:
            continue
        native = getattr(library, name)
        native.argtypes = [_CTYPES[a], _CTYPES[b], _CTYPES[b], ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        native.restype = None
        for _ in range(_ROUNDS):
            x, y, d, s = _value(rng, a), _value(rng, b), _divisor(rng, b), rng.randint(0, 7)
            w, f = np.zeros(len(parts), np.int64), np.zeros(len(parts))
            native(x, y, d, s, w.ctypes.data, f.ctypes.data)
            lifted_w, lifted_f = np.zeros_like(w), np.zeros_like(f)
            run(functions[name], {"x": x, "y": y, "d": d, "s": s, "w": lifted_w, "f": lifted_f})
            for i, part in enumerate(parts):
                same = w[i] == lifted_w[i] and (f[i].tobytes() == lifted_f[i].tobytes() or np.isnan(f[i]))
                shown = f"x = ({a}){x}, y = ({b}){y}, d = {d}, s = {s}"
                assert same, f"{part}: {lifted_w[i]}, {lifted_f[i]} and not {w[i]}, {f[i]}; {shown}"
