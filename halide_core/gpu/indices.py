"""Indices in arithmetic of 32 bits, of which a device has more.

    let x0 = ...
    offset + int64(x)*s + int64(x0)*s + int64(x0) - int64(x0)   ->   int64(int32(offset) + (x + x0)*int32(s))

Lets of coordinates are looked through, so that what cancels does.  Terms that are the same for all blocks stand
together, for the host to add them up.  Every index lies in its array, whose span `llvm_device` holds to less than 2^31
elements, so that sums of 32 bits that wrap on the way come to the right end.  What is constant is added last, where
addresses take it for nothing.

An innermost loop that is not written out counts in 64 bits, so that addresses become pointers that go on by one step:

    for y in [low, +n): f[int64(y*s + x)]   ->   for y$later in [0, +n): f[int64(low*s + x) + int64(y$later)*s]

That needs the first iteration's index to lie in the array too: no condition on the loop may stand around the access."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from halide_core.gpu.kernel import Leaf
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.structural import contains, key, rewriting, substitute, transform, variables
from halide_core.ir.sums import Terms, build_sum, linear_terms, widened, widens_index

# Constants of less are left outside of what wraps; arrays are as much shorter than 2^31.
MOST_CONSTANT = 1 << 20


# Loops of constant extent up to this are written out by the back end.
_WRITTEN_OUT = 32


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a statement: lets that are looked through, the names that change from thread to thread or on
    the way, those of data among them, the loops, and those of them that count in 64 bits."""

    lets: Mapping[str, Expr]
    changing: frozenset[str]
    data: frozenset[str]
    loops: frozenset[str]
    counting: frozenset[str]
    seen: dict[int, Expr] = field(init=False, default_factory=dict, compare=False)
    """Indices in sums of 32 bits, by the numbers of what they were: written-out code has the same over and over."""

    def within(self, s: st.Stmt) -> _Around:
        """Around the bodies of `s`."""
        if isinstance(s, st.LetStmt):
            value = _expanded(s.value, self.lets)
            loads = contains(value, ir.Load) or bool(variables(value) & self.data)
            lets, data = self.lets, self.data
            if s.value.type in (I32, I64) and not contains(value, ir.Load):
                lets = {**lets, s.name: value}
            if loads:
                data = data | {s.name}
            moves = loads or variables(value) & self.changing
            changing = self.changing | {s.name} if moves else self.changing
            return replace(self, lets=lets, changing=changing, data=data)
        if isinstance(s, st.IfThenElse):
            return self.under(s.condition)
        if not isinstance(s, st.For):
            return self
        own = frozenset([s.name])
        counting = own if _counts(s) else frozenset[str]()
        return replace(self, changing=self.changing | own, loops=self.loops | own, counting=counting)

    def under(self, *conditions: Expr) -> _Around:
        """Where the conditions, or as many iterations, are met: loops that these depend on do not count."""
        counting = self.counting
        for e in conditions:
            e = _expanded(e, self.lets)
            if contains(e, ir.Load) or variables(e) & self.data:
                counting = frozenset()
            counting = counting - variables(e)
        return replace(self, counting=counting)


def _is_innermost(s: st.For) -> bool:
    """Whether a loop remains a loop and holds none that does: LLVM makes pointers that go on of no others."""
    return _remains(s) and not any(isinstance(x, st.For) and _remains(x) for x in _walk(s.body))


def _remains(s: st.For) -> bool:
    extent = const_value(s.extent)
    return extent is None or extent > _WRITTEN_OUT


def _walk(s: st.Stmt) -> Iterator[st.Stmt]:
    for x in st.walk(s):
        yield x
        if isinstance(x, Leaf):
            yield from _walk(x.body)


def _counts(s: st.For) -> bool:
    """Whether a loop is one that counts, from 0."""
    return const_value(s.min) == 0 and _is_innermost(s)


def _from_zero(s: st.Stmt, around: _Around) -> st.Stmt:
    """`s`, a loop that may start elsewhere as one that starts at 0, where it counts, and begins at the same place
    whichever iterations of others it stands in: to get there takes a multiplication."""
    if not isinstance(s, st.For) or const_value(s.min) == 0 or not _is_innermost(s):
        return s
    low = _expanded(s.min, around.lets)
    if contains(low, ir.Load) or variables(low) & (around.loops | around.data):
        return s
    later = Variable(I32, f"{s.name}$later")
    return replace(s, name=later.name, min=const(0, I32), body=st.LetStmt(s.name, ir.Add(I32, s.min, later), s.body))


def narrow_indices(s: st.Stmt, changing: Collection[str]) -> st.Stmt:
    """`s` with the scalar indices of loads and stores, and the bases of dense vectors, in sums of 32 bits.  `changing`:
    the Variables that are not the same for all threads of all blocks and are bound outside of `s`."""
    return _visit(s, _Around({}, frozenset(changing), frozenset(), frozenset(), frozenset()))


def _visit(s: st.Stmt, around: _Around) -> st.Stmt:
    def one(n: Expr) -> Expr:
        if not isinstance(n, ir.Load):
            return n
        here = around if n.predicate is None else replace(around, counting=frozenset())
        return replace(n, index=_narrowed(n.index, here))

    expression = rewriting(one, ir.Load)

    if isinstance(s, Leaf):
        return Leaf(_visit(s.body, around.under(*s.masks)), tuple(map(expression, s.masks)))
    s = _from_zero(s, around)
    inner = around.within(s)
    out = st.rebuild(s, lambda x: _visit(x, inner), expression)
    if not isinstance(out, st.Store):
        return out
    here = around if out.predicate is None else replace(around, counting=frozenset())
    return replace(out, index=_narrowed(out.index, here))


def _expanded(e: Expr, lets: Mapping[str, Expr]) -> Expr:
    names = variables(e) & lets.keys()
    return substitute(e, {n: lets[n] for n in names}) if names else e


def _narrowed(index: Expr, around: _Around) -> Expr:
    number = key(index)
    if number not in around.seen:
        around.seen[number] = _in_32_bits(index, around)
    return around.seen[number]


def _in_32_bits(index: Expr, around: _Around) -> Expr:
    if isinstance(index, ir.Ramp):
        return ir.Ramp(index.type, _narrowed(index.base, around), index.stride, index.lanes)
    if index.type != I64:
        return index
    index, counted = _counted(_expanded(index, around.lets), around)
    terms, constant = linear_terms(index)
    if not terms and not counted:
        return index
    apart = constant if abs(constant) < MOST_CONSTANT else 0
    fixed: list[Expr] = [] if constant == apart else [const(constant - apart, I32)]
    groups: dict[tuple[int, ...], tuple[list[Expr], list[Expr]]] = {}
    for coordinates, others, factor in _distributed(terms.values(), around.changing):
        term = _product([*coordinates, *others], factor)
        if variables(term) & around.changing or contains(term, ir.Load):
            parts, _ = groups.setdefault(tuple(sorted(map(key, others))), ([], others))
            parts.append(_product(coordinates, factor))
        else:
            fixed.append(term)
    total = [_sum(sorted(fixed, key=key))] if fixed else []
    # In one order, so that equal sums are the same.
    for _, (parts, others) in sorted(groups.items()):
        total.append(_product([_sum(sorted(parts, key=key)), *others], 1))
    wide = [*([ir.Cast(I64, _sum(total))] if total else []), *counted]
    if not wide:
        return const(apart, I64)
    out = reduce(lambda a, b: ir.Add(I64, a, b), wide)
    return out if not apart else ir.Add(I64, out, const(apart, I64))


def _counted(index: Expr, around: _Around) -> tuple[Expr, list[Expr]]:
    """What is left of an index without what loops add to it after their first iteration, and that, in 64 bits."""
    names = variables(index) & around.counting
    if not names or contains(index, ir.Load) or variables(index) & around.data:
        # The first iteration's may be elsewhere.
        return index, []
    index = transform(build_sum(*linear_terms(index), I64), lambda n: widened(n) if widens_index(n) else n)
    while names:
        rest, found = _taken_out(index, names)
        bad = names & variables(rest)
        if not bad:
            return rest, found
        names = names - bad
    return index, []


def _taken_out(index: Expr, names: frozenset[str]) -> tuple[Expr, list[Expr]]:
    """`index` without its products of one of the int32 `names` and nothing else that depends on them, and these."""
    terms, constant = linear_terms(index)
    rest: Terms = {}
    found: list[Expr] = []
    for number, (term, factor) in sorted(terms.items()):
        coordinates, others, constants = _factors(term)
        own = [c for c in coordinates if isinstance(c, Variable) and c.name in names]
        apart = [c for c in (*coordinates, *others) if all(c is not o for o in own) and variables(c) & names]
        if len(own) != 1 or apart:
            rest[number] = term, factor
            continue
        product: Expr = ir.Cast(I64, own[0])
        for c in (*(c for c in coordinates if c is not own[0]), *others):
            wide = c.value if isinstance(c, ir.Cast) and c.value.type == I64 else ir.Cast(I64, c)
            product = ir.Mul(I64, product, wide)
        constants *= factor
        found.append(product if constants == 1 else ir.Mul(I64, product, const(constants, I64)))
    return build_sum(rest, constant, I64), found


def _distributed(
    terms: Iterable[tuple[Expr, int]], changing: Collection[str]
) -> list[tuple[list[Expr], list[Expr], int]]:
    """(coordinates, other factors, constant) of the terms of a sum, products of a sum of coordinates taken apart, so
    that of (y + low)*s and low*s the same is left out."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[list[Expr], list[Expr], int]] = {}
    for term, factor in terms:
        coordinates, others, constants = _factors(term)
        moving = [c for c in coordinates if variables(c) & frozenset(changing)]
        if len(coordinates) > 1 and len(moving) == 1:
            others = [*others, *(c for c in coordinates if c is not moving[0])]
            coordinates = moving
        apart: list[tuple[list[Expr], int]] = [(coordinates, 1)]
        if len(coordinates) == 1 and others:
            inner, rest = linear_terms(coordinates[0])
            apart = [([t], f) for t, f in inner.values()] + ([([], rest)] if rest else [])
        for own, k in apart:
            number = tuple(sorted(map(key, own))), tuple(sorted(map(key, others)))
            _, _, before = found.get(number, (own, others, 0))
            found[number] = own, others, before + k * constants * factor
    return [x for x in found.values() if x[2]]


def _sum(parts: list[Expr]) -> Expr:
    return reduce(lambda a, b: ir.Add(I32, a, b), parts)


def _product(factors: list[Expr], constant: int) -> Expr:
    if not factors:
        return const(constant, I32)
    found = reduce(lambda a, b: ir.Mul(I32, a, b), factors)
    return found if constant == 1 else ir.Mul(I32, found, const(constant, I32))


def _factors(term: Expr) -> tuple[list[Expr], list[Expr], int]:
    """(coordinates, other factors) of a product, all of them int32, and what is constant of it."""
    coordinates: list[Expr] = []
    others: list[Expr] = []
    constants = 1
    work = [term]
    while work:
        e = work.pop()
        value = const_value(e)
        if value is not None:
            constants *= int(value)
        elif isinstance(e, ir.Mul):
            work += [e.b, e.a]
        elif isinstance(e, ir.Cast) and e.value.type == I32:
            if isinstance(e.value, ir.Mul):
                work += [ir.Cast(I64, e.value.b), ir.Cast(I64, e.value.a)]
            else:
                coordinates.append(e.value)
        else:
            others.append(ir.Cast(I32, e))
    return coordinates, others, constants
