"""Var, RVar, RDom and Param."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import Any

from halide_core.dsl.overloads import overloaded
from halide_core.errors import ArgumentError, HalideError, NoSuchVariable
from halide_core.function import PARAM_NUMBERS, ReductionDomain
from halide_core.ir.expr import I32, Call, CallType, Expr, ParamVariable, Variable, const, const_value
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type

_COUNTER = itertools.count()
# Reduction variable -> its domain.  An expression holds only the name.
DOMAINS: dict[str, ReductionDomain] = {}
PARAMS: weakref.WeakValueDictionary[str, Param] = weakref.WeakValueDictionary()
# Params by the ids of the Variables that stand for them: a Param lives as long as an expression that uses it.
_USED: dict[int, Param] = {}


class Symbol:
    """Base of what stands for an expression: Python's operators work on it as on an Expr."""

    def _as_expr(self) -> Expr:
        raise NotImplementedError

    def _operate(self, name: str, *args: Any) -> Any:
        return getattr(self._as_expr(), name)(*args)

    def logical_not(self) -> Expr:
        return self._as_expr().logical_not()

    def __bool__(self) -> bool:
        return True

    def __hash__(self) -> int:
        return id(self) >> 4


def _forward(name: str) -> Any:
    def method(self: Symbol, *args: Any) -> Any:
        return self._operate(name, *args)

    method.__name__ = name
    return method


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"]:
    setattr(Symbol, f"__{_name}__", _forward(f"__{_name}__"))
    setattr(Symbol, f"__r{_name}__", _forward(f"__r{_name}__"))
for _name in ["eq", "ne", "lt", "le", "gt", "ge", "neg", "invert", "pow", "rpow"]:
    setattr(Symbol, f"__{_name}__", _forward(f"__{_name}__"))


class Var(Symbol):
    """A pure dimension of a Func, or a loop made by scheduling; Vars of one name are the same."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name if name is not None else f"v{next(_COUNTER)}"

    def name(self) -> str:
        return self._name

    @staticmethod
    def implicit(n: int) -> Var:
        """The Var _n, of those that `_` stands for."""
        return Var(f"_{n}")

    @staticmethod
    def outermost() -> Var:
        """The loop around all others of a Func."""
        return Var("__outermost")

    def is_implicit(self) -> bool:
        return self.implicit_index() >= 0

    def implicit_index(self) -> int:
        """n of _n, else -1."""
        return int(self._name[1:]) if self._name[:1] == "_" and self._name[1:].isdigit() else -1

    def is_placeholder(self) -> bool:
        return self._name == "_"

    def same_as(self, other: Any) -> bool:
        return isinstance(other, Var) and other._name == self._name

    def _as_expr(self) -> Expr:
        return Variable(I32, self._name)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<halide.Var '{self._name}'>"


class RVar(Symbol):
    """One dimension of an RDom."""

    def __init__(self, name: Any = None, domain: ReductionDomain | None = None, index: int = 0) -> None:
        if isinstance(name, RDom):
            if len(name) != 1:
                raise HalideError(f"RVar of the RDom {name.name()}, which has {len(name)} dimensions and not one")
            name, domain = name._domain.variables[0][0], name._domain
        self._name = name if name is not None else f"r{next(_COUNTER)}"
        self._domain = domain
        self._index = index

    def name(self) -> str:
        return self._name

    def _range(self) -> tuple[str, Expr, Expr]:
        if self._domain is None:
            raise HalideError(f"RVar {self._name} belongs to no RDom and has no bounds")
        return self._domain.variables[self._index]

    def min(self) -> Expr:
        return self._range()[1]

    def extent(self) -> Expr:
        return self._range()[2]

    def _as_expr(self) -> Expr:
        return Variable(I32, self._name)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<halide.RVar {self._text()}>"

    def _text(self) -> str:
        return self._name if self._domain is None else f"{self._name}({self.min()}, {self.extent()})"


class Range:
    """A range (min, extent) of a dimension."""

    min: Expr | None
    extent: Expr | None

    def __init__(self, min: Any = None, extent: Any = None) -> None:
        if isinstance(min, tuple):
            min, extent = min
        self.min = None if min is None else as_expr(min)
        self.extent = None if extent is None else as_expr(extent)


class RDom(Symbol):
    """A reduction domain: a box given by (min, extent) pairs, and conditions added with `where`."""

    @overloaded("", "buffer", "image_param", "region, name?")
    def __init__(self, ranges: Any = None, name: str | None = None) -> None:
        pairs = _ranges(ranges)
        base = name if name else getattr(ranges, "name", lambda: f"r{next(_COUNTER)}")()
        names = [f"{base}${'xyzw'[i] if i < 4 else i}" for i in range(len(pairs))]
        while any(n in DOMAINS for n in names):
            fresh = f"{base.split('$')[0]}${next(_COUNTER)}"
            names = [fresh + n[len(base) :] for n in names]
            base = fresh
        for d, pair in enumerate(pairs):
            for e in pair:
                _check_range(base, d, e)
        variables = tuple((n, a, b) for n, (a, b) in zip(names, pairs, strict=True))
        self._domain = ReductionDomain(base, variables, [])
        for n in names:
            DOMAINS[n] = self._domain

    def domain(self) -> ReductionDomain:
        return self._domain

    def same_as(self, other: RDom) -> bool:
        return self._domain is other._domain

    def __getitem__(self, index: int) -> RVar:
        if not isinstance(index, int):
            raise ArgumentError(f"A dimension of the RDom {self.name()} has a number, and is not {index!r}")
        if not 0 <= index < len(self._domain.variables):
            raise NoSuchVariable(f"RDom {self.name()} has {len(self)} dimensions, so none of number {index}")
        return RVar(self._domain.variables[index][0], self._domain, index)

    def __len__(self) -> int:
        return len(self._domain.variables)

    def __iter__(self) -> Iterator[RVar]:
        return (self[i] for i in range(len(self)))

    def name(self) -> str:
        return self._domain.name

    def dimensions(self) -> int:
        return len(self)

    def defined(self) -> bool:
        return len(self) > 0

    def where(self, predicate: Any) -> None:
        """Restricts the domain to the points where `predicate` holds."""
        e = as_expr(predicate)
        if not e.type.is_bool():
            raise HalideError(f"The condition of RDom {self.name()} has type {e.type}, not bool")
        self._domain.predicates.append(e)

    def _member(self, index: int) -> RVar:
        if index >= len(self):
            raise HalideError(f"RDom {self.name()} has {len(self)} dimensions, so no {'xyzw'[index]}")
        return self[index]

    @property
    def x(self) -> RVar:
        return self._member(0)

    @property
    def y(self) -> RVar:
        return self._member(1)

    @property
    def z(self) -> RVar:
        return self._member(2)

    @property
    def w(self) -> RVar:
        return self._member(3)

    def _as_expr(self) -> Expr:
        if len(self) != 1:
            raise HalideError(f"RDom {self.name()} of {len(self)} dimensions is no expression; use .x, .y, ...")
        return self[0]._as_expr()

    def __repr__(self) -> str:
        lines = "".join(f"  {v._text()}\n" for v in self)
        return f"<halide.RDom RDom(\n{lines})>" if lines else "<halide.RDom RDom()>"


def _ranges(ranges: Any) -> list[tuple[Expr, Expr]]:
    if ranges is None:
        return []
    if hasattr(ranges, "_dims"):
        return [(as_expr(d.min()), as_expr(d.extent())) for d in ranges._dims()]
    pairs: list[tuple[Expr, Expr]] = []
    for item in ranges:
        low, extent = (item.min, item.extent) if hasattr(item, "extent") else item
        for v in (low, extent):
            if isinstance(v, Var):
                raise HalideError(f"The bounds of an RDom may not depend on a free variable: {v.name()}")
        pairs.append((_bound(low), _bound(extent)))
    return pairs


def _bound(v: Any) -> Expr:
    """An end of a range, an int32; a float that is a whole number is one, as in Halide."""
    whole = int(v) if isinstance(v, float) and v.is_integer() else v
    if isinstance(whole, int) and not I32.min() <= whole <= I32.max():
        raise HalideError(f"The bounds of an RDom are integers of 32 bits, not {v}")
    e = as_expr(whole)
    value = const_value(e) if e.type.is_float() else None
    if value is not None and float(value).is_integer():
        e = const(int(value), I32)
    if e.type.is_float():
        raise HalideError(f"The bounds of an RDom are integers, not {v}")
    return cast_to(I32, e)


def _check_range(name: str, dimension: int, e: Expr) -> None:
    for n in post_order(e):
        if isinstance(n, Call) and n.call_type is CallType.HALIDE:
            raise HalideError(
                f"The bounds of the RDom {name} in dimension {dimension} depend on a call to the Func {n.name}.\n"
                "The bounds of an RDom may not depend on a call to a Func."
            )


class Param(Symbol):
    """A scalar parameter of a pipeline, with the value that `realize` uses: Param(type, name, value)."""

    @overloaded("type", "type, name", "type, value", "type, name, value")
    def __init__(self, type: Type, *args: Any) -> None:
        texts = [a for a in args if isinstance(a, str)]
        values = [a for a in args if not isinstance(a, str)]
        base = texts[0] if texts and texts[0] else f"p{next(PARAM_NUMBERS)}"
        unique = base
        while unique in PARAMS:
            unique = f"{base}${next(_COUNTER)}"
        # Expressions know a Param by its unique name only; messages call it what its maker did.
        self._name = unique
        self.label = base
        self._type = type
        self._value: Any = None
        self._range: dict[str, Expr] = {}
        self._estimate: Any = None
        PARAMS[unique] = self
        if values and values[0] is not None:
            self.set(values[0])

    def name(self) -> str:
        return self._name

    def type(self) -> Type:
        return self._type

    def set(self, value: Any) -> None:
        """The value that `realize` uses."""
        self._value = self.converted(value)

    def converted(self, value: Any) -> Any:
        """`value` as a value of the type.  Raises HalideError when an integer type does not hold it."""
        number = value.item() if hasattr(value, "item") else value
        t = self._type
        whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
        if t.is_int_or_uint():
            if not t.is_bool() and not (whole and t.min() <= number <= t.max()):
                raise HalideError(f"The value {number} cannot be losslessly converted to type {t}")
            return int(number)
        return const_value(const(number, t))

    def get(self) -> Any:
        return self._value

    def set_range(self, min_value: Any, max_value: Any) -> None:
        """The values that are allowed, checked by every realization."""
        self.set_min_value(min_value)
        self.set_max_value(max_value)

    def set_min_value(self, value: Any) -> None:
        self._range["min"] = self._limit(value)

    def set_max_value(self, value: Any) -> None:
        self._range["max"] = self._limit(value)

    def _limit(self, value: Any) -> Expr:
        e = as_expr(value)
        if e.type != self._type:
            if const_value(e) is None or self._type.is_float() != e.type.is_float():
                raise HalideError(f"A limit of Param {self._name} has type {e.type}, not {self._type}")
            e = cast_to(self._type, e)
        return e

    def min_value(self) -> Expr | None:
        return self._range.get("min")

    def max_value(self) -> Expr | None:
        return self._range.get("max")

    def set_estimate(self, value: Any) -> None:
        """The likely value, for autoschedulers."""
        self._estimate = value

    def estimated(self) -> Any:
        """The estimate, else the value that is set; None where there is neither."""
        return self._estimate if self._estimate is not None else self._value

    def check(self, value: Any, values: Any) -> None:
        """Raises HalideError where `value` lies outside the range, an expression over `values`."""
        from halide_core.interp.expr import evaluate

        for which, word in (("min", "least"), ("max", "most")):
            limit = self._range.get(which)
            if limit is None:
                continue
            bound = evaluate(limit, values).item()
            if (value < bound) if which == "min" else (value > bound):
                raise HalideError(f"Parameter {self.label} is {value} but must be at {word} {bound}")

    def _as_expr(self) -> Expr:
        out = ParamVariable(self._type, self._name)
        _USED[id(out)] = self
        weakref.finalize(out, _USED.pop, id(out)).atexit = False
        return out

    def __str__(self) -> str:
        return f"<halide.Param '{self._name}' type {self._type}>"

    __repr__ = __str__
