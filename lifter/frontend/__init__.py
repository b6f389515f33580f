"""The C and C++ front end: source files to functions of the loop language.

`parse_file` is the only entry point.  One function that cannot be lowered never stops the others."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from ctypes import ArgumentError
from dataclasses import dataclass, replace

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import models, template_instances
from lifter.frontend.clang.libclang import children, line, place
from lifter.frontend.clang.parsing import SourceError, parse, source_lines
from lifter.frontend.clang.sources import Sources
from lifter.frontend.clang.unit import Unit
from lifter.frontend.lowering import functions
from lifter.frontend.text_dependence import Dependences
from lifter.ir.loop_ir import Function, Unsupported
from lifter.support.deadline import TimedOut, until
from lifter.toolchain.command import Command

__all__ = ["Definition", "FunctionError", "ParsedFile", "SourceError", "parse_file"]

_SCOPES = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
}
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE}


@dataclass(frozen=True, slots=True)
class Definition:
    """Which function it is, and where."""

    file: str
    name: str
    symbol: str
    signature: str
    """Its qualified name with the types of its parameters, as C++ writes them."""
    line: int
    column: int
    """Of its name; 1 where a macro has made it."""
    end_line: int
    dependence: str = ""
    """A digest of the text that it depends on; "" where nobody asked, or where that is all of it."""


@dataclass
class FunctionError:
    """A function that could not be lowered, and why."""

    name: str
    symbol: str
    line: int
    reason: Unsupported
    internal: bool = False
    status: str = "unsupported"
    """`error` where it is the front end that failed, in a way that it should not, `timeout` where it took too long."""


@dataclass
class ParsedFile:
    """The functions defined in a file, in source order."""

    file: str
    functions: tuple[Function | FunctionError, ...]
    definitions: tuple[Definition, ...] = ()
    """Which each of them is."""
    seconds: tuple[float, ...] = ()
    """How long it took to lower each of them."""
    others: tuple[str, ...] = ()
    """The names of those that were not wanted."""
    text: str = ""
    """The compiler whose preprocessed text was read; "" for libclang's own preprocessing."""
    missing: str = ""
    """The compiler that the project names and that is not here."""


def parse_file(
    path: str,
    clang_args: Sequence[str] | Command = (),
    models: Sequence[str] = (),
    *,
    wanted: Callable[[Definition, bool], bool] = lambda _definition, _internal: True,
    timeout: float = math.inf,
    reading: Callable[[Definition], None] = lambda _: None,
    dependence: bool = False,
) -> ParsedFile:
    """Lower the functions defined in a file that are `wanted`, which is told of each whether it is internal, each
    within `timeout` seconds; `models` are files that define replacements of called functions, and folders with the
    sources of others.  `reading` is told of each as it is begun.  With `dependence`, definitions say what text they
    depend on.

    Raises SourceError when a file cannot be read or parsed."""
    unit = _unit(path, clang_args, models)
    lines = source_lines(path, clang_args)
    cursors = list(_definitions(unit, unit.parsed.unit.cursor))
    found: list[Function | FunctionError] = []
    definitions: list[Definition] = []
    seconds: list[float] = []
    others: list[str] = []
    dependences = Dependences(unit.parsed, cursors) if dependence else None
    start = time.perf_counter()
    while len(found) + len(others) < len(cursors):
        if len(seconds) < len(found):
            seconds.append(time.perf_counter() - start)
            start = time.perf_counter()
        c = cursors[len(found) + len(others)]
        definition = _definition(c, path, lines)
        if dependences is not None:
            definition = replace(definition, dependence=dependences.of(c))
        if not wanted(definition, _internal(c)):
            others.append(c.spelling)
            continue
        reading(definition)
        try:
            with until(start + timeout):
                found.append(_lowered(unit, c, timeout))
        except template_instances.Wanted as member:
            unit = _with_member(unit, member.key, clang_args)
            cursors = list(_definitions(unit, unit.parsed.unit.cursor))
            continue
        definitions.append(definition)
    if len(seconds) < len(found):
        seconds.append(time.perf_counter() - start)
    read, command = unit.parsed.text, unit.parsed.command
    return ParsedFile(
        path, tuple(found), tuple(definitions), tuple(seconds), tuple(others), read.compiler, command.missing
    )


def _lowered(unit: Unit, c: Cursor, timeout: float) -> Function | FunctionError:
    """Raises template_instances.Wanted."""

    def failed(reason: Unsupported, status: str = "unsupported") -> FunctionError:
        return FunctionError(c.spelling, functions.symbol(c), line(c), reason, _internal(c), status)

    try:
        if c.kind is CursorKind.FUNCTION_TEMPLATE:
            raise Unsupported("function template", line(c), "it is lifted where it is called")
        return functions.lower(unit, c)
    except Unsupported as reason:
        return failed(reason)
    except TimedOut:
        unit.active.clear()
        late = Unsupported(f"it could not be read within {timeout:g} s", line(c), "raise it with --timeout")
        return failed(late, "timeout")
    except template_instances.Wanted:
        raise
    except Exception as problem:  # stops no other function, and is said as such
        if os.environ.get("LIFT_DEBUG"):
            raise
        if isinstance(problem, RecursionError | ArgumentError) and "Recursion" in repr(problem):  # ctypes wraps it
            return failed(Unsupported("expression nested too deeply", line(c), "break it up"))
        text = f"internal error while reading it: {type(problem).__name__}: {problem}"
        return failed(Unsupported(text, line(c), "set LIFT_DEBUG=1 to see where"), "error")


def _definition(c: Cursor, file: str, lines: Sequence[str]) -> Definition:
    row = line(c)
    # Preprocessed text has the lines of the file, and not its columns.
    stated = re.search(rf"(?<!\w){re.escape(c.spelling)}(?!\w)", lines[row - 1]) if 0 < row <= len(lines) else None
    column = stated.start() + 1 if stated is not None else 1
    names, scope = [c.displayname or c.spelling], c.semantic_parent
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        if scope.spelling and scope.kind is not CursorKind.LINKAGE_SPEC:
            names.append(scope.spelling)
        scope = scope.semantic_parent
    return Definition(
        file, c.spelling, functions.symbol(c), "::".join(reversed(names)), row, column, place(c.extent.end)[1]
    )


def _internal(c: Cursor) -> bool:
    return c.kind is CursorKind.FUNCTION_TEMPLATE or functions.is_internal(c)


def _unit(path: str, clang_args: Sequence[str] | Command, model_files: Sequence[str]) -> Unit:
    unit = Unit(parse(path, clang_args))
    folders = [m for m in model_files if os.path.isdir(m)]
    unit.sources = Sources(folders, path, clang_args) if folders else None
    for file in model_files:
        if file in folders:
            continue
        for c in models.definitions(file, clang_args):
            unit.models.setdefault(c.spelling, []).append(c)
    return unit


def _with_member(unit: Unit, key: template_instances.Key, clang_args: Sequence[str] | Command) -> Unit:
    """The file parsed again with a member of a class template's instance named in it, if that can be."""
    keys = [k for k, c in unit.instances.items() if c is not None] + [key]
    try:
        parsed = parse(unit.path, clang_args, added=template_instances.text(keys))
    except SourceError:
        unit.instances[key] = None
        unit.active.clear()
        return unit
    known = unit.instances | template_instances.found(parsed.unit, keys)
    return Unit(parsed, unit.models, unit.sources, instances=known)


def _definitions(unit: Unit, scope: Cursor) -> Iterator[Cursor]:
    for c in children(scope):
        if c.kind in _FUNCTIONS:
            if c.is_definition() and unit.in_main_file(c) and not _is_deleted(c):
                yield c
        elif c.kind in _SCOPES and unit.in_main_file(c) and c.spelling != template_instances.NAMESPACE:
            yield from _definitions(unit, c)


def _is_deleted(c: Cursor) -> bool:
    return all(k.kind is not CursorKind.COMPOUND_STMT and k.kind is not CursorKind.CXX_TRY_STMT for k in children(c))
