"""Duff's device, a loop that is entered in its middle: as many of its pieces as there are elements.

    int n = (count + 3) / 4;                          for (k = 0; k < count; k++) piece;
    switch (count & 3) {
    case 0: do { piece;
    case 3:      piece;
    case 2:      piece;
    case 1:      piece;
            } while (--n > 0);
    }

Where `count` is not positive some pieces run all the same: calls with such a one are left to the original."""

from __future__ import annotations

from dataclasses import dataclass

from clang.cindex import Cursor, CursorKind, StorageClass

from halide_core.ir.expr import I64, Expr, const
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import binary_operator, children, evaluate, initializer, preorder, unary_operator
from lifter.frontend.clang.same_tree import same
from lifter.frontend.lowering import evaluated
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assert

K = CursorKind
_LEAVES = frozenset({
    K.BREAK_STMT, K.CONTINUE_STMT, K.RETURN_STMT, K.GOTO_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT,
})
_CASTS = {K.PAREN_EXPR, K.UNEXPOSED_EXPR}


@dataclass(frozen=True, slots=True)
class Device:
    """What runs, and how often."""

    piece: list[Cursor]
    count: Cursor
    passes: Cursor
    """The variable that counts passes, 0 at the end."""
    each: int
    """How many pieces there are in a pass."""


def found(switch: Cursor) -> Device | None:
    """The device that a switch is; None for any other."""
    selector, body = children(switch)
    do = children(body)[0] if len(children(body)) == 1 else None
    if do is None or do.kind is not K.CASE_STMT or evaluate(children(do)[0]) != 0:
        return None
    do = children(do)[-1]
    if do.kind is not K.DO_STMT or children(do)[0].kind is not K.COMPOUND_STMT:
        return None
    pieces, condition = _pieces(children(do)[0]), children(do)[1]
    if pieces is None or not _alike(pieces):
        return None
    passes, each = _counted_down(condition), len(pieces)
    start = initializer(passes) if passes is not None else None
    if passes is None or start is None or not _stands_before(passes, switch):
        return None
    # A counter that is narrower than what it begins with counts other passes, one that lasts begins once.
    own, given = types.scalar(passes.type), types.scalar(_bare(start).type)
    if own is None or given is None or own.bits < given.bits or passes.storage_class is StorageClass.STATIC:
        return None
    count = _rounded_up(start, each)
    rest = _remainder(selector, each)
    if count is None or rest is None or not same(_bare(count), _bare(rest)) or not _is_pure(count):
        return None
    return Device(pieces[0], count, passes, each)


def count_of(ctx: Context, device: Device) -> Expr:
    """How many pieces run, as an int64; that it is more than none is asked of callers."""
    value = evaluated.scalar(ctx, device.count)
    limit = value.type.max() - (device.each - 1)
    ctx.emit(Assert(0, op.binary(">", value, const(0, value.type))))
    ctx.emit(Assert(0, op.binary("<=", value, const(int(limit), value.type))))
    return op.cast(value, I64)


def _pieces(body: Cursor) -> list[list[Cursor]] | None:
    """The statements of a pass from label to label, whose numbers go down to 1; None if there are others."""
    out: list[list[Cursor]] = [[]]
    labels: list[object] = []
    for s in children(body):
        if s.kind is K.CASE_STMT:
            labels.append(evaluate(children(s)[0]))
            out.append([])
            s = children(s)[-1]
        if s.kind is not K.NULL_STMT and (s.kind is not K.UNEXPOSED_STMT or children(s)):
            if s.kind is K.UNEXPOSED_STMT and all(n.kind is K.NULL_STMT for n in children(s)):
                continue  # `[[fallthrough]];`
            out[-1].append(s)
    return out if labels == list(range(len(out) - 1, 0, -1)) and len(out) > 1 else None


def _alike(pieces: list[list[Cursor]]) -> bool:
    first = pieces[0]
    if not first or any(queries.leaves(s, _LEAVES) for s in first):
        return False
    return all(len(p) == len(first) and all(same(a, b) for a, b in zip(first, p, strict=True)) for p in pieces[1:])


def _counted_down(condition: Cursor) -> Cursor | None:
    """The variable of `--n > 0`."""
    condition = _bare(condition)
    if condition.kind is not K.BINARY_OPERATOR or binary_operator(condition) != ">":
        return None
    left, right = children(condition)
    left = _bare(left)
    if evaluate(right) != 0 or left.kind is not K.UNARY_OPERATOR or unary_operator(left) != "--x":
        return None
    named = _bare(children(left)[0])
    target = named.referenced if named.kind is K.DECL_REF_EXPR else None
    return target if target is not None and target.kind is K.VAR_DECL else None


def _stands_before(variable: Cursor, switch: Cursor) -> bool:
    """Whether a variable is declared in the statement before, and named nowhere but where it is counted down."""
    function = variable.semantic_parent
    uses = [n for n in preorder(function) if n.kind is K.DECL_REF_EXPR and n.referenced == variable]
    if len(uses) != 1:
        return False
    for block in (n for n in preorder(function) if n.kind is K.COMPOUND_STMT):
        inner = children(block)
        if switch in inner:
            before = inner[inner.index(switch) - 1]
            return before.kind is K.DECL_STMT and children(before) == [variable]
    return False


def _rounded_up(e: Cursor, each: int) -> Cursor | None:
    """The `count` of `(count + each - 1) / each`."""
    e = _bare(e)
    if e.kind is not K.BINARY_OPERATOR or binary_operator(e) != "/" or evaluate(children(e)[1]) != each:
        return None
    total = _bare(children(e)[0])
    if total.kind is not K.BINARY_OPERATOR or binary_operator(total) != "+":
        return None
    return children(total)[0] if evaluate(children(total)[1]) == each - 1 else None


def _remainder(e: Cursor, each: int) -> Cursor | None:
    """The `count` of `count % each`, and of `count & each - 1` for a power of two."""
    e = _bare(e)
    if e.kind is not K.BINARY_OPERATOR:
        return None
    left, right = children(e)
    modulo = binary_operator(e) == "%" and evaluate(right) == each
    masked = binary_operator(e) == "&" and evaluate(right) == each - 1 and each & (each - 1) == 0
    return left if modulo or masked else None


def _is_pure(e: Cursor) -> bool:
    kinds = {n.kind for n in preorder(e)}
    return not kinds & {K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR} and not any(
        (n.kind is K.UNARY_OPERATOR and unary_operator(n) in ("x++", "x--", "++x", "--x"))
        or (n.kind is K.BINARY_OPERATOR and binary_operator(n) == "=")
        for n in preorder(e)
    )


def _bare(e: Cursor) -> Cursor:
    """Without parentheses and implicit conversions."""
    while e.kind in _CASTS and len(children(e)) == 1:
        (e,) = children(e)
    return e
