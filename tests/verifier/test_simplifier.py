"""Every rewrite rule of the simplifier: what it makes, and a proof by Z3 that it is equal.

Rules of wrapping arithmetic are proved over bit-vectors of each width, rules of coordinates over the integers."""

from __future__ import annotations

import pytest

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, Expr, Variable, const
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import same
from halide_core.ir.types import Float, Int, Type, UInt
from verifier.smt import IndexEncoder, Proved, Query, Refuted, ValueEncoder, prove

pytestmark = pytest.mark.few(4)

_TYPES = [f(bits) for bits in (8, 16, 32, 64) for f in (Int, UInt)]


def _names(t: Type) -> dict[str, object]:
    """What the texts of rules below are made of: x, y, z of type `t`, booleans p, q, and the nodes."""
    names: dict[str, object] = {n: Variable(t, n) for n in ("x", "y", "z")}
    names |= {n: Variable(BOOL, n) for n in ("p", "q")}
    for node in (ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max):
        names[node.__name__] = lambda a, b, node=node: node(t, _as(a, t), _as(b, t))
    for node in (ir.EQ, ir.NE, ir.LT, ir.LE, ir.GT, ir.GE):
        names[node.__name__] = lambda a, b, node=node: node(BOOL, _as(a, t), _as(b, t))
    for node in (ir.And, ir.Or):
        names[node.__name__] = lambda a, b, node=node: node(BOOL, _as(a, BOOL), _as(b, BOOL))
    names["Not"] = lambda a: ir.Not(BOOL, _as(a, BOOL))
    names["Select"] = lambda c, a, b: ir.Select(t, _as(c, BOOL), _as(a, t), _as(b, t))
    names["likely"] = lambda a: ir.intrinsic("likely", t, a)
    return names


def _as(e: object, t: Type) -> Expr:
    return e if isinstance(e, Expr) else const(e, t)  # type: ignore[arg-type]


# rule: (before, after), for every integer type.
WRAPPING = {
    "zero plus": ("Add(0, x)", "x"),
    "plus zero": ("Add(x, 0)", "x"),
    "constant to the right of a sum": ("Add(5, x)", "Add(x, 5)"),
    "constants of sums": ("Add(Add(x, 100), 60)", "Add(x, 160)"),
    "constants of sums that cancel": ("Add(Add(x, 100), -100)", "x"),
    "minus zero": ("Sub(x, 0)", "x"),
    "minus itself": ("Sub(Mul(x, y), Mul(x, y))", "0"),
    "zero times": ("Mul(0, x)", "0"),
    "times zero": ("Mul(x, 0)", "0"),
    "one times": ("Mul(1, x)", "x"),
    "times one": ("Mul(x, 1)", "x"),
    "constant to the right of a product": ("Mul(3, x)", "Mul(x, 3)"),
    "constants of products": ("Mul(Mul(x, 20), 30)", "Mul(x, 600)"),
    "by one": ("Div(x, 1)", "x"),
    "by zero": ("Div(x, 0)", "0"),
    "zero by": ("Div(0, x)", "0"),
    "modulo one": ("Mod(x, 1)", "0"),
    "modulo zero": ("Mod(x, 0)", "0"),
    "zero modulo": ("Mod(0, x)", "0"),
    "min of equals": ("Min(x, x)", "x"),
    "max of equals": ("Max(x, x)", "x"),
    "min of what is below": ("Min(Mod(x, 5), 4)", "Mod(x, 5)"),
    "max of what is below": ("Max(Mod(x, 5), 7)", "7"),
    "min of what is above": ("Min(7, Mod(x, 5))", "Mod(x, 5)"),
    "constants of minima": ("Min(Min(x, 9), 5)", "Min(x, 5)"),
    "constants of maxima": ("Max(Max(x, 9), 5)", "Max(x, 9)"),
    "min of a min": ("Min(Min(x, y), x)", "Min(x, y)"),
    "max of a max": ("Max(y, Max(x, y))", "Max(x, y)"),
    "greater": ("GT(x, y)", "LT(y, x)"),
    "greater or equal": ("GE(x, y)", "LE(y, x)"),
    "equal to itself": ("EQ(x, x)", "True"),
    "unequal to itself": ("NE(x, x)", "False"),
    "at most itself": ("LE(x, x)", "True"),
    "below itself": ("LT(x, x)", "False"),
    "below by ranges": ("LT(Mod(x, 5), 5)", "True"),
    "equal by ranges": ("EQ(Mod(x, 5), 5)", "False"),
    "above by ranges": ("NE(Max(x, 6), 5)", "True"),
    "at most by ranges": ("LE(Min(x, 4), 4)", "True"),
    "not below by ranges": ("LT(Max(x, 5), 5)", "False"),
    "not not": ("Not(Not(p))", "p"),
    "not equal": ("Not(EQ(x, y))", "NE(x, y)"),
    "not unequal": ("Not(NE(x, y))", "EQ(x, y)"),
    "and false": ("And(p, False)", "False"),
    "true and": ("And(True, p)", "p"),
    "or true": ("Or(p, True)", "True"),
    "false or": ("Or(False, p)", "p"),
    "and of equals": ("And(p, p)", "p"),
    "or of equals": ("Or(LT(x, y), LT(x, y))", "LT(x, y)"),
    "select true": ("Select(True, x, y)", "x"),
    "select false": ("Select(False, x, y)", "y"),
    "select of equals": ("Select(p, x, x)", "x"),
    "select not": ("Select(Not(p), x, y)", "Select(p, y, x)"),
    "likely": ("likely(x)", "x"),
}

# Where the simplifier may assume that nothing overflows.
COORDINATES = {
    "like terms": ("Add(Mul(x, 3), Sub(y, x))", "Add(Mul(x, 2), y)"),
    "terms that cancel": ("Sub(Add(x, y), Add(y, x))", "0"),
    "constants last": ("Add(Add(x, 3), Add(y, 4))", "Add(Add(x, y), 7)"),
    "a constant minus": ("Sub(Add(x, 3), Sub(x, 4))", "7"),
    "products of sums": ("Sub(Mul(Add(x, 2), y), Mul(x, y))", "Mul(y, 2)"),
    "products of differences": ("Sub(Mul(y, Sub(x, 2)), Mul(y, x))", "Sub(0, Mul(y, 2))"),
    "quotient and remainder": ("Add(Mod(x, 8), Mul(Div(x, 8), 8))", "x"),
    "quotient and remainder, scaled": ("Add(Mul(Mod(x, 8), 3), Mul(Div(x, 8), 24))", "Mul(x, 3)"),
    "multiples out of quotients": ("Div(Add(Mul(x, 8), 3), 4)", "Mul(x, 2)"),
    "multiples out of remainders": ("Mod(Add(Mul(x, 8), y), 4)", "Mod(y, 4)"),
    "constants out of quotients": ("Div(Add(x, 9), 4)", "Add(Div(Add(x, 1), 4), 2)"),
    "negative constants out of quotients": ("Div(Sub(x, 1), 4)", "Add(Div(Add(x, 3), 4), -1)"),
    "min by difference": ("Min(Add(x, 3), x)", "x"),
    "max by difference": ("Max(Add(x, 3), x)", "Add(x, 3)"),
    "nested min by difference": ("Min(Min(y, Add(x, 3)), x)", "Min(y, x)"),
    "nested max by difference": ("Max(Add(x, 3), Max(x, y))", "Max(y, Add(x, 3))"),
    "below by difference": ("LT(x, Add(x, 1))", "True"),
    "at most by difference": ("LE(Add(x, 1), x)", "False"),
    "greater by difference": ("GT(Add(x, 1), x)", "True"),
    "greater or equal by difference": ("GE(x, Add(x, 1))", "False"),
    "equal by difference": ("EQ(Add(Sub(x, y), y), x)", "True"),
    "unequal by difference": ("NE(Add(x, 2), Add(x, 1))", "True"),
}


def _rule(texts: tuple[str, str], t: Type) -> tuple[Expr, Expr]:
    before = eval(texts[0], {}, _names(t))
    return before, _as(eval(texts[1], {}, _names(t)), before.type)


@pytest.mark.parametrize("t", _TYPES, ids=str)
@pytest.mark.parametrize("rule", WRAPPING)
def test_wrapping(rule: str, t: Type) -> None:
    before, after = _rule(WRAPPING[rule], t)
    assert str(simplify(before)) == str(after)
    encoder = ValueEncoder()
    assert isinstance(prove(Query((), encoder.equal(before, simplify(before))), 20.0), Proved)


@pytest.mark.parametrize("t", [t for t in _TYPES if t.is_int()], ids=str)
def test_minus_a_constant(t: Type) -> None:
    x = Variable(t, "x")
    for value in (5, t.max(), t.min()):
        before = ir.Sub(t, x, const(value, t))
        after = simplify(before)
        assert str(after) == str(ir.Add(t, x, const(-int(value), t)))
        encoder = ValueEncoder()
        assert isinstance(prove(Query((), encoder.equal(before, after))), Proved)


@pytest.mark.parametrize("source", [*_TYPES, BOOL], ids=str)
def test_casts(source: Type) -> None:
    """Every chain of two casts; a proof of each, and one cast where the middle type keeps what the last one takes."""
    x = Variable(source, "x")
    assert same(simplify(ir.Cast(source, x)), x)
    for middle in _TYPES:
        for target in _TYPES:
            before = ir.Cast(target, ir.Cast(middle, x))
            after = simplify(before)
            if middle.bits >= target.bits or middle.can_represent(source):
                direct = x if source == target else ir.Cast(target, x)
                assert str(after) == str(direct), str(before)
            else:
                assert after.type == target and isinstance(after, ir.Cast)
            encoder = ValueEncoder()
            assert isinstance(prove(Query((), encoder.equal(before, after))), Proved), str(before)


@pytest.mark.parametrize("t", [Int(32), Int(64)], ids=str)
@pytest.mark.parametrize("rule", COORDINATES)
def test_coordinates(rule: str, t: Type) -> None:
    before, after = _rule(COORDINATES[rule], t)
    assert _over_integers(before, simplify_index(before))
    assert _over_integers(simplify_index(before), after)
    # The texts may differ in the order of terms only.
    assert sorted(str(simplify_index(before))) == sorted(str(after))


def _over_integers(a: Expr, b: Expr) -> bool:
    encoder = IndexEncoder()
    left, right = encoder.expr(a), encoder.expr(b)
    return isinstance(prove(Query(tuple(encoder.facts), left == right), 20.0), Proved)


def test_widening_of_sums() -> None:
    x, y = Variable(Int(32), "x"), Variable(Int(32), "y")
    wide = Int(64)
    before = ir.Cast(wide, x * 4 + y - 3)
    after = simplify_index(before)
    cast = {n: ir.Cast(wide, v) for n, v in (("x", x), ("y", y))}
    expected = ir.Add(wide, ir.Add(wide, ir.Mul(wide, cast["x"], const(4, wide)), cast["y"]), const(-3, wide))
    assert sorted(str(after)) == sorted(str(expected))
    encoder = ValueEncoder()
    small = [ir.And(BOOL, v < (1 << 20), v > -(1 << 20)) for v in (x, y)]
    facts = tuple(encoder.encode(c) for c in small)
    assert isinstance(prove(Query(facts, encoder.equal(before, after)), 20.0), Proved)
    assert isinstance(prove(Query((), encoder.equal(before, after)), 20.0), Refuted)


def test_floats_keep_their_operations() -> None:
    x, y = Variable(Float(32), "x"), Variable(Float(32), "y")
    for e in (x + 0.0, x - x, x * 0.0, x / x, ir.Min(x.type, x, x), ir.EQ(BOOL, x, x), ir.Max(x.type, y, x)):
        assert simplify(e) is e
