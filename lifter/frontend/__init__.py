"""The C and C++ front end: source files to functions of the loop language.

`parse_file` is the only entry point.  One function that cannot be lowered never stops the others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clang.cindex import Cursor, CursorKind

from lifter.frontend import functions, instances, models
from lifter.frontend.clang import SourceError, children, parse
from lifter.frontend.sources import Sources
from lifter.frontend.unit import Unit
from lifter.loops import Function, Unsupported

__all__ = ["FunctionError", "ParsedFile", "SourceError", "parse_file"]

_SCOPES = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
}
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE}


@dataclass
class FunctionError:
    """A function that could not be lowered, and why."""

    name: str
    symbol: str
    line: int
    reason: Unsupported
    internal: bool = False
    defect: bool = False
    """Whether it is the front end that failed, in a way that it should not."""


@dataclass
class ParsedFile:
    """The functions defined in a file, in source order."""

    file: str
    functions: tuple[Function | FunctionError, ...]


def parse_file(path: str, clang_args: Sequence[str] = (), models: Sequence[str] = ()) -> ParsedFile:
    """Lower every function defined in a file; `models` are files that define replacements of called functions, and
    folders with the sources of others.

    Raises SourceError when a file cannot be read or parsed."""
    unit = _unit(path, clang_args, models)
    definitions = list(_definitions(unit, unit.translation_unit.cursor))
    found: list[Function | FunctionError] = []
    while len(found) < len(definitions):
        c = definitions[len(found)]
        try:
            if c.kind is CursorKind.FUNCTION_TEMPLATE:
                raise Unsupported("function template", c.location.line, "it is lifted where it is called")
            found.append(functions.lower(unit, c))
        except Unsupported as reason:
            found.append(FunctionError(c.spelling, functions.symbol(c), c.location.line, reason, _internal(c)))
        except instances.Wanted as wanted:
            unit = _with_member(unit, wanted.key, clang_args)
            definitions = list(_definitions(unit, unit.translation_unit.cursor))
        except Exception as problem:  # stops no other function, and is said as such
            if os.environ.get("LIFT_DEBUG"):
                raise
            text = f"internal error while reading it: {type(problem).__name__}: {problem}"
            failed = Unsupported(text, c.location.line, "set LIFT_DEBUG=1 to see where")
            found.append(FunctionError(c.spelling, functions.symbol(c), c.location.line, failed, _internal(c), True))
    return ParsedFile(path, tuple(found))


def _internal(c: Cursor) -> bool:
    return c.kind is CursorKind.FUNCTION_TEMPLATE or functions.is_internal(c)


def _unit(path: str, clang_args: Sequence[str], model_files: Sequence[str]) -> Unit:
    translation_unit = parse(path, clang_args)
    unit = Unit(path, translation_unit, Path(path).suffix == ".c")
    folders = [m for m in model_files if os.path.isdir(m)]
    unit.sources = Sources(folders, path, clang_args) if folders else None
    for file in model_files:
        if file in folders:
            continue
        for c in models.definitions(file, clang_args):
            unit.models.setdefault(c.spelling, []).append(c)
    return unit


def _with_member(unit: Unit, key: instances.Key, clang_args: Sequence[str]) -> Unit:
    """The file parsed again with a member of a class template's instance named in it, if that can be."""
    keys = [k for k, c in unit.instances.items() if c is not None] + [key]
    try:
        parsed = parse(unit.path, clang_args, added=instances.text(keys))
    except SourceError:
        unit.instances[key] = None
        unit.active.clear()
        return unit
    known = unit.instances | instances.found(parsed, keys)
    return Unit(unit.path, parsed, unit.is_c, unit.models, unit.sources, instances=known)


def _definitions(unit: Unit, scope: Cursor) -> Iterator[Cursor]:
    for c in children(scope):
        if c.kind in _FUNCTIONS:
            if c.is_definition() and unit.in_main_file(c) and not _is_deleted(c):
                yield c
        elif c.kind in _SCOPES and unit.in_main_file(c) and c.spelling != instances.NAMESPACE:
            yield from _definitions(unit, c)


def _is_deleted(c: Cursor) -> bool:
    return all(k.kind is not CursorKind.COMPOUND_STMT and k.kind is not CursorKind.CXX_TRY_STMT for k in children(c))
