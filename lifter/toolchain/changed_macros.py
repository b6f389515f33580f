"""Macros that pragmas change while a file is compiled, and that `-E` leaves as they were.

`#pragma GCC target("avx2")` defines `__AVX2__` from there on, `optimize` changes `__OPTIMIZE__`; GCC does so when it
compiles, and not when it only preprocesses.  So the text of a file that has such a pragma and asks for such a macro is
not what is compiled."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from lifter.toolchain import compiler as compilers
from lifter.toolchain.command import Command
from lifter.toolchain.preprocess import SourceText

_PRAGMA = re.compile(rb'^[ \t]*#[ \t]*pragma[ \t]+GCC[ \t]+(target|optimize)\b([^\n]*)', re.MULTILINE)


def asked(command: Command, text: SourceText) -> Iterator[tuple[int, str]]:
    """(Offset of a pragma, macro) for each macro that a pragma changes and that the program's own files name."""
    if command.facts is not None:
        yield from command.facts.changed
        return
    found = list(_PRAGMA.finditer(text.text)) if command.compiler else []
    if not found or compilers.is_clang(command.macros()):
        return
    own = b"\n".join(_contents(command, name) for name in dict.fromkeys(r.file for r in text.regions if not r.system))
    for m in found:
        options = [o for given in re.findall(rb'"([^"]*)"', m[2]) for o in given.decode("utf-8", "replace").split(",")]
        for name in sorted(_changed(command, m[1].decode(), [o.strip() for o in options if o.strip()])):
            if re.search(rb"\b%s\b" % re.escape(name.encode()), own):
                yield m.start(), name


def _changed(command: Command, kind: str, options: list[str]) -> set[str]:
    """The macros that options of a pragma change; all that are known where the compiler takes them for no flags."""
    before = command.macros()
    given = tuple(_flag(kind, o) for o in options)
    after = compilers.macros(command.compiler, (*command.flags, *given), command.language, command.folder)
    if after is None:
        return set(before)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _flag(kind: str, option: str) -> str:
    if option.startswith("-"):
        return option
    if kind == "target":
        return f"-m{option}"
    return f"-O{option.removeprefix('O')}" if re.fullmatch(r"O?([0-9]|fast|[gsz])?", option) else f"-f{option}"


def _contents(command: Command, name: str) -> bytes:
    path = os.path.join(command.folder, name) if command.folder else name
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as f:
        return f.read()
