"""Compiled code kept on disk, so that a later process need not compile a pipeline again.

HL_JIT_CACHE_DIR names the folder, and turns the cache off when it is empty; otherwise it is
$XDG_CACHE_HOME/halide_core or ~/.cache/halide_core. Entries hold pickled records next to machine code, so a folder that
belongs to another user is not read."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite

from halide_core.deep_stack import on_deep_stack
from halide_core.errors import HalideError

FOLDER = "HL_JIT_CACHE_DIR"
# The oldest entries go when there is more than this.
LIMIT_BYTES = 256 << 20
_DIGEST_BYTES = 32


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
        usable = folder.stat().st_uid == os.getuid() and os.access(folder, os.R_OK | os.W_OK)
    except OSError:
        usable = False
    if not usable and given:
        raise HalideError(f"{FOLDER} is {given}: not a folder that you own and can write; correct it, or make it empty")
    return folder if usable else None


def _path(digest: str) -> Path | None:
    folder = _folder()
    if folder is None:
        return None
    return folder / hashlib.sha256(f"{_compiler()} {digest}".encode()).hexdigest()


def load(digest: str) -> Any:
    """What was stored under `digest` by this compiler, or None."""
    path = _path(digest)
    if path is None or not path.is_file():
        return None
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None  # another process has just removed it
    check, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != check:
        path.unlink(missing_ok=True)
        return None
    os.utime(path)
    return pickle.loads(body)


def store(digest: str, record: Any) -> None:
    """Keeps `record` under `digest`; processes that store at once do not disturb each other."""
    path = _path(digest)
    if path is None:
        return
    body = _pickled(record)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="new-", delete=False) as out:
            out.write(hashlib.sha256(body).digest() + body)
        os.replace(out.name, path)
        _prune(path.parent)
    except OSError as error:
        warnings.warn(f"Compiled code is not kept: {error}; {FOLDER} names another folder", stacklevel=2)


@on_deep_stack(lambda record: True)
def _pickled(record: Any) -> bytes:
    """Bounds may be expressions of many levels, and pickle goes down each."""
    return pickle.dumps(record, protocol=5)


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
