"""Parsing with libclang, and the parts of its C interface that the Python binding lacks."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind

from lifter.frontend import spelled
from lifter.simd import declarations, neon

INCLUDE_DIRECTORY = Path(__file__).resolve().parent.parent / "include"
# Errors of Clang in old code that GCC only warns of.
_TOLERATED = ("register", "narrowing", "implicit-function-declaration", "implicit-int", "int-conversion")
_MOST_ERRORS = 9
_C_EXTENSIONS = {".c"}

# CXBinaryOperatorKind and CXUnaryOperatorKind, by value.
_BINARY = (
    "",
    *(".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|"),
    *("&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","),
)
_UNARY = ("", "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", "co_await")


@dataclass
class SourceError(Exception):
    """The source cannot be read or parsed; `more` are further diagnostics of the same run."""

    file: str
    line: int
    column: int
    message: str
    more: tuple[SourceError, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        out = [f"{place}: error: {self.message}", *(str(e) for e in self.more[:_MOST_ERRORS])]
        if len(self.more) > _MOST_ERRORS:
            out.append(f"{self.file}: {len(self.more) - _MOST_ERRORS} more errors")
        return "\n".join(out)


@functools.lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    lib: ctypes.CDLL = cindex.conf.lib
    for name, result, arguments in (
        ("clang_getCursorBinaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_getCursorUnaryOperatorKind", ctypes.c_int, [Cursor]),
        ("clang_Cursor_Evaluate", ctypes.c_void_p, [Cursor]),
        ("clang_EvalResult_getKind", ctypes.c_int, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsLongLong", ctypes.c_longlong, [ctypes.c_void_p]),
        ("clang_EvalResult_isUnsignedInt", ctypes.c_uint, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsUnsigned", ctypes.c_ulonglong, [ctypes.c_void_p]),
        ("clang_EvalResult_getAsDouble", ctypes.c_double, [ctypes.c_void_p]),
        ("clang_EvalResult_dispose", None, [ctypes.c_void_p]),
        ("clang_Cursor_getVarDeclInitializer", Cursor, [Cursor]),
        ("clang_Cursor_isNull", ctypes.c_int, [Cursor]),
        ("clang_Location_isInSystemHeader", ctypes.c_int, [cindex.SourceLocation]),
    ):
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def binary_operator(c: Cursor) -> str:
    """The operator of a binary or compound assignment expression, as C++ spells it."""
    return _BINARY[_library().clang_getCursorBinaryOperatorKind(c)]


def unary_operator(c: Cursor) -> str:
    """The operator of a unary expression; increments are "x++", "x--", "++x" and "--x"."""
    return _UNARY[_library().clang_getCursorUnaryOperatorKind(c)]


def changes(c: Cursor) -> bool:
    """Whether an expression itself assigns or increments something, which clang's own evaluation passes over."""
    if c.kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == ",":
        return any(k.kind is CursorKind.CALL_EXPR for k in next(c.get_children()).walk_preorder())
    if c.kind is CursorKind.BINARY_OPERATOR:
        return binary_operator(c) == "="
    if c.kind is CursorKind.UNARY_OPERATOR:
        return unary_operator(c) in ("x++", "x--", "++x", "--x")
    return bool(c.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


def evaluate(c: Cursor) -> int | float | None:
    """The value of a constant expression or of a variable's constant initialiser; None if it is not constant, or has
    side effects."""
    if c.kind is not CursorKind.CXX_UNARY_EXPR and any(map(changes, c.walk_preorder())):
        return None
    lib = _library()
    result = lib.clang_Cursor_Evaluate(c)
    if not result:
        return None
    try:
        kind = lib.clang_EvalResult_getKind(result)
        if kind == 1:
            if lib.clang_EvalResult_isUnsignedInt(result):
                return int(lib.clang_EvalResult_getAsUnsigned(result))
            return int(lib.clang_EvalResult_getAsLongLong(result))
        if kind == 2:
            return float(lib.clang_EvalResult_getAsDouble(result))
        return None
    finally:
        lib.clang_EvalResult_dispose(result)


def initializer(c: Cursor) -> Cursor | None:
    """The initialiser of a variable declaration."""
    lib = _library()
    result = lib.clang_Cursor_getVarDeclInitializer(c)
    if lib.clang_Cursor_isNull(result):
        return None
    result._tu = c._tu
    return result


def in_system_header(location: cindex.SourceLocation) -> bool:
    """Whether a location lies in a header found on a system include path."""
    return bool(_library().clang_Location_isInSystemHeader(location))


def in_std(c: Cursor) -> bool:
    """Whether a declaration is one of the standard library's namespace; others have headers on system paths too."""
    name, scope = "", c.semantic_parent
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        name, scope = scope.spelling or name, scope.semantic_parent
    return name in ("std", "__gnu_cxx") and in_system_header(c.location)


def in_own_header(location: cindex.SourceLocation) -> bool:
    """Whether a location lies in a header that comes with the front end."""
    return location.file is not None and Path(location.file.name).parent == INCLUDE_DIRECTORY


def children(c: Cursor) -> list[Cursor]:
    """The child cursors, in order."""
    return list(c.get_children())


_MEMBER_KINDS = {
    *(CursorKind.FIELD_DECL, CursorKind.CXX_BASE_SPECIFIER, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR),
    *(CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONVERSION_FUNCTION, CursorKind.VAR_DECL),
}


def members(declaration: Cursor) -> list[Cursor]:
    """What a class declares; of an instance of a class template, whose members libclang does not list, those of the
    template."""
    own = children(declaration)
    if any(c.kind in _MEMBER_KINDS for c in own):
        return own
    template = specialized(declaration)
    return own if template is None else children(template)


def specialized(declaration: Cursor) -> Cursor | None:
    """The template, or the partial specialisation, that a class is an instance of."""
    lib = _library()
    result = lib.clang_getSpecializedCursorTemplate(declaration)
    if result is None or lib.clang_Cursor_isNull(result):
        return None
    result._tu = declaration._tu
    return result


_REFERENCE_KINDS = {
    CursorKind.TYPE_REF,
    CursorKind.NAMESPACE_REF,
    CursorKind.TEMPLATE_REF,
    CursorKind.MEMBER_REF,
    CursorKind.OVERLOADED_DECL_REF,
}


def operands(c: Cursor) -> list[Cursor]:
    """The child cursors that are expressions or statements: without references to types and namespaces."""
    return [k for k in c.get_children() if k.kind not in _REFERENCE_KINDS]


_HOST = "x86_64-linux-gnu"


def target_of(clang_args: Sequence[str]) -> str:
    """The triple that arguments for clang name, without a vendor; the host's where they name none."""
    found = _HOST
    for k, a in enumerate(clang_args):
        if a.startswith("--target="):
            found = a.partition("=")[2]
        elif a == "-target" and k + 1 < len(clang_args):
            found = clang_args[k + 1]
    parts = found.split("-")
    return "-".join([parts[0], *parts[-2:]]) if len(parts) > 3 else found


@functools.lru_cache
def system_includes(target: str = _HOST) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The system's C++ and C include directories for a target; empty where there are none."""
    if target != _HOST:
        c_only = f"/usr/{target}/include"
        if not os.path.isfile(os.path.join(c_only, "stdint.h")):
            return (), ()  # the host's say things of the host
        return system_includes()[0], (c_only,)
    cxx: list[str] = []
    root = Path("/usr/include/c++")
    versions = [d for d in root.iterdir() if d.name.isdigit()] if root.is_dir() else []
    if versions:
        newest = max(versions, key=lambda d: int(d.name))
        own = Path("/usr/include/x86_64-linux-gnu/c++") / newest.name
        cxx = [str(d) for d in (newest, own, newest / "x86_64-linux-gnu", newest / "backward") if d.is_dir()]
    else:
        cxx = _asked_compiler()
    c = [d for d in ("/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include") if os.path.isdir(d)]
    return tuple(cxx), tuple(c)


def _asked_compiler() -> list[str]:
    for compiler in ("c++", "g++", "clang++"):
        try:
            run = subprocess.run(
                [compiler, "-E", "-v", "-x", "c++", os.devnull], capture_output=True, text=True, timeout=20, check=False
            )
        except (OSError, subprocess.SubprocessError):
            continue
        found = [line.strip() for line in run.stderr.splitlines() if line.startswith(" /")]
        if found:
            return [d for d in found if "c++" in d and os.path.isdir(d)]
    return []


_CLANG_ONLY = (
    *("__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__", "__llvm__"),
    *("__has_feature", "__has_extension"),
)


@functools.lru_cache(maxsize=1)
def _as_gcc() -> tuple[str, ...]:
    """Arguments under which conditional code is what GCC compiles, for the originals are."""
    version = ""
    for compiler in ("g++", "gcc"):
        try:
            asked = [compiler, "-dumpfullversion"]
            run = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.SubprocessError):
            continue
        if re.fullmatch(r"\d+(\.\d+)*", run.stdout.strip()):
            version = run.stdout.strip()
            break
    optimised = ("-U__NO_INLINE__", "-D__OPTIMIZE__=1")
    return (*(f"-U{name}" for name in _CLANG_ONLY), *optimised, *([f"-fgnuc-version={version}"] if version else []))


def _arguments(path: str, clang_args: Sequence[str], force_cxx: bool) -> list[str]:
    is_c = Path(path).suffix in _C_EXTENSIONS and not force_cxx
    cxx, c = system_includes(target_of(clang_args))
    out = ["-x", "c" if is_c else "c++", "-std=gnu17" if is_c else "-std=gnu++17"]
    out += ["--target=x86_64-linux-gnu", "-ferror-limit=0", "-w", "-nostdinc", "-nostdinc++"]
    out += [f"-Wno-{name}" for name in _TOLERATED]
    out += _as_gcc()
    if is_c:
        out.append("-D_Float128=__float128")  # which GCC knows as a keyword, and its C library's headers use
    fallback = INCLUDE_DIRECTORY / "fallback"
    cxx = cxx or (str(fallback / "cxx"),)
    if not any(os.path.isfile(os.path.join(d, "stdint.h")) for d in c):
        c = (str(fallback / "c"),)
    for directory in (*(() if is_c else cxx), str(INCLUDE_DIRECTORY), *c):
        out += ["-isystem", directory]
    return [*out, *clang_args]


def parse(
    path: str, clang_args: Sequence[str] = (), force_cxx: bool = False, added: str = ""
) -> cindex.TranslationUnit:
    """The translation unit of a file, with text `added` at its end.

    Raises SourceError for a file that cannot be read, for errors outside system headers and for fatal ones."""
    if os.path.isdir(path):
        raise SourceError(path, 0, 0, "is a directory, not a C or C++ file")
    if not os.path.isfile(path):
        raise SourceError(path, 0, 0, "no such file")
    try:
        with open(path, "rb") as f:
            whole = f.read()
            head = whole[: 1 << 16]
    except OSError as e:
        raise SourceError(path, 0, 0, f"cannot be read: {e.strerror}") from e
    if b"\0" in head:
        line = head[: head.index(b"\0")].count(b"\n") + 1
        raise SourceError(path, line, 1, "not a text file: it contains a zero byte")
    index = cindex.Index.create()
    try:
        virtual: list[tuple[str, str | bytes]] = []
        headers = {**declarations.headers(), "arm_neon.h": neon.text()}
        virtual += [(str(INCLUDE_DIRECTORY / name), text) for name, text in headers.items()]
        if added:
            virtual.append((path, whole + added.encode()))
        unit = index.parse(path, _arguments(path, clang_args, force_cxx), unsaved_files=virtual)
    except cindex.TranslationUnitLoadError as e:
        raise SourceError(path, 0, 0, "libclang cannot parse this file; check the compiler arguments") from e
    errors = [
        SourceError(d.location.file.name if d.location.file else path, d.location.line, d.location.column, d.spelling)
        for d in unit.diagnostics
        if d.severity == cindex.Diagnostic.Fatal
        or (d.severity == cindex.Diagnostic.Error and not in_system_header(d.location))
    ]
    if errors:
        first = errors[0]
        raise SourceError(first.file, first.line, first.column, first.message, tuple(errors[1:]))
    otherwise = spelled.answered_otherwise(unit)
    if otherwise is not None:
        file, line, question = otherwise
        raise SourceError(file, line, 1, f"{question} has another answer under GCC; decide it by a macro with -D")
    return unit
