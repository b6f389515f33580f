"""Source files to libclang's trees."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, TranslationUnit

from lifter.frontend.clang import attributes
from lifter.frontend.clang.libclang import INCLUDE_DIRECTORY, children, in_system_header, place
from lifter.simd import declarations, neon
from lifter.support.errors import LiftError
from lifter.support.shown import shown
from lifter.toolchain import changed_macros, flags
from lifter.toolchain import compiler as compilers
from lifter.toolchain.command import Command, command_for
from lifter.toolchain.preprocess import CannotPreprocess, Problem, SourceText, preprocessed, rejected

# Errors of Clang in old code that GCC only warns of.
_TOLERATED = ("register", "narrowing", "implicit-function-declaration", "implicit-int", "int-conversion")
_MOST_ERRORS = 9
_CLANG_ONLY = (
    *("__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__", "__llvm__"),
    *("__has_feature", "__has_extension"),
)
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16 (LE)", b"\xfe\xff": "UTF-16 (BE)"}
_BODIES = {
    *(CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONSTRUCTOR),
    *(CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION),
}


@dataclass
class SourceError(LiftError):
    """The source cannot be read or parsed; `more` are further diagnostics of the same run."""

    file: str
    line: int
    column: int
    message: str
    more: tuple[SourceError, ...] = ()

    def __reduce__(self) -> tuple[type[SourceError], tuple[object, ...]]:
        return SourceError, (self.file, self.line, self.column, self.message, self.more)

    def __str__(self) -> str:
        file = shown(self.file)
        found = f"{file}:{self.line}:{self.column}" if self.line else file
        out = [f"{found}: error: {self.message}", *(str(e) for e in self.more[:_MOST_ERRORS])]
        if len(self.more) > _MOST_ERRORS:
            out.append(f"{file}: {len(self.more) - _MOST_ERRORS} more errors")
        return "\n".join(out)


@dataclass
class Parsed:
    """A file's tree, and the text that it is of."""

    path: str
    command: Command
    text: SourceText
    unit: TranslationUnit
    strange: list[tuple[int, str]] = field(default_factory=list)
    """Offsets in bodies that clang does not read and the program's compiler does, and what clang says of them."""

    @cached_property
    def cautions(self) -> attributes.Cautions:
        """What attributes and pragmas say that is not modelled."""
        found = [(offset, f"what clang's parser does not read: {said}") for offset, said in self.strange]
        found += [(0, said) for path in self._headers() for said in attributes.of_header(path, False)]
        for offset, name in changed_macros.asked(self.command, self.text):
            found.append((offset, f"the macro '{name}', which a pragma changes where no preprocessor shows it"))
        return attributes.cautions(self.text, self.unit, found, "_OPENMP" in self.command.macros())

    def _headers(self) -> Iterator[str]:
        """The program's own headers, where they are not in the text."""
        for included in self.unit.get_includes() if not self.text.regions else ():
            start = cindex.SourceLocation.from_offset(self.unit, included.include, 0)
            if not in_system_header(start) and os.path.isfile(included.include.name):
                yield included.include.name

    def in_main_file(self, c: Cursor) -> bool:
        """Whether a cursor lies in the file itself, and in no other that it includes: a file that is a template for
        several types may include itself."""
        f = c.location.file
        if f is None or f.name != self.path:
            return False
        region = self.text.region(c.location.offset)
        return region is None or region.depth == 0 or self._is_own(region.file)

    def _is_own(self, file: str) -> bool:
        """Whether a marker of the text names the file itself."""
        if os.path.basename(file) != os.path.basename(self.text.name):
            return False
        folder = self.command.folder or ""
        return os.path.realpath(os.path.join(folder, file)) == os.path.realpath(os.path.join(folder, self.text.name))


def parse(
    path: str, given: Sequence[str] | Command = (), force_cxx: bool = False, added: str = "", more: Sequence[str] = ()
) -> Parsed:
    """A file's tree, with text `added` at its end and `more` flags for the preprocessor.

    Raises SourceError for a file that cannot be read, for errors outside system headers and for fatal ones."""
    command = command_for(path, given, force_cxx=force_cxx)
    whole = command.facts.source if command.facts is not None else _contents(path)
    unknown = flags.refused(command.flags)
    if unknown is not None:
        said = f"the flag '{unknown}' may change what the source means, and the lifter does not model it; leave it out"
        raise SourceError(path, 0, 0, said)
    if command.compiler:
        try:
            text = preprocessed(command, more)
        except CannotPreprocess as refused:
            raise _as_error(path, command, refused.problems) from None
        text = SourceText(text.text + added.encode(), text.compiler)
        unit = _read(path, _arguments(command), [(path, text.text)])
    else:
        text = SourceText(whole + added.encode(), "")
        virtual: list[tuple[str, str | bytes]] = [(path, text.text)]
        headers = {**declarations.headers(), "arm_neon.h": neon.text()}
        virtual += [(str(INCLUDE_DIRECTORY / name), header) for name, header in headers.items()]
        unit = _read(path, [*_arguments_alone(command), *command.flags, *more], virtual)
    parsed = Parsed(path, command, text, unit)
    _check(parsed, more, bool(added))
    return parsed


def source_lines(path: str, given: Sequence[str] | Command) -> list[str]:
    """The lines of a file that has been parsed."""
    facts = given.facts if isinstance(given, Command) else None
    return (facts.source if facts is not None else _contents(path)).decode("utf-8", "replace").splitlines()


def _contents(path: str) -> bytes:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise SourceError(path, 0, 0, "its name is not in UTF-8; rename it") from None
    if os.path.isdir(path):
        raise SourceError(path, 0, 0, "is a directory, not a C or C++ file")
    if not os.path.isfile(path):
        there = os.path.exists(path)
        raise SourceError(path, 0, 0, "is a device, a pipe or a socket, not a file" if there else "no such file")
    try:
        with open(path, "rb") as f:
            whole = f.read()
    except OSError as e:
        raise SourceError(path, 0, 0, f"cannot be read: {e.strerror}") from e
    for mark, name in _OTHER_ENCODINGS.items():
        if whole.startswith(mark):
            raise SourceError(path, 0, 0, f"{name} byte order mark detected; save the file as UTF-8")
    if b"\0" in whole:
        line = whole[: whole.index(b"\0")].count(b"\n") + 1
        raise SourceError(path, line, 1, "not a text file: it contains a zero byte")
    return whole


def _read(path: str, arguments: Sequence[str], virtual: list[tuple[str, str | bytes]]) -> TranslationUnit:
    try:
        return cindex.Index.create().parse(path, list(arguments), unsaved_files=virtual)
    except cindex.TranslationUnitLoadError as e:
        raise SourceError(path, 0, 0, "libclang cannot parse this file; check the compiler arguments") from e


def _check(parsed: Parsed, more: Sequence[str], added: bool) -> None:
    """Raises SourceError for what clang finds wrong, but for what only it does not know, in the file's bodies."""
    wrong = [
        d for d in parsed.unit.diagnostics
        if d.severity == cindex.Diagnostic.Fatal
        or (d.severity == cindex.Diagnostic.Error and not in_system_header(d.location))
    ]
    if not wrong:
        return
    outside = wrong
    if parsed.command.compiler and not added:
        said = rejected(parsed.command, more)
        if said:
            raise _as_error(parsed.path, parsed.command, said)
        bodies = list(_bodies(parsed.unit.cursor))
        outside = [d for d in wrong if not any(a <= d.location.offset < b for a, b in bodies)]
        parsed.strange += [(d.location.offset, d.spelling) for d in wrong if d not in outside]
    if outside:
        hint = f"; {parsed.text.compiler} accepts it, clang's parser does not" if parsed.command.compiler else ""
        found = [Problem(*place(d.location), d.spelling + hint) for d in outside]
        raise _as_error(parsed.path, parsed.command, found)


def _bodies(scope: Cursor) -> Iterator[tuple[int, int]]:
    for c in children(scope):
        if c.kind in _BODIES:
            body = [k for k in children(c) if k.kind is CursorKind.COMPOUND_STMT]
            yield from ((k.extent.start.offset, k.extent.end.offset) for k in body)
        elif c.kind.is_declaration():
            yield from _bodies(c)


def _as_error(path: str, command: Command, problems: Sequence[Problem]) -> SourceError:
    own = {command.source, command.path, ""}
    found = []
    for p in problems:
        missing = p.message.endswith(": No such file or directory")
        hint = "; name its folder with -I after `--`, or the build's folder with -p" if missing else ""
        found.append(SourceError(path if p.file in own else p.file, p.line, p.column, p.message + hint))
    return SourceError(found[0].file, found[0].line, found[0].column, found[0].message, tuple(found[1:]))


def _common(command: Command) -> list[str]:
    out = [f"--target={command.target}", "-ferror-limit=0", "-w"]
    return out + [f"-Wno-{name}" for name in _TOLERATED]


def _arguments(command: Command) -> list[str]:
    """What libclang is told of text that the command's compiler has preprocessed."""
    language = "cpp-output" if command.is_c else "c++-cpp-output"
    known = command.macros()
    out = ["-x", language, *_common(command), compilers.standard(known, command.is_c)]
    if "__CHAR_UNSIGNED__" in known:
        out.append("-funsigned-char")
    return out + [f for f in flags.for_clang(command.flags) if not f.startswith(("-std=", "-ansi"))]


def _arguments_alone(command: Command) -> list[str]:
    """Where there is no compiler: the headers that the system and the lifter have."""
    cxx, c = system_includes(command.target)
    out = ["-x", command.language, "-std=gnu17" if command.is_c else "-std=gnu++17", *_common(command)]
    out += ["-nostdinc", "-nostdinc++", *(f"-U{name}" for name in _CLANG_ONLY), "-U__NO_INLINE__", "-D__OPTIMIZE__=1"]
    if command.is_c:
        out.append("-D_Float128=__float128")  # which GCC knows as a keyword, and its C library's headers use
    fallback = INCLUDE_DIRECTORY / "fallback"
    cxx = cxx or (str(fallback / "cxx"),)
    if not any(os.path.isfile(os.path.join(d, "stdint.h")) for d in c):
        c = (str(fallback / "c"),)
    for directory in (*(() if command.is_c else cxx), str(INCLUDE_DIRECTORY), *c):
        out += ["-isystem", directory]
    return out


def system_includes(target: str = compilers.HOST) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The system's C++ and C include directories for a target; empty where there are none."""
    if target != compilers.HOST:
        c_only = f"/usr/{target}/include"
        if not os.path.isfile(os.path.join(c_only, "stdint.h")):
            return (), ()  # the host's say things of the host
        return system_includes()[0], (c_only, *_compiler_includes(target))
    root = "/usr/include/c++"
    versions = [d for d in os.listdir(root) if d.isdigit()] if os.path.isdir(root) else []
    cxx: list[str] = []
    if versions:
        newest = max(versions, key=int)
        own = f"/usr/include/{compilers.HOST}/c++/{newest}"
        folders = (f"{root}/{newest}", own, f"{root}/{newest}/{compilers.HOST}", f"{root}/{newest}/backward")
        cxx = [d for d in folders if os.path.isdir(d)]
    c = [d for d in ("/usr/local/include", f"/usr/include/{compilers.HOST}", "/usr/include") if os.path.isdir(d)]
    return tuple(cxx), (*c, *_compiler_includes(target))


def _compiler_includes(target: str) -> list[str]:
    """The newest folder of headers that GCC itself brings (stdatomic.h, cpuid.h), for what the lifter has none of."""
    found = [d for kind in ("gcc", "gcc-cross") for d in Path(f"/usr/lib/{kind}/{target}").glob("*/include")]
    numbered = [d for d in found if d.parent.name.partition(".")[0].isdigit()]
    return [str(max(numbered, key=lambda d: int(d.parent.name.partition(".")[0])))] if numbered else []
