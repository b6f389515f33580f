"""Functions of floats by halide_core and by the package `halide`: the time of each, in turn, on one thread.

    python -m corpus.bench.mathematics [NAME]... [--target TARGET]... [--markdown docs/figures/mathematics-speed.md]

Arrays stay in a core's cache.  The package's code is timed as it comes (a multiplication and an addition become one
instruction, as in our functions, but everywhere) and under `strict_float`, where they do not."""

from __future__ import annotations

import math
import os
import re
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import track

import halide_core
from halide_core.mathematics import FUNCTIONS
from lifter.harness.timing import machine

TARGETS = ("host", "x86-64-linux-sse41-avx-f16c-fma-avx2", "x86-64-linux-sse41")
COUNT, ROWS = 1 << 12, 1 << 10
_RANGES: dict[str, tuple[float, float]] = {
    "exp": (-20, 20), "log": (0.01, 100), "sin": (-30, 30), "cos": (-30, 30), "tan": (-30, 30), "asin": (-1, 1),
    "acos": (-1, 1), "atan": (-10, 10), "atan2": (-10, 10), "sinh": (-5, 5), "cosh": (-5, 5), "tanh": (-5, 5),
    "asinh": (-10, 10), "acosh": (1, 30), "atanh": (-0.99, 0.99), "erf": (-3, 3), "pow": (0.1, 3),
}  # fmt: skip
"""What arguments of images are like; a function's rare arguments are not timed."""
_HEAD = """# The time of functions of floats

Written by `make bench-math`: the package's least time over ours on {count:,} numbers, {rows:,} times in a call, all in
a core's first cache, one thread, in turn. Of float32 the package's `exp`, `log`, `pow` and `erf` are polynomials of its
own, the others are calls of the C library. *As it comes*, it makes a multiplication and an addition one instruction,
*strict* it does not."""


@dataclass(frozen=True, slots=True)
class Row:
    """The package's time over ours, as it comes and under `strict_float`; nanoseconds of ours for a number."""

    name: str
    bits: int
    target: str
    as_it_comes: float
    strict: float
    ns: float


class _Compiled:
    """The function over arrays, by one module."""

    def __init__(self, hl: Any, name: str, arrays: list[Any], target: str) -> None:
        x, y = hl.Var("x"), hl.Var("y")
        bits = 8 * arrays[0].itemsize
        images = [hl.ImageParam(hl.Float(bits), 1) for _ in arrays]
        f = hl.Func("f")
        f[x, y] = getattr(hl, name)(*(i[x] for i in images))
        self._target = hl.Target(target)
        f.vectorize(x, self._target.natural_vector_size(hl.Float(bits)))
        for image, a in zip(images, arrays, strict=True):
            image.set(hl.Buffer(a))
        self._images = images
        self._pipeline = hl.Pipeline([f])
        # All rows lie in the same place: a call of many numbers, for which all memory is a core's own cache.
        row = np.zeros_like(arrays[0])
        self._out = hl.Buffer(np.lib.stride_tricks.as_strided(row, (ROWS, COUNT), (0, row.itemsize)))
        self._pipeline.compile_jit(self._target)

    def run(self) -> None:
        """Computes all."""
        self._pipeline.realize(self._out, self._target)


def arguments(name: str, bits: int) -> list[Any]:
    """Numbers in the middle of where the function is used."""
    r = np.random.default_rng(0)
    kind = np.float32 if bits == 32 else np.float64
    first = r.uniform(*_RANGES[name], COUNT).astype(kind)
    return [first, r.uniform(-5, 5, COUNT).astype(kind)][: FUNCTIONS[bits][name].arity]


def measure(name: str, bits: int, target: str, seconds: float) -> Row:
    """Times one function."""
    import halide

    arrays = arguments(name, bits)
    ours = _Compiled(halide_core, name, arrays, target)
    theirs = [_Compiled(halide, name, arrays, t) for t in (target, f"{target}-strict_float")]
    mine, as_it_comes, strict = _least([ours, *theirs], seconds)
    return Row(name, bits, target, as_it_comes / mine, strict / mine, 1e9 * mine / (ROWS * COUNT))


def _least(functions: list[_Compiled], seconds: float) -> list[float]:
    """The least seconds of a call of each, of a thread that runs: what else the machine does only adds to them."""
    least = [math.inf for _ in functions]
    stop, rounds = time.perf_counter() + seconds, 0
    while rounds < 5 or time.perf_counter() < stop:
        for k, f in enumerate(functions):
            start = time.thread_time()
            f.run()
            least[k] = min(least[k], time.thread_time() - start)
        rounds += 1
    return least


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--bits", type=click.Choice(["32", "64"]), multiple=True, default=("32", "64"), show_default=True)
@click.option("--target", "targets", multiple=True, default=TARGETS, show_default=True, help="Several times.")
@click.option("--seconds", default=1.0, show_default=True, metavar="S", help="Time spent on one function and target.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Put the rows into FILE's table.")
def main(
    names: tuple[str, ...], bits: tuple[str, ...], targets: tuple[str, ...], seconds: float, markdown: Path | None
) -> None:
    """Compare functions of floats with those of the package `halide`."""
    os.environ["HL_NUM_THREADS"] = "1"
    try:
        import halide  # noqa: F401
    except ImportError:
        print("error: the package `halide` is not installed; pip install -e '.[halide]'", file=sys.stderr)
        raise SystemExit(2) from None
    unknown = [n for n in names if n not in FUNCTIONS[32]]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(FUNCTIONS[32])}")
    cases = [(n, int(b), t) for t in targets for b in bits for n in FUNCTIONS[int(b)] if not names or n in names]
    progress = Console(stderr=True)
    rows = [measure(*c, seconds) for c in track(cases, console=progress, transient=True)]
    print(_text(rows))
    if markdown is not None:
        kept = _rows_of(markdown.read_text()) if markdown.exists() else []
        by_case = {(r.name, r.bits, r.target): r for r in [*kept, *rows]}
        order = [(n, b, t) for t in TARGETS for b in FUNCTIONS for n in FUNCTIONS[b]]
        text = _text([by_case[c] for c in order if c in by_case])
        markdown.write_text(f"{_HEAD.format(count=COUNT, rows=ROWS)}\n\n{text}\n")


def _text(rows: list[Row]) -> str:
    return "\n\n".join([_table(rows), _means(rows), *(f"{k}: {v}" for k, v in machine().items())])


def _rows_of(text: str) -> list[Row]:
    """What an earlier run has written, which stays where it is not measured anew."""
    found = re.findall(r"^\| (\w+) \| (32|64) \| (\S+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.M)
    return [Row(n, int(b), t, *map(float, numbers)) for n, b, t, *numbers in found]


def _table(rows: list[Row]) -> str:
    lines = ["| function | bits | target | as it comes | strict | ns of ours |", "|---|--:|---|--:|--:|--:|"]
    lines += [f"| {r.name} | {r.bits} | {r.target} | {r.as_it_comes:.2f} | {r.strict:.2f} | {r.ns:.2f} |" for r in rows]
    return "\n".join(lines)


def _means(rows: list[Row]) -> str:
    parts = []
    for target, bits in dict.fromkeys((r.target, r.bits) for r in rows):
        some = [r for r in rows if (r.target, r.bits) == (target, bits)]
        means = [statistics.geometric_mean(v) for v in zip(*((r.as_it_comes, r.strict) for r in some), strict=True)]
        below = ", ".join(f"{r.name} {r.as_it_comes:.2f}" for r in some if r.as_it_comes < 1) or "none"
        head = f"float{bits}, {target}: geometric means {means[0]:.2f}, strict {means[1]:.2f}"
        parts.append(f"{head}; below 1 as it comes: {below}.")
    return "\n".join(parts)


if __name__ == "__main__":
    main()
