"""The demonstration: lifts two legacy functions, runs originals and drop-ins on a photograph, compares and times them.

    python demo/run.py --out demo-out
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from picture import Panel, save_panels
from rich.console import Console
from rich.table import Table
from skimage import data

from codegen.errors import EmitError
from lifter.api import FunctionReport, SourceError, UsageError, lift_file
from lifter.harness.side_by_side import bind
from lifter.harness.timing import O2, O3, Loops, Timing, build, interleave, machine
from lifter.ir.loop_ir import Function
from lifter.running.report import print_function_report

SOURCE = Path(__file__).parent.parent / "corpus" / "dexter" / "figures.cpp"
FACE = (slice(20, 212), slice(140, 332))
ENLARGED = 8
Plane = np.ndarray[Any, np.dtype[np.uint8]]
Image = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class Subject:
    """One function: the original in two builds, and the drop-in."""

    function: Function
    lifted: ctypes.CDLL
    o3: ctypes.CDLL
    o2: ctypes.CDLL


def address(plane: Plane, row: int = 0, column: int = 0) -> int:
    """The address of a pixel."""
    return int(plane.ctypes.data) + row * plane.strides[0] + column


def blur_arguments(source: Plane, output: Plane) -> tuple[int, ...]:
    """BoxBlur's arguments for planes with a border of one pixel on every side."""
    rows, cols = source.shape[0] - 2, source.shape[1] - 2
    return address(output, 1, 1), address(source, 1, 1), rows, cols, source.strides[0]


def darken_arguments(target: Plane, layer: Plane, mask: Plane) -> tuple[int, ...]:
    """DarkenTiled's arguments: `target` is changed in place."""
    rows, cols = target.shape
    return address(target), address(layer), address(mask), rows, cols, target.strides[0]


def blurred(subject: Subject, library: ctypes.CDLL, photo: Image) -> Image:
    """Every channel through BoxBlur; the edge pixels are repeated into the border that it reads."""
    call = bind(library, subject.function)
    planes = []
    for channel in np.moveaxis(photo, 2, 0):
        source = np.pad(channel, 1, mode="edge")
        output = np.zeros_like(source)
        call(*blur_arguments(source, output))
        planes.append(output[1:-1, 1:-1])
    return np.stack(planes, axis=2)


def darkened(subject: Subject, library: ctypes.CDLL, photo: Image, layer: Plane, mask: Plane) -> Image:
    """Every channel through DarkenTiled."""
    call = bind(library, subject.function)
    planes = []
    for channel in np.moveaxis(photo, 2, 0):
        target = np.ascontiguousarray(channel)
        call(*darken_arguments(target, layer, mask))
        planes.append(target)
    return np.stack(planes, axis=2)


def spotlight(shape: tuple[int, int]) -> Plane:
    """A mask that is 0 in the middle of the upper half and grows to 255 in the corners."""
    rows, cols = shape
    y, x = np.mgrid[0:rows, 0:cols]
    distance = np.hypot((y - 0.28 * rows) / rows, (x - 0.46 * cols) / cols)
    mask: Plane = np.clip((distance - 0.2) * 700, 0, 255).astype(np.uint8)
    return mask


def difference(before: Image, after: Image, factor: int) -> Image:
    """|after - before|, amplified."""
    distance = np.abs(after.astype(np.int16) - before)
    amplified: Image = np.clip(distance * factor, 0, 255).astype(np.uint8)
    return amplified


def enlarge(plane: Plane, factor: int) -> Plane:
    """Each pixel as a square of pixels."""
    return np.ascontiguousarray(np.repeat(np.repeat(plane, factor, 0), factor, 1))


def time_calls(
    subject: Subject, loops: Loops, arguments: tuple[int, ...], reset: Callable[[], None], seconds: float
) -> Timing:
    """The drop-in, -O3 and -O2 in turn."""
    libraries = (subject.lifted, subject.o3, subject.o2)
    return interleave([loops.call(x, subject.function, arguments) for x in libraries], reset, seconds)


def lift(console: Console, out: Path) -> dict[str, FunctionReport]:
    """Lifts the two functions and prints what was found."""
    names = ("BoxBlur", "DarkenTiled")
    shown = os.path.relpath(SOURCE)
    with console.status(f"lifting {' and '.join(names)}"):
        report = lift_file(shown, functions=names, out=str(out), emit=("dsl", "shared"))
    for f in report.functions:
        print_function_report(console, shown, f)
        if f.status != "verified":
            raise UsageError(f"{f.name} was not verified: {f.reason}")
    return {f.name: f for f in report.functions}


def subjects(reports: dict[str, FunctionReport], folder: Path) -> dict[str, Subject]:
    """The drop-in and the two builds of the original, loaded."""
    o3, o2 = (build(str(SOURCE), (), flags, folder / f"original{flags[0]}.so") for flags in (O3, O2))
    out = {}
    for name, report in reports.items():
        assert report.lifted is not None
        out[name] = Subject(report.lifted.function, ctypes.CDLL(report.outputs["shared"]), o3, o2)
    return out


def demonstrate(console: Console, out: Path) -> bool:
    """The whole demonstration; whether every result was equal."""
    reports = lift(console, out / "lifted")
    photo: Image = data.astronaut()  # type: ignore[no-untyped-call]
    layer: Plane = data.camera()  # type: ignore[no-untyped-call]
    mask = spotlight(layer.shape)
    with tempfile.TemporaryDirectory(prefix="lift-demo-") as name:
        found = subjects(reports, Path(name))
        blur, darken = found["BoxBlur"], found["DarkenTiled"]
        results = {
            "BoxBlur": [blurred(blur, x, photo) for x in (blur.lifted, blur.o3, blur.o2)],
            "DarkenTiled": [darkened(darken, x, photo, layer, mask) for x in (darken.lifted, darken.o3, darken.o2)],
        }
        wrong = {f: int(np.count_nonzero(x[0] != x[1]) + np.count_nonzero(x[0] != x[2])) for f, x in results.items()}
        for function, count in wrong.items():
            verdict = "equal bit for bit to the original" if count == 0 else f"[red]{count} bytes differ[/]"
            console.print(f"{function}: {photo.shape[1]}x{photo.shape[0]} photograph, 3 channels: {verdict}")
        write_pictures(console, out, photo, layer, results, wrong)
        loops = Loops([s.function for s in found.values()], Path(name))
        with console.status("timing"):
            table = timings(found, loops, photo, layer, mask)
        console.print(table)
    for what, text in machine().items():
        console.print(f"{what}: {text}", markup=False)
    return not any(wrong.values())


def write_pictures(
    console: Console, out: Path, photo: Image, layer: Plane, results: dict[str, list[Image]], wrong: dict[str, int]
) -> None:
    """Input, output and difference side by side."""
    blur, dark = results["BoxBlur"][0], results["DarkenTiled"][0]
    titles = {
        f: f"{f} by the drop-in: {n} of {photo.size:,} bytes differ from what the original gives"
        for f, n in wrong.items()
    }
    pictures = {
        "box-blur.png": (
            titles["BoxBlur"],
            [
                Panel("input (a detail, 3x)", enlarge(photo[FACE], 3)),
                Panel("output: 3x3 mean", enlarge(blur[FACE], 3)),
                Panel("|output - input| x 8", enlarge(difference(photo, blur, 8)[FACE], 3)),
            ],
        ),
        "darken-tiled.png": (
            titles["DarkenTiled"],
            [
                Panel("input", photo),
                Panel("layer, blended in by a mask", np.repeat(layer[:, :, None], 3, axis=2)),
                Panel("output: the darker of the two", dark),
                Panel("|output - input| x 2", difference(photo, dark, 2)),
            ],
        ),
    }
    for name, (title, panels) in pictures.items():
        save_panels(out / name, title, panels)
        console.print(f"wrote {out / name}", markup=False)


def timings(found: dict[str, Subject], loops: Loops, photo: Image, layer: Plane, mask: Plane) -> Table:
    """Both functions on one channel of the photograph, and on the same enlarged."""
    table = Table(
        title="One channel of the photograph: time of a call, and how many times faster the drop-in is",
        title_justify="left",
    )
    table.add_column("function", no_wrap=True)
    for head in ("pixels", "drop-in µs", "-O3 µs", "-O2 µs", "over -O3", "over -O2"):
        table.add_column(head, justify="right")
    green = np.ascontiguousarray(photo[:, :, 1])
    for factor in (1, ENLARGED):
        plane, other, weights = (enlarge(x, factor) for x in (green, layer, mask))
        source = np.pad(plane, 1, mode="edge")
        output = np.zeros_like(source)
        target = plane.copy()

        def reset(target: Plane = target, plane: Plane = plane) -> None:
            target[:] = plane

        cases = (
            ("BoxBlur", blur_arguments(source, output), lambda: None),
            ("DarkenTiled", darken_arguments(target, other, weights), reset),
        )
        for name, arguments, before in cases:
            t = time_calls(found[name], loops, arguments, before, 1.0)
            times = (f"{s * 1e6:,.0f}" for s in t.seconds)
            table.add_row(name, f"{plane.shape[1]}x{plane.shape[0]}", *times, *(f"{r:.1f}x" for r in t.ratios[1:]))
    return table


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Lift two functions, run them on a photograph, compare and time them.")
    parser.add_argument("--out", default="demo-out", metavar="DIR", help="folder for pictures and libraries")
    out = Path(parser.parse_args().out)
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console = Console(highlight=False, soft_wrap=True, width=110)
    try:
        out.mkdir(parents=True, exist_ok=True)
        return 0 if demonstrate(console, out) else 1
    except (SourceError, UsageError, EmitError, OSError) as problem:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"error: {problem}", markup=False)
        return 2


if __name__ == "__main__":
    sys.exit(main())
