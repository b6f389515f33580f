"""Folders of sources in which the definitions of called functions are looked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from clang.cindex import Cursor

from lifter.frontend.clang.models import functions_of
from lifter.frontend.clang.parsing import Parsed, SourceError, parse
from lifter.toolchain.command import Command

_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".C"}


class Unclear(Exception):
    """It cannot be said which definition of a function is meant; the text says why."""


class Sources:
    """The sources in folders.  A file is parsed when its text shows a definition of a function that is called."""

    def __init__(self, folders: Sequence[str], own: str, clang_args: Sequence[str] | Command) -> None:
        self._clang_args = clang_args
        self._files = [
            file
            for folder in dict.fromkeys(folders)
            for file in sorted(Path(folder).iterdir())
            if file.suffix in _SUFFIXES and file.is_file() and not os.path.samefile(file, own)
        ]
        self._texts: dict[Path, str] = {}
        self._parsed: dict[str, Parsed] = {}
        self._found: dict[str, Cursor | None] = {}

    def definition(self, target: Cursor) -> Cursor | None:
        """The definition of the function that `target` declares; None where no file has one.

        Raises Unclear where several have, or where one that may have cannot be parsed."""
        symbol = str(target.mangled_name)
        if symbol not in self._found:
            found = list(self._definitions(str(target.spelling), symbol))
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

    def _definitions(self, name: str, symbol: str) -> Iterator[Cursor]:
        shape = re.compile(rf"\b{re.escape(name)}\s*\([^;{{}}]*\)[^;{{}}()]*\{{")
        for file in self._files:
            if file not in self._texts:
                self._texts[file] = file.read_text("latin-1")
            if not shape.search(self._texts[file]):
                continue
            if str(file) not in self._parsed:
                try:
                    self._parsed[str(file)] = parse(str(file), self._clang_args)
                except SourceError as problem:
                    raise Unclear(f"of which {file}, which cannot be parsed, may have the definition") from problem
            defined = functions_of(self._parsed[str(file)])
            yield from (c for c in defined if c.spelling == name and c.mangled_name == symbol)
