"""A folder of the user's own for what may be made again: nobody else may put anything into it.

A variable of the environment names it, and turns the cache off when it is empty; otherwise it lies in $XDG_CACHE_HOME,
or ~/.cache.  A folder or a file that belongs to another user, or that others may write, is not used."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class CacheFolder:
    """Where a cache is, or why there is none: path is None, and then problem says it, unless it is turned off."""

    path: Path | None
    problem: str = ""
    is_named: bool = False
    """Whether the user has named it, and is to be told."""


def cache_folder(variable: str, name: str) -> CacheFolder:
    """The folder that `variable` names, else `name` in the user's folder for caches; it is made when it is missing."""
    given = os.environ.get(variable)
    if given == "":
        return CacheFolder(None)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(given) if given else Path(base) / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        found = None
    usable = found is not None and stat.S_ISDIR(found.st_mode) and os.access(folder, os.R_OK | os.W_OK)
    if not usable or found is None or found.st_uid != os.getuid():
        text = f"{variable} is {given}: not a folder that you own and can write; correct it, or make it empty"
        return CacheFolder(None, text, True) if given else CacheFolder(None)
    if found.st_mode & _OTHERS:
        return CacheFolder(None, f"others may write to {folder}; run: chmod go-w {folder}")
    return CacheFolder(folder)


def own_content(path: Path) -> bytes | None:
    """What is in a file that is this user's and that nobody else may write; None for any other, and for none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with open(file, "rb") as f:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            return None
        return f.read()


def prune(folder: Path, limit: int) -> None:
    """Deletes what was not used for the longest time, until no more than `limit` bytes are left."""
    entries: list[tuple[float, int, Path]] = []
    for path in folder.iterdir():
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        entries.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= limit:
            break
        path.unlink(missing_ok=True)
        total -= size
