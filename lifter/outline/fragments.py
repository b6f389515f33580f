"""Loops that can stand in functions of their own, and what these are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from clang.cindex import Cursor, CursorKind, LinkageKind, StorageClass, Type, TypeKind

from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import (
    binary_operator,
    children,
    initializer,
    line,
    preorder,
    unary_operator,
)
from lifter.frontend.lowering.intrinsics import is_intrinsic
from lifter.outline.flow import LOOPS, exposed, read_after

_LEAVE_FUNCTION = {
    CursorKind.RETURN_STMT, CursorKind.GOTO_STMT, CursorKind.INDIRECT_GOTO_STMT, CursorKind.LABEL_STMT,
    CursorKind.CXX_THIS_EXPR, CursorKind.CXX_TRY_STMT, CursorKind.CXX_THROW_EXPR, CursorKind.LAMBDA_EXPR,
    CursorKind.ASM_STMT, CursorKind.MS_ASM_STMT, CursorKind.StmtExpr, CursorKind.ADDR_LABEL_EXPR,
}
"""What means something else in another function, or may."""
_LOCALS = (CursorKind.VAR_DECL, CursorKind.PARM_DECL)
_DECLARED = (*_LOCALS, CursorKind.TYPEDEF_DECL, CursorKind.STRUCT_DECL, CursorKind.ENUM_DECL)
_ARRAYS = {TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY}
_REFERENCES = {TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE}
_MARK = "__loop_"
_OF_THE_FUNCTION = {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"}


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable of the function around a loop."""

    name: str
    type: Type
    given: bool
    """Whether the loop may read the value that it has before."""
    left: bool
    """Whether the loop changes it, and it may be read afterwards."""

    declaration: Cursor | None = None
    """Of a constant table of static storage, which the loop's function declares, too."""
    made_of: Cursor | None = None
    """What a register that never changes begins with: the loop's function makes it anew, for nobody lifts parameters
    that are registers."""

    @property
    def is_object(self) -> bool:
        """Whether it is an object of a class; in C++ the loop works on it by reference."""
        return self.type.get_canonical().kind is TypeKind.RECORD

    @property
    def moves(self) -> bool:
        """Whether it is a pointer that the loop leaves at another element, which is said as how far that is."""
        return self.left and self.type.get_canonical().kind is TypeKind.POINTER

    @property
    def is_array(self) -> bool:
        """Whether the loop works on its memory."""
        return self.type.get_canonical().kind in _ARRAYS | _REFERENCES


@dataclass(slots=True)
class Fragment:
    """A loop as a function of its own."""

    name: str
    function: Cursor
    loop: Cursor
    line: int
    variables: tuple[Variable, ...] = ()
    cxx: bool = False
    refused: str = ""
    """Why it cannot be one; then only what is inside may."""
    inner: list[Fragment] = field(default_factory=list)
    """The loops directly inside."""

    def all(self) -> Iterator[Fragment]:
        """It, and those inside."""
        yield self
        for f in self.inner:
            yield from f.all()


def fragments(function: Cursor, cxx: bool) -> list[Fragment]:
    """The outermost loops of a function in C, or in C++, with those inside of them."""
    labels = any(c.kind in (CursorKind.GOTO_STMT, CursorKind.LABEL_STMT) for c in preorder(function))
    taken, given = _addresses_kept(function), _addresses_given(function)
    found: list[Fragment] = []

    def descend(c: Cursor, into: list[Fragment]) -> None:
        for n in children(c):
            if n.kind in LOOPS:
                own = _fragment(function, n, labels, (taken, given), cxx)
                into.append(own)
                descend(n, own.inner)
            else:
                descend(n, into)

    descend(function, found)
    _name(function, [f for top in found for f in top.all()])
    return found


def function_of(name: str) -> str:
    """The function that a fragment's name says it is of."""
    return name.rpartition(_MARK)[0]


def _name(function: Cursor, all_: list[Fragment]) -> None:
    """By the lines; several loops of one line are counted."""
    seen: dict[int, int] = {}
    for f in all_:
        seen[f.line] = seen.get(f.line, 0) + 1
        count = f"_{seen[f.line]}" if seen[f.line] > 1 else ""
        f.name = f"{function.spelling}{_MARK}{f.line}{count}"


def _fragment(
    function: Cursor, loop: Cursor, labels: bool, taken: tuple[set[int], set[int]], cxx: bool
) -> Fragment:
    out = Fragment("", function, loop, line(loop), cxx=cxx)
    if labels:
        out.refused = "the function has labels"
        return out
    for n in preorder(loop):
        if n.kind in _LEAVE_FUNCTION:
            out.refused = f"what it has in line {line(n)} means another thing in another function"
            return out
    inside = {n.hash for n in preorder(loop) if n.kind.is_declaration()}
    used: dict[int, Cursor] = {}
    remade: dict[int, Cursor] = {}
    waiting = [loop]
    while waiting:
        for n in preorder(waiting.pop()):
            target = n.referenced if n.kind in (CursorKind.DECL_REF_EXPR, CursorKind.TYPE_REF) else None
            if target is None or target.hash in inside or target.hash in used or not _is_local(target):
                continue
            if loop.extent.start.offset <= target.location.offset < loop.extent.end.offset:
                continue  # what a loop over a range declares unsaid
            if target.kind not in _LOCALS or not _is_table(target, function):
                out.refused = f"'{target.spelling}' is declared inside of the function"
                return out
            used[target.hash] = target
            again = _made_again(target, function)
            if again is not None:
                remade[target.hash] = again
                waiting.append(again)
    changed, first, after = queries.modified(loop), exposed(loop), read_after(loop, function)
    variables = []
    for key, target in sorted(used.items(), key=lambda item: item[1].location.offset):
        if target.storage_class is StorageClass.STATIC:
            variables.append(Variable(target.spelling, target.type, False, False, target))
            continue
        if key in remade:
            variables.append(Variable(target.spelling, target.type, False, False, made_of=remade[key]))
            continue
        given = key in first or any(_mentions(e, key) for e in remade.values())
        v = Variable(target.spelling, target.type, given, key in changed and key in after)
        kept, lent = (key in some for some in taken)
        out.refused = _problem(v, key in changed, kept or (lent and key in changed), out)
        if not out.refused and v.moves and not _only_moves(key, loop):
            out.refused = f"the pointer '{v.name}' is set to another array"
        if out.refused:
            return out
        variables.append(v)
    out.variables = tuple(variables)
    return out


def _made_again(target: Cursor, function: Cursor) -> Cursor | None:
    """What a local register is made of, if it is never changed and could be made again anywhere: by intrinsics, of
    registers like it and of numbers that never change."""
    if not types.register_bytes(target.type) or target.kind is not CursorKind.VAR_DECL:
        return None
    start, changed = initializer(target), queries.modified(function)
    if start is None or target.hash in changed:
        return None
    for n in preorder(start):
        if n.kind is CursorKind.CALL_EXPR and (n.referenced is None or not is_intrinsic(n.referenced)):
            return None
        named = n.referenced if n.kind is CursorKind.DECL_REF_EXPR else None
        if named is None or named.kind is CursorKind.FUNCTION_DECL:
            continue
        if not _is_local(named):  # another function may change it meanwhile
            return None
        if named.hash in changed or (types.scalar(named.type) is None and not types.register_bytes(named.type)):
            return None
    return start


def _mentions(e: Cursor, key: int) -> bool:
    return any(n.kind is CursorKind.DECL_REF_EXPR and n.referenced and n.referenced.hash == key for n in preorder(e))


def _is_table(target: Cursor, function: Cursor) -> bool:
    """Whether a local variable is of automatic storage, or constant, and declared alone by constants."""
    if target.storage_class is not StorageClass.STATIC:
        return True
    alone = [c for c in preorder(function) if c.kind is CursorKind.DECL_STMT and target in children(c)]
    named = [n.referenced for n in preorder(target) if n.kind is CursorKind.DECL_REF_EXPR]
    plain = all(n is not None and n.kind is CursorKind.ENUM_CONSTANT_DECL for n in named)
    return types.is_const(target.type) and plain and len(alone) == 1 and len(children(alone[0])) == 1


def _is_local(target: Cursor) -> bool:
    if target.spelling in _OF_THE_FUNCTION:
        return True
    scope = target.semantic_parent
    inside = scope is not None and scope.kind in (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD)
    return target.kind in _DECLARED and inside and target.linkage is not LinkageKind.EXTERNAL


def _problem(v: Variable, changed: bool, kept: bool, of: Fragment) -> str:
    """Why a variable cannot be handed over; empty where it can."""
    t = v.type.get_canonical()
    if kept and not v.is_array and not (v.is_object and of.cxx):
        return f"the address of '{v.name}' is kept"
    if "(unnamed" in t.spelling or "(anonymous" in t.spelling or "(lambda" in t.spelling:
        return f"the type of '{v.name}' has no name"
    if t.kind is TypeKind.VARIABLEARRAY:
        return f"the size of the array '{v.name}' is a variable"
    if v.is_object and changed and not of.cxx:
        return f"'{v.name}' is an object that it changes"
    if t.kind in _ARRAYS and any(n.kind is CursorKind.CXX_UNARY_EXPR for n in preorder(of.loop)):
        return f"it may ask for the size of the array '{v.name}'"
    return ""


def _only_moves(key: int, loop: Cursor) -> bool:
    """Whether a loop changes a pointer by steps alone."""
    steps = 0
    for c in preorder(loop):
        inner = children(c)
        if c.kind is CursorKind.CALL_EXPR and any(_names(a, key) for a in inner):
            return False  # by reference
        if not inner or not _names(inner[0], key):
            continue
        operator = unary_operator(c) if c.kind is CursorKind.UNARY_OPERATOR else ""
        if operator == "&" or (c.kind is CursorKind.BINARY_OPERATOR and binary_operator(c) == "="):
            return False
        steps += c.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR or operator in ("x++", "x--", "++x", "--x")
    return steps > 0


def _names(c: Cursor, key: int) -> bool:
    while c.kind is CursorKind.PAREN_EXPR:
        (c,) = children(c)
    return c.kind is CursorKind.DECL_REF_EXPR and c.referenced is not None and c.referenced.hash == key


def _addresses_given(function: Cursor) -> set[int]:
    """Variables whose addresses are taken at all: a function that is given one may keep it, and change the variable
    meanwhile.  (That it changes one behind the back of a loop that only reads it is not to be thought of.)"""
    taken = [c for c in preorder(function) if c.kind is CursorKind.UNARY_OPERATOR and unary_operator(c) == "&"]
    return {k for c in taken for k in _named_in(c)}


def _named_in(c: Cursor) -> set[int]:
    return {n.referenced.hash for n in preorder(c) if n.kind is CursorKind.DECL_REF_EXPR and n.referenced}


def _addresses_kept(function: Cursor) -> set[int]:
    """Variables whose addresses are taken otherwise than for a call, or that have other names by reference."""
    out: set[int] = set()
    stack = [(function, False)]
    while stack:
        c, argument = stack.pop()
        inner = children(c)
        if c.kind is CursorKind.UNARY_OPERATOR and unary_operator(c) == "&" and not argument:
            out |= _named_in(c)
        if c.kind is CursorKind.VAR_DECL and c.type.get_canonical().kind in _REFERENCES:
            out |= _named_in(c)
        through = argument and c.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CSTYLE_CAST_EXPR)
        stack += [(n, through or c.kind is CursorKind.CALL_EXPR) for n in inner]
    return out
