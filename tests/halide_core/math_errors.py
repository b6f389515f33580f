"""How far functions of float32 and float64 are from the true value.

    python -m tests.halide_core.math_errors [NAME...] [--bits 32|64] [--markdown docs/figures/mathematics.md]

Functions of one float32 are computed of all 2**32; those of two, and those of float64, of as many arguments as
`--count` says: at random, and near where they are hard.  What is true is NumPy's type of twice the bits, for float64
that of 64 bits of mantissa."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
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
    n: np.vectorize(math.erf) if n == "erf" else getattr(np, _OTHERS.get(n, n)) for n in FUNCTIONS[32]
}
MOST = {(32, "pow"): 3.0}
"""Units in the last place that a function may be wrong by, where that is not one."""
_HEAD = """# Functions of floats

Written by `make math-errors`: against NumPy's float64 for float32, of all arguments or of pairs at random, and against
its longdouble, of 64 bits, for float64, of arguments at random and near where functions are hard."""
_CHUNK = {32: 1 << 24, 64: 1 << 20}


def computed(name: str, *arrays: Numbers, lanes: int = 8, target: str = "host") -> Numbers:
    """The function of each element, in vectors and a tail of them."""
    x = hl.Var("x")
    images = [hl.ImageParam(hl.Float(8 * a.itemsize), 1) for a in arrays]
    for image, a in zip(images, arrays, strict=True):
        image.set(hl.Buffer(a))
    out = hl.Func()
    out[x] = getattr(hl, name)(*(i[x] for i in images))
    if lanes > 1:
        out.vectorize(x, lanes)
    return np.asarray(out.realize([len(arrays[0])], hl.Target(target))).copy()


def errors(name: str, found: Numbers, *args: Numbers) -> Numbers:
    """In units in the last place; infinite where one is NaN or infinite and the other is not."""
    wide = MATCHING[found.dtype.itemsize]
    with np.errstate(all="ignore"):
        true = EXACT[name](*(a.astype(wide) for a in args))
        rounded = np.asarray(true, dtype=found.dtype)
        same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
        # Beyond the greatest number, which a result that overflows is near.
        unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(found.dtype).max * 0.75)).astype(wide)
        error = (np.abs(found.astype(wide) - true) / unit).astype(np.float64)
        away = (np.abs(rounded.astype(wide) - true) / unit).astype(np.float64)
    far = np.where(np.isfinite(error), error, np.inf)
    return np.asarray(np.where(same, np.where(np.isfinite(away), away, 0.0), far))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--bits", type=click.Choice(["32", "64"]), multiple=True, default=("32", "64"), show_default=True)
@click.option("--count", default=1 << 26, show_default=True, help="Arguments, where not all are taken.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write the table to FILE.")
def main(names: tuple[str, ...], bits: tuple[str, ...], count: int, markdown: Path | None) -> None:
    """How far functions of float32 and float64 are from the true value."""
    lines = ["| function | bits | most, in units in the last place | at | arguments |", "|---|--:|--:|---|--:|"]
    wrong = False
    for width, name in ((int(b), n) for b in bits for n in names or FUNCTIONS[int(b)]):
        most, at, done = _most(name, width, count)
        wrong |= most > MOST.get((width, name), 1.0)
        lines.append(f"| {name} | {width} | {most:.3f} | {', '.join(map(repr, at))} | {done:,} |")
        print(lines[-1], flush=True)
    if markdown is not None:
        markdown.write_text(f"{_HEAD}\n\n" + "\n".join(lines) + "\n")
    raise SystemExit(int(wrong))


def _most(name: str, bits: int, count: int) -> tuple[float, tuple[float, ...], int]:
    """The greatest error, where it is, and of how many arguments."""
    most, at, done = 0.0, (0.0,), 0
    for args in track(list(_arguments(name, bits, count)), description=name):
        given = args()
        error = errors(name, computed(name, *given), *given)
        k = int(np.argmax(error))
        done += len(error)
        if error[k] > most:
            most, at = float(error[k]), tuple(float(a[k]) for a in given)
    return most, at, done


def _arguments(name: str, bits: int, count: int) -> Any:
    """What makes the arguments of each part."""
    chunk = _CHUNK[bits]
    if bits == 32 and FUNCTIONS[32][name].arity == 1:
        for start in range(0, 1 << 32, chunk):
            yield lambda start=start: [np.arange(start, start + chunk, dtype=np.uint32).view(np.float32)]
        return
    make = _pairs if bits == 32 else of_double
    for seed in range(-(-count // chunk)):
        yield lambda seed=seed: make(name, np.random.default_rng(seed), chunk)


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
