"""Emitted modules run under the package `halide` and under `halide_core`, on edge values, beside the original."""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import random
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from codegen.original import compile_original
from lifter.api import FunctionReport, lift_file
from lifter.harness.draw_arguments import Draw, Drawer
from lifter.harness.side_by_side import Arguments, bind, numpy_type
from tests.corpus.emitted import load, run

PACKAGES = ("halide", "halide_core")
SIZES = ((1, 1), (2, 1), (3, 3), (5, 2), (17, 5), (64, 3), (33, 7))
SETS = 105
"""Sets of inputs for each function and package."""
_FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 3.0, 127.5, 255.0, 256.0, -129.0, 1e-40, -1e-45, 1.1754944e-38,
    16777217.0, 2147483520.0, 2147483648.0, -2147483648.0, 4294967040.0, 9.2e18, 1.8e19, 1e20, 3.4e38, -3.4e38,
    math.inf, -math.inf, math.nan,
)


@dataclass(slots=True)
class Outcome:
    """How one function did under one package."""

    compared: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Prepared:
    """A file that was lifted, and its original."""

    folder: Path
    library: Path
    reports: dict[str, FunctionReport]


def prepare(source: Path, folder: Path, names: Sequence[str]) -> Prepared:
    """Lifts some functions of a file, and compiles it once."""
    report = lift_file(str(source), functions=names, out=str(folder), emit=("dsl", "halide-cpp"), run=False)
    library = compile_original(source, (), folder / f"{source.stem}_original.so")
    return Prepared(folder, library, {f.name: f for f in report.functions})


def outcome(prepared: Prepared, name: str, package: str, sets: int = SETS, spare: bool = False) -> Outcome:
    """Compares one function under one package, in a process of its own: what traps ends only that.  `spare`: images are
    given a little room."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(prepared, name, package, sets, spare, sender))
    child.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(120) else Outcome(problems=["no end within 120 s"])
    except EOFError:
        child.join()
        return Outcome(problems=[f"ended with status {child.exitcode}"])
    finally:
        child.kill()
        child.join()


def _child(prepared, name, package, sets, spare, sender) -> None:
    done = Outcome()
    try:
        _compare(prepared, name, package, sets, spare, done)
    except Exception:  # shown as what the package says of the module
        done.problems.append(traceback.format_exc())
    sender.send(done)


def _compare(prepared: Prepared, name: str, package: str, sets: int, spare: bool, done: Outcome) -> None:
    lifted = prepared.reports[name].lifted
    assert lifted is not None and lifted.summary is not None
    function = lifted.summary.function
    original = bind(ctypes.CDLL(str(prepared.library)), function)
    emitted = load(prepared.folder / f"{name}.py", function.name, package)
    drawer = Drawer(lifted.summary)
    drawer.spare = spare
    for args in arguments_of(drawer, sets):
        before = args.snapshot()
        expected = original(*args.values(function))
        after = args.snapshot()
        args.restore(before)
        got = run(emitted, function, args)
        problem = difference(args, before, after) if _equal(got, expected) else f"returns {got} for {expected}"
        if problem is not None:
            done.problems.append(f"{problem} with {args.scalars}")
            return
        done.compared += 1


def arguments_of(drawer: Drawer, sets: int) -> Iterator[Arguments]:
    rng = random.Random(1)
    made = 0
    for number in range(20 * sets):
        width, height = SIZES[number % len(SIZES)]
        draw = _with_edges(drawer, drawer.scalars(width, height, number % 3, rng), rng)
        if draw.path is None:
            continue
        args = drawer.arguments(draw, number)
        for block in args.blocks.values():
            _fill(block, rng)
        yield args
        made += 1
        if made == sets:
            return


def _with_edges(drawer: Drawer, draw: Draw, rng: random.Random) -> Draw:
    """The draw, with some scalars that are no sizes at the ends of their types."""
    scalars = dict(draw.scalars)
    for p in drawer.summary.function.params:
        if p.pointer or p.name in drawer.extents | drawer.strides | drawer.sizes or rng.random() < 0.3:
            continue
        if p.type.is_float():
            scalars[p.name] = _float(rng.choice(_FLOATS), p.type.bits)
        elif not p.type.is_bool():
            low, high = p.type.min(), p.type.max()
            scalars[p.name] = int(rng.choice((low, low + 1, high, high - 1, 0, 1, low // 2, rng.randint(low, high))))
    found = Draw(scalars, draw.null, drawer._path(scalars, draw.null))
    return found if found.path is not None else draw


def _float(value: float, bits: int) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value)) if bits == 32 else value


def _fill(block, rng: random.Random) -> None:
    """A third of edge values, a third of small ones, a third of any bits."""
    raw, dtype = block.memory.bytes, numpy_type(block.type)
    count = len(raw) // dtype.itemsize
    if block.type.is_bool():
        raw[:] &= 1
        return
    values = raw[: count * dtype.itemsize].view(dtype).copy()
    for i in range(count):
        kind = rng.random()
        if block.type.is_float():
            if kind < 0.5:
                values[i] = _float(rng.choice(_FLOATS), block.type.bits)
            elif kind < 0.7:
                values[i] = rng.uniform(-300, 300)
        elif kind < 0.4:
            t = block.type
            low, high = int(t.min()), int(t.max())
            choices = (low, low + 1, low // 2, -1, 0, 1, 2, high // 2, high // 2 + 1, high - 1, high)
            values[i] = max(low, min(high, rng.choice(choices)))
        elif kind < 0.7:
            values[i] = max(int(block.type.min()), rng.randint(-40, 40)) if block.type.is_int() else rng.randint(0, 40)
    raw[: count * dtype.itemsize] = values.view(np.uint8)


def _equal(a, b) -> bool:
    return a == b or (a != a and b != b)


def difference(args: Arguments, before, after) -> str | None:
    """The first element that differs, bit for bit; all NaNs are one, whose bits are the compiler's choice."""
    now = args.snapshot()
    for name, block in args.blocks.items():
        wanted, got = (_elements(c[name], block.type) for c in (after, now))
        bits = np.dtype(f"u{wanted.dtype.itemsize}")
        differs = wanted.view(bits) != got.view(bits)
        if block.type.is_float():
            differs &= ~(np.isnan(wanted) & np.isnan(got))
        if differs.any():
            at = int(np.nonzero(differs)[0][0])
            was = {n: _elements(c, args.blocks[n].type)[at : at + 1] for n, c in before.items()}
            return f"{name}[{at}] of {len(wanted)} is {got[at]!r} for {wanted[at]!r}, made of {was}"
    return None


def _elements(contents: bytes, type_) -> np.ndarray:
    dtype = numpy_type(type_)
    return np.frombuffer(contents[: len(contents) // dtype.itemsize * dtype.itemsize], dtype)
