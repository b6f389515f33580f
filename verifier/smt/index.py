"""Addresses, coordinates and counters as mathematical integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

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
    Div,
    Expr,
    IntImm,
    Load,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Sub,
    UIntImm,
    Variable,
    children,
    const_value,
)
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Obligation, Poly, from_poly, is_power_of_two, to_poly
from lifter.algebra.table_entries import ends_of
from lifter.algebra.wrapping import may_wrap, reads_memory
from lifter.ir.loop_ir import ConstArray
from lifter.ir.names import array_or_table_of, is_counter
from verifier.smt.solver import Proved, Query, prove

_COMPARE: dict[type, Any] = {
    EQ: lambda a, b: a == b,
    NE: lambda a, b: a != b,
    LT: lambda a, b: a < b,
    LE: lambda a, b: a <= b,
    GT: lambda a, b: a > b,
    GE: lambda a, b: a >= b,
}


_TOWARD_ZERO = ("div_round_to_zero", "mod_round_to_zero")


@dataclass(frozen=True, slots=True)
class _Known:
    """What a formula is expected to lie between.  It is kept, so that its number is."""

    formula: Any
    least: int
    greatest: int

    def holds(self) -> Any:
        return z3.And(self.formula >= self.least, self.formula <= self.greatest)


class IndexEncoder:
    """Encodes integer expressions over Z; what is not integer arithmetic becomes a symbol with its type's range.

    Ranges met on the way are collected in `facts` and belong to the assumptions of every query."""

    def __init__(self, tables: Mapping[str, ConstArray] | None = None) -> None:
        """`tables`: the constant tables whose entries are known."""
        self.facts: list[Any] = []
        self.tables = tables or {}
        self._ranges: dict[int, _Known] = {}
        """What symbols and products of them are expected to lie between, by their formulas' numbers."""
        self._symbols: dict[str, Any] = {}
        self._quotients: list[tuple[type, Any, Any, Any]] = []
        """Quotients and remainders by parameters: which of the two, of what, by what, and the symbol."""
        self._powers: list[tuple[Any, Any]] = []
        """Powers of two: the count, and the symbol."""
        self._polys: dict[Poly, Any] = {}
        self._held: dict[tuple[Poly, Type | None], bool] = {}
        self._met: list[Obligation] | None = None

    def poly(self, p: Poly) -> Any:
        if self._met is not None:
            return self.expr(from_poly(p))
        if p not in self._polys:
            self._polys[p] = self.expr(from_poly(p))
        return self._polys[p]

    def symbol(self, name: str, type_: Type | None = None) -> Any:
        """The integer constant `name`, within the range of `type_`."""
        if name not in self._symbols:
            self._symbols[name] = z3.Int(name)
            if type_ is not None and not is_counter(name):
                self.facts.append(self._symbols[name] >= type_.min())
                self.facts.append(self._symbols[name] <= type_.max())
        return self._symbols[name]

    def faithful(self, e: Expr) -> bool:
        """Whether a condition means over Z what it means in C++: no unsigned or narrow arithmetic that could wrap.

        Signed arithmetic of 32 bits and more counts as exact, since its overflow is undefined in the original."""
        return not _is_of_floats(e) and all(self._holds(o) for o in self.obligations(e))

    def obligations(self, e: Expr) -> list[Obligation]:
        """What must hold for the integers that a condition compares to be what the polynomials of them say."""
        found: list[Obligation] = []
        for n in post_order(e):
            if type(n) in _COMPARE and n.a.type.is_int_or_uint():  # type: ignore[attr-defined]
                to_poly(n.a, found)  # type: ignore[attr-defined]
                to_poly(n.b, found)  # type: ignore[attr-defined]
            elif isinstance(n, Cast) and n.type.is_bool() and n.value.type.is_int_or_uint():
                to_poly(n.value, found)
        return found

    def _holds(self, o: Obligation) -> bool:
        """Whether an obligation is granted, as that of signed arithmetic is, or proved from the types alone."""
        if o.type is not None and o.type.is_int() and o.type.bits >= 32:
            return True
        asked = (o.poly, o.type)
        if asked not in self._held:
            p = self.poly(o.poly)
            goal = p >= 0 if o.type is None else z3.And(p >= o.type.min(), p <= o.type.max())
            self._held[asked] = isinstance(prove(Query(tuple(self.facts), goal), 0.5), Proved)
        return self._held[asked]

    def _side(self, e: Expr) -> Poly:
        """A side of a comparison as a polynomial: wrapping arithmetic is looked into where it is seen not to wrap."""
        if self._met is not None:
            return to_poly(e, self._met)
        found: list[Obligation] = []
        p = to_poly(e, found)
        return p if all(self._holds(o) for o in found) else to_poly(e)

    def loop_condition(self, e: Expr) -> Any:
        """A loop's condition read over Z throughout: what that takes are obligations of the path already."""
        self._met = []
        try:
            return self.expr(e)
        finally:
            self._met = None

    def reading(self, e: Expr) -> tuple[list[Any], Any]:
        """A condition read over Z throughout, and what must hold for that to be what it means in C++."""
        self._met = []
        try:
            read = self.expr(e)
            met = self._met
        finally:
            self._met = None
        wrapping = [o for o in dict.fromkeys(met) if o.type is None or o.type.is_uint() or o.type.bits < 32]
        needed = []
        for o in wrapping:
            p = self.poly(o.poly)
            needed += [p >= 0] if o.type is None else [p >= o.type.min(), p <= o.type.max()]
        if _is_of_floats(e):
            needed.append(z3.BoolVal(False))
        return needed, read

    def given(self, e: Expr) -> Any:
        """A condition that holds in C++, as an assumption: what it says over Z, wherever that is what it means."""
        if self.faithful(e):
            return self.expr(e)
        needed, read = self.reading(e)
        return z3.Implies(z3.And(*needed), read)

    def expr(self, e: Expr) -> Any:
        memo: dict[int, Any] = {}
        for n in post_order(e):
            memo[id(n)] = self._node(n, memo)
        return memo[id(e)]

    def _node(self, e: Expr, memo: dict[int, Any]) -> Any:
        t = e.type
        if t.is_bool():
            return self._bool(e, memo)
        if not t.is_int_or_uint():
            return None
        if isinstance(e, IntImm | UIntImm):
            return z3.IntVal(e.value)
        if isinstance(e, Variable):
            found = self.symbol(e.name, t)
            return found if t.bits > 16 or is_counter(e.name) else self._known(found, int(t.min()), int(t.max()))
        if may_wrap(e):
            found = self.symbol(f"v!{key(e)}", t)
            if isinstance(e, Cast) and _is_narrower(e) and _is_congruent(e.value):
                # Of the numbers that are equal modulo the type's range it is the one that lies in it.
                a = memo[id(e.value)]
                self.facts.append(z3.Implies(z3.And(a >= t.min(), a <= t.max()), found == a))
            return found
        if isinstance(e, Add | Sub | Mul | Min | Max | Div | Mod):
            a, b = memo[id(e.a)], memo[id(e.b)]
            if isinstance(e, Add):
                return a + b
            if isinstance(e, Sub):
                return a - b
            if isinstance(e, Mul):
                return self._product(a, b)
            if isinstance(e, Min):
                return z3.If(a < b, a, b)
            if isinstance(e, Max):
                return z3.If(a > b, a, b)
            if isinstance(e.b, IntImm | UIntImm) and e.b.value > 0:
                return a / b if isinstance(e, Div) else self._known(a % b, 0, e.b.value - 1)
            if not const_value(e.b):
                return self._by_parameter(e, a, b)
        if isinstance(e, Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
            # The obligations gathered by `to_poly` say where this reading needs a range.
            return memo[id(e.value)]
        if isinstance(e, Cast) and e.value.type.is_bool() and memo.get(id(e.value)) is not None:
            return z3.If(memo[id(e.value)], z3.IntVal(1), z3.IntVal(0))
        if isinstance(e, Call) and (called := self._called(e, [memo[id(a)] for a in e.args])) is not None:
            return called
        if isinstance(e, Select) and memo.get(id(e.condition)) is not None:
            return z3.If(memo[id(e.condition)], memo[id(e.true_value)], memo[id(e.false_value)])
        if isinstance(e, Load) and array_or_table_of(e) in self.tables:
            return self._entry(e)
        found = self.symbol(f"v!{key(e)}", t)
        return self._known(found, int(t.min()), int(t.max())) if t.bits <= 32 else found

    def _known(self, found: Any, least: int, greatest: int) -> Any:
        """A formula, remembered as one that should lie between two numbers."""
        self._ranges[found.get_id()] = _Known(found, least, greatest)
        return found

    def _called(self, e: Call, args: list[Any]) -> Any:
        """What a call of an intrinsic that integers are made of says of its arguments; None of any other."""
        t = e.type
        if is_power_of_two(e) and not reads_memory(e):
            return self._power(e, args[1])
        if e.name == "shift_right" and 0 <= (const_value(e.args[1]) or 0) < t.bits:
            count = const_value(e.args[1])
            if count is not None:
                return args[0] / (1 << int(count))
        if e.name in _TOWARD_ZERO and (const_value(e.args[1]) or 0) > 0:
            a, b = args
            whole = z3.If(a >= 0, a / b, -(-a / b))
            return whole if e.name == "div_round_to_zero" else a - b * whole
        if e.name == "bitwise_and" and (step := _masked_step(e)) is not None:
            rest = args[0] % step[0]
            return args[0] - rest if step[1] else rest
        if e.name == "bitwise_and" and t.bits >= 32:
            new = f"v!{key(e)}" not in self._symbols
            both = self.symbol(f"v!{key(e)}", t)
            for a in args if new else []:
                self.facts.append(z3.Implies(a >= 0, z3.And(both >= 0, both <= a)))
            return both
        if e.name == "abs" and e.call_type is CallType.INTRINSIC and e.args[0].type.is_int():
            return z3.If(args[0] < 0, -args[0], args[0])
        return None

    def _power(self, e: Call, count: Any) -> Any:
        """A power of two: an unknown, of which is said what it is for small counts, and that it grows."""
        known = next((p for c, p in self._powers if c.eq(count)), None)
        if known is not None:
            return known
        found = self.symbol(f"v!{key(e)}")
        self.facts.append(z3.Implies(count >= 0, z3.And(found >= 1, found > count)))
        self.facts += [z3.Implies(count == k, found == 1 << k) for k in range(8)]
        for c, p in self._powers:
            for (less, low), (more, high) in (((count, found), (c, p)), ((c, p), (count, found))):
                self.facts.append(z3.Implies(z3.And(less >= 0, less < more), 2 * low <= high))
        self._powers.append((count, found))
        return found

    def _entry(self, e: Load) -> Any:
        """An entry of a constant table, between the least and the greatest that stand where it may stand."""
        new = f"v!{key(e)}" not in self._symbols
        found = self.symbol(f"v!{key(e)}", e.type)
        values, place = self.tables[array_or_table_of(e)].values, to_poly(e.index)
        least, greatest = ends_of(values, place) or (int(e.type.min()), int(e.type.max()))
        self._known(found, least, greatest)
        if new:
            at = self.poly(place)
            inside = z3.And(at >= 0, at < len(values))
            self.facts.append(z3.Implies(inside, self._ranges[found.get_id()].holds()))
        return found

    def _product(self, a: Any, b: Any) -> Any:
        """A product; of two unknowns that should lie between numbers it is said what it lies between if they do."""
        whole = a * b
        one, other = self._ranges.get(a.get_id()), self._ranges.get(b.get_id())
        if one is None or other is None or whole.get_id() in self._ranges:
            return whole
        corners = [x * y for x in (one.least, one.greatest) for y in (other.least, other.greatest)]
        self._known(whole, min(corners), max(corners))
        self.facts.append(z3.Implies(z3.And(one.holds(), other.holds()), self._ranges[whole.get_id()].holds()))
        return whole

    def _by_parameter(self, e: Div | Mod, a: Any, b: Any) -> Any:
        """A quotient or a remainder, rounded down, by what is no number: an unknown, of which is said what it is where
        that is positive."""
        kind = type(e)
        known = next((q for k, c, d, q in self._quotients if k is kind and c.eq(a) and d.eq(b)), None)
        if known is not None:
            return known
        found = self.symbol(f"v!{key(e)}")  # of no type's range: that would say that the quotient fits
        self.facts.append(z3.Implies(z3.And(a >= 0, b >= 1), z3.And(found >= 0, found <= a)))
        near = [b * found <= a, a < b * found + b] if isinstance(e, Div) else [found >= 0, found < b]
        self.facts.append(z3.Implies(b >= 1, z3.And(*near)))
        for k, c, d, q in self._quotients:
            if k is kind is Div and d.eq(b):
                for (less, low), (more, high) in (((a, found), (c, q)), ((c, q), (a, found))):
                    grows = [z3.Implies(less <= more, low <= high), z3.Implies(less + b <= more, low < high)]
                    self.facts.append(z3.Implies(b >= 1, z3.And(*grows)))
        self._quotients.append((kind, a, b, found))
        return found

    def _bool(self, e: Expr, memo: dict[int, Any]) -> Any:
        if isinstance(e, UIntImm):
            return z3.BoolVal(bool(e.value))
        kind = _COMPARE.get(type(e))
        if kind is not None and e.a.type.is_int_or_uint() and not e.a.type.is_bool():  # type: ignore[attr-defined]
            a, b = (self._side(side) for side in (e.a, e.b))  # type: ignore[attr-defined]
            return kind(self.poly(a), self.poly(b))
        if isinstance(e, And | Or):
            combine = z3.And if isinstance(e, And) else z3.Or
            return combine(memo[id(e.a)], memo[id(e.b)])
        if isinstance(e, Not):
            return z3.Not(memo[id(e.a)])
        if isinstance(e, Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
            return self.poly(to_poly(e.value, self._met)) != 0
        return z3.Bool(f"b!{key(e)}")

    def any_of(self, conditions: list[Any]) -> Any:
        """Disjunction."""
        return z3.Or(*conditions) if conditions else z3.BoolVal(False)

    def all_of(self, conditions: list[Any]) -> Any:
        """Conjunction."""
        return z3.And(*conditions) if conditions else z3.BoolVal(True)

    def negate(self, condition: Any) -> Any:
        """Negation."""
        return z3.Not(condition)

    def implies(self, a: Any, b: Any) -> Any:
        """Implication."""
        return z3.Implies(a, b)


def _is_narrower(e: Cast) -> bool:
    own = e.value.type
    return own.is_int_or_uint() and not own.is_bool() and own.bits >= e.type.bits


def _is_congruent(e: Expr) -> bool:
    """Whether the integer that an expression is read as equals its value modulo the range of its type, also where its
    arithmetic wraps: what is chosen by conditions is, where these are on numbers that are read exactly."""
    if isinstance(e, Select):
        return _is_exact(e.condition) and _is_congruent(e.true_value) and _is_congruent(e.false_value)
    if isinstance(e, Add | Sub | Mul):
        return _is_congruent(e.a) and _is_congruent(e.b)
    return _is_exact(e)


def _is_exact(e: Expr) -> bool:
    """Whether an expression is made of numbers that are read as what they are: no arithmetic, comparisons alone."""
    if isinstance(e, Load | Variable | IntImm | UIntImm):
        return True
    if isinstance(e, EQ | NE | LT | LE | GT | GE | And | Or | Min | Max):
        return _is_exact(e.a) and _is_exact(e.b)
    return isinstance(e, Not) and _is_exact(e.a)


def _is_of_floats(e: Expr) -> bool:
    """Whether a condition depends on floating point otherwise than by integers that it is converted to: these are
    unknowns, each the same wherever it stands."""
    stack = [e]
    while stack:
        n = stack.pop()
        if n.type.is_float():
            return True
        if not (isinstance(n, Cast) and n.value.type.is_float() and n.type.is_int_or_uint()):
            stack += children(n)
    return False


def _masked_step(e: Call) -> tuple[int, bool] | None:
    """2**k of a & mask, where the mask has the low k bits only, and whether it clears these rather than keeps them."""
    mask = const_value(e.args[1])
    if mask is None:
        return None
    low = int(mask) & ((1 << e.type.bits) - 1)
    for bits, clears in ((low, False), (((1 << e.type.bits) - 1) ^ low, True)):
        if bits and bits & (bits + 1) == 0:
            return bits + 1, clears
    return None
