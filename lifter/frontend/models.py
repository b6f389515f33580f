"""Models: C++ functions the user gives in place of functions that cannot be lifted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import INCLUDE_DIRECTORY, SourceError, children, parse

_SCOPES = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}


def definitions(path: str, clang_args: Sequence[str]) -> dict[str, Cursor]:
    """The functions defined in a model file, by name; the usual integer types need no include there.

    Raises SourceError for errors in the file and for a file without functions."""
    prelude = ["-include", str(INCLUDE_DIRECTORY / "lift_model.h")]
    unit = parse(path, [*prelude, *clang_args], force_cxx=True)
    found = {c.spelling: c for c in _functions(unit.cursor, path)}
    if not found:
        raise SourceError(path, 0, 0, "a model file must define at least one function")
    return found


def _functions(scope: Cursor, path: str) -> Iterator[Cursor]:
    for c in children(scope):
        if c.location.file is None or c.location.file.name != path:
            continue
        if c.kind is CursorKind.FUNCTION_DECL and c.is_definition():
            yield c
        elif c.kind in _SCOPES:
            yield from _functions(c, path)
