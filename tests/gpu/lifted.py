"""Functions of the corpus, lifted for a device: the emitted text's kernels on the emulated one, beside the compiled
original.

    python -m tests.gpu.lifted [--every N] [--first K] [-f NAME]... [--markdown FILE]

One in N of the verified functions, in the order of the manifests, at odd sizes: all memory, and what is returned, must
be the original's, bit for bit."""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import halide_core as hc
from codegen.original import compile_original
from corpus.manifest import ROOT, Entry, entries
from halide_core.gpu.runtime import device_runtime
from lifter.api import FunctionReport, lift_file
from lifter.harness.draw_arguments import Drawer, Ranges
from lifter.harness.side_by_side import Arguments, bind
from lifter.ir.loop_ir import Function
from synth.options import Options
from tests.corpus.emitted import load, run
from tests.gpu.apart import difference, in_own_process
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left

EVERY = 9
SIZES = ((33, 9), (17, 5), (1, 1), (65, 11), (3, 7))
_EVEN = ((64, 5), (4, 7))
"""For functions that take no others."""


@dataclass(slots=True)
class Outcome:
    """What came of one function.  `device`, `host`: the notes of its report; `runs`: calls that were compared, `on`:
    of which so many launched kernels."""

    name: str
    file: str
    notes: list[str] = field(default_factory=list)
    runs: int = 0
    launched: int = 0
    kernels: int = 0
    problem: str = ""

    @property
    def is_scheduled(self) -> bool:
        """Whether a device computes any of it."""
        return any(n.startswith("on the device") for n in self.notes)

    @property
    def state(self) -> str:
        """In a word."""
        if self.problem:
            return "differs" if self.runs and not self.problem.startswith("Traceback") else "fails"
        if any(n.startswith("not compared") for n in self.notes):
            return "not compared"
        if self.is_scheduled:
            return "equal" if self.launched else "equal, with nothing to do"
        return "equal on the host"


def chosen(every: int = EVERY, first: int = 0) -> list[Entry]:
    """Every so many of the verified functions."""
    return [e for e in entries() if e.status == "verified"][first::every]


def outcomes(some: Sequence[Entry], sizes: Sequence[tuple[int, int]] = SIZES) -> Iterator[Outcome]:
    """What comes of each, file by file."""
    files: dict[str, list[Entry]] = {}
    for e in some:
        files.setdefault(e.file, []).append(e)
    for file, own in files.items():
        yield from outcomes_of(ROOT / file, {e.name: e.ranges for e in own}, sizes, file)


def outcomes_of(
    source: Path, wanted: Mapping[str, Ranges], sizes: Sequence[tuple[int, int]] = SIZES, label: str = ""
) -> Iterator[Outcome]:
    """What comes of functions of one file, with the ranges of their scalars."""
    with tempfile.TemporaryDirectory(prefix="gpu-") as name:
        folder = Path(name)
        report = lift_file(
            str(source), functions=list(wanted), out=name, emit=("dsl",), target=TARGET,
            options=Options(timeout=120.0), one_of_several=True, run=False,
        )
        library = compile_original(source, (), folder / "original.so")
        reports = {f.name: f for f in report.functions}
        for n, ranges in wanted.items():
            yield _apart(Outcome(n, label or source.name), ranges, reports.get(n), library, folder, sizes)


def _apart(
    out: Outcome, ranges: Ranges, report: FunctionReport | None, library: Path, folder: Path,
    sizes: Sequence[tuple[int, int]],
) -> Outcome:
    """In a process of its own: what crashes is one function."""
    if report is None or report.status != "verified":
        out.problem = "it is not verified" if report is None else f"it is {report.status}: {report.reason}"
        return out
    out.notes = report.notes

    def work() -> None:
        os.environ["HL_JIT_CACHE_DIR"] = ""
        _compare(ranges, report, library, folder, sizes, out)

    return in_own_process(out, work)


def _compare(ranges, report, library, folder, sizes, out: Outcome) -> None:
    summary = report.lifted.summary
    function = summary.function
    original = bind(ctypes.CDLL(str(library)), function)
    emitted = load(folder / f"{out.name}.py", out.name, "halide_core")
    drawer = Drawer(summary, ranges)
    for number, (width, height) in enumerate((*sizes, *_EVEN)):
        if number >= len(sizes) and out.runs:
            break
        draw = drawer.draw(width, height, number % 3, number)
        if draw is None:
            continue
        args = drawer.arguments(draw, number)
        hidden = _variables(function)
        if not all(_set_variable(library, n, args) for n in hidden):
            out.notes.append(f"not compared: {', '.join(hidden)} cannot be set from outside")
            return
        device = Emulator()
        problem = _difference(emitted, function, original, args, device)
        out.runs += 1
        out.launched += bool(device.launches)
        out.kernels += len(device.launches)
        if problem is not None:
            out.problem = f"{width}x{height}: {problem}"
            return
    if not out.runs and not any(n.startswith("not compared") for n in out.notes):
        out.problem = "no arguments meet its contract"


def _variables(function: Function) -> list[str]:
    """The variables of the file that a function reads, which are parameters of the summary."""
    if function.interface is None:
        return []
    return [p.param for a in function.interface.arguments if a.passing == "static" for p in a.parts]


def _set_variable(library: Path, name: str, args: Arguments) -> bool:
    """Gives a variable of the original's the value that was drawn; whether it can be seen."""
    try:
        place = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(str(library)), name))
    except ValueError:
        return False
    if name not in args.blocks:
        return False
    contents = args.blocks[name].snapshot()
    ctypes.memmove(place, contents, len(contents))
    return True


def _difference(emitted, function, original, args: Arguments, device: Emulator) -> str | None:
    before = args.snapshot()
    expected = original(*args.values(function))
    after = args.snapshot()
    args.restore(before)
    with device_runtime(device):
        got = run(emitted, function, args, hc.Target(TARGET))
        for images, *_ in emitted.built.values():
            for i in images.values():
                i.reset()
        emitted.built.clear()
        gc.collect()
        if left(device) > emitted.tables:
            return f"{device.left()} allocations are left"
    return difference(expected, got, after, args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=EVERY)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-f", "--function", action="append", dest="names")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    some = chosen(options.every, options.first)
    if options.names:
        some = [e for e in entries() if e.name in options.names]
    found = []
    for o in outcomes(some):
        found.append(o)
        print(f"{o.file}: {o.name}: {o.state}; {'; '.join(o.notes)} [{o.kernels} kernels, {o.runs} calls]", flush=True)
        if o.problem:
            print("  " + o.problem.strip().replace("\n", "\n  "), flush=True)
    counts = Counter(o.state for o in found)
    scheduled = sum(o.is_scheduled for o in found)
    print(f"{len(found)} functions: {scheduled} have stages on the device; {dict(counts)}")
    if options.markdown:
        Path(options.markdown).write_text(table(found))
    sys.exit(any(o.problem for o in found))


def table(found: Sequence[Outcome]) -> str:
    """What became of each, as Markdown."""
    lines = ["| function | file | result | kernels | report |", "|---|---|---|--:|---|"]
    lines += [
        f"| `{o.name}` | {o.file} | {o.state} | {o.kernels} | {'; '.join(o.notes).replace('|', chr(92) + '|')} |"
        for o in found
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
