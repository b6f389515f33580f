"""Loops of functions that cannot be lifted as a whole, made functions of their own in a copy of the source.

A function that allocates, reports errors or fills objects is no pipeline, and most of its time goes by in loops that
are.  `flow` says which variables a loop is given and which it leaves behind, `fragments` which loops can stand in
functions of their own, `source` writes the copy, which is held to the original."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang.libclang import children, place, preorder
from lifter.frontend.clang.parsing import Parsed, SourceError, parse
from lifter.frontend.clang.same_tree import same
from lifter.outline.flow import LOOPS
from lifter.outline.fragments import Fragment, fragments
from lifter.outline.source import with_calls, with_functions
from lifter.toolchain.command import Command, command_for

__all__ = ["Fragment", "Outline", "outline"]
_FUNCTIONS = {CursorKind.FUNCTION_DECL}
_MOST_TRIES = 4


@dataclass(slots=True)
class Outline:
    """The copy of a source in which loops are functions of their own."""

    path: str
    """Of the copy."""
    command: Command
    """How it is compiled."""
    text: bytes
    """The original."""
    source: str
    tops: list[Fragment] = field(default_factory=list)
    """The outermost loops of the functions asked for; what is `refused` has no function in the copy."""

    def with_calls(self, taken: Sequence[Fragment], more: Sequence[Fragment] = ()) -> bytes:
        """The source in which the loops `taken`, none inside of another, are calls of functions; `more` have functions
        that nothing calls."""
        return with_calls(self.text, self.source, taken, more)


def outline(path: str, given: Sequence[str] | Command, functions: Collection[tuple[str, int]], copy: Path) -> Outline:
    """Writes `copy`, of the source in which the loops of `functions`, by name and line, have functions of their own.
    Raises SourceError where it cannot be read without its own compiler."""
    command = command_for(path, given)
    parsed = _parsed(path, command)
    wanted = [c for c in _definitions(parsed) if (c.spelling, place(c.location)[1]) in functions]
    tops = [f for c in wanted for f in fragments(c, not command.is_c)]
    source = os.path.abspath(path)
    text = Path(path).read_bytes()
    apart = replace(
        command, source=os.path.abspath(copy), facts=None,
        flags=(*command.flags, "-iquote", os.path.dirname(source)),
    )
    out = Outline(str(copy), apart, text, source, tops)
    for _ in range(_MOST_TRIES):
        copy.write_bytes(with_functions(text, source, out_of(tops)))
        try:
            _hold(_parsed(str(copy), apart), tops)
            return out
        except SourceError as problem:
            lines = {e.line for e in (problem, *problem.more)}
            wrong = [f for f in out_of(tops) if any(f.line <= n <= f.loop.extent.end.line for n in lines)]
            wrong = wrong or [f for f in out_of(tops) if any(_covers(f.function, n) for n in lines)]
            if not wrong:
                raise
            for f in wrong:
                f.refused = f"the compiler does not take it: {problem.message}"
    raise SourceError(path, 0, 0, "its loops cannot be made functions of their own")


def out_of(tops: Sequence[Fragment]) -> list[Fragment]:
    """The fragments that have functions."""
    return [f for top in tops for f in top.all() if not f.refused]


def _covers(c: Cursor, line: int) -> bool:
    return bool(c.extent.start.line <= line <= c.extent.end.line)


def _parsed(path: str, command: Command) -> Parsed:
    """A file as libclang preprocesses it, which knows where everything stands."""
    folder = [f"-working-directory={os.path.abspath(command.folder)}"] if command.folder else []
    return parse(path, replace(command, source=path, compiler="", facts=None), more=folder)


def _definitions(parsed: Parsed) -> Iterator[Cursor]:
    for c in preorder(parsed.unit.cursor):
        if c.kind in _FUNCTIONS and c.is_definition() and parsed.in_main_file(c):
            yield c


def _hold(copy: Parsed, tops: Sequence[Fragment]) -> None:
    """Refuses the fragments that are another thing in the copy."""
    there = {c.spelling: c for c in _definitions(copy)}
    for f in out_of(tops):
        own = _own_loop(there[f.name]) if f.name in there else None
        if own is None or not same(f.loop, own, {v.name for v in f.variables if v.is_array}):
            f.refused = "macros or names mean another thing before the function"


def _own_loop(function: Cursor) -> Cursor | None:
    """The loop that a fragment's function has."""
    body = next((c for c in children(function) if c.kind is CursorKind.COMPOUND_STMT), None)
    return next((c for c in children(body) if c.kind in LOOPS), None) if body is not None else None
