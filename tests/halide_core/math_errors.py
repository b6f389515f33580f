"""How far functions of float32 and float64 are from the true value.

    python -m tests.halide_core.math_errors [NAME...] [--bits 32|64] [--target TARGET] [--jobs N] [--markdown FILE]

Functions of one float32 are computed of all 2**32; those of two, and those of float64, of as many arguments as
`--count` says: at random, and near where they are hard.  What is true is NumPy's type of twice the bits (SciPy's erf),
for float64 that of 64 bits of mantissa."""

from __future__ import annotations

import functools
import multiprocessing
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click
import numpy as np
import scipy.special
from rich.progress import track

import halide_core as hl
from halide_core.mathematics import FUNCTIONS
from tests.halide_core.math_points import MATCHING, of_double

Numbers = np.ndarray[Any, Any]
_OTHERS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "pow": "power",
}  # fmt: skip
EXACT: dict[str, Callable[..., Any]] = {
    n: scipy.special.erf if n == "erf" else getattr(np, _OTHERS.get(n, n)) for n in FUNCTIONS[32]
}
MOST = {(32, "pow"): 3.0}
"""Units in the last place that a function may be wrong by, where that is not one."""
_HEAD = """# Functions of floats

Written by `make math-errors`: against NumPy's float64 for float32, of all arguments or of pairs at random, and against
its longdouble, of 64 bits, for float64, of arguments at random and near where functions are hard. A multiplication and
an addition are one instruction, or two on targets without it (`--target x86-64-linux-sse41`)."""
_CHUNK = 1 << 20
_BLOCK = 1 << 16
"""Elements whose errors are found at once: what a core's own cache holds."""
_ROW = re.compile(r"\| (\w+) \| (32|64) \| (one|two) \|")


def computed(name: str, *arrays: Numbers, lanes: int = 8, target: str = "host") -> Numbers:
    """The function of each element, in vectors and a tail of them."""
    images, out = _function(name, tuple(8 * a.itemsize for a in arrays), lanes)
    for image, a in zip(images, arrays, strict=True):
        image.set(hl.Buffer(a))
    found = np.empty_like(arrays[0])
    out.realize(hl.Buffer(found), hl.Target(target))
    return found


@functools.cache
def _function(name: str, bits: tuple[int, ...], lanes: int) -> tuple[list[Any], Any]:
    """Images and the Func of them, which keeps its code."""
    x = hl.Var("x")
    images = [hl.ImageParam(hl.Float(b), 1) for b in bits]
    out = hl.Func()
    out[x] = getattr(hl, name)(*(i[x] for i in images))
    if lanes > 1:
        out.vectorize(x, lanes)
    return images, out


def errors(name: str, found: Numbers, *args: Numbers) -> Numbers:
    """In units in the last place; infinite where one is NaN or infinite and the other is not."""
    wide = MATCHING[found.dtype.itemsize]
    with np.errstate(all="ignore"):
        true = EXACT[name](*(a.astype(wide) for a in args))
        rounded = np.asarray(true, dtype=found.dtype)
        error = (np.abs(found.astype(wide) - true) * _units_in_one(rounded)).astype(np.float64)
    odd = ~np.isfinite(error)
    if odd.any():
        a, b = found[odd], rounded[odd]
        error[odd] = np.where((np.isnan(a) & np.isnan(b)) | (a == b), 0.0, np.inf)
    return np.asarray(error)


def _units_in_one(x: Numbers) -> Numbers:
    """One over the unit in the last place of each number, in a wider type; beyond the greatest number its own, which a
    result that overflows is near."""
    if x.dtype == np.float64:
        return 1 / np.spacing(np.minimum(np.abs(x), np.finfo(np.float64).max * 0.75)).astype(np.longdouble)
    exponent = np.clip((x.view(np.uint32) >> np.uint32(23)) & np.uint32(0xFF), np.uint32(1), np.uint32(254))
    return (np.uint64(1023 + 150) - exponent << np.uint64(52)).view(np.float64)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--bits", type=click.Choice(["32", "64"]), multiple=True, default=("32", "64"), show_default=True)
@click.option("--target", default="host", show_default=True, help="Whose code is run, on this machine.")
@click.option("--count", default=1 << 26, show_default=True, help="Arguments, where not all are taken.")
@click.option("--jobs", default=1, show_default=True, metavar="N", help="Processes.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Put the rows into FILE's table.")
def main(
    names: tuple[str, ...], bits: tuple[str, ...], target: str, count: int, jobs: int, markdown: Path | None
) -> None:
    """How far functions of float32 and float64 are from the true value."""
    wrong = False
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for width, name in ((int(b), n) for b in bits for n in names or FUNCTIONS[int(b)]):
            parts = list(range(_parts(name, width, count)))
            found = pool.map(_most, [name] * len(parts), [width] * len(parts), [target] * len(parts), parts)
            most, done = 0.0, 0
            at: tuple[float, ...] = ()
            for error, where, taken in track(found, total=len(parts), description=name):
                done += taken
                if error > most:
                    most, at = error, where
            wrong |= most > MOST.get((width, name), 1.0)
            steps = "one" if hl.Target(target).fuses else "two"
            row = f"| {name} | {width} | {steps} | {most:.3f} | {', '.join(map(repr, at))} | {done:,} |"
            print(row, flush=True)
            if markdown is not None:
                _write(markdown, row)
    raise SystemExit(int(wrong))


def _write(file: Path, row: str) -> None:
    """Puts a row into the table in place of that of the same function."""
    text = file.read_text() if file.exists() else ""
    rows = {m.groups(): m.string for m in map(_ROW.match, text.splitlines()) if m}
    match = _ROW.match(row)
    assert match
    rows[match.groups()] = row
    order = [(n, str(b), steps) for b in FUNCTIONS for steps in ("one", "two") for n in FUNCTIONS[b]]
    head = "| function | bits | instructions | most, in units in the last place | at | arguments |\n"
    head += "|---|--:|---|--:|---|--:|"
    file.write_text("\n".join([_HEAD, "", head, *(rows[k] for k in order if k in rows)]) + "\n")


def _parts(name: str, bits: int, count: int) -> int:
    """How many chunks of arguments there are."""
    return -(-(1 << 32 if _all_are_taken(name, bits) else count) // _CHUNK)


def _all_are_taken(name: str, bits: int) -> bool:
    return bits == 32 and FUNCTIONS[32][name].arity == 1


def _most(name: str, bits: int, target: str, part: int) -> tuple[float, tuple[float, ...], int]:
    """The greatest error of one chunk, where it is, and of how many arguments."""
    args = _arguments(name, bits, part)
    most = 0.0
    at: tuple[float, ...] = ()
    for block in _blocks(len(args[0])):
        some = [a[block] for a in args]
        error = errors(name, computed(name, *some, target=target), *some)
        k = int(np.argmax(error))
        if error[k] > most:
            most, at = float(error[k]), tuple(float(a[k]) for a in some)
    return most, at, len(args[0])


def _blocks(count: int) -> Iterator[slice]:
    return (slice(k, k + _BLOCK) for k in range(0, count, _BLOCK))


def _arguments(name: str, bits: int, part: int) -> list[Numbers]:
    chunk = _CHUNK
    if _all_are_taken(name, bits):
        return [np.arange(part * chunk, (part + 1) * chunk, dtype=np.uint32).view(np.float32)]
    make = _pairs if bits == 32 else of_double
    return make(name, np.random.default_rng(part), chunk)


def _pairs(name: str, r: np.random.Generator, count: int) -> list[Numbers]:
    """Half of all bits, half of such that the result is a number."""
    a, b = (r.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32) for _ in range(2))
    half = count // 2
    if name == "pow":
        near, wide = r.uniform(0.6, 1.6, half // 2), np.exp(r.uniform(-87, 88, half - half // 2))
        a[:half] = np.concatenate([near, wide]).astype(np.float32)
        with np.errstate(all="ignore"):
            b[:half] = (r.uniform(-104, 89, half) / np.log(a[:half].astype(np.float64))).astype(np.float32)
    else:
        a[:half], b[:half] = (r.normal(0, 100, half).astype(np.float32) for _ in range(2))
    return [a, b]


if __name__ == "__main__":
    main()
