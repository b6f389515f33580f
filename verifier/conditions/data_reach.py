"""Whether data may let an element be touched that the same data name.

What only the data keep the original from touching the lifted code may touch: a pixel under a mask.  Not so an element
that no data make the original touch, because what names it also keeps it from being touched: in
`if (s[i] < 10) h[s[i]]++` all those from `h[10]` on, of which there may be none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from halide_core.ir.expr import And, Expr, Load, Or, Select, const, const_value
from halide_core.ir.structural import cached, key, transform
from lifter.algebra.fold import fold, negate
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.algebra.value_ranges import ranges
from lifter.ir.effects import loads

_Way = tuple[Expr, ...]
_MOST_WAYS = 16
_MOST_LOADS = 4


def ways(e: Expr, load: Load) -> list[_Way]:
    """Conditions under which an expression evaluates a load, each of which is enough; not more than a few."""
    wanted = key(load)

    def found(n: Expr, inner: list[Sequence[_Way]]) -> Sequence[_Way]:
        out: list[_Way] = [()] if key(n) == wanted else []
        if isinstance(n, Select):
            condition, true, false = inner
            out += [*condition, *((n.condition, *w) for w in true), *((negate(n.condition), *w) for w in false)]
        elif isinstance(n, And | Or):
            first = n.a if isinstance(n, And) else negate(n.a)
            out += [*inner[0], *((first, *w) for w in inner[1])]
        else:
            out += [w for ws in inner for w in ws]
        return tuple({tuple(map(key, w)): w for w in out}.values())[:_MOST_WAYS]

    memo: dict[int, Sequence[_Way]] = {}
    out = cached(memo, e, found)
    return list(out)


def reached(place: Expr, conditions: Iterable[Expr]) -> bool:
    """Whether under conditions that name the same data some data make a place as large, and as small, as any do, be
    touched.  An element at the pointer itself or behind it counts as touched where a later one is."""
    named = {key(n) for n in loads(place)}
    about = [c for c in conditions if named & {key(n) for n in loads(c)}]
    if not about:
        return True
    p = to_poly(place)
    moving = {m: c for m, c in p.terms.items() if any(loads(a) for a in Poly({m: 1}).atoms().values())}
    data, rest = from_poly(Poly(moving)), Poly({m: c for m, c in p.terms.items() if m not in moving})
    read = {key(n): n for x in (data, *about) for n in loads(x)}
    if len(read) > _MOST_LOADS or not all(n.type.is_int_or_uint() for n in read.values()):
        return False
    tried = list(_tries(read, named))
    if _at(data, tried[0]) is None:
        return False
    least, most = ranges(data, {})[id(data)]

    def made(wanted: int) -> bool:
        return any(_at(data, t) == wanted and all(_at(c, t) == 1 for c in about) for t in tried)

    return made(most) and ((rest == Poly() and least >= 0) or made(least))


def _tries(read: Mapping[int, Load], named: Iterable[int]) -> Iterable[dict[int, Expr]]:
    """Values of all that is read: the least and the greatest, and for masks small ones."""
    chosen = set(named)
    values: list[Sequence[Expr]] = []
    for k, n in read.items():
        few = [n.type.min(), n.type.max()] + ([] if k in chosen else [0, 1])
        values.append([const(v, n.type) for v in dict.fromkeys(few)])
    for each in itertools.product(*values):
        yield dict(zip(read, each, strict=True))


def _at(e: Expr, values: Mapping[int, Expr]) -> int | float | None:
    return const_value(fold(transform(e, lambda n: values.get(key(n), n) if isinstance(n, Load) else n)))


__all__ = ["reached", "ways"]
