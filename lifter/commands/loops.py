"""Loops of functions that cannot be lifted as a whole, lifted as functions of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lifter.frontend import SourceError
from lifter.outline import Fragment, Outline, outline
from lifter.running.output import OF_ALL
from lifter.running.results import VERIFIED, FileReport, FunctionReport, Step
from lifter.support.limited import Tell
from lifter.toolchain.command import Command

Listener = Callable[[Step | FileReport | FunctionReport], None]
Lift = Callable[[str, Command, Sequence[str], Sequence[str], Listener], object]
"""Lifts functions of a source, by their names, under its command, and emits kinds."""
OF_WHICH = ("unsupported", "not_found", "timeout", "crashed")
"""Statuses of functions whose loops are tried."""


def asked(functions: Sequence[FunctionReport]) -> list[FunctionReport]:
    """The functions of a file whose loops are to be lifted."""
    return [f for f in functions if f.status in OF_WHICH and f.definition is not None]


def lift_loops(
    path: str, given: Sequence[str] | Command, out: str, emit: Sequence[str], functions: Sequence[FunctionReport],
    done: Sequence[FunctionReport], tell: Tell, lift: Lift,
) -> None:
    """Lifts the outermost loops of the functions that are not lifted, and of a loop that is not the ones inside.  What
    is `done` is not lifted again.  Tells Steps and FunctionReports, and in a FileReport where the source is written in
    which the verified loops are functions."""
    failed = asked(functions)
    whole = Path(path)
    copy = Path(out) / f"{whole.stem}.outlined{whole.suffix}"
    copy.parent.mkdir(parents=True, exist_ok=True)
    tell(Step("reading"))
    try:
        names = {(f.definition.name, f.definition.line) for f in failed if f.definition is not None}
        made = outline(path, given, names, copy)
    except SourceError as problem:
        copy.unlink(missing_ok=True)
        for f in failed:
            tell(replace(f, notes=[*f.notes, f"its loops were not tried: {problem.message}"]))
        return
    kinds = tuple(k for k in emit if k not in OF_ALL) or ("dsl",)
    found = {f.name: f.status for f in done}
    waiting = made.tops
    while waiting:
        now = [f for f in waiting if not f.refused and f.name not in found]
        if now:
            found |= _lifted(made, now, kinds, tell, lift)
        waiting = [n for f in waiting if found.get(f.name) != VERIFIED for n in f.inner]
    _write(made, copy, found, tell)


def _lifted(
    made: Outline, fragments: Sequence[Fragment], kinds: tuple[str, ...], tell: Tell, lift: Lift
) -> dict[str, str]:
    """The statuses of loops by the names of their functions."""
    of = {f.name: f.function.spelling for f in fragments}
    found: dict[str, str] = {}

    def listener(said: Step | FileReport | FunctionReport) -> None:
        if isinstance(said, FunctionReport):
            said.part_of = of[said.name]
            found[said.name] = said.status
            tell(said.plain())
        elif isinstance(said, Step):
            tell(said)

    lift(made.path, made.command, list(of), kinds, listener)
    return found


def _write(made: Outline, copy: Path, found: dict[str, str], tell: Tell) -> None:
    """The source with calls of what is verified; a loop that disagreed keeps a function, for `lift replay`."""
    every = [f for top in made.tops for f in top.all() if not f.refused]
    taken = [f for f in every if found.get(f.name) == VERIFIED]
    if not taken:
        copy.unlink(missing_ok=True)
        return
    copy.write_bytes(made.with_calls(taken, [f for f in every if found.get(f.name) == "disagreed"]))
    tell(FileReport(made.source, outlined=str(copy)))
