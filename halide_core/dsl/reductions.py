"""Reductions inside expressions: sum, product, minimum, maximum, argmin and argmax over an RDom."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from halide_core.dsl.definitions import Tuple
from halide_core.dsl.func import Func
from halide_core.dsl.functions import max as expr_max
from halide_core.dsl.functions import min as expr_min
from halide_core.dsl.functions import select
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.variables import DOMAINS, RDom, RVar, Var
from halide_core.errors import HalideError
from halide_core.function import ReductionDomain
from halide_core.ir.expr import I32, Expr, ParamVariable, Variable, const
from halide_core.ir.operators import as_expr
from halide_core.ir.structural import post_order, substitute
from halide_core.ir.types import Type

_COUNTER = itertools.count()


class _Reduction:
    """A reduction of `value` over `domain`, a Func over the other variables of `value`."""

    def __init__(self, name: str, args: tuple[Any, ...]) -> None:
        values = [a for a in args if not isinstance(a, RDom | str)]
        rdoms = [a for a in args if isinstance(a, RDom)]
        texts = [a for a in args if isinstance(a, str)]
        explicit = rdoms[0] if rdoms else (values.pop(0) if len(values) > 1 else None)
        if explicit is not None and not isinstance(explicit, RDom):
            raise HalideError(f"{name}: the first of two arguments must be an RDom")
        # An RDom alone is the value and its own domain.
        given = values[0] if values else explicit
        self.name = name
        self.value = as_expr(given)
        domain = self._find(explicit if values else None)
        self.domain = domain
        label = texts[0] if texts else f"{name}${next(_COUNTER)}"
        self.func = Func(label)
        inner, outer = self._free(domain)
        self.value = substitute(self.value, {o: Variable(I32, i) for o, i in zip(outer, inner, strict=True) if o != i})
        self.args = tuple(Var(n) for n in inner)
        self.call = tuple(Variable(I32, n) for n in outer)

    def _find(self, explicit: RDom | None) -> ReductionDomain:
        if explicit is not None:
            return explicit.domain()
        found: dict[int, ReductionDomain] = {}
        for n in post_order(self.value):
            if isinstance(n, Variable) and n.name in DOMAINS:
                found[id(DOMAINS[n.name])] = DOMAINS[n.name]
        if not found:
            raise HalideError(f"Expression passed to {self.name} must reference a reduction domain")
        if len(found) > 1:
            raise HalideError(
                f'Inline reduction "{self.name}" refers to reduction variables from multiple reduction domains: '
                + ", ".join(d.name for d in found.values())
            )
        return next(iter(found.values()))

    def _free(self, domain: ReductionDomain) -> tuple[list[str], list[str]]:
        """The pure variables, inside and where it is called; variables of other domains are pure inside."""
        own = {n for n, _, _ in domain.variables}
        outer: list[str] = []
        for e in (self.value, *domain.predicates):
            for n in post_order(e):
                if isinstance(n, Variable) and _is_var(n) and n.name not in own and n.name not in outer:
                    outer.append(n.name)
        return [Var().name() if n in DOMAINS else n for n in outer], outer

    def define(self, initial: Callable[[Type], Expr], step: Callable[[Expr, Expr], Expr]) -> Expr:
        f = self.func
        f[self.args] = initial(self.value.type)
        f[self.args] = step(f[self.args]._as_expr(), self.value)
        return f[self.call]._as_expr()

    def find(self, initial: Callable[[Type], Expr], better: Callable[[Expr, Expr], Expr]) -> tuple[Expr, ...]:
        """The coordinates of the best value, and that value."""
        f = self.func
        variables = [RVar(n, self.domain, k) for k, (n, _, _) in enumerate(self.domain.variables)]
        f[self.args] = (*(0 for _ in variables), initial(self.value.type))
        present = f[self.args].elements()
        wins = better(self.value, present[-1])
        f[self.args] = select(wins, Tuple(*variables, self.value), Tuple(*present))
        return tuple(f[self.call].elements())


def _is_var(n: Variable) -> bool:
    return not isinstance(n, ParamVariable) and "." not in n.name


def _least(t: Type) -> Expr:
    return as_expr(t.min())


def _greatest(t: Type) -> Expr:
    return as_expr(t.max())


@overloaded("expr, name?", "rdom, expr, name?")
def sum(*args: Any) -> Expr:
    """sum(expr, name="sum") or sum(rdom, expr, name="sum"): the sum over the RDom, in the type of `expr`."""
    return _Reduction("sum", args).define(lambda t: const(0, t), lambda a, b: a + b)


@overloaded("expr, name?", "rdom, expr, name?")
def product(*args: Any) -> Expr:
    """As `sum`, the product."""
    return _Reduction("product", args).define(lambda t: const(1, t), lambda a, b: a * b)


@overloaded("expr, name?", "rdom, expr, name?")
def minimum(*args: Any) -> Expr:
    """As `sum`, the least value."""
    return _Reduction("minimum", args).define(_greatest, expr_min)


@overloaded("expr, name?", "rdom, expr, name?")
def maximum(*args: Any) -> Expr:
    """As `sum`, the greatest value."""
    return _Reduction("maximum", args).define(_least, expr_max)


@overloaded("expr, name?", "rdom, expr, name?")
def argmin(*args: Any) -> tuple[Expr, ...]:
    """As `sum`, a Tuple of the coordinates of the first least value, and that value."""
    return _Reduction("argmin", args).find(_greatest, lambda a, b: a < b)


@overloaded("expr, name?", "rdom, expr, name?")
def argmax(*args: Any) -> tuple[Expr, ...]:
    """As `sum`, a Tuple of the coordinates of the first greatest value, and that value."""
    return _Reduction("argmax", args).find(_least, lambda a, b: a > b)
