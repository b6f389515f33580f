"""`lift explain`: why a function was not lifted, where, and what came closest."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from codegen.notation import readable, stage_text
from lifter.algebra.polynomial import poly_text
from lifter.api import FileReport, FunctionReport, LiftError, SourceError, Step, lift_file
from lifter.commands.advice import advice
from lifter.commands.file_task import FileTask, Request
from lifter.frontend import Definition
from lifter.ir.summary import FuncSummary
from lifter.support.console import open_console
from lifter.support.limited import Tell
from lifter.support.stdout import write_line
from lifter.toolchain.database import command_in
from synth.lift import STAGES
from synth.options import Options
from synth.trace import Candidate, Failure

_STAGES = {
    "parse": "parsing: a construct that the loop language does not have",
    "roi": "region of interest: which elements are written, as a box",
    "terms": "terminals: what is read, as coordinates of images",
    "expression": "expression: one formula for the whole region",
    "order": "order: which stores come before which reads",
    "monolithic": "the single search over the whole grammar",
    "verification": "verification: the summary was found, and is not proved",
    "": "not known: the search was cut off",
}
# Of the stores that compute different things, how many are shown.
_SHOWN = 3


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", metavar="FILE")
@click.option("-f", "--function", "name", required=True, metavar="NAME", help="The function to explain.")
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for the function.")
@click.option("--model", "models", multiple=True, metavar="PATH", help="Definitions of external functions, or folder.")
@click.option("-p", "build", metavar="BUILD_DIR", help="Take flags from BUILD_DIR/compile_commands.json.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def explain_command(
    file: str, name: str, timeout: float, models: tuple[str, ...], build: str | None, as_json: bool
) -> None:
    """Say why the function NAME of FILE is not lifted: the stage, the line, the closest candidate, what refutes it."""
    console = open_console(stderr=False)
    flags: list[str] = click.get_current_context().obj or []
    try:
        given = command_in(build, file).and_flags(flags) if build is not None else tuple(flags)
        request = Request(
            file, given, (name,), ".", (), models=models, options=Options(timeout=timeout), run=False,
        )
        report = FileTask(request, lift=_lift_and_explain).wait()
    except LiftError as problem:
        text = str(problem) if isinstance(problem, SourceError) else f"error: {problem}"
        open_console().print(text, markup=False)
        sys.exit(2)
    if report.status:
        open_console().print(f"{file}: {report.status}: {report.reason}", markup=False)
    for f in report.functions:
        found = f.explanation or explanation(f, file)
        if as_json:
            write_line(json.dumps(found))
        else:
            _print(console, found)
    sys.exit(2 if report.status else 0 if report.verified else 1)


def _lift_and_explain(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> None:
    """Lifts a file in this process; the search that an explanation speaks of does not leave it."""

    def listener(said: Step | FileReport | FunctionReport) -> None:
        if isinstance(said, FunctionReport):
            explained = said.plain()
            explained.explanation = explanation(said, request.path)
            tell(explained)
        elif isinstance(said, Step):
            tell(said)

    lift_file(
        request.path, functions=request.functions, emit=(), out=request.out, models=request.models,
        clang_args=request.given, options=request.options, run=False, selected=wanted, listener=listener,
    )


def explanation(f: FunctionReport, file: str) -> dict[str, Any]:
    """What is known of one function: status, stage, line with its text, reason, what was tried, the closest candidate,
    what refutes it, and what to do."""
    out: dict[str, Any] = {"name": f.name, "file": file, "line": f.line, "status": f.status, "reason": f.reason}
    lines = Path(file).read_text(errors="replace").splitlines()
    out["text"] = lines[f.line - 1].strip() if 0 < f.line <= len(lines) else ""
    if f.status == "verified":
        return out
    stage = "parse" if f.status == "unsupported" else f.lifted.stage if f.lifted is not None else ""
    out["stage"] = _STAGES.get(stage, stage)
    if f.status == "timeout":
        out["stage"] = STAGES.get(stage, _STAGES[""]) if f.lifted is not None else "reading the function"
    trace = f.lifted.trace if f.lifted is not None else None
    nearest = trace.closest() if trace is not None and trace.groupings else None
    found = advice(f.status, stage, f.reason, nearest is not None and any(x.example for x in nearest.failures))
    out |= {"advice": found.text, "kind": found.kind, "diff": list(found.diff)}
    if trace is not None and trace.groupings:
        out["tried"] = {
            "groupings of the stores": trace.groupings,
            "regions of interest": trace.regions,
            "candidates given up": len(trace.candidates),
        }
        if nearest is not None:
            out["closest"] = _candidate(nearest, lines)
    return out


def _candidate(c: Candidate, lines: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {"stage": _STAGES[c.stage].partition(":")[0], "reason": c.reason, "proved": c.proved}
    out["funcs"] = [text for f in c.funcs for text in _func(f, c.stage == "verification" or c.stage == "order")]
    out["refuted"] = [_failure(x, lines) for x in c.failures]
    if c.differing:
        different: dict[str, int] = {}
        for line, value in c.differing:
            different.setdefault(readable(value), line)
        shown = list(different.items())[:_SHOWN]
        out["stores"] = [f"line {line}: {text}" for text, line in shown]
        if len(different) > _SHOWN:
            out["stores"].append(f"and {len(different) - _SHOWN} more")
    return out


def _func(f: FuncSummary, with_values: bool) -> list[str]:
    box = ", ".join(f"{d.name} in [{poly_text(d.min)}, {poly_text(d.min + d.extent)})" for d in f.layout.dims)
    out = [f"{f.name} over {box or 'one element'}"]
    for d in f.definitions if with_values else ():
        s = stage_text(f, d)
        out.append(f"  {s.left} = {readable(d.value)}" + (f", only where {s.where}" if s.where else ""))
    return out


def _failure(x: Failure, lines: list[str]) -> dict[str, Any]:
    source = lines[x.line - 1].strip() if 0 < x.line <= len(lines) else ""
    return {"condition": x.text, "line": x.line, "text": source, "example": x.example, "undecided": x.undecided}


def _print(console: Console, e: dict[str, Any]) -> None:
    def say(label: str, text: str) -> None:
        console.print(f"  {label:<9} {text}", markup=False)

    console.print(f"{e['name']}  {e['file']}:{e['line']}  {e['status']}", markup=False)
    if e["status"] == "verified":
        say("", "there is nothing to explain: see `lift` for the summary")
        return
    say("stage", e["stage"])
    say("line", f"{e['line']}: {e['text']}")
    say("reason", e["reason"])
    if "tried" in e:
        say("tried", ", ".join(f"{n} {what}" for what, n in e["tried"].items()))
    closest = e.get("closest")
    if closest is not None:
        say("closest", f"given up at {closest['stage']}, {closest['proved']} conditions proved before")
        for text in closest["funcs"]:
            say("", text)
        for text in closest.get("stores", ()):
            say("", f"  {text}")
        for x in closest["refuted"][:_SHOWN]:
            _print_failure(say, x)
    say("next", f"{e['kind']}: {e['advice']}")
    for line in e["diff"]:
        say("", line)


def _print_failure(say: Any, x: dict[str, Any]) -> None:
    where = f" (line {x['line']}: {x['text']})" if x["text"] else ""
    say("undecided" if x["undecided"] else "refuted", x["condition"] + where)
    if x["undecided"]:
        say("", f"the solver said: {x['undecided']}")
    elif x["example"]:
        say("by", ", ".join(f"{name} = {value}" for name, value in x["example"].items()))
