"""Commands out of `compile_commands.json` (clang's JSON compilation database)."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lifter.support.errors import LiftError
from lifter.toolchain.command import Command, of_database


class DatabaseError(LiftError):
    """No usable database, or none of its entries is for the file; the text says which and what to do."""


def command_in(build: str, source: str) -> Command:
    """The command that the database in the folder `build` (or the file `build`) has for `source`.

    Raises DatabaseError."""
    path = _file(build)
    wanted = os.path.realpath(source)
    for command in commands(str(path)):
        if os.path.realpath(command.path) == wanted:
            return command
    raise DatabaseError(f"'{path}' has no entry for '{source}'; leave -p out and give its flags after `--`")


def commands(build: str) -> Iterator[Command]:
    """The command of each entry, in their order.  Raises DatabaseError."""
    path = _file(build)
    try:
        entries = json.loads(path.read_bytes())
    except OSError as problem:
        raise DatabaseError(f"cannot read '{path}': {problem.strerror}; name the build folder with -p") from None
    except (ValueError, RecursionError) as problem:
        raise DatabaseError(f"'{path}' is not JSON: {problem}") from None
    if not isinstance(entries, list):
        raise DatabaseError(f"'{path}' is no compilation database: it must be a list of objects with a \"file\" each")
    for number, entry in enumerate(entries, 1):
        wrong = _wrong(entry)
        if wrong:
            raise DatabaseError(f"entry {number} of '{path}' {wrong}; let your build write the database again")
        folder = os.path.abspath(os.path.join(path.parent, entry.get("directory", ".")))
        yield of_database(_arguments(entry), folder, entry["file"])


def _wrong(entry: object) -> str:
    """What makes an entry none, in words; "" where it is one."""
    if not isinstance(entry, dict):
        return "is no object"
    for name in ("file", "directory", "command"):
        if not isinstance(entry.get(name, ""), str):
            return f"has a \"{name}\" that is no string"
    if not entry.get("file"):
        return "names no \"file\""
    arguments = entry.get("arguments", [])
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        return "has \"arguments\" that are no list of strings"
    if any("\0" in text for text in (entry["file"], entry.get("directory", ""), entry.get("command", ""), *arguments)):
        return "has a zero byte in it"
    try:
        shlex.split(entry.get("command", ""))
    except ValueError as problem:
        return f"has a command that no shell reads: {problem}"
    return ""


def _file(build: str) -> Path:
    path = Path(build)
    return path / "compile_commands.json" if path.is_dir() else path


def _arguments(entry: dict[str, Any]) -> list[str]:
    return list(entry["arguments"]) if "arguments" in entry else shlex.split(entry.get("command", ""))
