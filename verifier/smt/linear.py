"""Products of unknowns as unknowns of their own: what holds of any numbers in their places holds of the products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import z3

_MOST_PRODUCTS = 40
_MOST_KEPT = 4096
_MOST_COMPARED = 24


@dataclass(frozen=True, slots=True)
class _Plain:
    """A formula with a symbol for each product.  What has a number here is kept, so that the number stays its own."""

    formula: Any
    reading: Any
    products: tuple[tuple[int, ...], ...]


_READINGS: dict[int, _Plain] = {}
_SYMBOLS: dict[tuple[int, ...], tuple[Any, list[Any], list[Any]]] = {}
"""By the numbers of its factors: a product's symbol, the factors, and what is said of it."""


def plainly(formulas: list[Any]) -> list[Any] | None:
    """As `linear`, each formula by itself: fast, for a formula met again is read once; None where there are many
    products, or none."""
    found = _read_apart(formulas)
    return None if found is None else found[0]


def ordered(formulas: list[Any]) -> list[Any] | None:
    """As `plainly`, and products that share a factor are in the order of their other factors; None where no two do, or
    very many."""
    found = _read_apart(formulas)
    compared = [] if found is None else _comparisons(found[1])
    return [*found[0], *compared] if found is not None and 0 < len(compared) <= _MOST_COMPARED else None


def _read_apart(formulas: list[Any]) -> tuple[list[Any], list[tuple[int, ...]]] | None:
    """Each formula with symbols for products, with what is said of these; and the products."""
    if len(_READINGS) > _MOST_KEPT:
        _READINGS.clear()
        _SYMBOLS.clear()
    read = [_reading(f) for f in formulas]
    products = list(dict.fromkeys(name for r in read for name in r.products))
    if not 0 < len(products) <= _MOST_PRODUCTS:
        return None
    return [*(r.reading for r in read), *(fact for name in products for fact in _SYMBOLS[name][2])], products


def _reading(formula: Any) -> _Plain:
    number = formula.get_id()
    if number not in _READINGS:
        expanded = z3.simplify(formula, som=True)
        names = []
        pairs = []
        for e in _products([expanded]):
            name, value = _named(e)
            names.append(name)
            pairs.append((e, value))
        _READINGS[number] = _Plain(formula, z3.substitute(expanded, *pairs), tuple(dict.fromkeys(names)))
    return _READINGS[number]


def _named(product: Any) -> tuple[tuple[int, ...], Any]:
    constant = 1
    factors = []
    for c in product.children():
        if z3.is_int_value(c):
            constant *= c.as_long()
        else:
            factors.append(c)
    name = tuple(sorted(f.get_id() for f in factors))
    if name not in _SYMBOLS:
        symbol = z3.FreshInt("product")
        _SYMBOLS[name] = symbol, factors, _facts(symbol, factors)
    symbol = _SYMBOLS[name][0]
    return name, symbol * constant if constant != 1 else symbol


def linear(formulas: list[Any]) -> list[Any] | None:
    """Linear formulas over integers that are unsatisfiable only where `formulas` are; None where these are linear
    already, or have no such reading.

    Each product of unknowns becomes a symbol.  Of it is said what comparisons need: its sign, and that it is no less
    than a factor, where the factors are not negative."""
    if not any(map(_has_products, formulas)):
        return None
    goal = z3.Goal()
    goal.add(*formulas)
    (plain,) = z3.Then("simplify", "propagate-values", "solve-eqs")(goal)
    expanded = _solved([z3.simplify(f, som=True) for f in plain])
    products = _products(expanded)
    if len(products) > _MOST_PRODUCTS:
        return None
    named = [(e, *_named(e)) for e in products]
    names = list(dict.fromkeys(name for _, name, _ in named))
    facts = [fact for name in names for fact in _SYMBOLS[name][2]]
    pairs = [(e, value) for e, _, value in named]
    return [z3.substitute(f, *pairs) for f in (*expanded, *facts)]


def _solved(formulas: list[Any]) -> list[Any]:
    """A stride that equals minus twice the width is that in products, too: with variables that equations give put in
    the place of the variables."""
    for k in range(len(formulas)):
        found = _given(formulas[k]) if z3.is_eq(formulas[k]) and z3.is_int(formulas[k].arg(0)) else None
        if found is not None:
            formulas = [
                f if n == k else z3.simplify(z3.substitute(f, found), som=True) for n, f in enumerate(formulas)
            ]
    return formulas


def _given(equation: Any) -> tuple[Any, Any] | None:
    """A variable, and what an equation says that it is."""
    difference = z3.simplify(equation.arg(0) - equation.arg(1), som=True)
    terms = difference.children() if z3.is_add(difference) else [difference]
    for t in terms:
        negative = z3.is_mul(t) and t.num_args() == 2 and z3.is_int_value(t.arg(0)) and t.arg(0).as_long() == -1
        name = t.arg(1) if negative else t
        if not z3.is_const(name) or z3.is_int_value(name):
            continue
        rest = [x for x in terms if x.get_id() != t.get_id()]
        if any(e.get_id() == name.get_id() for e in _walk(rest)):
            continue
        total = z3.Sum(rest) if rest else z3.IntVal(0)
        return name, total if negative else -total
    return None


def _has_products(formula: Any) -> bool:
    """Whether there is a product of unknowns in a formula as it stands; asked of each once."""
    number = formula.get_id()
    if number not in _RAW:
        if len(_RAW) > _MOST_KEPT:
            _RAW.clear()
        _RAW[number] = formula, bool(_products([formula]))
    return _RAW[number][1]


_RAW: dict[int, tuple[Any, bool]] = {}


def _products(formulas: list[Any]) -> list[Any]:
    return [
        e for e in _walk(formulas)
        if z3.is_mul(e) and z3.is_int(e) and sum(not z3.is_int_value(c) for c in e.children()) > 1
    ]


def _facts(product: Any, factors: list[Any]) -> list[Any]:
    if len(factors) != 2:
        return [z3.Implies(z3.And(*(f >= 0 for f in factors)), product >= 0)]
    a, b = factors
    return [
        z3.Implies(z3.And(a >= 0, b >= 0), product >= 0),
        z3.Implies(z3.And(a >= 1, b >= 0), product >= b),
        z3.Implies(z3.And(a >= 0, b >= 1), product >= a),
        z3.Implies(z3.Or(a == 0, b == 0), product == 0),
    ]


def _comparisons(names: list[tuple[int, ...]]) -> list[Any]:
    """What is said of each two products of two factors, one of them common."""
    out = []
    for n, first in enumerate(names):
        for second in names[n + 1 :]:
            common = set(first) & set(second)
            if len(common) != 1 or not len(first) == len(set(first)) == len(second) == len(set(second)) == 2:
                continue
            (p, of_p, _), (q, of_q, _) = _SYMBOLS[first], _SYMBOLS[second]
            (a,) = (f for f in of_p if f.get_id() in common)
            (b,) = (f for f in of_p if f.get_id() not in common)
            (c,) = (f for f in of_q if f.get_id() not in common)
            out.append(z3.Implies(a >= 0, z3.And(
                z3.Implies(b <= c, p <= q), z3.Implies(b < c, p + a <= q),
                z3.Implies(c <= b, q <= p), z3.Implies(c < b, q + a <= p),
            )))  # fmt: skip
    return out


def _walk(roots: list[Any]) -> Any:
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        e = stack.pop()
        if e.get_id() not in seen:
            seen.add(e.get_id())
            yield e
            stack.extend(e.children())
