"""Which conditionals become paths of their own (paper, section 5.2).

Those that hold loops or returns must. Those that change several of the values that shape later loops (an image that is
flipped for a negative height, rows one behind the other that run as one) should: each path then has plain bounds and
strides, where one path would have bounds that are choices, which fit no region.  So do those inside loops that decide,
by parameters alone, what is read, or which of two loops runs."""

from __future__ import annotations

from collections.abc import Hashable

from halide_core.ir.expr import And, Expr, Load, Not, Or, Select, children
from halide_core.ir.structural import contains, key, post_order, substitute, variables
from lifter.algebra.fold import parts
from lifter.ir import loop_ir as L
from lifter.ir.names import is_address
from lifter.ir.shaping import shaping

_Place = tuple[str, Hashable]
"""An array, and where in it, by the text of the index, if that is asked for."""


def must_fork(stmt: L.If) -> bool:
    """Whether a conditional holds a loop or a return, or asks whether a pointer is null (`if (count) *count = n`)."""
    return any(isinstance(s, L.Loop | L.Return) for s in L.walk((stmt,))) or _asks_for_pointer(stmt.condition)


def _asks_for_pointer(condition: Expr) -> bool:
    return any(is_address(n) for n in variables(condition))


def reshapes(stmt: L.If, rest: tuple[L.Stmt, ...]) -> bool:
    """Whether a conditional assigns several scalars, at least one of which decides how often loops of `rest` run or
    which elements they touch."""
    assigned = {s.name for s in L.walk((stmt,)) if isinstance(s, L.Assign)}
    if len(assigned) < 2 or any(isinstance(s, L.Store) for s in L.walk((stmt,))):
        return False
    return bool(assigned & shaping(rest))


def guards_of_reads(loop: L.Loop, elements: bool) -> list[Expr]:
    """Conditions, one by one, that decide inside a loop whether an array is read at all; of `elements`, whether one is
    read at a place where it is not otherwise: the last channel of pixels that may have none."""
    certain = _certain((*loop.prelude, *loop.body, *loop.step), elements)
    out: list[Expr] = []
    for s in L.walk(loop.body):
        if isinstance(s, L.If):
            within = (e for x in L.walk((*s.then, *s.otherwise)) for e in L.expressions(x))
            inside = {a for e in within for a in _read(e, elements)}
            asked = inside - certain or _asks_for_pointer(s.condition)
            out += parts(s.condition, And, Or, Not) if asked else []
        for e in L.expressions(s):
            for n in post_order(e):
                if isinstance(n, Select) and (_read(n.true_value, elements) | _read(n.false_value, elements)) - certain:
                    out += parts(n.condition, And, Or, Not)
                elif isinstance(n, And | Or) and _read(n.b, elements) - certain:
                    out += parts(n.a, And, Or, Not)
    arrays = {name for name, _ in certain}
    return out + _guards_of_kept(Invariants(loop), loop.body, arrays, (), False)


def guards_of_refused(loop: L.Loop) -> list[Expr]:
    """Conditions, one by one, inside a loop around what only the original does."""
    return [
        part
        for s in L.walk(loop.body)
        if isinstance(s, L.If) and any(isinstance(x, L.Assert) and x.refused for x in L.walk((s,)))
        for part in parts(s.condition, And, Or, Not)
    ]


def _guards_of_kept(
    known: Invariants, body: tuple[L.Stmt, ...], certain: set[str], around: tuple[Expr, ...], data: bool
) -> list[Expr]:
    """Conditions around stores that data decide as well: what is not stored is kept, and so read."""
    out: list[Expr] = []
    for s in body:
        match s:
            case L.Store() if data and s.array not in certain:
                out += [c for whole in around for c in parts(whole, And, Or, Not)]
            case L.Loop():
                out += _guards_of_kept(known, s.body, certain, around, data)
            case L.If():
                fixed = known.of(s.condition)
                of_data = data or fixed is None or contains(fixed, Load)
                within = around if fixed is None or contains(fixed, Load) else (*around, s.condition)
                for arm in (s.then, s.otherwise):
                    out += _guards_of_kept(known, arm, certain, within, of_data)
    return out


def questions_for_pointers(stmt: L.Stmt) -> list[Expr]:
    """Conditions, one by one, by which a statement that is no loop chooses between values, and that ask whether a
    pointer is null: `start = above ? above[0] : 0`."""
    choices = [n.condition for e in L.expressions(stmt) for n in post_order(e) if isinstance(n, Select)]
    return [c for whole in choices for c in parts(whole, And, Or, Not) if _asks_for_pointer(c)]


def choosers_of_loops(loop: L.Loop) -> list[Expr]:
    """Conditions inside a loop that say which of two loops runs: where they are on parameters, the one or the other is
    all that the path has, and what it writes is one region."""
    choices = [s for s in L.walk(loop.body) if isinstance(s, L.If)]
    both = [s for s in choices if all(any(isinstance(x, L.Loop) for x in L.walk(a)) for a in (s.then, s.otherwise))]
    return [c for s in both for c in parts(s.condition, And, Or, Not)]


class Invariants:
    """Expressions of a loop's body over what the loop does not change, where its locals are given one value each."""

    def __init__(self, loop: L.Loop) -> None:
        self.values: dict[str, list[Expr]] = {}
        for s in L.walk((loop,)):
            if isinstance(s, L.Assign):
                self.values.setdefault(s.name, []).append(s.value)

    def of(self, e: Expr) -> Expr | None:
        for _ in self.values:
            names = variables(e) & self.values.keys()
            if any(len(self.values[n]) > 1 for n in names):
                return None
            if not names:
                break
            e = substitute(e, {n: self.values[n][0] for n in names})
        return None if variables(e) & self.values.keys() else e


def _place(n: Load, elements: bool) -> _Place:
    return n.name, key(n.index) if elements else None


def _read(e: Expr, elements: bool) -> set[_Place]:
    return {_place(n, elements) for n in post_order(e) if isinstance(n, Load)}


def _certain(body: tuple[L.Stmt, ...], elements: bool) -> set[_Place]:
    """What is read whatever the conditions in `body` are, if its loops run."""
    out: set[_Place] = set()
    for s in body:
        for e in L.expressions(s):
            out |= _surely(e, {}, elements)
        if isinstance(s, L.If):
            out |= _certain(s.then, elements) & _certain(s.otherwise, elements)
        elif isinstance(s, L.Loop):
            out |= _certain((*s.prelude, *s.body, *s.step), elements)
    return out


def _surely(e: Expr, known: dict[int, set[_Place]], elements: bool) -> set[_Place]:
    """What is read whenever `e` is evaluated."""
    if id(e) not in known:
        own = {_place(e, elements)} if isinstance(e, Load) else set()
        if isinstance(e, Select):
            arms = [_surely(a, known, elements) for a in (e.true_value, e.false_value)]
            own = _surely(e.condition, known, elements) | (arms[0] & arms[1])
        elif isinstance(e, And | Or):
            own = _surely(e.a, known, elements)
        else:
            own = own.union(*(_surely(c, known, elements) for c in children(e)))
        known[id(e)] = own
    return known[id(e)]
