"""A source text from a pipe: standard input, which compilers take by the name `-`, or one that has a name."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lifter.api import SourceError, UsageError
from lifter.commands.file_task import Request
from lifter.toolchain import flags
from lifter.toolchain.command import Command


def is_pipe(path: str) -> bool:
    """Whether a path is `-`, or names a pipe, as `<(command)` of a shell does."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def name_of(path: str) -> str:
    """What people know a pipe by."""
    return "<stdin>" if path == "-" else path


@contextmanager
def from_pipe(request: Request) -> Iterator[Request]:
    """The request for a file that has the text of the pipe that is asked for; it is C++, unless `-x c` says otherwise.

    Raises UsageError, and SourceError with the pipe's name for the file's."""
    name = name_of(request.path)
    if isinstance(request.given, Command):
        raise UsageError(f"no build has a command for {name}; leave -p out and give flags after `--`")
    suffix = ".c" if flags.language(request.given) == "c" else ".cpp"
    with tempfile.TemporaryDirectory(prefix="lift-") as folder:
        path = Path(folder) / f"stdin{suffix}"
        path.write_bytes(_contents(request.path))
        try:
            # What it includes is looked for where `lift` was called.
            yield replace(request, path=str(path), given=(*request.given, "-iquote", os.getcwd()))
        except SourceError as problem:
            raise _renamed(problem, str(path), name) from None


def _contents(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        raise SourceError(path, 0, 0, f"cannot be read: {problem.strerror}") from None


def _renamed(problem: SourceError, path: str, name: str) -> SourceError:
    file = name if problem.file == path else problem.file
    more = tuple(_renamed(m, path, name) for m in problem.more)
    return SourceError(file, problem.line, problem.column, problem.message, more)
