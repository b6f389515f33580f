"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".lift-unfinished-"
"""How the names begin of files that are still being written."""
_OF_TEMPORARY = 0o600


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file to write, which takes the name `path` at the end; nothing is left of it where that fails.

    Raises OSError."""
    try:
        handle, name = tempfile.mkstemp(path.suffix, UNFINISHED, path.parent)
    except OSError as problem:
        raise _of(path, problem) from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        with open(beside, "rb") as f:
            os.fsync(f.fileno())  # a full disk says so at the latest here
        if beside.stat().st_mode & 0o777 == _OF_TEMPORARY:  # else what wrote it has said what it is to be
            beside.chmod(0o666 & ~_mask())
        os.replace(beside, path)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise _of(path, problem) from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _of(path: Path, problem: OSError) -> OSError:
    """The problem as one of the file that is wanted."""
    return OSError(problem.errno, problem.strerror, str(path))


def write_whole(path: Path, text: str) -> None:
    """Raises OSError."""
    with whole(path) as beside:
        beside.write_text(text)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
