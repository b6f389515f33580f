"""One file of functions written to break the tool: each is lifted, and what is written for it run beside the original.

The drop-in runs on calls that meet the contract, on calls that miss it and on overlapping memory; the emitted module
under the package `halide` and under `halide_core`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codegen.original import compile_original
from lifter.api import lift_file
from lifter.harness.compare import compare
from synth.options import Options
from tests.codegen.running import PACKAGES, Prepared, outcome

TESTS = Path(__file__).parent.parent
WRAPS = ("-fwrapv",)
"""Arithmetic on data wraps in the proof."""

_DEFINED = re.compile(
    r"^(?=\w)(?!static|struct|template|typedef|namespace|constexpr)[\w:<>* ]+?\b(\w+)\([^;]*\{", re.MULTILINE
)


@dataclass(slots=True)
class Trial:
    """How a function fared."""

    status: str
    reason: str
    calls: int = 0
    """Of the drop-in, beside the original."""
    sets: dict[str, int] = field(default_factory=dict)
    """Sets of inputs on which the emitted module was right, by package."""
    problems: list[str] = field(default_factory=list)


_FOLDERS = ("adversarial", "codegen/*", "frontend/programs")
_LEFT_OUT = {"headers.c", "target.c", "predefined.c", "gain.c"}
"""About what is read, not about what is computed."""


def sources() -> list[Path]:
    """The files of functions written to break the tool."""
    found = [f for folder in _FOLDERS for end in ("c", "cpp") for f in TESTS.glob(f"{folder}/*.{end}")]
    return sorted(f for f in found if f.name not in _LEFT_OUT)


def label(source: Path, name: str) -> str:
    """What a function is called among all of them."""
    return f"{source.relative_to(TESTS)}:{name}"


def flags_of(source: Path) -> list[str]:
    """The flags that a file's first line asks for."""
    found = re.match(r"(?://|/\*) flags: ([^*\n]*)", source.read_text())
    return found[1].split() if found else []


def names_of(source: Path) -> list[str]:
    """The functions that a file defines for others, each on a line of its own."""
    lines = _DEFINED.findall(source.read_text())
    return [n for n in lines if n not in ("for", "if", "while", "switch")]


def tried(source: Path, folder: Path, names: Sequence[str], sets: int, timeout: float = 60.0) -> dict[str, Trial]:
    """Lifts functions of a file and compares them."""
    flags = flags_of(source)
    report = lift_file(
        str(source), functions=names, out=str(folder), emit=("dsl", "shared"), clang_args=flags,
        options=Options(timeout=timeout),
    )
    original = compile_original(source, flags, folder / "original.so", WRAPS)
    prepared = Prepared(folder, original, {f.name: f for f in report.functions})
    found = {}
    for f in report.functions:
        trial = found[f.name] = Trial(f.status, f.reason)
        if f.status in ("disagreed", "error", "crashed"):
            trial.problems.append(f"{f.status}: {f.reason}")
        if f.status != "verified" or f.lifted is None or f.lifted.summary is None:
            continue
        library, spare = Path(f.outputs["shared"]), False
        done = compare(f.lifted.summary, original, library)
        if any(p.startswith("ended during the call") for p in done.problems):
            # The original may copy whole structures, whose other fields are nobody's.
            spare = True
            done = compare(f.lifted.summary, original, library, spare=True)
        trial.calls = done.met + done.missed + done.overlapping
        trial.problems += [f"drop-in: {p}" for p in done.problems]
        for package in PACKAGES if f.lifted.function.interface is None else ():
            if package == "halide" and f.halide_differs:
                continue
            under = outcome(prepared, f.name, package, sets, spare)
            trial.sets[package] = under.compared
            trial.problems += [f"{package}: {p}" for p in under.problems]
    return found
