"""How far functions of float32 are from the true value, over all arguments.

    python -m tests.halide_core.math_errors [NAME...] [--markdown docs/figures/mathematics.md]

Functions of one argument are computed of all 2**32; those of two of as many pairs as `--pairs` says.  What is true is
NumPy's float64."""

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

Numbers = np.ndarray[Any, Any]
_OTHERS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "pow": "power",
}  # fmt: skip
EXACT: dict[str, Callable[..., Any]] = {
    n: np.vectorize(math.erf) if n == "erf" else getattr(np, _OTHERS.get(n, n)) for n in FUNCTIONS
}
MOST = {"pow": 3.0}
"""Units in the last place that a function may be wrong by, where that is not one."""
_CHUNK = 1 << 24


def computed(name: str, *arrays: Numbers, lanes: int = 8, target: str = "host") -> Numbers:
    """The function of each element, in vectors and a tail of them."""
    x = hl.Var("x")
    images = [hl.ImageParam(hl.Float(32), 1) for _ in arrays]
    for image, a in zip(images, arrays, strict=True):
        image.set(hl.Buffer(a))
    out = hl.Func()
    out[x] = getattr(hl, name)(*(i[x] for i in images))
    if lanes > 1:
        out.vectorize(x, lanes)
    return np.asarray(out.realize([len(arrays[0])], hl.Target(target))).copy()


def errors(name: str, found: Numbers, *args: Numbers) -> Numbers:
    """In units in the last place; infinite where one is NaN or infinite and the other is not."""
    with np.errstate(all="ignore"):
        true = EXACT[name](*(a.astype(np.float64) for a in args))
        rounded = np.asarray(true, dtype=np.float32)
        same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
        # Beyond the greatest number, which a result that overflows is near.
        unit = np.spacing(np.minimum(np.abs(rounded), np.float32(3e38))).astype(np.float64)
        error = np.abs(found.astype(np.float64) - true) / unit
        away = np.abs(rounded.astype(np.float64) - true) / unit
    far = np.where(np.isfinite(error), error, np.inf)
    return np.asarray(np.where(same, np.where(np.isfinite(away), away, 0.0), far))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--pairs", default=1 << 26, show_default=True, help="Arguments of functions of two.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write the table to FILE.")
def main(names: tuple[str, ...], pairs: int, markdown: Path | None) -> None:
    """How far functions of float32 are from the true value, over all arguments."""
    lines = ["| function | most, in units in the last place | at | arguments |", "|---|--:|---|--:|"]
    wrong = False
    for name in names or FUNCTIONS:
        most, at, count = 0.0, (0.0,), 0
        for args in track(list(_arguments(name, pairs)), description=name):
            given = args()
            error = errors(name, computed(name, *given), *given)
            k = int(np.argmax(error))
            count += len(error)
            if error[k] > most:
                most, at = float(error[k]), tuple(float(a[k]) for a in given)
        wrong |= most > MOST.get(name, 1.0)
        lines.append(f"| {name} | {most:.3f} | {', '.join(map(repr, at))} | {count:,} |")
        print(lines[-1], flush=True)
    if markdown is not None:
        head = "# Functions of float32\n\nWritten by `make math-errors`: against NumPy's float64."
        markdown.write_text(f"{head}\n\n" + "\n".join(lines) + "\n")
    raise SystemExit(int(wrong))


def _arguments(name: str, pairs: int) -> Any:
    """What makes the arguments of each part."""
    if FUNCTIONS[name].arity == 1:
        for start in range(0, 1 << 32, _CHUNK):
            yield lambda start=start: [np.arange(start, start + _CHUNK, dtype=np.uint32).view(np.float32)]
        return
    for seed in range(-(-pairs // _CHUNK)):
        yield lambda seed=seed: _pairs(name, np.random.default_rng(seed))


def _pairs(name: str, r: np.random.Generator) -> list[Numbers]:
    """Half of all bits, half of such that the result is a number."""
    a, b = (r.integers(0, 1 << 32, _CHUNK, dtype=np.uint64).astype(np.uint32).view(np.float32) for _ in range(2))
    half = _CHUNK // 2
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
