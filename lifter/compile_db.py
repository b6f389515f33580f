"""Flags of a file out of `compile_commands.json` (clang's JSON compilation database)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

_WITH_PATH = ("-I", "-isystem", "-iquote", "-idirafter", "-include")
_WITH_VALUE = ("-D", "-U", "-x")
_ALONE = (
    "-std=", "-m32", "-m64", "-march=", "-msse", "-mssse", "-mavx", "-mfma", "-mf16c", "-funsigned-char",
    "-fsigned-char", "-fwrapv", "-fshort-enums",
)


class DatabaseError(Exception):
    """No usable database, or none of its entries is for the file; the text says which and what to do."""


def flags_for(build: str, source: str) -> list[str]:
    """What the database in the folder `build` passes for `source` and the front end needs: macros, include folders,
    the language and its variants.  Relative folders become absolute.  Raises DatabaseError."""
    path = Path(build)
    if path.is_dir():
        path /= "compile_commands.json"
    try:
        entries = json.loads(path.read_text())
    except OSError as problem:
        raise DatabaseError(f"cannot read '{path}': {problem.strerror}; name the build folder with -p") from None
    except ValueError as problem:
        raise DatabaseError(f"'{path}' is not JSON: {problem}") from None
    wanted = Path(source).resolve()
    for entry in entries if isinstance(entries, list) else []:
        folder = Path(entry.get("directory", "."))
        if (folder / entry.get("file", "")).resolve() == wanted:
            return _needed(_arguments(entry)[1:], folder)
    raise DatabaseError(f"'{path}' has no entry for '{source}'; leave -p out and give its flags after `--`")


def _arguments(entry: dict[str, Any]) -> list[str]:
    return list(entry["arguments"]) if "arguments" in entry else shlex.split(entry.get("command", ""))


def _needed(arguments: list[str], folder: Path) -> list[str]:
    out: list[str] = []
    rest = iter(arguments)
    for a in rest:
        option = next((o for o in (*_WITH_PATH, *_WITH_VALUE) if a.startswith(o)), None)
        if option is None:
            out += [a] if a.startswith(_ALONE) else []
            continue
        value = a[len(option) :] or next(rest, "")
        out += [option, str(folder / value) if option in _WITH_PATH else value]
    return out
