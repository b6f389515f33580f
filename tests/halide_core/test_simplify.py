"""The simplifier against the reference interpreter: every 8-bit value of every small expression."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir import expr as ir
from halide_core.ir.common_terms import common_terms_out
from halide_core.ir.expr import Expr, Variable, const
from halide_core.ir.identities import interval
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import contains, key, rewriting, substitute, substitution, transform, variables
from halide_core.ir.types import Bool, Int, Type, UInt

pytestmark = pytest.mark.few(4)

_ARITHMETIC = (ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max)
_COMPARE = (ir.EQ, ir.NE, ir.LT, ir.LE, ir.GT, ir.GE)


def _all_values(t: Type) -> dict[str, np.ndarray]:
    """x over every value along one axis, y along the other."""
    values = np.arange(t.min(), t.max() + 1).astype(dtype_of(t))
    return {"x": values[:, None], "y": values[None, :]}


def _leaves(t: Type) -> list[Expr]:
    numbers = {int(v) for v in (t.min(), 0, 1, 2, 3, t.max(), t.wrap(-1)) if t.min() <= v <= t.max()}
    return [Variable(t, "x"), Variable(t, "y"), *(const(v, t) for v in sorted(numbers))]


def _flat(t: Type, leaves: list[Expr]) -> Iterator[Expr]:
    for op in _ARITHMETIC:
        for a in leaves:
            for b in leaves:
                yield op(t, a, b)


def _nested(t: Type) -> Iterator[Expr]:
    """Two operations deep, the shapes that rules look at: one operand is again an operation."""
    x, y = Variable(t, "x"), Variable(t, "y")
    inner = [*_flat(t, [x, y]), *(op(t, x, const(c, t)) for op in _ARITHMETIC for c in (2, t.max()))]
    for op in _ARITHMETIC:
        for a in inner:
            for b in (x, y, const(3, t), const(t.max(), t)):
                yield op(t, a, b)
                yield op(t, b, a)


def _conditions(t: Type) -> Iterator[Expr]:
    operands = [*_leaves(t), *(ir.Mod(t, Variable(t, "x"), const(3, t)), ir.Max(t, Variable(t, "y"), const(5, t)))]
    for op in _COMPARE:
        for a in operands:
            for b in operands:
                c = op(Bool(), a, b)
                yield c
                yield ir.Not(Bool(), c)
                yield ir.Select(t, ir.Not(Bool(), c), Variable(t, "x"), const(1, t))


def _logic() -> Iterator[Expr]:
    p, q = Variable(Bool(), "x"), Variable(Bool(), "y")
    leaves: list[Expr] = [p, q, const(False, Bool()), const(True, Bool())]
    leaves += [ir.Not(Bool(), v) for v in leaves[:2]]
    for a in leaves:
        yield ir.Not(Bool(), a)
        for b in leaves:
            yield from (op(Bool(), a, b) for op in (ir.And, ir.Or, ir.EQ, ir.NE))
            yield from (ir.Select(Bool(), a, b, c) for c in leaves)


def _agree(e: Expr, new: Expr, values: dict[str, np.ndarray]) -> None:
    assert new.type == e.type, (str(e), str(new))
    old, mine = np.broadcast_arrays(evaluate(e, values), evaluate(new, values))
    wrong = np.argwhere(old != mine)
    assert not len(wrong), f"{e} became {new}: differs at {wrong[0]}"


@pytest.mark.parametrize("t", [Int(8), UInt(8)], ids=str)
@pytest.mark.parametrize(
    "shapes", [_nested, _conditions, lambda t: _flat(t, _leaves(t))], ids=["nested", "bool", "flat"]
)
def test_every_value_of_8_bits(t, shapes):
    values = _all_values(t)
    changed = 0
    for e in shapes(t):
        new = simplify(e)
        if new is not e and key(new) != key(e):
            changed += 1
            _agree(e, new, values)
    assert changed > 50


def test_every_boolean():
    values = {"x": np.array([[False], [True]]), "y": np.array([[False, True]])}
    changed = 0
    for e in _logic():
        new = simplify(e)
        changed += key(new) != key(e)
        _agree(e, new, values)
    assert changed > 50


def test_casts_of_casts():
    """Every chain of three integer types, over all values of the narrowest and the ends of the others."""
    types = [Bool(), *(f(b) for b in (8, 16, 32, 64) for f in (Int, UInt))]
    for source in types:
        ends = {0, 1, source.min(), source.max(), source.max() // 2, source.wrap(200), source.wrap(-3)}
        values = {"x": np.array([int(v) for v in ends], dtype=dtype_of(source))}
        for middle in types:
            for target in types:
                e = ir.Cast(target, ir.Cast(middle, Variable(source, "x")))
                _agree(e, simplify(e), values)


@pytest.mark.parametrize("t", [Int(8), UInt(8)], ids=str)
def test_intervals_hold_every_value(t):
    """Bounds of small expressions, x within given ranges and y unknown, wrapping included."""
    low, high = int(t.max()) // 2, int(t.max()) - 2
    for known in ((0, 3), (low, high), (int(t.min()), 0)):
        values = _all_values(t)
        values["x"] = np.arange(known[0], known[1] + 1).astype(dtype_of(t))[:, None]
        for e in (*_flat(t, _leaves(t)), *_nested(t)):
            lo, hi = interval(e, {"x": known})
            found = evaluate(e, values).astype(int)
            assert lo is None or lo <= found.min(), (str(e), known, lo)
            assert hi is None or hi >= found.max(), (str(e), known, hi)
            _agree(e, simplify(e, {"x": known}), values)


def _coordinates(t: Type) -> Iterator[Expr]:
    """Index arithmetic two and three operations deep, with quotients and clamps."""
    x, y = Variable(t, "x"), Variable(t, "y")

    def c(v: int) -> Expr:
        return const(v, t)

    sums = [x + y, x - y, x * 4 + y, x * 4 - 3, (x + 2) * 4, 8 - x * 4, x * 6 + y * 4 + 5, y - (x - 3) * 2, x * (y + 1)]
    for s in sums:
        for d in (1, 2, 4, -3, 0):
            yield from (ir.Div(t, s, c(d)), ir.Mod(t, s, c(d)))
        for other in (x, y, x + 3, s + 2, s - 1, c(5)):
            yield from (op(t, s, other) for op in _ARITHMETIC if op not in (ir.Div, ir.Mod))
            yield from (op(Bool(), s, other) for op in _COMPARE)
            for k in (x + 1, s + 4, c(7)):
                for op in (ir.Min, ir.Max):
                    yield from (op(t, op(t, s, other), k), op(t, k, op(t, other, s)))
                    yield ir.Min(t, ir.Max(t, s, other), k)
    for d in (2, 5):
        for k in (1, 3, -2):
            for whole in (x, x + y, x * 2 - y + 3):
                yield ir.Mod(t, whole, c(d)) * k + ir.Div(t, whole, c(d)) * (k * d)
                yield ir.Div(t, whole, c(d)) * (k * d) + ir.Mod(t, whole, c(d)) * k + 7
                yield ir.Div(t, ir.Mod(t, whole, c(d)) + x * d, c(d))
    if t.bits == 64:
        narrow = Variable(Int(32), "x")
        for e in (narrow + 3, narrow * 2 - 5, (narrow + 1) * (narrow - 2), ir.Mod(Int(32), narrow, const(4, Int(32)))):
            yield ir.Cast(t, e)
            yield ir.Cast(t, e) * 4 + ir.Cast(t, ir.Div(Int(32), narrow, const(4, Int(32)))) * 16


@pytest.mark.parametrize("t", [Int(32), Int(64)], ids=str)
def test_indices_where_nothing_overflows(t):
    around = np.arange(-25, 26)
    changed = 0
    for e in _coordinates(t):
        new = simplify_index(e)
        changed += key(new) != key(e)
        for a in (-7, 0, 12):
            # Both variables over a range, then far from zero.
            _agree(e, new, {"x": around[:, None], "y": around[None, :]})
            _agree(e, new, {"x": around[:, None] + 1000 * a, "y": around[None, :] - 999 * a})
    assert changed > 100


def test_loaded_values_keep_their_wrapping_meaning():
    x = Variable(Int(64), "i")
    data = ir.Load(Int(32), "a", x)
    e = ir.LT(Bool(), data + 1, data)
    assert str(simplify_index(e)) == str(e)
    e = ir.Cast(Int(64), data + 1)
    assert str(simplify_index(e)) == str(e)


def test_data_within_constants_is_added_to_coordinates_without_wrapping():
    """Strides then multiply each of both alone, and what does not change in a loop is computed before it."""
    x, data = Variable(Int(32), "x"), ir.Load(Int(32), "a", Variable(Int(64), "i"))

    def within(low: int, high: int) -> Expr:
        return ir.Max(Int(32), ir.Min(Int(32), data, const(high, Int(32))), const(low, Int(32)))

    near = within(0, 26)
    new = simplify_index(ir.Cast(Int(64), x + 3 - near))
    assert key(new) == key(simplify_index(ir.Cast(Int(64), x) - ir.Cast(Int(64), near) + 3))
    byte = ir.Cast(Int(32), ir.Load(UInt(8), "b", Variable(Int(64), "i")))
    assert not isinstance(simplify_index(ir.Cast(Int(64), x + byte)), ir.Cast)
    # What may be far away wraps as it does, and so do products.
    for wraps in (x + data, x + within(0, 1 << 30), data - near, x * near):
        assert str(simplify_index(ir.Cast(Int(64), wraps))) == str(ir.Cast(Int(64), wraps))


def test_kinds_of_nodes_are_known_as_isinstance_has_them() -> None:
    parameter = ir.ParamVariable(Int(32), "p")
    assert contains(parameter + 1, ir.Variable) and contains(parameter + 1, ir.ParamVariable, ir.Load)
    assert not contains(parameter + 1, ir.Load) and not contains(ir.Variable(Int(32), "p") + 1, ir.ParamVariable)


def test_common_terms_of_choices():
    """Out of minima and maxima, so that how far apart ends lie shows; the value stays."""
    t = Int(32)
    b, x, y = (Variable(t, n) for n in ("b", "x", "y"))

    def c(value: int) -> Expr:
        return const(value, t)

    end = ir.Div(t, ir.Max(t, b * 16 + x, ir.Max(t, b * 16 + y, b * 16 + 5)), c(2)) - b * 8
    new = common_terms_out(end, {"b"})
    assert "b" not in variables(new)
    several = (
        end, ir.Min(t, b * 4 + x, b * 4), ir.Max(t, b * 4 + x, b * 3), ir.Max(t, b * 2 + x + 1, b * 2 + x + 3),
        ir.Min(t, b * 6 + ir.Max(t, b * 2, b * 2 + y), b * 8 + x), ir.Max(t, b + x, b + b),
    )
    for e in several:
        values = {n: np.arange(-9, 10).reshape([-1 if k == d else 1 for d in range(3)]) for k, n in enumerate("bxy")}
        _agree(e, common_terms_out(e, {"b"}), values)
    # Only of the names that are asked for.
    assert common_terms_out(end, {"z"}) is end


def test_many_expressions_at_once():
    """What is rewritten for many expressions is what is rewritten for each, and equal parts of them are one."""
    t = Int(32)
    x, y = Variable(t, "x"), Variable(t, "y")

    def index(k: int) -> Expr:
        return ir.Cast(Int(64), Variable(t, "x") * 4 + k)

    loads = [ir.Load(t, "a", index(k % 2)) + y for k in range(4)]
    put = substitution({"x": y + 1})
    found = [put(e) for e in loads]
    assert [key(e) for e in found] == [key(substitute(e, {"x": y + 1})) for e in loads]
    assert found[0] is found[2]

    def one(n: Expr) -> Expr:
        return ir.Load(t, "b", n.index) if isinstance(n, ir.Load) else n

    other = rewriting(one, ir.Load)
    assert [key(other(e)) for e in found] == [key(transform(e, one)) for e in found]
    assert other(x + y) is not None and str(other(x + y)) == str(x + y)
    bound = ir.Let(t, "x", y, x + 1)
    assert str(put(bound)) == str(substitute(bound, {"x": y + 1}))
