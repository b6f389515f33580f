"""Light constant folding of symbolic values; meaning is kept exactly, at every width."""

from __future__ import annotations

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    Call,
    CallType,
    Cast,
    Expr,
    Load,
    Mod,
    Mul,
    Not,
    Or,
    Reinterpret,
    Select,
    Sub,
    Variable,
    children,
    const,
    const_value,
    make_bool,
)
from halide_core.ir.structural import key, post_order, same, transform

_NEGATED: dict[type, type] = {EQ: NE, NE: EQ, LT: GE, GE: LT, GT: LE, LE: GT}


_MOST_KNOWN = 1 << 18
_MOST_COMPARISONS = 6
_VALUES: dict[int, Expr] = {}
"""Of expressions of constants: registers have the same ones again and again."""


def fold(e: Expr) -> Expr:
    """`e` with constant sub-expressions evaluated and trivial identities applied."""
    return transform(e, fold_node)


def fold_node(e: Expr) -> Expr:
    """One node whose children are folded already."""
    inner = children(e)
    if isinstance(e, Call) and e.call_type is not CallType.INTRINSIC:
        return e
    if inner and not isinstance(e, Load) and all(const_value(c) is not None for c in inner):
        if isinstance(e, Call) and e.name in ("undef", "likely", "strict_float"):
            return e
        number = key(e)
        if number not in _VALUES:
            if len(_VALUES) > _MOST_KNOWN:
                _VALUES.clear()
            _VALUES[number] = const(evaluate(e, {}).item(), e.type)
        return _VALUES[number]
    if isinstance(e, Select):
        return _fold_select(e)
    if isinstance(e, And | Or | Not):
        return _fold_logic(e)
    if isinstance(e, Cast) and e.type == e.value.type:
        return e.value
    if isinstance(e, Reinterpret) and isinstance(e.value, Reinterpret) and e.type == e.value.value.type:
        return e.value.value
    if isinstance(e, Add | Sub | Mul) and e.type.is_int_or_uint():
        return _fold_arithmetic(e)
    if isinstance(e, EQ | NE) and const_value(e.b) is not None:
        choice = e.a.value if isinstance(e.a, Cast) and e.a.type.can_represent(e.a.value.type) else e.a
        if isinstance(choice, Select):
            return _fold_choice(e, choice)
    if isinstance(e, EQ | NE) and isinstance(e.a, Call) and e.a.name == "mod_round_to_zero" and const_value(e.b) == 0:
        # Whether it is zero does not depend on the way of rounding.
        return type(e)(e.type, Mod(e.a.type, *e.a.args), e.b)
    return e


def _fold_select(e: Select) -> Expr:
    value = const_value(e.condition)
    if value is not None:
        return e.true_value if value else e.false_value
    if same(e.true_value, e.false_value):
        return e.true_value
    if isinstance(e.condition, Not):
        return Select(e.type, e.condition.a, e.false_value, e.true_value)
    if e.type.is_bool():
        yes, no = const_value(e.true_value), const_value(e.false_value)
        if yes is not None and no is not None:
            return e.condition if yes else negate(e.condition)
    return e


def _fold_choice(e: EQ | NE, choice: Select) -> Expr:
    """A choice between constants that is compared with one: `(c ? 1 : 0) != 0` is c."""
    arms = [const_value(a) for a in (choice.true_value, choice.false_value)]
    if None in arms:
        return e
    yes, no = ((a == const_value(e.b)) == isinstance(e, EQ) for a in arms)
    return make_bool(yes) if yes == no else choice.condition if yes else negate(choice.condition)


def _fold_logic(e: And | Or | Not) -> Expr:
    if isinstance(e, Not):
        return negate(e.a)
    absorbing = 0 if isinstance(e, And) else 1
    for one, other in ((e.a, e.b), (e.b, e.a)):
        value = const_value(one)
        if value is not None:
            return make_bool(bool(value)) if int(value) == absorbing else other
    if same(e.a, e.b):
        return e.a
    if same(e.a, negate(e.b)):
        return make_bool(isinstance(e, Or))
    return e


def where_holds(e: Expr, condition: Expr) -> Expr:
    """An expression where a condition holds: choices by it, or by its contrary, are made."""
    chosen = {key(condition): True, key(negate(condition)): False}
    if not any(isinstance(n, Select) and key(n.condition) in chosen for n in post_order(e)):
        return e

    def choose(n: Expr) -> Expr:
        answer = chosen.get(key(n.condition)) if isinstance(n, Select) else None
        if answer is None or not isinstance(n, Select):
            return n
        return n.true_value if answer else n.false_value

    return fold(transform(e, choose))


def negate(e: Expr) -> Expr:
    """Logical negation, pushed into an integer comparison."""
    if isinstance(e, Not):
        return e.a
    value = const_value(e)
    if value is not None:
        return make_bool(not value)
    kind = _NEGATED.get(type(e))
    if kind is not None and (not e.a.type.is_float() or kind in (EQ, NE)):  # type: ignore[attr-defined]
        result: Expr = kind(e.type, e.a, e.b)  # type: ignore[attr-defined]
        return result
    return Not(e.type, e)


def _fold_arithmetic(e: Add | Sub | Mul) -> Expr:
    a, b = const_value(e.a), const_value(e.b)
    if isinstance(e, Mul):
        if a == 0 or b == 0:
            return const(0, e.type)
        return e.b if a == 1 else e.a if b == 1 else e
    if b == 0:
        return e.a
    if a == 0 and isinstance(e, Add):
        return e.b
    if isinstance(e, Sub) and same(e.a, e.b):
        return const(0, e.type)
    return e


def parts(condition: Expr | None, *kinds: type[And | Or | Not]) -> list[Expr]:
    """What operators of `kinds` (And, where none is given) join to `condition`, in order; nothing for None."""
    kinds = kinds or (And,)
    out: list[Expr] = []
    stack = [] if condition is None else [condition]
    while stack:
        e = stack.pop()
        if isinstance(e, kinds):
            stack += reversed(children(e))
        else:
            out.append(e)
    return out


def clauses(condition: Expr) -> list[Expr]:
    """Conditions that hold together where `condition` does: its conjuncts, and those of a negated disjunction."""
    out: list[Expr] = []
    stack = [condition]
    while stack:
        e = stack.pop()
        if isinstance(e, And):
            stack += (e.b, e.a)
        elif isinstance(e, Not) and isinstance(e.a, Or):
            stack += (negate(e.a.b), negate(e.a.a))
        else:
            out.append(e)
    return out


def conjunction(parts: list[Expr]) -> Expr | None:
    """All of `parts`, None for nothing."""
    total: Expr | None = None
    for p in parts:
        value = const_value(p)
        if value is not None and value:
            continue
        total = p if total is None else fold_node(And(p.type, total, p))
    return total


def all_hold(parts: list[Expr]) -> Expr:
    """All of `parts`, the constant true for nothing."""
    total = conjunction(parts)
    return make_bool(True) if total is None else total


def is_true(e: Expr | None) -> bool:
    """Whether a guard is absent or the constant true."""
    return e is None or bool(const_value(e))


def is_tautology(e: Expr) -> bool:
    """Whether a condition holds whatever its comparisons say, each and its opposite taken for one; False of one with
    many of them."""
    numbers: dict[int, int] = {}
    work = [e]
    while work:
        n = work.pop()
        if isinstance(n, And | Or | Not):
            work += children(n)
        else:
            numbers.setdefault(min(key(n), key(negate(n))), len(numbers))
    if len(numbers) > _MOST_COMPARISONS:
        return False

    def holds(n: Expr, row: int) -> bool:
        if isinstance(n, And):
            return holds(n.a, row) and holds(n.b, row)
        if isinstance(n, Or):
            return holds(n.a, row) or holds(n.b, row)
        if isinstance(n, Not):
            return not holds(n.a, row)
        opposite = key(negate(n))
        return bool(row >> numbers[min(key(n), opposite)] & 1) == (key(n) < opposite)

    return all(holds(e, row) for row in range(1 << len(numbers)))


def has_variable(e: Expr, names: frozenset[str] | set[str]) -> bool:
    """Whether any of the names occurs in `e`."""
    from halide_core.ir.structural import post_order

    return any(isinstance(n, Variable) and n.name in names for n in post_order(e))
