"""Which local variables a statement may read before it sets them, and which are read after it.

Only what a statement of its own sets, `v = e;`, counts as set: wherever more would have to be known, a variable is said
to be read."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang.libclang import binary_operator, children, preorder

Variables = frozenset[int]
"""By the hashes of their declarations."""
LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT}
_LEAVES = {CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT, CursorKind.RETURN_STMT}


def exposed(statement: Cursor) -> Variables:
    """The variables that a statement may read before it has set them."""
    walk = _Walk()
    walk.see(statement)
    return frozenset(walk.read)


def read_after(statement: Cursor, function: Cursor) -> Variables:
    """The variables whose values after a statement of a function may be read; the function has no labels."""
    way = way_to(function, statement)
    out: set[int] = set()
    gone: set[int] = set()
    for above, below in zip(way[-2::-1], way[:0:-1], strict=True):
        inner = children(above)
        if above.kind is CursorKind.COMPOUND_STMT:
            rest = inner[inner.index(below) + 1 :]
            walk = _Walk()
            for s in rest:
                walk.see(s)
            out |= walk.read - gone
            if not any(_leaves(s) for s in rest):  # what is set there is set wherever that ends
                gone |= walk.defined
        elif above.kind in LOOPS:
            out |= {v for part in inner for v in exposed(part)} - gone
    return frozenset(out)


def way_to(function: Cursor, statement: Cursor) -> list[Cursor]:
    """The cursors from a function down to one of its statements, both included."""
    stack = [[function]]
    while stack:
        way = stack.pop()
        if way[-1] == statement:
            return way
        stack += [[*way, c] for c in children(way[-1])]
    raise ValueError("the statement is none of the function's")


def _leaves(c: Cursor) -> bool:
    return any(n.kind in _LEAVES for n in preorder(c))


class _Walk:
    """Statements in the order in which they run; what may or may not run sets nothing."""

    def __init__(self) -> None:
        self.read: set[int] = set()
        self.defined: set[int] = set()

    def see(self, c: Cursor) -> None:
        kind = c.kind
        if kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == "=":
            target, value = children(c)
            self.see(value)
            variable = _variable(target)
            if variable is None:
                self._expression(target)
            else:
                self.defined.add(variable)
        elif kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == ",":
            self._in_order(*children(c))
        elif kind is CursorKind.COMPOUND_STMT:
            self._block(children(c))
        elif kind is CursorKind.IF_STMT:
            self._choice(*children(c))
        elif kind is CursorKind.FOR_STMT:
            self._for(*children(c))
        elif kind is CursorKind.DO_STMT and not _leaves(c):
            body, condition = children(c)
            self.see(body)
            self._expression(condition)
        elif kind is CursorKind.SWITCH_STMT:
            for n in children(c):
                for part in _labelled(n):
                    self._perhaps(part)
        elif kind.is_statement() and kind not in (CursorKind.DECL_STMT, CursorKind.RETURN_STMT):
            self._perhaps(*children(c))
        else:
            self._expression(c)

    def _expression(self, c: Cursor) -> None:
        if c.kind is CursorKind.DECL_REF_EXPR:
            if c.referenced is not None and c.referenced.hash not in self.defined:
                self.read.add(c.referenced.hash)
            return
        inner = children(c)
        if c.kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == "=" and _variable(inner[0]) is not None:
            inner = inner[1:]
        for n in inner:
            self._expression(n)

    def _block(self, statements: list[Cursor]) -> None:
        for k, s in enumerate(statements):
            self.see(s)
            if _leaves(s):  # the rest may not run
                self._perhaps(*statements[k + 1 :])
                return

    def _for(self, *parts: Cursor) -> None:
        *header, body = parts
        if len(header) == 3:
            self.see(header[0])
            self._expression(header[1])
            self._perhaps(body)
            self._perhaps(header[2])
        else:  # which parts are missing is not said
            for part in parts:
                self._perhaps(part)

    def _choice(self, condition: Cursor, *arms: Cursor) -> None:
        self._expression(condition)
        before, results = set(self.defined), []
        for arm in arms:
            self.defined = set(before)
            self.see(arm)
            results.append(self.defined)
        self.defined = set.intersection(*results) if len(results) == 2 else before

    def _in_order(self, *parts: Cursor) -> None:
        for part in parts:
            self.see(part)

    def _perhaps(self, *parts: Cursor) -> None:
        """What may run, or not."""
        before = set(self.defined)
        self._in_order(*parts)
        self.defined = before


def _variable(target: Cursor) -> int | None:
    """The variable that an assignment sets as a whole."""
    while target.kind is CursorKind.PAREN_EXPR:
        (target,) = children(target)
    if target.kind is not CursorKind.DECL_REF_EXPR or target.referenced is None:
        return None
    return int(target.referenced.hash)


def _labelled(c: Cursor) -> Iterator[Cursor]:
    """The statements of a switch, each of which may be the first that runs."""
    if c.kind in (CursorKind.COMPOUND_STMT, CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
        for n in children(c):
            yield from _labelled(n)
    else:
        yield c
