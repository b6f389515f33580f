"""Folders of sources in which the definitions of called functions are looked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from clang.cindex import Cursor

from lifter.frontend.clang.models import functions_of
from lifter.frontend.clang.parsing import Parsed, SourceError, parse
from lifter.toolchain.command import Command

_PUNCTUATION = re.compile(r"[(){};]")
_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".C"}


class Unclear(Exception):
    """It cannot be said which definition of a function is meant; the text says why."""


class Sources:
    """The sources in folders, and in the folders inside them where they have no definition themselves.  A file is
    parsed when its text shows a definition of a function that is called."""

    def __init__(self, folders: Sequence[str], own: str, clang_args: Sequence[str] | Command) -> None:
        self._clang_args = clang_args
        given = [Path(folder) for folder in dict.fromkeys(folders)]
        self._levels = [
            [file for folder in given for file in sorted(folder.iterdir()) if _is_source(file, own)],
            [file for folder in given for file in _inside(folder) if _is_source(file, own)],
        ]
        self._texts: dict[Path, str] = {}
        self._parsed: dict[str, Parsed] = {}
        self._found: dict[str, Cursor | None] = {}

    def definition(self, target: Cursor) -> Cursor | None:
        """The definition of the function that `target` declares; None where no file has one.

        Raises Unclear where several have, or where one that may have cannot be parsed."""
        symbol = str(target.mangled_name)
        if symbol not in self._found:
            found = next((f for level in self._levels if (f := [*self._definitions(level, target, symbol)])), [])
            if len(found) > 1:
                places = " and ".join(c.location.file.name for c in found[:2])
                raise Unclear(f"which {places} both define")
            self._found[symbol] = found[0] if found else None
        return self._found[symbol]

    def parsed(self, file: str) -> Parsed | None:
        """A file that has been parsed, by its path."""
        return self._parsed.get(file)

    def all_parsed(self) -> list[Parsed]:
        """The files that have been parsed."""
        return list(self._parsed.values())

    def _definitions(self, files: Sequence[Path], target: Cursor, symbol: str) -> Iterator[Cursor]:
        name = str(target.spelling)
        for file in files:
            if file not in self._texts:
                self._texts[file] = file.read_text("latin-1")
            if not _may_define(self._texts[file], name):
                continue
            if str(file) not in self._parsed:
                try:
                    self._parsed[str(file)] = parse(str(file), self._clang_args)
                except SourceError as problem:
                    raise Unclear(f"of which {file}, which cannot be parsed, may have the definition") from problem
            defined = functions_of(self._parsed[str(file)])
            yield from (c for c in defined if c.spelling == name and c.mangled_name == symbol)


def _may_define(text: str, name: str) -> bool:
    """Whether a name is followed by parentheses and then a body, outside of other parentheses: in a condition it is
    called."""
    return any(map(partial(_has_body, text), (m.end() for m in re.finditer(rf"\b{re.escape(name)}\s*(?=\()", text))))


def _has_body(text: str, start: int) -> bool:
    depth = 0
    for m in _PUNCTUATION.finditer(text, start):
        if m.group() not in "()":
            return m.group() == "{" and not depth
        depth += 1 if m.group() == "(" else -1
        if depth < 0:
            return False
    return False


def _is_source(file: Path, own: str) -> bool:
    return file.suffix in _SUFFIXES and file.is_file() and not os.path.samefile(file, own)


def _inside(folder: Path) -> Iterator[Path]:
    """The files in the folders inside of one, but in hidden ones."""
    for inner in sorted(f for f in folder.iterdir() if f.is_dir() and not f.name.startswith(".")):
        yield from sorted(inner.iterdir())
        yield from _inside(inner)
