"""Standard output, which may be a full disk, or have been closed."""

from __future__ import annotations

import os
import sys

from lifter.support.errors import LiftError


class CannotPrint(LiftError):
    """Standard output takes nothing more."""


def write_line(text: str) -> None:
    """Writes a line at once.  Raises CannotPrint, and BrokenPipeError where the reader has gone."""
    if sys.stdout is None:
        raise CannotPrint("standard output is closed")
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up()
        raise
    except OSError as problem:
        _give_up()
        raise CannotPrint(f"cannot write to standard output: {problem.strerror}") from None


def _give_up() -> None:
    """What is left in the buffer would be written, and fail, once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
