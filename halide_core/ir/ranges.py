"""Constant bounds of coordinates, by relaxing the terms of their sums one at a time, so that what cancels does.

    n - x*8 - min(n - x*8, 8)        is at least 0, for the smaller of two is at most the first of them
    (m + 31)/32*32 - m               is from 0 to 31, for a quotient times its divisor misses less than that"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const_value
from halide_core.ir.identities import Bounds
from halide_core.ir.sums import Terms, add_scaled, linear_terms

# Coefficients that grow beyond this are given up, for those of the sums searched would wrap around in int32.
_LARGE = 1 << 29
Ends = Callable[[], Expr]


def upper_bound(
    e: Expr,
    bounds: Bounds,
    loops: Mapping[str, tuple[Ends, Ends]] | None = None,
    steps: int = 12,
    tidy: Callable[[Expr], Expr] = lambda e: e,
) -> int | None:
    """A constant that the coordinate `e` never exceeds; None if none is found in so many steps.

    `bounds`: constants between which variables are.  `loops`: variables, outermost first, with their first and last
    values.  `tidy` simplifies sums on the way."""
    return _Search(bounds, loops or {}, steps, tidy).upper(e)


# {key(term): (term, coefficient)} and a constant.
_Sum = tuple[Terms, int]


class _Search:
    def __init__(
        self, bounds: Bounds, loops: Mapping[str, tuple[Ends, Ends]], steps: int, tidy: Callable[[Expr], Expr]
    ) -> None:
        self.bounds = bounds
        self.loops = loops
        self.tidy = tidy
        self.known: dict[tuple[frozenset[tuple[int, int]], int], int | None] = {}
        self.left = steps

    def upper(self, e: Expr) -> int | None:
        return self._upper(self._terms(e))

    def _terms(self, e: Expr) -> _Sum:
        return linear_terms(self.tidy(e))

    def _upper(self, e: _Sum | None) -> int | None:
        if e is None:
            return None
        terms, constant = e
        if not terms:
            return constant
        if not _fits(e, 1):
            return None
        number = frozenset([(n, k) for n, (_, k) in terms.items()]), constant
        if number not in self.known:
            self.left -= 1
            self.known[number] = self._relaxed(terms, constant) if self.left > 0 else None
        return self.known[number]

    def _relaxed(self, terms: Terms, constant: int) -> int | None:
        def others(number: int, more: int = 0) -> _Sum:
            return {n: t for n, t in terms.items() if n != number}, constant + more

        # In an order that does not depend on how the sum was made.
        for number in sorted(terms, key=lambda n: (terms[n][1] > 0, -n)):
            term, k = terms[number]
            match term:
                case ir.Min() | ir.Max():
                    rest = others(number)
                    found = [self._upper(self._plus(rest, x, k)) for x in (term.a, term.b)]
                    return _least(found) if isinstance(term, ir.Min) == (k > 0) else _greatest(found)
                case ir.Select():
                    rest = others(number)
                    return _greatest([self._upper(self._plus(rest, x, k)) for x in (term.true_value, term.false_value)])
                case ir.Mod() if (c := const_value(term.b)) is not None and c > 0:
                    return self._upper(others(number, k * (int(c) - 1) if k > 0 else 0))
                case ir.Div() if (c := const_value(term.b)) is not None and c > 0:
                    return self._quotient(term, int(c), k, others(number))
                case ir.Variable(name=name) if name in self.bounds:
                    end = self.bounds[name][1 if k > 0 else 0]
                    if end is not None:
                        return self._upper(others(number, k * end))
        for name, (first, last) in reversed(list(self.loops.items())):
            for number, (term, k) in terms.items():
                if isinstance(term, ir.Variable) and term.name == name:
                    return self._upper(self._plus(others(number), last() if k > 0 else first(), k))
        return None

    def _quotient(self, term: ir.Div, c: int, k: int, rest: _Sum) -> int | None:
        """The bound of k * (x / c) + rest: from those of x and rest, or as c times that is at most k * x + c * rest,
        and for k < 0 at most k * (x - (c - 1)) + c * rest."""
        joined = None
        if abs(k) * c < _LARGE and _fits(rest, c):
            scaled = add_scaled(({}, 0 if k > 0 else -k * (c - 1)), rest, c)
            joined = self._upper(self._plus(scaled, term.a, k))
        found = [None if joined is None else joined // c]
        # After what cancels: alone, each may need more steps than there are.
        alone, others = (self.upper(term.a), self._upper(rest)) if k > 0 else (None, None)
        if alone is not None and others is not None:
            found.append(k * (alone // c) + others)
        return _least(found)

    def _plus(self, rest: _Sum, x: Expr, k: int) -> _Sum | None:
        """rest + x * k; None where a coefficient of the product would come near the end of int32."""
        more = self._terms(x)
        return add_scaled(rest, more, k) if _fits(more, k) else None


def _fits(e: _Sum, k: int) -> bool:
    return abs(e[1] * k) < _LARGE and all(abs(n * k) < _LARGE for _, n in e[0].values())


def _least(found: list[int | None]) -> int | None:
    return min((x for x in found if x is not None), default=None)


def _greatest(found: list[int | None]) -> int | None:
    known = [x for x in found if x is not None]
    return max(known) if len(known) == len(found) else None
