"""The one table that the descent goes through: what lowers each kind of the tree's nodes, by what is wanted of it.

Statements hold expressions and expressions statements, so what lowers the one needs what lowers all others.  Each
construct has a module of its own in `lowering/`, which imports what lies below it; to anything that may stand inside it
the way leads through `value`, `place`, `discard` and `statement`, which look up the kind of the node.  So no module
imports one that imports it.

The table is an object that each `Context` holds, and no state of a module that others fill as they are imported: it is
whole before there is a function to lower, whatever has been imported in which order, and who makes a `Context` says
what it lowers by.  It is written down in `lowering/table.py`, the one module that knows all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from lifter.frontend.clang.libclang import operands
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Place, Record, Value
from lifter.support import deadline

ValueOf = Callable[[Context, Cursor], Value]
PlaceOf = Callable[[Context, Cursor, bool], Place]
"""As `place`."""
Effect = Callable[[Context, Cursor], None]
DefaultOf = Callable[[Context, ClangType, Cursor], Record]

# The ranges of CXCursorKind in libclang's Index.h, which declarations, attributes and preprocessing lie outside of.
EXPRESSIONS = frozenset(k for k in CursorKind.get_all_kinds() if 100 <= k.value < 200)
STATEMENTS = frozenset(k for k in CursorKind.get_all_kinds() if 200 <= k.value < 350)

_L = TypeVar("_L")


class TableError(Exception):
    """The table is not one: a kind of nodes has two entries, or none."""


def by_kind(*rows: tuple[_L, Iterable[CursorKind]]) -> dict[CursorKind, _L]:
    """A part of the table, of what lowers nodes and their kinds.  Raises TableError for a kind
    that stands in it twice."""
    found: dict[CursorKind, _L] = {}
    for lowers, kinds in rows:
        for kind in kinds:
            if kind in found:
                raise TableError(f"{kind.name} stands in two rows, of {_name(found[kind])} and of {_name(lowers)}")
            found[kind] = lowers
    return found


def _name(lowers: object) -> str:
    return str(getattr(lowers, "__name__", lowers))


@dataclass(frozen=True, slots=True)
class Table:
    """What lowers each kind of nodes.  Raises TableError where a kind of expressions has no value, or a kind of
    statements and expressions is no statement: what is not read is refused by an entry too.  (Parentheses are nothing
    but what stands in them.)"""

    values: Mapping[CursorKind, ValueOf]
    places: Mapping[CursorKind, PlaceOf]
    """Of expressions that can name an object."""
    fresh: PlaceOf
    """Of all others: an object for their value."""
    effects: Mapping[CursorKind, Effect]
    """Of expressions of which less is emitted where nobody wants the value; of all others it is dropped."""
    statements: Mapping[CursorKind, Effect]
    default_value: DefaultOf

    def __post_init__(self) -> None:
        _check("value", self.values, EXPRESSIONS - {CursorKind.PAREN_EXPR})
        _check("statement", self.statements, EXPRESSIONS | STATEMENTS)


def _check(what: str, entries: Mapping[CursorKind, object], kinds: Iterable[CursorKind]) -> None:
    missing = sorted(k.name for k in set(kinds) - set(entries))
    if missing:
        raise TableError(f"nothing says what the {what} of {', '.join(missing)} is")


def _inside(ctx: Context, c: Cursor) -> Cursor:
    """An expression without parentheses around it, on whose line the lowering goes on."""
    ctx.at(c)
    while c.kind is CursorKind.PAREN_EXPR:
        c = operands(c)[0]
        ctx.at(c)
    return c


def value(ctx: Context, c: Cursor) -> Value:
    """The value of an expression, of the type the expression has."""
    c = _inside(ctx, c)
    lowers = ctx.table.values.get(c.kind)
    if lowers is None:
        ctx.fail(f"expression ({in_words(c)})", c)
    return lowers(ctx, c)


def place(ctx: Context, c: Cursor, temporary: bool = False) -> Place:
    """The object an lvalue names; with `temporary` also a fresh object for a value."""
    c = _inside(ctx, c)
    return ctx.table.places.get(c.kind, ctx.table.fresh)(ctx, c, temporary)


def discard(ctx: Context, c: Cursor) -> None:
    """Only the side effects of an expression."""
    c = _inside(ctx, c)
    lowers = ctx.table.effects.get(c.kind)
    if lowers is None:
        value(ctx, c)
    else:
        lowers(ctx, c)


def statement(ctx: Context, c: Cursor) -> None:
    """Lower one statement; nothing is emitted for a statement that cannot be reached."""
    deadline.check()
    if not ctx.alive:
        return
    ctx.at(c)
    lowers = ctx.table.statements.get(c.kind)
    if lowers is None:
        ctx.fail(f"statement ({in_words(c)})", c)
    lowers(ctx, c)


def default_value(ctx: Context, t: ClangType, at: Cursor) -> Record:
    """The value of `T()` for a class, as of what a container's elements start with; a class may have containers."""
    return ctx.table.default_value(ctx, t, at)


def in_words(c: Cursor) -> str:
    """The kind of a node as it is told to people."""
    return str(c.kind.name).lower().replace("_", " ")
