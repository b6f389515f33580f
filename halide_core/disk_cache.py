"""Compiled code kept on disk, so that a later process need not compile a pipeline again.

HL_JIT_CACHE_DIR names the folder, and turns the cache off when it is empty; otherwise it is
$XDG_CACHE_HOME/halide_core or ~/.cache/halide_core.  Entries hold machine code, which is run: a folder or an entry that
belongs to another user, or that others may write, is not used.  What stands beside the code is text that is only parsed
(`plain.py`)."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite

from halide_core import plain
from halide_core.errors import HalideError

FOLDER = "HL_JIT_CACHE_DIR"
# The oldest entries go when there is more than this.
LIMIT_BYTES = 256 << 20
_DIGEST_BYTES = 32
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@cache
def _compiler() -> str:
    """What tells this compiler from others: its own source and LLVM's version."""
    root = Path(__file__).parent
    content = hashlib.sha256(f"{llvmlite.__version__} {sys.version}".encode())
    for path in sorted(root.rglob("*.py")):
        content.update(path.read_bytes())
    return content.hexdigest()


def _folder() -> Path | None:
    """The folder of the cache, made when it is missing; None where there is none."""
    given = os.environ.get(FOLDER)
    if given == "":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(given) if given else Path(base) / "halide_core"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        found = None
    usable = found is not None and stat.S_ISDIR(found.st_mode) and os.access(folder, os.R_OK | os.W_OK)
    if not usable or found is None or found.st_uid != os.getuid():
        if given:
            text = f"{FOLDER} is {given}: not a folder that you own and can write; correct it, or make it empty"
            raise HalideError(text)
        return None
    if found.st_mode & _OTHERS:
        _say_once(f"Compiled code is not kept: others may write to {folder}; run: chmod go-w {folder}")
        return None
    return folder


@cache
def _say_once(text: str) -> None:
    warnings.warn(text, stacklevel=4)


def _path(digest: str) -> Path | None:
    folder = _folder()
    if folder is None:
        return None
    return folder / hashlib.sha256(f"{_compiler()} {digest}".encode()).hexdigest()


def load(digest: str) -> Any:
    """What was stored under `digest` by this compiler, or None."""
    path = _path(digest)
    content = None if path is None else _own_content(path)
    if path is None or content is None:
        return None
    check, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != check:
        path.unlink(missing_ok=True)
        return None
    try:
        record = plain.decoded(body)
    except plain.NotPlain:  # not what this version writes
        path.unlink(missing_ok=True)
        return None
    os.utime(path)
    return record


def _own_content(path: Path) -> bytes | None:
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


def store(digest: str, record: Any) -> None:
    """Keeps `record` under `digest`; processes that store at once do not disturb each other."""
    path = _path(digest)
    if path is None:
        return
    try:
        body = plain.encoded(record)
    except plain.NotPlain as kind:
        _say_once(f"Compiled code is not kept: its interface has a {kind}")
        return
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="new-", delete=False) as out:
            out.write(hashlib.sha256(body).digest() + body)
        os.replace(out.name, path)
        _prune(path.parent)
    except OSError as error:
        warnings.warn(f"Compiled code is not kept: {error}; {FOLDER} names another folder", stacklevel=2)


def _prune(folder: Path) -> None:
    entries: list[tuple[float, int, Path]] = []
    for path in folder.iterdir():
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        entries.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= LIMIT_BYTES:
            break
        path.unlink(missing_ok=True)
        total -= size
