"""Var, RVar, RDom and Param."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from halide_core.errors import HalideError
from halide_core.function import ReductionDomain
from halide_core.ir.expr import I32, Expr, Variable
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.types import Type

_COUNTER = itertools.count()
# Reduction variable -> its domain.  An expression holds only the name.
DOMAINS: dict[str, ReductionDomain] = {}
PARAMS: weakref.WeakValueDictionary[str, Param] = weakref.WeakValueDictionary()


class Symbol:
    """Base of what stands for an expression: Python's operators work on it as on an Expr."""

    def _as_expr(self) -> Expr:
        raise NotImplementedError

    def __bool__(self) -> bool:
        return True

    def __hash__(self) -> int:
        return id(self) >> 4


def _forward(name: str) -> Any:
    def method(self: Symbol, *args: Any) -> Any:
        return getattr(self._as_expr(), name)(*args)

    method.__name__ = name
    return method


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"]:
    setattr(Symbol, f"__{_name}__", _forward(f"__{_name}__"))
    setattr(Symbol, f"__r{_name}__", _forward(f"__r{_name}__"))
for _name in ["eq", "ne", "lt", "le", "gt", "ge", "neg", "invert"]:
    setattr(Symbol, f"__{_name}__", _forward(f"__{_name}__"))


class Var(Symbol):
    """A pure dimension of a Func, or a loop made by scheduling; Vars of one name are the same."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name if name is not None else f"v{next(_COUNTER)}"

    def name(self) -> str:
        return self._name

    def _as_expr(self) -> Expr:
        return Variable(I32, self._name)

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


class RVar(Symbol):
    """One dimension of an RDom."""

    def __init__(self, name: str | None = None, domain: ReductionDomain | None = None, index: int = 0) -> None:
        self._name = name if name is not None else f"r{next(_COUNTER)}"
        self._domain = domain
        self._index = index

    def name(self) -> str:
        return self._name

    def min(self) -> Expr:
        assert self._domain is not None
        return self._domain.variables[self._index][1]

    def extent(self) -> Expr:
        assert self._domain is not None
        return self._domain.variables[self._index][2]

    def _as_expr(self) -> Expr:
        return Variable(I32, self._name)

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


class RDom(Symbol):
    """A reduction domain: a box given by (min, extent) pairs, and conditions added with `where`."""

    def __init__(self, ranges: Any, name: str | None = None) -> None:
        base = name if name is not None else f"r{next(_COUNTER)}"
        pairs = _ranges(ranges)
        names = [f"{base}${'xyzw'[i] if i < 4 else i}" for i in range(len(pairs))]
        while any(n in DOMAINS for n in names):
            fresh = f"{base.split('$')[0]}${next(_COUNTER)}"
            names = [fresh + n[len(base) :] for n in names]
            base = fresh
        variables = tuple((n, a, b) for n, (a, b) in zip(names, pairs, strict=True))
        self._domain = ReductionDomain(base, variables, [])
        for n in names:
            DOMAINS[n] = self._domain

    def __getitem__(self, index: int) -> RVar:
        if not 0 <= index < len(self._domain.variables):
            raise IndexError(index)
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
        return True

    def where(self, predicate: Any) -> None:
        """Restricts the domain to the points where `predicate` holds."""
        self._domain.predicates.append(as_expr(predicate))

    @property
    def x(self) -> RVar:
        return self[0]

    @property
    def y(self) -> RVar:
        return self[1]

    @property
    def z(self) -> RVar:
        return self[2]

    @property
    def w(self) -> RVar:
        return self[3]

    def _as_expr(self) -> Expr:
        if len(self) != 1:
            raise HalideError(f"RDom {self.name()} of {len(self)} dimensions is no expression; use .x, .y, ...")
        return self[0]._as_expr()

    def __str__(self) -> str:
        return self.name()


def _ranges(ranges: Any) -> list[tuple[Expr, Expr]]:
    if hasattr(ranges, "_dims"):
        return [(as_expr(d.min()), as_expr(d.extent())) for d in ranges._dims()]
    pairs: list[tuple[Expr, Expr]] = []
    for item in ranges:
        low, extent = (item.min, item.extent) if hasattr(item, "extent") else item
        pairs.append((cast_to(I32, as_expr(low)), cast_to(I32, as_expr(extent))))
    return pairs


class Param(Symbol):
    """A scalar parameter of a pipeline, with the value that `realize` uses."""

    def __init__(self, type_: Type, *args: Any) -> None:
        names = [a for a in args if isinstance(a, str)]
        values = [a for a in args if not isinstance(a, str)]
        base = names[0] if names else f"p{next(_COUNTER)}"
        name = base
        while name in PARAMS:
            name = f"{base}${next(_COUNTER)}"
        self._name = name
        self._type = type_
        self._value: Any = values[0] if values else None
        self._range: Sequence[Any] = values[1:3]
        PARAMS[name] = self

    def name(self) -> str:
        return self._name

    def type(self) -> Type:
        return self._type

    def set(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        return self._value

    def set_estimate(self, value: Any) -> None:
        self._estimate = value

    def _as_expr(self) -> Expr:
        return Variable(self._type, self._name)

    def __str__(self) -> str:
        return self._name
