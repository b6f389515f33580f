"""What a batch lifts: which files, by which commands, and where their outputs go."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pathspec

from lifter.api import UsageError
from lifter.frontend import Definition
from lifter.toolchain.command import SUFFIXES, Command, command_for
from lifter.toolchain.database import DatabaseError, commands

Spec = pathspec.GitIgnoreSpec
DATABASE = "compile_commands.json"


@dataclass(frozen=True, slots=True)
class Job:
    """One file of a code base, compiled in one way."""

    command: Command
    name: str
    """The file's path below the root of the source tree, with the number of its command where it has several."""
    out: str
    """The folder of its outputs."""

    @property
    def path(self) -> str:
        return self.command.path


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is to be lifted."""

    root: str
    jobs: tuple[Job, ...]
    remarks: tuple[str, ...] = ()
    """What people should know of it."""


@dataclass(frozen=True, slots=True)
class NameLike:
    """Whether a function's qualified name has a match of a regular expression in it."""

    pattern: str

    def __call__(self, definition: Definition) -> bool:
        return re.search(self.pattern, definition.signature.partition("(")[0]) is not None


def plan(root: str, out: str, flags: Sequence[str], include: Sequence[str], exclude: Sequence[str]) -> Plan:
    """The files under the folder `root`, by its compilation database where it has one, or those of the database
    `root`; of these the ones that a pattern of `include` matches, if there is any, and none of `exclude`.

    Patterns are those of gitignore.  Raises UsageError."""
    given = Path(root)
    database = given / DATABASE if given.is_dir() else given
    if given.is_dir() and not database.is_file():
        remarks: list[str] = []
        found = [command_for(str(f), flags) for f in _sources(given)]
        top = given
    elif database.is_file():
        found, remarks = _of_database(database, flags)
        top = _top([c.path for c in found])
    else:
        what = "is neither a folder nor a file" if given.exists() else "is not there"
        raise UsageError(f"'{root}' {what}; name a folder or a {DATABASE}")
    jobs = tuple(_jobs(found, top, Path(out), _chosen(include, exclude)))
    if not jobs:
        which = " that --include and --exclude leave" if include or exclude else ""
        raise UsageError(f"'{root}' holds no C or C++ file{which}; name a folder or a {DATABASE}")
    _check_apart(jobs)
    return Plan(root, jobs, tuple(remarks))


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(d for d in folders if not d.startswith("."))
        yield from (Path(folder, f) for f in sorted(files) if os.path.splitext(f)[1] in SUFFIXES)


def _of_database(database: Path, flags: Sequence[str]) -> tuple[list[Command], list[str]]:
    try:
        stated = [c for c in commands(str(database)) if os.path.splitext(c.path)[1] in SUFFIXES or c.language == "c"]
    except DatabaseError as problem:
        raise UsageError(str(problem)) from None
    found = list(dict.fromkeys(stated))
    several = [path for path, n in Counter(os.path.realpath(c.path) for c in found).items() if n > 1]
    remarks = [f"{len(stated) - len(found)} entries of {database} are there twice"] if len(found) < len(stated) else []
    if several:
        remarks.append(f"{_files(len(several))} compiled in several ways: each is a program of its own, with a number")
    return [c.and_flags(flags) for c in found], remarks


def _files(n: int) -> str:
    return "1 file is" if n == 1 else f"{n} files are"


def _top(paths: Sequence[str]) -> Path:
    """The folder that all files lie in."""
    return Path(os.path.commonpath([os.path.dirname(os.path.abspath(p)) for p in paths])) if paths else Path()


def _chosen(include: Sequence[str], exclude: Sequence[str]) -> tuple[Spec | None, Spec | None]:
    try:
        return _spec(include), _spec(exclude)
    except ValueError as problem:
        raise UsageError(f"a pattern of --include or --exclude is none: {problem}") from None


def _spec(lines: Sequence[str]) -> Spec | None:
    return pathspec.GitIgnoreSpec.from_lines(lines) if lines else None


def _jobs(
    found: Sequence[Command], top: Path, out: Path, chosen: tuple[Spec | None, Spec | None]
) -> Iterator[Job]:
    include, exclude = chosen
    numbers: dict[str, int] = {}
    for command in sorted(found, key=lambda c: c.path):
        name = os.path.relpath(command.path, top)
        if (include is not None and not include.match_file(name)) or (exclude is not None and exclude.match_file(name)):
            continue
        number = numbers[name] = numbers.get(name, 0) + 1
        numbered = name if number == 1 else f"{name}-{number}"
        yield Job(command, numbered, str(out / numbered))


def _check_apart(jobs: Sequence[Job]) -> None:
    """No file's outputs go where another's go, or below them."""
    taken: dict[str, Job] = {}
    for job in jobs:
        folder = os.path.normpath(job.out)
        other = taken.setdefault(folder, job)
        if other is not job:
            raise UsageError(f"the outputs of {job.path} and of {other.path} would go to one folder, {job.out}")
    for job in jobs:
        for above in Path(os.path.normpath(job.out)).parents:
            if str(above) in taken:
                raise UsageError(f"the outputs of {job.path} would go into those of {taken[str(above)].path}, {above}")
