"""Models: C++ functions the user gives in place of functions that cannot be lifted, or that other files define."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clang.cindex import Cursor, CursorKind, LinkageKind

from lifter.frontend.clang.libclang import INCLUDE_DIRECTORY, children
from lifter.frontend.clang.parsing import Parsed, SourceError, parse
from lifter.toolchain.command import Command

_SCOPES = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}


def definitions(path: str, clang_args: Sequence[str] | Command) -> list[Cursor]:
    """The functions defined in a model file; the usual integer types need no include there.

    Raises SourceError for errors in the file and for a file without functions."""
    prelude = ["-include", str(INCLUDE_DIRECTORY / "lift_model.h")]
    parsed = parse(path, clang_args, force_cxx=True, more=prelude)
    found = list(_functions(parsed, parsed.unit.cursor))
    if not found:
        raise SourceError(path, 0, 0, "a model file must define at least one function")
    for caution in (k for c in found for k in parsed.cautions.of(c)):
        raise SourceError(path, caution.line, 1, f"{caution.what}, which models may not have")
    return found


def functions_of(parsed: Parsed) -> list[Cursor]:
    """The functions that a source file defines and other files can call."""
    return [c for c in _functions(parsed, parsed.unit.cursor) if c.linkage == LinkageKind.EXTERNAL]


def choose(models: Sequence[Cursor], target: Cursor) -> Cursor | None:
    """Of `models`, functions of one name, what stands for the one that `target` declares; None for none.

    Raises Ambiguous where several overloads have other parameters than it."""
    own = target.get_definition() is not None
    usable = [m for m in models if not (own and m.linkage == LinkageKind.INTERNAL)]  # another file's helper
    for m in usable:
        if m.mangled_name == target.mangled_name:
            return m
    alike = [m for m in usable if _parameters(m) == _parameters(target)] or usable
    if len(alike) > 1:
        raise Ambiguous
    return alike[0] if alike else None


class Ambiguous(Exception):
    """Several models of one name, and none with the parameters of the function called."""


def _parameters(c: Cursor) -> list[str]:
    return [a.type.get_canonical().spelling for a in c.get_arguments()]


def _functions(parsed: Parsed, scope: Cursor) -> Iterator[Cursor]:
    for c in children(scope):
        if not parsed.in_main_file(c):
            continue
        if c.kind is CursorKind.FUNCTION_DECL and c.is_definition():
            yield c
        elif c.kind in _SCOPES:
            yield from _functions(parsed, c)
