"""Loops over windows that are cut to the image, as whole windows of which some places do not count.

    for (i = max(0, x - 2); i <= min(n - 1, x + 2); i++) sum += s[i];
runs through the same elements in the same order as
    for (k = 0; k < 5; k++) if (x - 2 + k >= 0 && x - 2 + k < n) sum += s[x - 2 + k];"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Expr, Max, Min, Select, const
from halide_core.ir.types import Type
from lifter.algebra.fold import all_hold
from lifter.algebra.polynomial import Poly, ahead_of, from_poly, operands_of, to_poly
from lifter.ir.effects import loads
from lifter.ir.names import is_counter, is_head


@dataclass(frozen=True, slots=True)
class Window:
    """A whole window of `length` places; number k is the loop's own iteration k + `ahead`, where it is inside."""

    length: Poly
    ahead: Poly
    start: Poly
    starts: tuple[Poly, ...]
    ends: tuple[Poly, ...]

    def few(self, most: int) -> int | None:
        """Its length, if that is a number and no more than `most`."""
        n = self.length.constant_value()
        return n if n is not None and n <= most else None

    def inside(self, k: Poly) -> Expr:
        """Whether the loop comes to place number k."""
        place = self.start + k
        low = [GE(BOOL, from_poly(place - other), const(0, I64)) for other in self.starts]
        high = [LT(BOOL, from_poly(place - other), const(0, I64)) for other in self.ends]
        return all_hold([*low, *high])

    def inside_as(self, k: Poly, counted: Type) -> Expr:
        """The same in the type of the loop's variable.  The original computes both ends of the window in that type, so
        that what lies between is none that it cannot hold."""
        t = I32 if counted == I32 else I64
        place = from_poly(self.start + k, t)
        low = [GE(BOOL, place, from_poly(other, t)) for other in self.starts]
        high = [LT(BOOL, place, from_poly(other, t)) for other in self.ends]
        return all_hold([*low, *high])


def window(trip: Poly) -> Window | None:
    """The window of a loop whose number of iterations is the smallest of several differences, one of which is the same
    wherever the window lies."""
    if any(loads(e) for e in trip.atoms().values()):
        return None
    cut = {a: found for a, e in trip.atoms().items() if (found := _extremum(e)) is not None}
    last = [a for a, (kind, _) in cut.items() if kind is Min and trip.factor(a) == Poly.constant(1)]
    first = [a for a, (kind, _) in cut.items() if kind is Max and trip.factor(a) == Poly.constant(-1)]
    if len(last) > 1 or len(first) > 1:
        return None
    atoms = trip.atoms()
    highest = Poly.atom(atoms[last[0]]) if last else Poly()
    lowest = Poly.atom(atoms[first[0]]) if first else Poly()
    ends = cut[last[0]][1] if last else (Poly(),)
    starts = cut[first[0]][1] if first else (Poly(),)
    rest = trip - highest + lowest
    # Rather one that moves along than the whole image.
    for start, end in sorted(product(starts, ends), key=lambda both: not _moves(both[0])):
        length = end + rest - start
        if not _moves(length) and (length.constant_value() or 1) > 0 and (last or first):
            others = tuple(p for p in starts if p != start), tuple(p + rest for p in ends if p != end)
            return Window(length, start - lowest, start, *others)
    return None


def _moves(p: Poly) -> bool:
    return any(is_counter(n) or is_head(n) for n in p.names())


def _extremum(e: Expr) -> tuple[type[Min] | type[Max], tuple[Poly, ...]] | None:
    """The numbers of which an expression is the smallest or the largest, by name or as a choice: x > 0 ? x - 1 : 0."""
    if isinstance(e, Min | Max):
        return type(e), operands_of(Poly.atom(e))
    ahead = ahead_of(e.condition) if isinstance(e, Select) else None
    if ahead is None or not isinstance(e, Select):
        return None
    yes, no = to_poly(e.true_value), to_poly(e.false_value)
    for kind, larger, smaller in ((Max, yes, no), (Min, no, yes)):
        if ahead in (larger - smaller, larger - smaller - Poly.constant(1)):
            return kind, (yes, no)
    return None


__all__ = ["Window", "window"]
