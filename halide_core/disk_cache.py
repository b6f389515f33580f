"""Compiled code kept on disk, so that a later process need not compile a pipeline again.

HL_JIT_CACHE_DIR names the folder, and turns the cache off when it is empty; otherwise it is
$XDG_CACHE_HOME/halide_core or ~/.cache/halide_core.  Entries hold machine code, which is run: a folder or an entry that
belongs to another user, or that others may write, is not used.  What stands beside the code is text that is only parsed
(`plain.py`)."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite

from halide_core import plain
from halide_core.cache_folder import cache_folder, own_content, prune
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
    """The folder of the cache; None where there is none."""
    found = cache_folder(FOLDER, "halide_core")
    if found.is_named:
        raise HalideError(found.problem)
    if found.path is None and found.problem:
        _say_once(f"Compiled code is not kept: {found.problem}")
    return found.path


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
    content = None if path is None else own_content(path)
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
        prune(path.parent, LIMIT_BYTES)
    except OSError as error:
        warnings.warn(f"Compiled code is not kept: {error}; {FOLDER} names another folder", stacklevel=2)

