"""Lifting a file of random kernels and running each verified one beside the original."""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import os
import random
import signal
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lifter.api import lift_file
from synth.options import Options
from tests.soundness.kernels import source
from tests.soundness.writer import Kernel

# Rows of elements on each side of a pointer; see Kernel.
_ROWS, _ROW = 32, 100
_CTYPES: dict[str, Any] = {f"{u}int{n}_t": getattr(ctypes, f"c_{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)}
_CTYPES |= {
    "int": ctypes.c_int, "unsigned": ctypes.c_uint, "long": ctypes.c_long, "size_t": ctypes.c_size_t,
    "short": ctypes.c_short, "unsigned char": ctypes.c_uint8, "bool": ctypes.c_bool,
}  # fmt: skip
_FLOATS = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}
CALLS = 24
FLAGS = ["-O1", "-fno-strict-aliasing", "-ffp-contract=off", "-w", "-fPIC", "-shared"]


@dataclass(slots=True)
class Tally:
    """How many kernels ended with which status, how many calls were compared, and what was wrong."""

    statuses: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    wrong: list[str] = field(default_factory=list)


def run(kernels: list[Kernel], timeout: float) -> Tally:
    """Lifts the kernels as one file and compares what is verified."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "kernels.cpp"
        path.write_text(source(kernels))
        options = Options(timeout=timeout)
        names = [k.name for k in kernels]
        # Objects lie under memory of other types at times.
        flags = ["-fno-strict-aliasing"] if any(k.objects for k in kernels) else []
        report = lift_file(
            str(path), functions=names, out=name, emit=("shared",), clang_args=flags, run=False, options=options
        )
        library = folder / "original.so"
        subprocess.run(["g++", *FLAGS, str(path), "-o", str(library)], check=True)
        statuses = {f.name: f.status for f in report.functions}
        tally.statuses.update(statuses.values())
        for f in report.functions:
            if f.status == "error":
                tally.wrong.append(f"{f.name}: {f.reason}")
        verified = [k for k in kernels if statuses.get(k.name) == "verified"]
        lifted = folder / "libkernels_lifted.so"
        for k in verified:
            calls, said = _in_a_child(k, library, lifted)
            tally.calls += calls
            if said:
                tally.wrong.append(f"{k.name}: {_undefined(k, folder)}{said}\n{k.text}")
    return tally


def _in_a_child(k: Kernel, original: Path, lifted: Path) -> tuple[int, str]:
    """How many calls were compared, and what differs, a fault included, or the empty string."""
    with tempfile.TemporaryFile("w+") as out:
        child = os.fork()
        if child == 0:
            try:
                calls, said = _differences(k, original, lifted)
                out.write(f"{calls}\n{said}")
                out.flush()
                os._exit(0)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        if status != 0:
            return CALLS, f"the process ended with status {status}"
        return int(out.readline()), out.read()


def _function(library: Path, k: Kernel, original: Path) -> Any:
    """The function, of scalars and pointers; one that takes objects is called by what makes them, in the original."""
    kinds = [ctypes.c_void_p] * len(k.pointers) + [_CTYPES[k.kinds.get(s, "int")] for s in k.scalars]
    f = getattr(ctypes.CDLL(str(library)), k.name)
    caller = getattr(ctypes.CDLL(str(original)), f"call_{k.name}") if k.objects else f
    caller.argtypes = [ctypes.c_void_p, *kinds] if k.objects else kinds
    caller.restype = None if k.result == "void" else _CTYPES[k.result]
    return functools.partial(caller, ctypes.cast(f, ctypes.c_void_p)) if k.objects else f


def _differences(k: Kernel, original: Path, lifted: Path) -> tuple[int, str]:
    compared = 0
    functions = [_function(original, k, original), _function(lifted, k, original)]
    for call in range(CALLS):
        rng = random.Random(call)
        scalars = {n: rng.choice([low, high, rng.randint(low, high)]) for n, (low, high) in k.scalars.items()}
        if call > 2:
            scalars |= {n: rng.randint(1, 20) for n in ("w", "h")}
        size = 2 * _ROWS * _ROW * 8
        numbers = np.random.default_rng(call)
        content = numbers.integers(0, 256, (len(k.pointers), size), dtype=np.uint8)
        content[numbers.random(content.shape) < 0.2] = numbers.choice([0, 1, 127, 128, 255])
        for j, t in enumerate(k.pointers.values()):
            if t in _FLOATS:
                content[j] = _numbers(numbers, size, _FLOATS[t])
        # Some calls with pointers into one array, at the same place or a little apart; C++ lets it have one type, or
        # several of bytes.
        for j, (name, t) in enumerate(k.pointers.items()):
            if name in k.tables:
                content[j] = _table(numbers, size, t, *k.tables[name])
        types = set(k.pointers.values())
        may_share = not k.tables and not k.objects and rng.random() < 0.3
        shared = may_share and (len(types) == 1 or types <= {"uint8_t", "int8_t"})
        offsets = [
            (rng.choice([0, 0, 4, 8, 4 * scalars.get("stride", scalars["w"])])) if shared else 0 for _ in k.pointers
        ]
        # The first two beside each other, or among each other.
        alike = len(set(list(k.pointers.values())[:2])) == 1 or _are_bytes(list(k.pointers.values())[:2])
        near = rng.choice([0, 4, -4, 40, -40, 160, 800]) if k.tables and alike and rng.random() < 0.5 else None
        results: list[tuple[bytes, Any]] = []
        memory = content.copy()  # at one place for both, since objects have pointers
        base = memory.ctypes.data + size // 2
        addresses = [base + (0 if shared else j * size) + offsets[j] for j in range(len(k.pointers))]
        if near is not None:
            addresses[1] = addresses[0] + near
        arguments = [*addresses, *scalars.values()]
        if k.objects and not _survives(functions[0], arguments):
            continue  # its objects were written over
        compared += 1
        for f in functions:
            memory[:] = content
            value = f(*arguments)
            results.append((memory.tobytes(), value))
        if results[0] != results[1]:
            first, second = (_with_one_nan(r[0], k, 0 if shared else size) for r in results)
            if results[0][1] == results[1][1] and np.array_equal(first, second):
                continue
            at = np.flatnonzero(first != second)
            return compared, (
                f"with {scalars}, {'shared memory at ' + str(offsets) if shared else 'arrays apart'}: returned "
                f"{results[1][1]} instead of {results[0][1]}, {len(at)} bytes differ"
                + (f", the first at {int(at[0]) % size - size // 2} of array {int(at[0]) // size}" if len(at) else "")
            )
    return compared, ""


def _survives(f: Any, arguments: list[int]) -> bool:
    """Whether a call comes back, tried in another process."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        signal.alarm(5)
        try:
            f(*arguments)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _are_bytes(types: list[str]) -> bool:
    return set(types) <= {"uint8_t", "int8_t"}


def _table(rng: np.random.Generator, size: int, t: str, low: int, high: int) -> np.ndarray[Any, Any]:
    """Places, all of them or but a few of one value."""
    kind = np.dtype(t.removesuffix("_t"))
    out = rng.integers(low, high + 1, size // kind.itemsize)
    if rng.random() < 0.2:
        out[rng.random(len(out)) < 0.9] = low
    return out.astype(kind).view(np.uint8)


def _numbers(rng: np.random.Generator, size: int, t: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Floats of some size, and such as have no numerical value."""
    out = rng.normal(0, 200, size // t.itemsize)
    special = [0.0, -0.0, 1.0, 0.5, -1.5, 2.5, 255.0, 1e-40, 3e9, -3e9, np.inf, -np.inf, np.nan]
    at = rng.random(len(out)) < 0.25
    out[at] = rng.choice(special, int(at.sum()))
    return out.astype(t).view(np.uint8)


def _with_one_nan(memory: bytes, k: Kernel, size: int) -> np.ndarray[Any, Any]:
    """The bytes, where all that is no number is the same."""
    out = np.frombuffer(memory, np.uint8).copy()
    for j, t in enumerate(k.pointers.values()):
        if t in _FLOATS and size:
            part = out[j * size : (j + 1) * size].view(_FLOATS[t])
            part[np.isnan(part)] = np.nan
    return out


def _undefined(k: Kernel, folder: Path) -> str:
    """Whether the kernel itself has undefined behaviour, which would be a mistake of its generator."""
    path, library = folder / "one.cpp", folder / "one.so"
    path.write_text(source([k]))
    checks = ["-fsanitize=undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover=all"]
    subprocess.run(["g++", *FLAGS, *checks, "-static-libubsan", str(path), "-o", str(library)], check=True)
    return "" if not _in_a_child(k, library, library)[1] else "(the original has undefined behaviour) "
