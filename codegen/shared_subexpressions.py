"""Large expressions in parts, for text: what occurs in them several times, or lies deep, under a name of its own.

Values of sorting networks are graphs of a hundred operations and trees of millions; Python's parser takes no more than
200 nested parentheses, of which an operation may need several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from halide_core.ir.expr import Call, CallType, Expr, Variable, children, with_children
from halide_core.ir.structural import key, post_order

# Up to here an expression is written as one, and what is no larger is written wherever it occurs.
MOST_NODES = 400
FEW_NODES = 4
DEEPEST = 40

Part = tuple[str, Expr]


def in_parts(e: Expr, taken: Iterable[str] = ()) -> tuple[list[Part], Expr]:
    """(parts, rest): `e` is `rest` once the name of each part stands for it; a part may mention those before it.

    Expressions that are no larger than `MOST_NODES` as trees, and no deeper than `DEEPEST`, have no parts.  No part
    has one of the names `taken`."""
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    uses: Counter[int] = Counter()
    order: list[Expr] = []
    for n in _post_order(e):
        order.append(n)
        inner = _operands(n)
        uses.update(key(c) for c in inner)
        sizes[key(n)] = 1 + sum(sizes[key(c)] for c in inner)
        depths[key(n)] = 1 + max((depths[key(c)] for c in inner), default=0)
    small = sizes[key(e)] <= MOST_NODES
    if small and depths[key(e)] <= DEEPEST:
        return [], e
    names = set(taken) | {n.name for n in post_order(e) if isinstance(n, Call | Variable)}
    done: dict[int, Expr] = {}
    left: dict[int, int] = {}
    deep: dict[int, int] = {}
    parts: list[Part] = []
    count = 0
    for n in order:
        number, inner = key(n), _operands(n)
        new = with_children(n, tuple(done[key(c)] for c in inner)) if inner else n
        left[number] = 1 + sum(left[key(c)] for c in inner)
        deep[number] = 1 + max((deep[key(c)] for c in inner), default=0)
        often = not small and uses[number] > 1 and left[number] > FEW_NODES
        if often or (deep[number] == DEEPEST and n is not e):
            while f"part{count}" in names:
                count += 1
            parts.append((f"part{count}", new))
            new, left[number], deep[number] = Variable(n.type, f"part{count}"), 1, 1
            count += 1
        done[number] = new
    return parts, done[key(e)]


def _post_order(e: Expr) -> list[Expr]:
    """Each distinct expression outside of coordinates, operands first."""
    out: list[Expr] = []
    seen: set[int] = set()
    stack = [(e, False)]
    while stack:
        n, expanded = stack.pop()
        if expanded:
            out.append(n)
        elif key(n) not in seen:
            seen.add(key(n))
            stack.append((n, True))
            stack += [(c, False) for c in reversed(_operands(n))]
    return out


def _operands(n: Expr) -> tuple[Expr, ...]:
    """The coordinates of a read are none of its operands."""
    return () if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE) else children(n)
