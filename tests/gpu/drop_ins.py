"""Functions of the corpus as drop-ins with code for a device, on the emulated one, beside their compiled originals.

    python -m tests.gpu.drop_ins [--every N] [--first K] [-f NAME]...

One in N of the verified functions, at odd sizes, on memory that ends at pages that cannot be read: all memory, and what
is returned, must be the original's, bit for bit; once as it is, and then with a call of the driver that fails, another
one each time."""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.original import compile_original
from corpus.manifest import ROOT, entries
from halide_core.runtime.cuda.driver import LIBRARY
from lifter.api import FunctionReport, lift_file
from lifter.harness.draw_arguments import Drawer, Ranges
from lifter.harness.side_by_side import Arguments, bind
from lifter.ir.loop_ir import Function
from synth.options import Options
from tests.gpu.apart import difference, in_own_process
from tests.gpu.driver_library import Driver, build, redirect, stand_in, use
from tests.gpu.running import TARGET

EVERY = 9
SIZES = ((33, 9), (17, 5), (1, 1), (65, 11))
# What is not made to fail: nothing depends on it.
_SAFE = ("cuGetErrorName", "cuGetErrorString", "cuCtxPopCurrent_v2", "cuMemFree_v2")


@dataclass(slots=True)
class Outcome:
    """What came of one function: calls that were compared, of which so many launched kernels, and of which so many
    failed there."""

    name: str
    file: str
    notes: list[str] = field(default_factory=list)
    runs: int = 0
    launched: int = 0
    failed: int = 0
    problem: str = ""

    @property
    def state(self) -> str:
        """In a few words."""
        if self.problem:
            return "differs"
        return "equal" if self.launched else "equal, on the host alone"


def outcomes(
    wanted: Mapping[str, Mapping[str, Ranges]], sizes: Sequence[tuple[int, int]] = SIZES
) -> Iterator[Outcome]:
    """What comes of functions, with the ranges of their scalars, by the paths of their files."""
    for file, own in wanted.items():
        with tempfile.TemporaryDirectory(prefix="gpu-") as name:
            folder = Path(name)
            report = lift_file(
                file, functions=list(own), out=str(folder / "out"), emit=("shared",), target=TARGET,
                options=Options(timeout=120.0), one_of_several=True, run=False,
            )
            reports = {f.name: f for f in report.functions}
            made = next((f.outputs["shared"] for f in report.functions if "shared" in f.outputs), None)
            original = compile_original(file, (), folder / "original.so")
            if made is not None and LIBRARY.encode() in Path(made).read_bytes():
                redirect(Path(made))
            build(folder)
            for n, ranges in own.items():
                yield _apart(Outcome(n, Path(file).name), ranges, reports.get(n), original, made, folder, sizes)


def _apart(
    out: Outcome, ranges: Ranges, report: FunctionReport | None, original: Path, made: str | None, folder: Path,
    sizes: Sequence[tuple[int, int]],
) -> Outcome:
    """In a process of its own: what crashes is one function."""
    if report is None or report.status != "verified" or made is None or "shared" not in report.outputs:
        out.problem = "there is no drop-in" if report is None else f"it is {report.status}: {report.reason}"
        return out
    out.notes = report.notes

    def work() -> None:
        os.environ["LIFT_DEVICE"] = "cuda"
        # What fails on purpose is told there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _compare(ranges, report, original, Path(made), folder, sizes, out)

    return in_own_process(out, work)


def _compare(
    ranges: Ranges, report: FunctionReport, original: Path, made: Path, folder: Path, sizes: Sequence[tuple[int, int]],
    out: Outcome,
) -> None:
    summary = report.lifted.summary
    function = summary.function
    first = bind(ctypes.CDLL(str(original)), function)
    drawer, dice = Drawer(summary, ranges), random.Random(out.name)
    lasting = stand_in(folder), bind(ctypes.CDLL(str(made)), function)
    for number, (width, height) in enumerate(sizes):
        draw = drawer.draw(width, height, number % 3, number)
        if draw is None:
            continue
        # The device is left alone after some failures: a copy knows nothing of earlier ones.
        copy = folder / f"copy-{out.name}-{number}.so"
        shutil.copy(made, copy)
        broken = Driver()
        for driver, lifted in (lasting, (broken, bind(ctypes.CDLL(str(copy)), function))):
            use(driver)
            launched, before = len(driver.device.launches), driver.calls.copy()
            args = drawer.arguments(draw, number, front=number % 2 == 1)
            problem = _difference(function, first, lifted, args, driver)
            called = [f for f in driver.calls - before if f not in _SAFE]
            if called and driver is not broken:
                chosen = dice.choice(called)
                broken.failing[chosen] = (2, dice.randrange((driver.calls - before)[chosen]))
            out.runs += 1
            out.launched += len(driver.device.launches) > launched
            out.failed += any(driver.calls[f] > n for f, (_, n) in driver.failing.items())
            if problem is not None:
                out.problem = f"{width}x{height}: {problem}, {driver.failing or 'all went well'}"
                return
    if not out.runs:
        out.problem = "no arguments meet its contract"


def _difference(function: Function, original: Any, lifted: Any, args: Arguments, driver: Driver) -> str | None:
    before = args.snapshot()
    expected = original(*args.values(function))
    after = args.snapshot()
    args.restore(before)
    got = lifted(*args.values(function))
    if driver.problems:
        raise driver.problems[0]
    if driver.depth():
        return "a context is left"
    return difference(expected, got, after, args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=EVERY)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-f", "--function", action="append", dest="names")
    options = parser.parse_args()
    some = [e for e in entries() if e.status == "verified"][options.first :: options.every]
    if options.names:
        some = [e for e in entries() if e.name in options.names]
    wanted: dict[str, dict[str, Ranges]] = {}
    for e in some:
        wanted.setdefault(str(ROOT / e.file), {})[e.name] = e.ranges
    found = []
    for o in outcomes(wanted):
        found.append(o)
        calls = f"{o.runs} calls, {o.launched} with kernels, {o.failed} that fail"
        print(f"{o.file}: {o.name}: {o.state}; {'; '.join(o.notes)} [{calls}]", flush=True)
        if o.problem:
            print("  " + o.problem.strip().replace("\n", "\n  "), flush=True)
    print(f"{len(found)} functions: {dict(Counter(o.state for o in found))}")
    sys.exit(any(o.problem for o in found))


if __name__ == "__main__":
    main()
