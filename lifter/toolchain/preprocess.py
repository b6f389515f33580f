"""The text of a source file as its own compiler preprocesses it."""

from __future__ import annotations

import bisect
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path

from lifter.simd import declarations, neon
from lifter.toolchain import compiler as compilers
from lifter.toolchain import dialect
from lifter.toolchain.command import Command

_MARKER = re.compile(rb'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)[ \t]*\r?$', re.MULTILINE)
_INCLUDE = Path(__file__).resolve().parent.parent / "include"
OWN_HEADERS = Path("/lift-headers")
"""Where the lifter's own headers lie, as preprocessed text has it."""
_DIAGNOSTIC = re.compile(r"^(.+?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$")


@dataclass(frozen=True, slots=True)
class Problem:
    """What a compiler says is wrong, and where."""

    file: str
    line: int
    column: int
    message: str


class CannotPreprocess(Exception):
    """The compiler does not accept the file; `problems` has what it says, one at least."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of preprocessed text between two line markers."""

    start: int
    """In bytes."""
    depth: int
    """How many files include it: 0 for the file itself."""
    system: bool
    file: str
    line: int


class SourceText:
    """What clang parses, and where each piece of it comes from."""

    def __init__(self, text: bytes, compiler: str, files: Sequence[str] = ()) -> None:
        self.text = text
        self.compiler = compiler
        """Whose text it is, for people; "" for libclang's own preprocessing."""
        self.files = tuple(files)
        """Those that the compiler read for it, as it spells them; empty where it has not said."""

    @functools.cached_property
    def regions(self) -> list[Region]:
        """Its pieces, in order; none in text without markers."""
        return _regions(self.text) if self.compiler else []

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [r.start for r in self.regions]

    @property
    def name(self) -> str:
        """The file itself as the markers spell it."""
        return next((r.file for r in self.regions if r.depth == 0), "")

    def region(self, offset: int) -> Region | None:
        """The region of an offset in bytes; None in text without markers."""
        k = bisect.bisect_right(self._starts, offset) - 1
        return self.regions[k] if k >= 0 else None

    def place(self, offset: int) -> tuple[str, int]:
        """File and line of an offset in the user's terms."""
        region = self.region(offset)
        if region is None:
            return "", self.text.count(b"\n", 0, offset) + 1
        return region.file, region.line + self.text.count(b"\n", region.start, offset)


def preprocessed(command: Command, more: Sequence[str] = ()) -> SourceText:
    """The text that the command's compiler makes of its file, the intrinsics declared by the lifter's own headers.

    Raises CannotPreprocess."""
    if command.facts is not None and not more:
        return command.facts.text
    flags = [*command.flags, *more, "-isystem", str(own_headers())]
    known = command.macros()
    if not compilers.is_clang(known):
        flags.append("-fno-canonical-system-headers")  # all are named by where they were looked for
    asked = [command.compiler, *flags, "-w", "-E", "-MD", "-MF"]
    try:
        with tempfile.NamedTemporaryFile(prefix="lift-") as listed:
            done = compilers.run([*asked, listed.name, "-x", command.language, command.source], command.folder)
            files = _prerequisites(os.fsdecode(listed.read()))
    except subprocess.TimeoutExpired:
        text = f"'{command.compiler}' did not preprocess it in time"
        raise CannotPreprocess([Problem(command.path, 0, 0, text)]) from None
    except OSError as problem:
        text = f"'{command.compiler}' cannot be run: {problem.strerror}"
        raise CannotPreprocess([Problem(command.path, 0, 0, text)]) from None
    if done.returncode != 0:
        raise CannotPreprocess(problems(done.stderr.decode("utf-8", "replace"), command))
    # Where the headers lie is another place each time.
    done.stdout = done.stdout.replace(str(own_headers()).encode(), str(OWN_HEADERS).encode())
    read = done.stdout if compilers.is_clang(known) else dialect.for_clang(done.stdout)
    return SourceText(read, f"{os.path.basename(command.compiler)} ({compilers.version(known)})", files)


def _prerequisites(rule: str) -> list[str]:
    """The files that a rule for `make` names after its target."""
    words = re.findall(r"(?:\\[ #]|\$\$|[^\s\\]|\\(?!\r?\n))+", rule)
    names = [re.sub(r"\\([ #])|\$(\$)", r"\1\2", w) for w in words]
    return list(dict.fromkeys(names[1:]))


def rejected(command: Command, more: Sequence[str] = ()) -> list[Problem]:
    """What the compiler itself has against the file; empty where it accepts it."""
    if command.facts is not None and not command.facts.here:
        return []
    asked = [command.compiler, *command.flags, *more, "-w", "-fsyntax-only", "-x", command.language, command.source]
    try:
        done = compilers.run(asked, command.folder)
    except (OSError, subprocess.SubprocessError):
        return []
    return problems(done.stderr.decode("utf-8", "replace"), command) if done.returncode != 0 else []


def problems(text: str, command: Command) -> list[Problem]:
    """The errors in what a compiler printed, one at least; the file as the caller names it."""
    found = []
    for line in text.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match is not None:
            file = command.path if match[1] == command.source else match[1]
            found.append(Problem(file, int(match[2]), int(match[3] or 0), match[4]))
    if not found:
        said = next((s for s in text.splitlines() if "error" in s), text.strip().partition("\n")[0])
        found.append(Problem(command.path, 0, 0, said or f"'{command.compiler}' failed without a word"))
    return found


@functools.lru_cache(maxsize=1)
def own_headers() -> Path:
    """A folder with the lifter's headers of the SIMD intrinsics, which declare what the compiler's own define by its
    built-in functions, and of `assert`, whose conditions stay visible.  It is there until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="lift-headers-"))
    # Not by `atexit`, which processes of a pool do not heed; nor in children of this process.
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
    for name, text in declarations.headers().items():
        (folder / name).write_text(text)
    (folder / "arm_neon.h").write_text(neon.text())
    shutil.copy(_INCLUDE / "assert.h", folder)
    return folder


def _regions(text: bytes) -> list[Region]:
    found: list[Region] = []
    depth = 0
    for k, m in enumerate(_MARKER.finditer(text)):
        file = m[2].decode("utf-8", "replace").replace('\\"', '"').replace("\\\\", "\\")
        numbers = m[3].split()
        if b"1" in numbers and k:
            depth += 1
        elif b"2" in numbers:
            depth = max(depth - 1, 0)
        outside = file == dialect.PRELUDE_FILE
        start = m.end() + 1
        found.append(Region(start, 1 if outside else depth, b"3" in numbers, file, int(m[1])))
    return found
