"""The boxes of Funcs and images that a statement touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box, Interval
from halide_core.ir.expr import I32, CallType, Expr, Variable, const, const_value
from halide_core.ir.named_calls import is_buffer
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import contains, key, nodes, substitute, transform, variables
from halide_core.ir.sums import build_sum, is_coordinate, linear_terms
from halide_core.passes.bounds import Facts, bounds_of
from halide_core.passes.intervals import intersect, union

# Known ranges of variables that a schedule's guards enforce: name -> (min, max).
Promises = Mapping[str, tuple[Expr, Expr]]


@dataclass(frozen=True, slots=True)
class Asked:
    """The range of a variable whose loops run beyond it (RoundUp): outside of these loops nothing is asked for more,
    though more is touched."""

    low: Expr
    high: Expr
    loops: frozenset[str]


@dataclass(slots=True)
class AskedRanges:
    """Such ranges, by the names of variables."""

    of: dict[str, Asked] = field(default_factory=dict)
    loops: set[str] = field(default_factory=set)
    """The loops that run beyond."""
    within: dict[str, frozenset[str]] = field(default_factory=dict)
    """Of variables that stages inside of loops are bounded by: the loops that they depend on."""
    met: bool = False
    """Whether one was looked up and found."""

    def loops_of(self, *ends: Expr | None) -> frozenset[str]:
        """The loops that expressions depend on."""
        found: set[str] = set()
        for e in ends:
            for v in variables(e) if e is not None else ():
                found |= self.within.get(v, frozenset())
        return frozenset(found)


# Minima and maxima in a sum up to which they are spread out: each may double it.
_MOST_CHOICES = 4
_Number = tuple[object, ...]


@dataclass(slots=True)
class Known:
    """What was found in statements, from one call to the next: the same loops and lets are around each stage."""

    mentions: dict[int, tuple[st.Stmt, frozenset[str]]] = field(default_factory=dict)
    """Names called or provided, by the numbers of statements; these are kept, so that the numbers stay theirs."""
    expanded: dict[_Number, Expr] = field(default_factory=dict)
    """Expressions in whose place lets were substituted, by their keys and those of the values."""
    bounded: dict[_Number, Interval] = field(default_factory=dict)
    """Intervals, by the keys of expressions and of what is known of their variables."""
    spread: dict[_Number, Expr] = field(default_factory=dict)
    values: dict[str, Interval] = field(default_factory=dict)
    """Intervals of the values of Funcs, by `bounds.value_name`."""


def boxes_touched(
    s: st.Stmt,
    promises: Promises,
    only: frozenset[str] | None = None,
    known: Known | None = None,
    exact: bool = False,
    asked: AskedRanges | None = None,
) -> dict[str, Box]:
    """For every Func or image called or provided in `s` (or `only` these), the box of coordinates.

    `known` remembers what was found from one call to the next; `exact` as `bounds_of` says; with `asked` what is asked
    for, and not all that is touched."""
    found: dict[str, Box] = {}
    known = Known() if known is None else known
    _Boxes(promises, found, only, known, exact, asked).visit(s, _Around(dict(known.values), {}, (), ()))
    return found


def mentions(s: st.Stmt, known: Known) -> frozenset[str]:
    """The Funcs and images that are called or provided in `s`."""
    entry = known.mentions.get(id(s))
    if entry is not None:
        return entry[1]
    names = {s.name} if isinstance(s, st.Provide | st.ExternCall) else set()
    for e in st.expressions(s):
        names |= {n.name for n in nodes(e, ir.Call) if n.call_type in _STORED}
    for x in st.bodies(s):
        names |= mentions(x, known)
    known.mentions[id(s)] = s, frozenset(names)
    return known.mentions[id(s)][1]


_STORED = (CallType.HALIDE, CallType.IMAGE)


def _number(i: Interval) -> _Number:
    return tuple(None if x is None else key(x) for x in i)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known at a statement: intervals of variables, values of lets, conditions on sums.

    `cut`: loops (name, min, upper limits of the variable) that are shorter in some iterations of the loops around;
    the limits are in terms of these, which an interval of its own would lose."""

    scope: dict[str, Interval]
    defined: dict[str, Expr]
    facts: Facts
    cut: tuple[tuple[str, Expr, tuple[Expr, ...]], ...]

    def with_interval(self, name: str, interval: Interval) -> _Around:
        return replace(self, scope={**self.scope, name: interval})

    @property
    def number(self) -> _Number:
        """Equal where the same is known beside intervals of variables."""
        facts = tuple((key(e), _number(i)) for e, i in self.facts)
        return facts, tuple((name, key(low), *map(key, limits)) for name, low, limits in self.cut)

    def ends(self, names: frozenset[str]) -> Iterator[_Number]:
        """The intervals of variables, and of those that cut loops are cut by."""
        more = names.union(*(variables(x) for _, low, limits in self.cut for x in (low, *limits)))
        for name in sorted(more & self.scope.keys()):
            yield name, *_number(self.scope[name])


def queried(name: str, argument: int, dim: int) -> tuple[Expr, Expr]:
    """(min, max) of dimension `dim` of a buffer argument, as the external stage `name` gives it when it is asked for
    all that a statement needs of it: Variables that `passes.extern_stages` gives values."""
    return Variable(I32, f"{name}.query.{argument}.min.{dim}"), Variable(I32, f"{name}.query.{argument}.max.{dim}")


class _Boxes:
    """Visits statements with the intervals of loop variables and the definitions of lets, which are substituted:
    a box's min and extent only cancel against each other as expressions."""

    def __init__(
        self,
        promises: Promises,
        found: dict[str, Box],
        only: frozenset[str] | None,
        known: Known,
        exact: bool,
        asked: AskedRanges | None,
    ) -> None:
        self.exact = exact
        self.asked = asked
        self.promises = promises
        self.found = found
        self.only = only
        self.known = known

    def visit(self, s: st.Stmt, at: _Around) -> None:
        if self.only is not None and self.only.isdisjoint(mentions(s, self.known)):
            return
        if isinstance(s, st.ExternCall):
            self._external(s, at)
            return
        memo: dict[int, Interval] = {}
        expressions = [self.expand(e, at.defined) for e in st.expressions(s)]
        for e in expressions:
            self._calls(e, at, memo)
        match s:
            case st.Provide() if self.wanted(s.name):
                coordinates = expressions[len(s.values) :]
                _touch(s.name, [self.bounds(a, at, memo) for a in coordinates], self.found)
            case st.For():
                self.visit(s.body, self._in_loop(s.name, expressions[0], expressions[1], at))
                return
            case st.LetStmt():
                self._let(s, expressions[0], at)
                return
            case st.IfThenElse():
                inner, more = _assume(expressions[0], at.scope)
                self.visit(s.then_case, replace(at, scope=inner, facts=at.facts + more))
                if s.else_case is not None:
                    self.visit(s.else_case, at)
                return
        for x in st.bodies(s):
            self.visit(x, at)

    def wanted(self, name: str) -> bool:
        return self.only is None or name in self.only

    def _external(self, s: st.ExternCall, at: _Around) -> None:
        """What the stage reads; or in the body of a query its findings, which lie within what it finds when asked for
        all that `s` and the loops around it need (Halide takes this for granted, too)."""
        if s.body is None:
            for k, a in enumerate(s.args):
                element = a.args[0] if isinstance(a, ir.Call) and is_buffer(a) else None
                if isinstance(element, ir.Call) and element.name != s.name and self.wanted(element.name):
                    _touch(element.name, [queried(s.name, k, d) for d in range(len(element.args))], self.found)
            return
        scope = dict(at.scope)
        for name in s.bound():
            argument, _, dim = name[len(s.prefix) + 1 :].split(".")
            scope[name] = queried(s.name, int(argument), int(dim))
        self.visit(s.body, replace(at, scope=scope))

    def expand(self, e: Expr, defined: dict[str, Expr]) -> Expr:
        """`e` with the values of lets in their places."""
        names = variables(e) & defined.keys()
        if not names:
            return e
        number = (key(e), *((n, key(defined[n])) for n in sorted(names)))
        if number not in self.known.expanded:
            self.known.expanded[number] = simplify_index(substitute(e, {n: defined[n] for n in names}))
        return self.known.expanded[number]

    def bounds(self, e: Expr, at: _Around, memo: dict[int, Interval] | None = None) -> Interval:
        """The interval of `e`, the variables of cut loops going before those of the loops around them."""
        number = (key(e), self.exact, at.number, *at.ends(variables(e)))
        if number not in self.known.bounded:
            self.known.bounded[number] = self._bounds(e, at, memo)
        return self.known.bounded[number]

    def _bounds(self, e: Expr, at: _Around, memo: dict[int, Interval] | None) -> Interval:
        names = variables(e) if at.cut else frozenset()
        for name, low, limits in reversed(at.cut):
            if name in names:
                ends = [bounds_of(e, {name: (low, high)}, None, at.facts) for high in limits]
                lows = [None if a is None else self.bounds(a, at)[0] for a, _ in ends[:1]]
                highs = [self.bounds(b, at)[1] for _, b in ends if b is not None]
                least: Expr | None = None
                for h in highs:
                    if h is not None:
                        least = h if least is None else ir.Min(h.type, least, h)
                return lows[0], None if least is None else simplify_index(least)
        return bounds_of(e, at.scope, memo, at.facts, self.exact)

    def _in_loop(self, name: str, low: Expr, extent: Expr, at: _Around) -> _Around:
        last = simplify_index(low + extent - 1)
        inner = at.with_interval(name, (self.bounds(self._spread(low, at), at)[0], self._limit(last, at)))
        parts = _smaller_of(extent)
        if parts and variables(extent) & at.scope.keys() and low.type == I32:
            limits = tuple(simplify_index(low + part - 1) for part in parts)
            inner = replace(inner, cut=(*inner.cut, (name, low, limits)))
        return inner

    def _calls(self, e: Expr, at: _Around, memo: dict[int, Interval]) -> None:
        for node in nodes(e, ir.Call):
            if node.call_type in _STORED and self.wanted(node.name):
                _touch(node.name, [self.bounds(a, at, memo) for a in node.args], self.found)

    def _limit(self, last: Expr, at: _Around) -> Expr | None:
        """The greatest value of `last`."""
        return self.bounds(self._spread(last, at), at)[1]

    def _spread(self, e: Expr, at: _Around) -> Expr:
        number = (key(e), *sorted(variables(e) & at.scope.keys()))
        if number not in self.known.spread:
            self.known.spread[number] = spread(e, at.scope.keys())
        return self.known.spread[number]

    def _let(self, s: st.LetStmt, value: Expr, at: _Around) -> None:
        wanted = self.asked.of.get(s.name) if self.asked is not None else None
        if wanted is not None and wanted.loops <= at.scope.keys():
            assert self.asked is not None
            self.asked.met = True
            first, last = (self.expand(e, at.defined) for e in (wanted.low, wanted.high))
            self.visit(s.body, at.with_interval(s.name, (self.bounds(first, at)[0], self._limit(last, at))))
            return
        if s.name not in self.promises:
            self.visit(s.body, replace(at, defined={**at.defined, s.name: simplify_index(value)}))
            return
        low, high = self.bounds(self._spread(value, at), at)
        exact = low is not None and high is not None and key(low) == key(high)
        if not exact:
            # Splits start at the range's min; only at its end may arithmetic overshoot what guards allow.
            first, last = (self.expand(p, at.defined) for p in self.promises[s.name])
            low = self.bounds(first, at)[0] if low is None else low
            limit = self._limit(last, at)
            narrower = high is not None and not variables(high) <= (variables(last) | variables(first))
            high = intersect((None, high), (None, limit))[1] if narrower else limit
        value_range = (None if low is None else simplify_index(low), None if high is None else simplify_index(high))
        self.visit(s.body, at.with_interval(s.name, value_range))


def spread(e: Expr, names: Set[str]) -> Expr:
    """`e` with what is added to minima and maxima, and cancels against variables `names` in them, added within them:
    y * 32 + min(n - y * 32, 32) is min(n, y * 32 + 32).  Within quotients too, where it does cancel, and in multiples
    of all these: y * 8 + min(n - y * 32, 32) / 4 is min(n, y * 32 + 32) / 4."""
    left = _MOST_CHOICES

    def rewrite(n: Expr) -> Expr:
        nonlocal left
        terms = _terms(n) if isinstance(n, ir.Add | ir.Sub) and n.type == I32 else []
        for k, (added, whole) in enumerate(terms):
            others = terms[:k] + terms[k + 1 :]
            term, scale = _multiple(whole)
            if isinstance(term, ir.Min | ir.Max):
                if left and _cancels(term, added, others, names):
                    left -= 1
                    rest = _sum(others)
                    scaled = [part * scale for part in (term.a, term.b)]
                    parts = [simplify_index(rest + p if added else rest - p) for p in scaled]
                    least = isinstance(term, ir.Min) == added
                    return (ir.Min if least else ir.Max)(I32, rewrite(parts[0]), rewrite(parts[1]))
            elif isinstance(term, ir.Div) and added:
                shared = variables(term) & names
                near = _exactly_divided(_sum([t for t in others if variables(t[1]) & shared]), scale)
                inner = _within_quotient(near, term) if near is not None and variables(near) else None
                if inner is not None:
                    multiple = ir.Div(I32, inner, term.b) * scale
                    return _sum([t for t in others if not variables(t[1]) & shared]) + multiple
        return n

    if not contains(e, ir.Min, ir.Max):
        return e
    return simplify_index(transform(e, rewrite))


def _cancels(term: ir.Min | ir.Max, added: bool, others: list[tuple[bool, Expr]], names: Set[str]) -> bool:
    """Whether some of the sum of `others` is subtracted in one of the two that `term` chooses from."""
    found = {k: f for k, (t, f) in linear_terms(_sum(others))[0].items() if variables(t) & names}
    work: list[Expr] = [term.a, term.b] if found else []
    seen: set[int] = set()
    while work:
        e = work.pop()
        if key(e) in seen:
            continue
        seen.add(key(e))
        if isinstance(e, ir.Min | ir.Max):
            work += [e.a, e.b]
            continue
        inner = linear_terms(e)[0]
        if any((f > 0) != ((inner[k][1] > 0) == added) for k, f in found.items() if k in inner):
            return True
        work += [t for t, _ in inner.values() if isinstance(t, ir.Min | ir.Max)]
    return False


def _multiple(e: Expr) -> tuple[Expr, int]:
    """What `e` is a positive multiple of, and how often."""
    if isinstance(e, ir.Mul):
        for part, factor in ((e.a, const_value(e.b)), (e.b, const_value(e.a))):
            if factor is not None and factor > 0:
                return part, int(factor)
    return e, 1


def _exactly_divided(e: Expr, divisor: int) -> Expr | None:
    """`e` divided by a number that divides all its terms; None where one is no multiple of it."""
    terms, constant = linear_terms(e)
    if any(f % divisor for _, f in terms.values()) or constant % divisor:
        return None
    return build_sum({n: (t, f // divisor) for n, (t, f) in terms.items()}, constant // divisor, I32)


def _within_quotient(near: Expr, quotient: ir.Div) -> Expr | None:
    """The dividend of near + quotient, where `near` cancels in a minimum or maximum of it, else None: what does not
    cancel might overflow once it is multiplied."""
    divisor = const_value(quotient.b)
    if divisor is None or divisor <= 0:
        return None
    terms, scaled = _terms(quotient.a), near * quotient.b
    for k, (added, choice) in enumerate(terms):
        if isinstance(choice, ir.Min | ir.Max):
            parts = [simplify_index(scaled + p if added else scaled - p) for p in (choice.a, choice.b)]
            if any(variables(p).isdisjoint(variables(near)) for p in parts):
                least = isinstance(choice, ir.Min) == added
                return _sum(terms[:k] + terms[k + 1 :]) + (ir.Min if least else ir.Max)(I32, *parts)
    return None


def _sum(terms: list[tuple[bool, Expr]]) -> Expr:
    """The sum that consists of `terms`, as `_terms` tells them."""
    out: Expr = const(0, I32)
    for added, t in terms:
        out = out + t if added else out - t
    return out


def _terms(e: Expr) -> list[tuple[bool, Expr]]:
    """What a sum consists of; whether each is added."""
    out, work = [], [(True, e)]
    while work:
        added, n = work.pop()
        if isinstance(n, ir.Add | ir.Sub):
            work += [(added, n.a), (added == isinstance(n, ir.Add), n.b)]
        else:
            out.append((added, n))
    return out


def _smaller_of(e: Expr) -> tuple[Expr, ...]:
    """The two of which `e` is the smaller one, or that plus a number."""
    if isinstance(e, ir.Min):
        return e.a, e.b
    if isinstance(e, ir.Add | ir.Sub) and isinstance(e.a, ir.Min) and const_value(e.b) is not None:
        return tuple(simplify_index(type(e)(e.type, part, e.b)) for part in (e.a.a, e.a.b))
    return ()


def _assume(condition: Expr, scope: dict[str, Interval]) -> tuple[dict[str, Interval], Facts]:
    """`scope` tightened by comparisons of variables in `condition`, and what it says of sums."""
    work, out = [condition], dict(scope)
    facts: list[tuple[Expr, Interval]] = []
    while work:
        c = work.pop()
        if isinstance(c, ir.And):
            work += [c.a, c.b]
            continue
        if isinstance(c, ir.GT | ir.GE):
            c = (ir.LT if isinstance(c, ir.GT) else ir.LE)(c.type, c.b, c.a)
        if not isinstance(c, ir.LT | ir.LE) or c.a.type != I32:
            continue
        slack = 1 if isinstance(c, ir.LT) else 0
        high = bounds_of(c.b, scope)[1]
        low = bounds_of(c.a, scope)[0]
        if isinstance(c.a, ir.Variable) and c.a.name in out and high is not None:
            out[c.a.name] = intersect(out[c.a.name], (None, high - slack))
        if isinstance(c.b, ir.Variable) and c.b.name in out and low is not None:
            out[c.b.name] = intersect(out[c.b.name], (low + slack, None))
        if isinstance(c.a, ir.Add | ir.Sub) and high is not None and is_coordinate(c.a):
            facts.append((c.a, (None, high - slack)))
        if isinstance(c.b, ir.Add | ir.Sub) and low is not None and is_coordinate(c.b):
            facts.append((c.b, (low + slack, None)))
        if is_coordinate(c.a) and is_coordinate(c.b):
            _narrow_terms(c.a - c.b + slack, scope, out)
    return out, tuple(facts)


def _narrow_terms(e: Expr, scope: dict[str, Interval], out: dict[str, Interval]) -> None:
    """Tightens `out` to where the sum `e` of several variables is not positive: by constants only, for the others are
    facts about sums."""
    terms, constant = linear_terms(e)
    own = {n: t.name for n, (t, _) in terms.items() if isinstance(t, Variable) and t.name in scope}
    for number, name in own.items() if len(own) > 1 else ():
        k = terms[number][1]
        rest = build_sum({n: t for n, t in terms.items() if n != number}, constant, I32)
        least = bounds_of(rest, scope)[0]
        low = None if least is None else const_value(least)
        if low is None or k == 0:
            continue
        end = const(-int(low) // k if k > 0 else -(int(low) // k), I32)
        out[name] = intersect(out[name], (None, end) if k > 0 else (end, None))


def _touch(name: str, dims: list[Interval], found: dict[str, Box]) -> None:
    old = found.get(name)
    if old is None:
        found[name] = Box(dims)
        return
    merged = [union(a, b) for a, b in zip(old.dims, dims, strict=True)]
    found[name] = Box(
        [(None if a is None else simplify_index(a), None if b is None else simplify_index(b)) for a, b in merged]
    )
