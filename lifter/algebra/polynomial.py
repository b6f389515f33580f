"""Integer polynomials: the normal form of addresses, loop bounds and coordinates.

`to_poly` reads an integer expression as mathematical integers.  Where C++'s arithmetic could wrap, what must hold
for that reading to be right is collected as obligations; the verifier discharges them or makes them contract items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from halide_core.ir.expr import (
    GE,
    GT,
    I32,
    I64,
    LE,
    LT,
    Add,
    Call,
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
    Select,
    Sub,
    UIntImm,
    Variable,
    children,
    const,
    const_value,
    intrinsic,
    with_children,
)
from halide_core.ir.structural import cached, key, post_order
from halide_core.ir.types import Type, UInt
from lifter.algebra.index_printer import index_text
from lifter.algebra.value_ranges import ranges
from lifter.algebra.wrapping import may_wrap, reads_memory

Monomial = tuple[int, ...]
_ATOMS: dict[int, Expr] = {}


@dataclass(frozen=True, slots=True)
class Obligation:
    """`poly` must lie in the range of `type`; with type None it must not be negative.  That is asked where conditions
    hold by which it was chosen: `i == 0 ? 0 : i - 1`."""

    poly: Poly
    type: Type | None
    chosen: tuple[int, ...] = ()
    """The keys of the conditions."""
    conditions: tuple[Expr, ...] = field(default=(), compare=False)


class Poly:
    """A sum of integer multiples of products of atoms; an atom is any integer expression that is not itself a sum
    or product (a variable, a load, a quotient, a minimum)."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, int] | None = None) -> None:
        self.terms: dict[Monomial, int] = {m: c for m, c in (terms or {}).items() if c}

    @staticmethod
    def constant(value: int) -> Poly:
        return Poly({(): value})

    @staticmethod
    def atom(e: Expr) -> Poly:
        number = key(e)
        _ATOMS.setdefault(number, e)
        return Poly({(number,): 1})

    @staticmethod
    def variable(name: str, type_: Type) -> Poly:
        return Poly.atom(Variable(type_, name))

    def __add__(self, other: Poly) -> Poly:
        out = dict(self.terms)
        for m, c in other.terms.items():
            out[m] = out.get(m, 0) + c
        return Poly(out)

    def __sub__(self, other: Poly) -> Poly:
        return self + other.scale(-1)

    def scale(self, factor: int) -> Poly:
        return Poly({m: c * factor for m, c in self.terms.items()})

    def __mul__(self, other: Poly) -> Poly:
        out: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                m = tuple(sorted(m1 + m2))
                out[m] = out.get(m, 0) + c1 * c2
        return Poly(out)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def is_zero(self) -> bool:
        return not self.terms

    def constant_value(self) -> int | None:
        """The value if there are no atoms."""
        if not self.terms:
            return 0
        return self.terms[()] if set(self.terms) == {()} else None

    def distance_from(self, other: Poly) -> int | None:
        """`self - other` where that is a constant."""
        a, b = self.terms, other.terms
        if len(a) - (() in a) != len(b) - (() in b) or any(m and b.get(m) != c for m, c in a.items()):
            return None
        return a.get((), 0) - b.get((), 0)

    def atoms(self) -> dict[int, Expr]:
        return {a: _ATOMS[a] for m in self.terms for a in m}

    def names(self) -> frozenset[str]:
        """Names of all variables, those inside atoms included."""
        out: set[str] = set()
        for e in self.atoms().values():
            out.update(n.name for n in post_order(e) if isinstance(n, Variable))
        return frozenset(out)

    def coefficient(self, name: str) -> Poly | None:
        """What multiplies the variable `name`, or None where it is not linear in it (a square, or inside an atom)."""
        out: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            hits = [a for a in m if _is_variable(_ATOMS[a], name)]
            if len(hits) > 1:
                return None
            rest = list(m)
            if hits:
                rest.remove(hits[0])
            if any(name in _names(_ATOMS[a]) for a in rest):
                return None
            if hits:
                out[tuple(rest)] = out.get(tuple(rest), 0) + c
        return Poly(out)

    def factor(self, atom: int) -> Poly | None:
        """What multiplies an atom, or None where it is not linear in it."""
        out: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            if m.count(atom) > 1:
                return None
            if atom in m:
                out[tuple(a for a in m if a != atom)] = c
        return Poly(out)

    def substitute(self, values: Mapping[str, Poly]) -> Poly:
        """Variables replaced by polynomials, inside atoms too."""
        if not values or not (self.names() & set(values)):
            return self
        total = Poly()
        for m, c in self.terms.items():
            product = Poly.constant(c)
            for a in m:
                product = product * _substitute_atom(_ATOMS[a], values)
            total = total + product
        return total

    def divide(self, divisor: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by a single monomial: the terms divisible by it, and the rest.

        An integer coefficient is split with a remainder in [0, |c|)."""
        assert len(divisor.terms) == 1
        (dm, dc), *_ = divisor.terms.items()
        quotient: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            left = _remove(m, dm)
            if left is None:
                rest[m] = c
                continue
            q, r = divmod(c, abs(dc))
            if r and left:  # 5*k over 4: not a multiple, and k is not a constant
                rest[m] = c
                continue
            quotient[left] = quotient.get(left, 0) + (q if dc > 0 else -q)
            if r:
                rest[m] = r
        return Poly(quotient), Poly(rest)

    def divide_by(self, divisor: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by a stride of one or more terms, led by its term of highest degree."""
        if len(divisor.terms) == 1:
            return self.divide(divisor)
        lead = max(divisor.terms, key=lambda m: (len(m), m))
        quotient, _ = self.divide(Poly({lead: divisor.terms[lead]}))
        return quotient, self - quotient * divisor

    def exact_quotient(self, divisor: Poly) -> Poly | None:
        """self / divisor where that is a polynomial, for a divisor of one term."""
        if len(divisor.terms) != 1:
            return Poly.constant(1) if self == divisor else (Poly() if self.is_zero() else None)
        quotient, rest = self.divide(divisor)
        return quotient if rest.is_zero() else None

    def __reduce__(self) -> tuple[object, ...]:
        # Atom numbers are this process's own: pickle the expressions behind them.
        return _rebuild, ([([_ATOMS[a] for a in m], c) for m, c in self.terms.items()],)

    def __str__(self) -> str:
        return poly_text(self)

    __repr__ = __str__


def _rebuild(items: list[tuple[list[Expr], int]]) -> Poly:
    total = Poly()
    for atoms, coefficient in items:
        product = Poly.constant(coefficient)
        for e in atoms:
            product = product * Poly.atom(e)
        total = total + product
    return total


def sign_of(p: Poly) -> int:
    """The sign that a stride such as `width + 1 - taps` is likely to have: that of most of its terms, or else of the
    leading one."""
    up = sum(1 if c > 0 else -1 for c in p.terms.values())
    lead = max(p.terms, key=lambda m: (len(m), m))
    return 1 if (up or p.terms[lead]) > 0 else -1


def atom_of(number: int) -> Expr:
    """The expression behind an atom's number."""
    return _ATOMS[number]


def _is_variable(e: Expr, name: str) -> bool:
    return isinstance(e, Variable) and e.name == name


_NAMES: dict[int, frozenset[str]] = {}


def _names(e: Expr) -> frozenset[str]:
    number = key(e)
    if number not in _NAMES:
        _NAMES[number] = frozenset(n.name for n in post_order(e) if isinstance(n, Variable))
    return _NAMES[number]


def _remove(m: Monomial, factor: Monomial) -> Monomial | None:
    left = list(m)
    for a in factor:
        if a not in left:
            return None
        left.remove(a)
    return tuple(left)


def _substitute_atom(e: Expr, values: Mapping[str, Poly]) -> Poly:
    if isinstance(e, Variable):
        return values.get(e.name, Poly.atom(e))
    if not (_names(e) & set(values)):
        return Poly.atom(e)
    from halide_core.ir.structural import substitute

    types = {n.name: n.type for n in post_order(e) if isinstance(n, Variable)}
    return to_poly(substitute(e, {n: exact(p, types[n]) for n, p in values.items() if n in types}))


def to_poly(e: Expr, obligations: list[Obligation] | None = None) -> Poly:
    """The integer expression `e` as a polynomial; obligations for the reading are appended to the list."""
    if obligations is None:
        found = cached(_POLYS, e, _inner_poly)
        assert found is not None, e
        return found
    memo: dict[int, Poly] = {}
    for node in post_order(e):
        if node.type.is_int_or_uint() or node.type.is_handle():
            memo[id(node)] = node_poly(node, memo, obligations)
    return memo[id(e)]


_POLYS: dict[int, Poly | None] = {}


def _inner_poly(e: Expr, inner: list[Poly | None]) -> Poly | None:
    if not (e.type.is_int_or_uint() or e.type.is_handle()):
        return None
    return node_poly(e, {id(c): p for c, p in zip(children(e), inner, strict=True) if p is not None}, None)


def ahead_of(condition: Expr) -> Poly | None:
    """What is zero or more where a comparison of order holds, read over the integers; None for other conditions."""
    if isinstance(condition, Not):
        inner = ahead_of(condition.a)
        return None if inner is None else Poly.constant(-1) - inner
    if not isinstance(condition, LT | LE | GT | GE) or not condition.a.type.is_int_or_uint():
        return None
    least, most = (condition.a, condition.b) if isinstance(condition, LT | LE) else (condition.b, condition.a)
    return to_poly(most) - to_poly(least) - Poly.constant(int(isinstance(condition, LT | GT)))


def _canonical(e: Expr, memo: dict[int, Poly]) -> Expr:
    """`e` with integer operands in normal form where that changes no value."""

    def operand(c: Expr) -> Expr:
        exact = id(c) in memo and c.type.bits >= 32 and not may_wrap(c)
        return from_poly(memo[id(c)], c.type) if exact else c

    return with_children(e, tuple(operand(c) for c in children(e)))


def _check(p: Poly, t: Type, obligations: list[Obligation] | None) -> Poly:
    if obligations is not None:
        value = p.constant_value()
        if value is None or not t.min() <= value <= t.max():
            obligations.append(Obligation(p, t))
    return p


def _divides_negative_data(e: Call) -> bool:
    return e.type.is_int() and reads_memory(e) and ranges(e, {})[id(e.args[0])][0] < 0


_ROUNDING = ("div_round_to_zero", "mod_round_to_zero")
_SHIFTS = ("shift_left", "shift_right")


def node_poly(e: Expr, memo: dict[int, Poly], obligations: list[Obligation] | None) -> Poly:
    """An integer expression as a polynomial, given those of its children by id; what that takes is added to
    `obligations`, if there are any."""
    if isinstance(e, IntImm | UIntImm):
        return Poly.constant(e.value)
    if e.type.is_bool():
        return Poly.atom(e)
    if may_wrap(e) and (obligations is None or reads_memory(e)):
        return Poly.atom(_canonical(e, memo))
    if isinstance(e, Add | Sub | Mul):
        a, b = memo[id(e.a)], memo[id(e.b)]
        result = a + b if isinstance(e, Add) else a - b if isinstance(e, Sub) else a * b
        return _check(result, e.type, obligations)
    if isinstance(e, Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
        inner = memo[id(e.value)]
        if e.type.can_represent(e.value.type):
            return inner
        if obligations is not None and e.type == I32 and inner.constant_value() is None:
            # No one promises that a conversion keeps the number, as it does that signed arithmetic does not overflow.
            least, most = Poly.constant(e.type.min()), Poly.constant(e.type.max())
            obligations += [Obligation(most - inner, None), Obligation(inner - least, None)]
            return inner
        return _check(inner, e.type, obligations)
    if isinstance(e, Div | Mod) and e.type.is_int_or_uint():
        a, b = memo[id(e.a)], memo[id(e.b)]
        if b.constant_value() is None and not reads_memory(e):
            return _by_parameter(e, a, b, obligations)
        return _quotient(e, a, b) if isinstance(e, Div) else _remainder(e, a, b)
    if isinstance(e, Min | Max) and e.type.is_int_or_uint():
        return _extremum(type(e), memo[id(e.a)], memo[id(e.b)])
    if isinstance(e, Call) and e.name in _ROUNDING and _divides_negative_data(e):
        return Poly.atom(_canonical(e, memo))
    if isinstance(e, Call) and len(e.args) == 2 and all(id(a) in memo for a in e.args):
        found = _intrinsic_poly(e, memo[id(e.args[0])], memo[id(e.args[1])], obligations)
        if found is not None:
            return found
    if isinstance(e, Select) and e.type.bits >= 32:
        return _choice(e, memo[id(e.true_value)], memo[id(e.false_value)])
    if isinstance(e, Load):
        return Poly.atom(with_children(e, (from_poly(memo[id(e.index)], e.index.type),)))
    return Poly.atom(e)


def _choice(e: Select, yes: Poly, no: Poly) -> Poly:
    """A choice between rows of an image, `stride * a` or `stride * b`, as that stride times a choice."""
    if yes == no:
        return yes
    shared: Monomial | None = None
    for m in (*yes.terms, *no.terms):
        shared = m if shared is None else tuple(a for a in shared if a in m)
    factor = next((a for a in shared or () if isinstance(_ATOMS[a], Variable)), None)
    if factor is None:
        return Poly.atom(e)
    step = Poly({(factor,): 1})
    yes, no = yes.divide(step)[0], no.divide(step)[0]
    return step * Poly.atom(Select(e.type, e.condition, from_poly(yes, e.type), from_poly(no, e.type)))


def _is_parity(p: Poly) -> bool:
    """Whether a polynomial is another one modulo two."""
    two = (a for a, e in p.atoms().items() if isinstance(e, Div) and const_value(e.b) == 2)
    return any(p + Poly({(a,): 2}) == to_poly(children(_ATOMS[a])[0]) for a in two)


def _intrinsic_poly(e: Call, a: Poly, b: Poly, obligations: list[Obligation] | None) -> Poly | None:
    constant = b.constant_value()
    if e.name in _ROUNDING and constant is None and not reads_memory(e):
        return _by_parameter(e, a, b, obligations)
    if e.name in _ROUNDING and constant is not None and constant > 0:
        if obligations is not None and a.constant_value() is None and not e.type.is_uint():
            obligations.append(Obligation(a, None))
        return _quotient(e, a, b) if e.name == "div_round_to_zero" else _remainder(e, a, b)
    if e.name in _SHIFTS and constant is None and e.type.bits >= 32 and not reads_memory(e):
        return _by_power(e, a, b, obligations)
    if e.name == "shift_left" and constant is not None and 0 <= constant < e.type.bits:
        return _check(a.scale(1 << constant), e.type, obligations)
    if e.name == "shift_right" and constant is not None and 0 <= constant < e.type.bits:
        return _quotient(e, a, Poly.constant(1 << constant))
    if e.name == "bitwise_xor" and constant == 1 and _is_parity(a):
        return b - a
    if e.name == "bitwise_and" and constant is not None:
        low = constant & ((1 << e.type.bits) - 1)
        clear = ((1 << e.type.bits) - 1) ^ low
        if low and low & (low + 1) == 0:  # a & 7
            return _remainder(e, a, Poly.constant(low + 1))
        if clear and clear & (clear + 1) == 0:  # a & ~7
            return a - _remainder(e, a, Poly.constant(clear + 1))
        clear = UInt(32).max() ^ low
        if e.type.bits == 64 and 0 < clear < low <= UInt(32).max() and clear & (clear + 1) == 0:  # of 64 bits, a & ~7u
            return _check(a, UInt(32), obligations) - _remainder(e, a, Poly.constant(clear + 1))
    return None


def _by_parameter(e: Expr, a: Poly, b: Poly, obligations: list[Obligation] | None) -> Poly:
    """A quotient or a remainder by a parameter: rounded down, which C's is where neither is negative."""
    if obligations is not None:
        obligations.append(Obligation(b - Poly.constant(1), None))
        if isinstance(e, Call) and not e.type.is_uint():
            obligations.append(Obligation(a, None))
    quotient = isinstance(e, Div) or (isinstance(e, Call) and e.name == "div_round_to_zero")
    whole = a.exact_quotient(b)
    if whole is not None:
        return whole if quotient else Poly()
    return Poly.atom((Div if quotient else Mod)(I64, from_poly(a), from_poly(b)))


def _by_power(e: Call, a: Poly, count: Poly, obligations: list[Obligation] | None) -> Poly:
    """A shift by a parameter: a product with, or a quotient by, the power of two that is `1 << count`."""
    left = e.name == "shift_left"
    power = Poly.atom(intrinsic("shift_left", I64, const(1, I64), from_poly(count)))
    if obligations is not None:
        most = e.type.bits - (2 if left and e.type.is_int() else 1)
        obligations += [Obligation(count, None), Obligation(Poly.constant(most) - count, None)]
    if left:
        return _check(a * power, e.type, obligations)
    whole = a.exact_quotient(power)
    return Poly.atom(Div(I64, from_poly(a), from_poly(power))) if whole is None else whole


def is_power_of_two(e: Expr) -> bool:
    """Whether an atom is `1 << n` of a parameter."""
    return isinstance(e, Call) and e.name == "shift_left" and e.type == I64 and const_value(e.args[0]) == 1


def _quotient(e: Expr, a: Poly, b: Poly) -> Poly:
    divisor = b.constant_value()
    if divisor is not None and divisor > 0:
        multiple = Poly({m: c for m, c in a.terms.items() if c % divisor == 0})
        rest = a - multiple
        whole = Poly({m: c // divisor for m, c in multiple.terms.items()})
        value = rest.constant_value()
        if value is not None:
            return whole + Poly.constant(value // divisor)
        return whole + Poly.atom(Div(I64, from_poly(rest), const(divisor, I64)))
    return Poly.atom(e)


def _remainder(e: Expr, a: Poly, b: Poly) -> Poly:
    divisor = b.constant_value()
    if divisor is None or divisor <= 0:
        return Poly.atom(e)
    whole = Poly({m: c for m, c in a.terms.items() if c % divisor == 0})
    rest = a - whole
    if rest.terms and all(any(reads_memory(atom_of(f)) for f in m) for m in rest.terms):
        return Poly.atom(Mod(I64, from_poly(rest), const(divisor, I64)))  # in no relation to any counter
    return a - _quotient(e, a, b).scale(divisor)


def _extremum(kind: type[Min] | type[Max], a: Poly, b: Poly) -> Poly:
    kept: list[Poly] = []
    for p in (*_operands(kind, a), *_operands(kind, b)):
        distances = [(p - q).constant_value() for q in kept]
        if not any(d is not None and (d >= 0 if kind is Min else d <= 0) for d in distances):
            kept = [q for q, d in zip(kept, distances, strict=True) if d is None] + [p]
    first, *others = ordered = sorted(kept, key=lambda p: sorted(p.terms.items()))
    for p in others:
        first = Poly.atom(kind(I64, from_poly(first), from_poly(p)))
    if others:
        _OPERANDS[next(iter(first.terms))[0]] = tuple(ordered)
    return first


_OPERANDS: dict[int, tuple[Poly, ...]] = {}
"""Of atoms that are the smallest or the largest of several, these: nested, they would be read again at each level."""


def _operands(kind: type[Min] | type[Max], p: Poly) -> tuple[Poly, ...]:
    """What `p` is the smallest or the largest of."""
    (monomial,) = p.terms if len(p.terms) == 1 else ((),)
    e = atom_of(monomial[0]) if len(monomial) == 1 and p.terms[monomial] == 1 else None
    if not isinstance(e, kind):
        return (p,)
    number = monomial[0]
    if number not in _OPERANDS:
        _OPERANDS[number] = _operands(kind, to_poly(e.a)) + _operands(kind, to_poly(e.b))
    return _OPERANDS[number]


def smallest_of(p: Poly) -> list[Poly]:
    """The polynomials that `p` is the smallest of: itself alone where it is no such atom."""
    return list(_operands(Min, p))


def operands_of(p: Poly) -> tuple[Poly, ...]:
    """What `p` is the smallest or the largest of: itself alone where it is neither."""
    found = _operands(Min, p)
    return found if len(found) > 1 else _operands(Max, p)


def smaller_of(e: Expr) -> tuple[Poly, Poly] | None:
    """The two numbers of which an expression is the smaller one, by a minimum or a choice."""
    if isinstance(e, Min):
        return to_poly(e.a), to_poly(e.b)
    if isinstance(e, Select) and isinstance(e.condition, LT | LE | GT | GE) and e.condition.a.type.is_int():
        a, b = to_poly(e.condition.a), to_poly(e.condition.b)
        less = (a, b) if isinstance(e.condition, LT | LE) else (b, a)
        return less if less == (to_poly(e.true_value), to_poly(e.false_value)) else None
    return None


def ceil_div(a: Poly, divisor: int) -> Poly:
    """ceil(a / divisor) for a positive constant."""
    if divisor == 1:
        return a
    shifted = a + Poly.constant(divisor - 1)
    return to_poly(Div(I64, from_poly(shifted), const(divisor, I64)))


def floor_div(p: Poly, divisor: int) -> Poly:
    """floor(p / divisor) for a positive constant divisor."""
    return ceil_div(p - Poly.constant(divisor - 1), divisor) if divisor > 1 else p


def quotient(p: Poly, divisor: Poly) -> Poly:
    """floor(p / divisor) for a divisor that is positive, of what is not negative."""
    return to_poly(Div(I64, from_poly(p), from_poly(divisor)))


def poly_min(a: Poly, b: Poly) -> Poly:
    """The smaller of two polynomials, as an atom where that is not known."""
    return _extremum(Min, a, b)


def poly_max(a: Poly, b: Poly) -> Poly:
    """The larger of two polynomials, as an atom where that is not known."""
    return _extremum(Max, a, b)


def from_poly(p: Poly, type_: Type = I64) -> Expr:
    """The polynomial as an expression of `type_`, in a canonical order, positive terms first."""
    items = sorted(p.terms.items(), key=lambda item: (item[1] < 0, -len(item[0]), item[0]))
    total: Expr | None = None
    for m, c in items:
        factors = [_as_type(_ATOMS[a], type_) for a in m]
        magnitude = abs(c) if total is not None or c > 0 else c
        if magnitude != 1 or not factors:
            factors.append(_number(magnitude, type_))
        product = factors[0]
        for f in factors[1:]:
            product = Mul(type_, product, f)
        total = product if total is None else Add(type_, total, product) if c > 0 else Sub(type_, total, product)
    return total if total is not None else const(0, type_)


def exact(p: Poly, type_: Type) -> Expr:
    """The polynomial as a value of `type_`, modulo its range: quotients, remainders, minima and maxima are those of the
    integers, whatever does not fit the type."""
    wide = any(isinstance(a, Div | Mod | Min | Max) and a.type == I64 for a in p.atoms().values())
    return Cast(type_, from_poly(p)) if wide and type_ != I64 else from_poly(p, type_)


def _number(value: int, type_: Type) -> Expr:
    # What 64 bits do not hold (SIZE_MAX) stays the number that it is: wrapped, a bound would say the contrary.
    return IntImm(type_, value) if type_ == I64 else const(value, type_)


def _as_type(e: Expr, type_: Type) -> Expr:
    if e.type == type_:
        return e
    if isinstance(e, Div | Mod | Min | Max) and e.type == I64:  # atoms made here: retype instead of casting
        held = _holding(e.a, type_) if isinstance(e, Div | Mod) else type_
        a, b = (from_poly(to_poly(c), held) for c in (e.a, e.b))
        retyped = type(e)(held, a, b)
        return retyped if held == type_ else Cast(type_, retyped)
    return Cast(type_, e)


def _holding(e: Expr, type_: Type) -> Type:
    """The type in which a dividend is made: `type_`, unless it is made of data that this does not hold."""
    if not reads_memory(e):
        return type_
    least, most = ranges(e, {})[id(e)]
    return next((t for t in (type_, UInt(32)) if t.min() <= least and most <= t.max()), I64)


def poly_text(p: Poly) -> str:
    """The polynomial as people write it: `rows*rowBytes + cols - 1`."""
    return index_text(from_poly(p))
