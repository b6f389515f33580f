"""The files that a compiler made a preprocessed text of, and whether it would find the same ones again.

After ccache's direct mode (https://ccache.dev/manual/latest.html, "The direct mode"), with what that leaves out: a
header that has appeared where it would be found before another one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lifter.toolchain import compiler as compilers
from lifter.toolchain.command import Command
from lifter.toolchain.preprocess import SourceText, own_headers

SETTLED = 2.0
"""Seconds for which a file must have been as it is: a later change then shows in its times, as coarse as they are."""
_ELSEWHERE = re.compile(r"-specs.*|-B.*|-remap|-I-|-f(no-)?modules.*|-Xpreprocessor|-Wp,(?!-[DU]).*|.*__has_.*")
"""Flags that name files which no list of dependences has, or look headers up in another way."""
_CLOCK = re.compile(rb"__(DATE|TIME|TIMESTAMP)__")
_ASKS = re.compile(rb"__has_(?:include|include_next|embed)(?:__)?\b")
_OPERAND = re.compile(rb'\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)')
_DEFINES = re.compile(rb"\bdefine\b")

_START = re.compile(r"^(\./+)+")
"""What lists of dependences leave out."""

Signature = tuple[int, int, int, int]
"""Of a file: bytes, times of the last changes of its content and of its entry (ns), and its number."""


@dataclass(frozen=True, slots=True)
class MadeOf:
    """What a preprocessed text depends on beside its command and the compiler."""

    files: dict[str, Signature]
    """Those read, as the compiler spells them."""
    asked: list[str]
    """Names of further headers that are looked for: operands of `__has_include`, the lifter's own headers."""
    present: list[str]
    """Those of the paths where a header could be found that are there."""

    def is_as_before(self, command: Command, exists: Callable[[str], bool]) -> bool:
        """Whether the compiler would read the same; `exists` is asked for paths that need not be there."""
        try:
            if any(_signature(os.path.join(command.folder, f))[0] != s for f, s in self.files.items()):
                return False
        except OSError:
            return False
        places = _places(command, self.files, self.asked)
        return places is not None and [p for p in places if exists(p)] == self.present


def made_of(command: Command, text: SourceText, since: float) -> MadeOf | None:
    """What a text that was read at a time (s since the epoch) depends on; None where that is not known, or has not
    settled yet."""
    if not text.files or any(_ELSEWHERE.fullmatch(f) for f in command.flags):
        return None
    files, asked = {}, []
    try:
        for file in text.files:
            path = os.path.join(command.folder, file)
            if os.path.dirname(path) == str(own_headers()):  # one of the program's could have been found before it
                asked.append(os.path.basename(path))
                continue
            signature, changed = _signature(path)
            if changed > (since - SETTLED) * 1e9:
                return None
            operands = _operands(path)
            if operands is None:
                return None
            files[file] = signature
            asked += operands
    except OSError:
        return None
    places = _places(command, files, asked)
    if places is None:
        return None
    return MadeOf(files, sorted(set(asked)), [p for p in places if os.path.exists(p)])


def search_folders(command: Command) -> tuple[str, ...] | None:
    """Where the compiler looks for headers, in its order and words; None where it does not say."""
    return compilers.search_folders(command.compiler, command.flags, command.language, command.folder)


def _signature(path: str) -> tuple[Signature, int]:
    """Of a file, and its latest time.  Raises OSError."""
    found = os.stat(path)
    signature = found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
    return signature, max(found.st_mtime_ns, found.st_ctime_ns)


def _operands(path: str) -> list[str] | None:
    """What a file's text asks for by `__has_include`; None where that, or its meaning, depends on something else."""
    with open(path, "rb") as f:
        text = re.sub(rb"\\[ \t]*\r?\n", b"", f.read())
    if b"??/" in text or _CLOCK.search(text):
        return None
    found = []
    for m in _ASKS.finditer(text):
        operand = _OPERAND.match(text, m.end())
        if operand is not None:
            found.append(os.fsdecode(operand[1] or operand[2]))
        elif re.match(rb"\s*\(", text[m.end() : m.end() + 80]) or _DEFINES.search(
            text, max(text.rfind(b"\n", 0, m.start()), 0), m.start()
        ):
            return None  # of a macro, or under another name
    return found


def _places(command: Command, files: Iterable[str], asked: Sequence[str]) -> list[str] | None:
    """All paths where the compiler may have looked for headers of these names; None where it does not say them.

    One beside the file that includes it is found first of all: what is not there cannot matter to it."""
    searched = search_folders(command)
    if searched is None:
        return None
    searched = tuple(_START.sub("", f).rstrip("/") if f != "/" else f for f in searched)
    around = [os.path.dirname(f) for f in files]  # where other headers are included
    names = dict.fromkeys([*asked, *(n for f in files for n in _below(f, searched))])
    folders = dict.fromkeys([*searched, *around, ""])
    return [os.path.join(command.folder, d, n) for n in names for d in folders]


def _below(file: str, folders: Iterable[str]) -> Iterator[str]:
    """The file's names as they are seen from folders."""
    for folder in folders:
        if folder in ("", "."):
            if not os.path.isabs(file):
                yield file
        elif file.startswith(folder + "/"):
            yield file[len(folder) + 1 :]
