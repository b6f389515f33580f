"""What a run prints for people: the summary in the paper's notation, the contract, the times, the outputs."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from lifter.support.shown import shown

if TYPE_CHECKING:
    from lifter.running.results import FileReport, FunctionReport

_COLOURS = {
    "verified": "green", "unsupported": "yellow", "not_found": "yellow", "timeout": "yellow", "error": "red",
    "disagreed": "red", "crashed": "red",
}
_STAGES = (("roi", "region"), ("terms", "terminals"), ("expression", "expression"), ("proof", "proof"))


def print_file_report(console: Console, report: FileReport, quiet: bool = False) -> None:
    """Every function of a file, then a line of counts."""
    if report.text.startswith("libclang"):
        text = f"{report.file}: read as {report.text} preprocesses it; what a compiler makes of it may differ"
        console.print(text, markup=False)
    for f in (*report.functions, *report.loops):
        if not quiet or not f.verified:
            print_function_report(console, report.file, f)
    if report.status:
        console.print(f"{report.file}: {report.status}: {report.reason}", markup=False)
    if not report.functions:
        if report.status:
            return
        text = "it defines no function that is visible outside it; name a static one with -f"
        if report.missing:
            text = f"it defines none of {', '.join(report.missing)}"
        console.print(f"{report.file}: nothing to lift: {text}", markup=False)
        return
    for path in dict.fromkeys(f.outputs["shared"] for f in report.functions if "shared" in f.outputs):
        folder, name = os.path.split(path)
        found = folder if os.path.isabs(folder) else f"$PWD/{folder}"
        console.print(f"link with: -L{folder or '.'} -l:{name} -Wl,-rpath,{found}", markup=False)
    console.print(f"{report.file}: {_counted(report.functions, 'function')}", markup=False)
    if report.loops:
        console.print(f"{report.file}: {_counted(report.loops, 'loop')}, of functions that are not", markup=False)
    if report.outlined:
        console.print(f"{report.file}: loops that are verified are functions of {report.outlined}", markup=False)


def _counted(reports: Sequence[FunctionReport], what: str) -> str:
    counts = Counter(f.status for f in reports)
    total = len(reports)
    return f"{total} {what}{'s' if total != 1 else ''}: " + ", ".join(f"{n} {s}" for s, n in counts.items())


def text_of_file(report: FileReport) -> str:
    """What is printed of a file, without colours."""
    return _text(lambda console: print_file_report(console, report))


def text_of_function(f: FunctionReport) -> str:
    """What is printed of a function, without colours."""
    return _text(lambda console: print_function_report(console, f.definition.file if f.definition else "", f))


def _text(print_on: Callable[[Console], None]) -> str:
    with io.StringIO() as out:
        print_on(
            Console(file=out, highlight=False, emoji=False, soft_wrap=True, force_terminal=False, no_color=True)
        )
        return out.getvalue().rstrip()


def print_function_report(console: Console, file: str, f: FunctionReport) -> None:
    """One function."""
    head = Text(f"{shown(file)}:{f.line}:{f.column}: ")
    head.append(f.status, style=_COLOURS[f.status])
    head.append(": ")
    head.append(f.name, style="bold")
    if f.part_of:
        head.append(f", a loop of {f.part_of}")
    if not f.verified:
        head.append(f": {f.reason}")
    console.print(head)
    for s in f.stages if f.verified else []:
        console.print(f"  roi   = {s.roi}", markup=False)
        console.print(f"  terms = [{', '.join(s.terms)}]", markup=False)
        console.print(f"  {s.left} = {s.expression}", markup=False)
        console.print(f"    only where {s.where}\n" if s.where else "", markup=False)
    for returned in f.returned if f.verified else []:
        console.print(f"  returns {returned}", markup=False)
    if f.verified:
        console.print("  contract:" + ("" if f.contract else " none"), markup=False)
        for item in f.contract:
            note = "  (not stated in the source)" if item in f.inferred and "overlap" not in item else ""
            console.print(f"    {item}{note}", markup=False)
    if f.run is not None and f.verified:
        console.print(f"  {f.run.words()}", markup=False)
    if words := f.rewritings.words():
        console.print(f"  {words}", markup=False)
    for note in f.notes:
        console.print(f"  note: {note}", markup=False)
    if f.stage_seconds:
        times = [f"{label} {f.stage_seconds.get(key, 0.0):.2f} s" for key, label in _STAGES]
        console.print(f"  time: {', '.join(times)}, in all {f.seconds:.2f} s", markup=False)
    for kind, path in f.outputs.items():
        console.print(f"  {kind}: {path}", markup=False)
    console.print("")
