"""What is written for a file's functions, once each of them has had its second opinion."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from codegen.differs import differences
from codegen.emit import emit_file
from codegen.errors import EmitError
from codegen.original import run_tool, system_compiler
from lifter.support.errors import LiftError
from lifter.support.files import whole
from lifter.toolchain.command import Command

if TYPE_CHECKING:
    from lifter.running.results import FunctionReport

OF_ALL = frozenset({"shared", "object"})
"""Kinds of output that are made of all functions of a file together."""

Judge = Callable[["FunctionReport", Path | None, bool], None]
"""Runs a function beside its original: its compiled library, where there is one, and whether that is a drop-in."""


class OutputError(LiftError):
    """What was asked for cannot be written; the text says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where the outputs of a file go, and which."""

    source: str
    directory: Path
    kinds: Sequence[str]
    target: str
    clang_args: Sequence[str] | Command
    autoscheduler: str
    _names: dict[tuple[str, int], str] = field(default_factory=dict)
    """Of files, without their endings, by the function's key."""

    @property
    def judged_compiled(self) -> bool:
        """Whether the second opinion is on the compiled code that is asked for."""
        return _runs_here(self.target) and self.of_all

    @property
    def of_all(self) -> bool:
        """Whether the functions of a file are compiled together, once all of them are lifted."""
        return bool(OF_ALL & set(self.kinds))

    def write(self, reports: list[FunctionReport], judge: Judge | None) -> None:
        """Writes the outputs of functions.

        Compiled code is built elsewhere first, and `judge` runs it: only what agrees with its original gets to the
        output folder, and a drop-in is built again without what does not.  A function that makes a code generator fail
        gets the status `error` and stops no other.  Raises OutputError."""
        compiled = next((k for k in ("shared", "object") if k in self.kinds), "")
        kinds = list(self.kinds)
        if judge is not None and compiled and _runs_here(self.target):
            with tempfile.TemporaryDirectory(prefix="lift-") as name:
                reports = self._judged(reports, judge, compiled, Path(name))
                self._move(reports, compiled)
            kinds.remove(compiled)
        self._write(reports, self.directory, kinds)
        for r in reports:
            ordered = {k: r.outputs[k] for k in self.kinds if k in r.outputs}
            r.outputs.clear()
            r.outputs.update(ordered)

    def _judged(self, reports: list[FunctionReport], judge: Judge, kind: str, folder: Path) -> list[FunctionReport]:
        built = self._write(reports, folder, [kind])
        for r in built:
            if kind not in r.outputs:
                judge(r, None, False)
                continue
            library = Path(r.outputs[kind])
            judge(r, library if kind == "shared" else _linked(library), kind == "shared")
        agreed = [r for r in built if r.status not in ("disagreed", "error")]
        if len(agreed) < len(built):
            for r in built:
                r.outputs.clear()
            self._write(agreed, folder, [kind])
        return agreed

    def _move(self, reports: Sequence[FunctionReport], kind: str) -> None:
        reports = [r for r in reports if kind in r.outputs]
        for built in dict.fromkeys(r.outputs[kind] for r in reports):
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
                with whole(self.directory / Path(built).name) as beside:
                    shutil.copy(built, beside)
            except OSError as problem:
                raise OutputError(f"cannot write {self.directory}: {problem.strerror}") from None
        for r in reports:
            r.outputs[kind] = str(self.directory / Path(r.outputs[kind]).name)

    def _name(self, report: FunctionReport) -> str:
        """The function's own, numbered where overloads share one."""
        if report.key not in self._names:
            numbered = (f"{report.name}_{n}" for n in itertools.count(2))
            taken = set(self._names.values())
            self._names[report.key] = next(n for n in itertools.chain([report.name], numbered) if n not in taken)
        return self._names[report.key]

    def _write(self, reports: list[FunctionReport], directory: Path, kinds: Sequence[str]) -> list[FunctionReport]:
        """Writes some kinds; the functions for which that was done."""

        def write(some: Sequence[FunctionReport]) -> None:
            lifted = [r.lifted for r in some if r.lifted is not None]
            names = [self._name(r) for r in some]
            outputs = [r.outputs for r in some]
            for r in some:
                if r.lifted is not None and r.lifted.summary is not None:
                    r.halide_differs = differences(r.lifted.summary)
            emit_file(
                self.source, lifted, names, directory, kinds, self.target, self.clang_args, outputs,
                [r.notes for r in some], self.autoscheduler,
            )

        if not reports:
            return []
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise OutputError(f"cannot make the folder {directory}: {problem.strerror}") from None
        try:
            write(reports)
            return reports
        except EmitError as problem:
            raise OutputError(str(problem)) from None
        except Exception:  # a defect of a code generator
            if os.environ.get("LIFT_DEBUG"):
                raise
        good = []
        for r in reports:
            try:
                write([r])
                good.append(r)
            except Exception as problem:
                r.outputs.clear()
                r.status, r.reason = "error", f"internal error while writing it: {type(problem).__name__}: {problem}"
        if good:
            write(good)
        return good


def _runs_here(target: str) -> bool:
    """Whether code for a target runs on this machine: what it has for a device runs only where there is one."""
    first, *features = target.split("-")
    return first == "host" and all(f.startswith("cuda") for f in features)


def _linked(path: Path) -> Path:
    """An object file as a library that can be loaded.  Raises OutputError."""
    library = path.with_suffix(".so")
    try:
        options = ["-shared", "-Wl,-z,nodelete", "-lpthread", "-lm", "-ldl"]
        run_tool([system_compiler(), "-o", str(library), str(path), *options])
    except EmitError as problem:
        raise OutputError(str(problem)) from None
    return library
