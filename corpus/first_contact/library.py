"""The functions of a library that a first contact counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind
from pathspec import GitIgnoreSpec

from corpus.first_contact.loops import Nest, loops_over_memory
from lifter.frontend.clang.libclang import place, preorder
from lifter.frontend.clang.parsing import SourceError, parse
from lifter.frontend.lowering.intrinsics import is_intrinsic
from lifter.toolchain.command import SUFFIXES, command_for

NOT_READ = "not read"
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD}


@dataclass(slots=True)
class Counted:
    """One function that counts."""

    file: str
    line: int
    name: str
    intrinsics: bool
    loops: tuple[Nest, ...] = ()
    """Its outermost loops that count."""
    status: str = NOT_READ
    reason: str = ""
    by_loops: bool = False
    """Whether it is not verified as a whole, and all of these loops are."""
    loop_reasons: tuple[str, ...] = ()
    """Why loops of it are not."""


@dataclass(slots=True)
class Library:
    """What was found."""

    files: int = 0
    read: int = 0
    functions: dict[tuple[str, int], Counted] = field(default_factory=dict)


def count(path: Path, flags: list[str], library: Library) -> None:
    """Notes the functions of a file that count, of one that cannot be read those that libclang makes out."""
    library.files += 1
    try:
        tree = parse(str(path), command_for(str(path), flags)).unit.cursor
        library.read += 1
    except SourceError:
        tree = cindex.Index.create().parse(str(path), args=flags).cursor
    for c in preorder(tree):
        if c.kind in _FUNCTIONS and c.is_definition():
            file, line, _ = place(c.location)
            loops = loops_over_memory(c) if file and Path(file).resolve() == path.resolve() else ()
            if loops:
                key = str(path), line
                library.functions.setdefault(key, Counted(*key, c.spelling, _has_intrinsics(c), loops))


def _has_intrinsics(c: Cursor) -> bool:
    called = (n.referenced for n in preorder(c) if n.kind is CursorKind.CALL_EXPR)
    return any(target is not None and is_intrinsic(target) for target in called)


def sources(folder: Path, include: Sequence[str], exclude: Sequence[str]) -> list[Path]:
    """The files of a folder that are C or C++, those that are wanted."""
    wanted = GitIgnoreSpec.from_lines(include or ("*",))
    left_out = GitIgnoreSpec.from_lines(exclude)
    names = (p.relative_to(folder) for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES)
    return [folder / n for n in names if wanted.match_file(n) and not left_out.match_file(n)]
