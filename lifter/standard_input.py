"""A source text from standard input, as compilers take it by the name `-`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lifter.api import SourceError, UsageError
from lifter.file_task import Request
from lifter.toolchain import flags
from lifter.toolchain.command import Command

NAME = "<stdin>"


@contextmanager
def from_input(request: Request) -> Iterator[Request]:
    """The request for a file that has the text; it is C++, unless `-x c` says otherwise.

    Raises UsageError, and SourceError with `<stdin>` for the file's name."""
    if isinstance(request.given, Command):
        raise UsageError("no build has a command for standard input; leave -p out and give flags after `--`")
    suffix = ".c" if flags.language(request.given) == "c" else ".cpp"
    with tempfile.TemporaryDirectory(prefix="lift-") as folder:
        path = Path(folder) / f"stdin{suffix}"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            # What it includes is looked for where `lift` was called.
            yield replace(request, path=str(path), given=(*request.given, "-iquote", os.getcwd()))
        except SourceError as problem:
            raise _renamed(problem, str(path)) from None


def _renamed(problem: SourceError, path: str) -> SourceError:
    file = NAME if problem.file == path else problem.file
    more = tuple(_renamed(m, path) for m in problem.more)
    return SourceError(file, problem.line, problem.column, problem.message, more)
