"""Bodies of vectorized loops for the vectors in all lanes of which coordinates are clamped, or chosen, alike.

    f[x] = g[min(x + 1, w - 1)]                       f[x] = g[x + 1]  where x + 7 + 1 <= w - 1
    f[x] = g[select(x < c, x, x - c)]                 f[x] = g[x - c]  where x >= c,  f[x] = g[x]  where x + 7 < c
    f[x] = select(x == 0, a, select(x == w - 1, b, c))       f[x] = c  where x > 0 and x + 7 < w - 1

so that these load rows, and only the vectors in between gather elements and compute what a border needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, const_value, make_bool
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import contains, key, post_order, substitute, variables
from halide_core.ir.sums import linear_terms
from halide_core.ir.types import Bool
from halide_core.passes.conjunctions import all_of, operands, strictest, wide
from halide_core.passes.lanes import linear_in

# Each choice of coordinates doubles the number of versions of a body.
_MOST_CHOICES = 2
_MOST_TESTS = 16
_OPPOSITE: dict[type[Expr], type[Expr]] = {ir.LT: ir.GE, ir.GE: ir.LT, ir.LE: ir.GT, ir.GT: ir.LE}


def uniform_versions(loop: st.For, lanes: int) -> list[tuple[Expr, st.Stmt]]:
    """(Condition, body): the bodies of a vectorized loop, the likeliest first, with fewer clamps and choices among
    their indices, and when they may be run."""
    out: list[tuple[Expr, st.Stmt]] = []
    main = _inside(loop, lanes)
    for condition, body in [*([main] if main is not None else []), *_by_choices(loop, lanes)]:
        interior = _interior(loop, body, lanes)
        if interior is not None:
            inside, replaced = interior
            both = [p for c in (condition, inside) for p in operands(c, ir.And)]
            out.append((all_of(strictest(both)), _with(body, replaced)))
        if body is not loop.body:
            out.append((condition, body))
    return out


def without_guards(loop: st.For, lanes: int) -> tuple[Expr, st.Stmt] | None:
    """The body without its guards by comparisons with the loop variable, and when all lanes are within them; None where
    there are none."""
    tests: dict[int, Expr] = {}

    def visit(s: st.Stmt) -> st.Stmt:
        if isinstance(s, st.IfThenElse) and s.else_case is None and loop.name in variables(s.condition):
            ends = [_at_ends(c, loop, lanes) for c in operands(s.condition, ir.And) if loop.name in variables(c)]
            rest = [c for c in operands(s.condition, ir.And) if loop.name not in variables(c)]
            if all(e is not None for e in ends):
                tests.update((key(t), t) for e in ends for t in e or ())
                inside = visit(s.then_case)
                return st.IfThenElse(all_of(rest), inside) if rest else inside
        if isinstance(s, st.LetStmt | st.Allocate | st.ExternCall):
            return s
        return st.rebuild(s, visit, lambda e: e)

    body = visit(loop.body)
    needed = strictest(tests.values())
    condition = all_of(needed)
    if not tests or len(needed) > _MOST_TESTS or const_value(condition) == 0:
        return None
    return condition, body


def _by_choices(loop: st.For, lanes: int) -> list[tuple[Expr, st.Stmt]]:
    """The body for each way in which comparisons with the loop variable may choose coordinates, if there are few."""
    found: dict[int, Expr] = {}
    chosen: dict[int, list[ir.Select]] = {}
    for n in _of_indices(loop.body):
        if isinstance(n, ir.Select) and loop.name in variables(n.condition):
            found.setdefault(key(n.condition), n.condition)
            chosen.setdefault(key(n.condition), []).append(n)
    ways = {k: ends for k, c in found.items() if (ends := _at_ends(c, loop, lanes)) is not None}
    if not ways or len(ways) > _MOST_CHOICES:
        return [(make_bool(True), loop.body)]
    likely = [_likely(found[k], loop.name) for k in ways]
    out: list[tuple[Expr, st.Stmt]] = []
    for turns in sorted(itertools.product((False, True), repeat=len(ways)), key=sum):
        answers = [a != turned for a, turned in zip(likely, turns, strict=True)]
        tests: list[Expr] = []
        replaced: dict[int, Expr] = {}
        for (k, ends), holds in zip(ways.items(), answers, strict=True):
            tests += [test if holds else _negated(test) for test in ends]
            replaced |= {id(n): n.true_value if holds else n.false_value for n in chosen[k]}
        condition = all_of(tests)
        if const_value(condition) != 0:
            out.append((condition, _with(loop.body, replaced)))
    return out


def _inside(loop: st.For, lanes: int) -> tuple[Expr, st.Stmt] | None:
    """The body without choices between values by comparisons with the loop variable, nor choices of coordinates by
    several of them, for vectors away from the places where they change, by the look of them."""
    chosen = [n for x in st.walk(loop.body) for e in st.expressions(x) for n in post_order(e)
              if isinstance(n, ir.Select) and loop.name in variables(n.condition)]
    placing = {id(n) for n in _of_indices(loop.body)}
    if all(id(n) in placing and type(n.condition) in _OPPOSITE for n in chosen):
        return None
    tests: dict[int, Expr] = {}
    replaced: dict[int, Expr] = {}
    for n in {id(n): n for n in chosen}.values():
        found = _settled(n.condition, loop, lanes)
        if found is not None:
            holds, shown_by = found
            tests |= {key(t): t for t in shown_by}
            replaced[id(n)] = n.true_value if holds else n.false_value
    needed = strictest(tests.values())
    condition = all_of(needed)
    if not replaced or len(needed) > _MOST_TESTS or const_value(condition) == 0:
        return None
    return condition, _with(loop.body, replaced)


def _settled(condition: Expr, loop: st.For, lanes: int) -> tuple[bool, list[Expr]] | None:
    """What a condition is in most of a row, and what shows that it is so in all lanes."""
    if loop.name not in variables(condition):
        return _of_a_row(condition, loop)
    if isinstance(condition, ir.Not):
        found = _settled(condition.a, loop, lanes)
        return (not found[0], found[1]) if found is not None else None
    if isinstance(condition, ir.And | ir.Or):
        decides = isinstance(condition, ir.Or)
        bounds = [_at_ends(c, loop, lanes) for c in (condition.a, condition.b)]
        if bounds[0] and bounds[1] and _from_above(condition.a, loop.name) != _from_above(condition.b, loop.name):
            # Outside of a range, or within.
            tests = [*bounds[0], *bounds[1]]
            return (False, [_negated(t) for t in tests]) if decides else (True, tests)
        parts = [_settled(c, loop, lanes) for c in (condition.a, condition.b)]
        one = next((p for p in parts if p is not None and p[0] == decides), None)
        if one is not None:
            return one
        a, b = parts
        return (not decides, [*a[1], *b[1]]) if a is not None and b is not None else None
    if isinstance(condition, ir.EQ | ir.NE) and condition.a.type in (I32, I64):
        # Away from one value: beyond it, or not yet there.
        above, below = ir.GT(Bool(), condition.a, condition.b), ir.LT(Bool(), condition.a, condition.b)
        if _at_ends(below, loop, lanes) is None:
            return None
        side = below if _likely(below, loop.name) else above
        ends = _at_ends(side, loop, lanes)
        return (isinstance(condition, ir.NE), ends) if ends is not None else None
    ends = _at_ends(condition, loop, lanes)
    if ends is None:
        return None
    holds = _likely(condition, loop.name)
    return holds, ends if holds else [_negated(t) for t in ends]


def _of_a_row(condition: Expr, loop: st.For) -> tuple[bool, list[Expr]] | None:
    """What several comparisons that are the same in all lanes mostly come to: outside of a range, or within."""
    bound = {x.name for x in st.walk(loop.body) if isinstance(x, st.For | st.LetStmt)}
    if not isinstance(condition, ir.And | ir.Or) or variables(condition) & bound:
        return None
    parts = operands(condition, type(condition))
    if any(type(c) not in _OPPOSITE or contains(c, ir.Load, ir.Call) for c in parts):
        return None
    return (False, [_negated(c) for c in parts]) if isinstance(condition, ir.Or) else (True, parts)


def _with(body: st.Stmt, replaced: dict[int, Expr]) -> st.Stmt:
    return st.map_expressions(body, lambda e: _replaced(e, replaced))


def _likely(comparison: Expr, name: str) -> bool:
    """Which answer has most of a row, by the look of it: `x < w - c`, `x < c*w` and `x >= r` hold, `x < c` does not.
    The versions for the other answers are no less fast, but are chosen vector by vector."""
    a, b = ir.children(comparison)
    terms, constant = linear_terms(wide(ir.Sub(a.type, b, a)))
    up = _goes_up(comparison, name)
    rest = [(t, f) for t, f in terms.values() if not any(".s" in v or ".min." in v for v in variables(t))]
    sign = -1 if up else 1  # of what the variable is compared with
    from_end = sign * constant < 0 or any(
        sign * f < 0 or ".extent." in str(t) or contains(t, ir.Mul) for t, f in rest
    )
    return from_end == _from_above(comparison, name)


def _goes_up(comparison: Expr, name: str) -> bool:
    """Whether the right side of a comparison less its left one grows with a loop variable."""
    a, b = ir.children(comparison)
    terms, _ = linear_terms(wide(ir.Sub(a.type, b, a)))
    return next((f for t, f in terms.values() if name in variables(t)), 1) > 0


def _from_above(comparison: Expr, name: str) -> bool:
    """Whether a comparison bounds a loop variable from above."""
    return isinstance(comparison, ir.LT | ir.LE) != _goes_up(comparison, name)


def _interior(loop: st.For, body: st.Stmt, lanes: int) -> tuple[Expr, dict[int, Expr]] | None:
    """The condition under which no Min or Max of coordinates that depend on the loop clamps any lane, and what
    each then equals."""
    replaced: dict[int, Expr] = {}
    conditions: list[Expr] = []
    inner = [x for x in st.walk(body) if isinstance(x, st.For)]
    bound = {x.name for x in st.walk(body) if isinstance(x, st.For | st.LetStmt)}
    last = simplify_index(loop.min + (lanes - 1))
    for x in st.walk(body):
        for e in st.expressions(x):
            for index in _indices(x, e):
                for n in post_order(index):
                    if not isinstance(n, ir.Min | ir.Max) or id(n) in replaced or loop.name not in variables(n):
                        continue
                    a, b = (_replaced(c, replaced) for c in (n.a, n.b))
                    kept, other = (a, b) if loop.name in variables(a) else (b, a)
                    if loop.name in variables(other) or variables(other) & bound:
                        continue
                    if contains(kept, ir.Load) or contains(other, ir.Load):
                        continue
                    if not _is_monotone(kept, loop.name):
                        continue
                    ends = [simplify_index(substitute(kept, {loop.name: end})) for end in (loop.min, last)]
                    corners = _corners(ends, inner)
                    if any(variables(at) & bound for at in corners):
                        continue
                    replaced[id(n)] = kept
                    for at in corners:
                        test = at <= other if isinstance(n, ir.Min) else at >= other
                        conditions.append(simplify_index(test))
    if not conditions:
        return None
    return all_of(strictest(conditions)), replaced


def _is_monotone(e: Expr, name: str) -> bool:
    """Whether `e` is between its values in the first lane and in the last one: linear in a loop variable, or a quotient
    of what is, such as the pixel of a channel."""
    if linear_in(wide(e), name) is not None:
        return True
    terms, _ = linear_terms(wide(e))
    own = [t for t, _ in terms.values() if name in variables(t)]
    if len(own) != 1:
        return False
    inner = own[0].value if isinstance(own[0], ir.Cast) else own[0]
    if not isinstance(inner, ir.Div):
        return False
    divisor = const_value(inner.b)
    return divisor is not None and divisor > 0 and linear_in(wide(inner.a), name) is not None


def without_clamps(index: Expr, name: str) -> tuple[Expr, list[Expr], list[Expr], bool] | None:
    """An index with one chain of Min and Max around something linear in a loop variable: without them, the conditions
    under which that is what it is, those under which it is clamped from below, and whether it goes up with the
    variable."""
    if not contains(index, ir.Min, ir.Max):
        return None
    clamps = (n for n in post_order(index) if isinstance(n, ir.Min | ir.Max) and name in variables(n))
    nodes = list({id(n): n for n in clamps}.values())
    replaced: dict[int, Expr] = {}
    inside: list[Expr] = []
    below: list[Expr] = []
    up: bool | None = None
    for before, n in zip([None, *nodes], nodes, strict=False):
        if before is not None and all(x is not before for x in post_order(n)):
            return None
        a, b = (_replaced(c, replaced) for c in (n.a, n.b))
        kept, other = (a, b) if name in variables(a) else (b, a)
        linear = linear_in(wide(kept), name)
        step = const_value(linear[0]) if linear is not None else None
        if not step or name in variables(other) or (up is not None and up != (step > 0)):
            return None
        if contains(kept, ir.Load) or contains(other, ir.Load):
            return None
        up = step > 0
        replaced[id(n)] = kept
        inside.append(kept <= other if isinstance(n, ir.Min) else kept >= other)
        if isinstance(n, ir.Max):
            below.append(kept < other)
    return (_replaced(index, replaced), inside, below, up) if up is not None else None


def arms(index: Expr, name: str) -> tuple[Expr, Expr, Expr] | None:
    """The condition of the outermost choice in an index that a loop variable has a part in, and the index in its two
    cases."""
    if not contains(index, ir.Select):
        return None
    choices = [n for n in post_order(index) if isinstance(n, ir.Select) and name in variables(n.condition)]
    if not choices or contains(choices[-1].condition, ir.Load):
        return None
    condition = choices[-1].condition
    alike = [n for n in choices if key(n.condition) == key(condition)]
    yes, no = ({id(n): (n.true_value if holds else n.false_value) for n in alike} for holds in (True, False))
    return condition, simplify_index(_replaced(index, yes)), simplify_index(_replaced(index, no))


def _corners(ends: list[Expr], inner: list[st.For]) -> list[Expr]:
    """`ends` with inner loops' variables at their first and last values, where they, or their sides, are linear in
    them."""
    out = ends
    for x in reversed(inner):
        if not any(x.name in variables(e) for e in out):
            continue
        if any(linear_in(wide(p), x.name) is None for e in out for p in _sides(e)):
            break
        limits = (x.min, simplify_index(x.min + x.extent - 1))
        out = [simplify_index(substitute(e, {x.name: v})) for e in out for v in limits]
    return out


def _sides(e: Expr) -> tuple[Expr, ...]:
    return ir.children(e) if type(e) in _OPPOSITE else (e,)


def _indices(s: st.Stmt, e: Expr) -> list[Expr]:
    found = [n.index for n in post_order(e) if isinstance(n, ir.Load)]
    if isinstance(s, st.Store) and e is s.index:
        found.append(e)
    return found


def _replaced(e: Expr, replaced: dict[int, Expr]) -> Expr:
    done: dict[int, Expr] = {}
    for node in post_order(e):
        if id(node) in replaced:
            instead = replaced[id(node)]
            done[id(node)] = done.get(id(instead), instead)
            continue
        new = ir.with_children(node, tuple(done[id(c)] for c in ir.children(node)))
        done[id(node)] = (
            ir.with_children(new, (simplify_index(new.index), *ir.children(new)[1:]))
            if isinstance(new, ir.Load) and new is not node
            else new
        )
    return done[id(e)]


def _of_indices(body: st.Stmt) -> Iterator[Expr]:
    for x in st.walk(body):
        for e in st.expressions(x):
            for index in _indices(x, e):
                yield from post_order(index)


def _at_ends(condition: Expr, loop: st.For, lanes: int) -> list[Expr] | None:
    """A comparison of something linear in the loop variable with what it has no part in, in the first and in the last
    lane, and of the loops inside in their first and last iterations: it holds, or fails, in all of them where it does
    there."""
    if type(condition) not in _OPPOSITE or contains(condition, ir.Load, ir.Call):
        return None
    sides = [c for c in ir.children(condition) if loop.name in variables(c)]
    if len(sides) != 1 or sides[0].type not in (I32, I64) or linear_in(wide(sides[0]), loop.name) is None:
        return None
    last = simplify_index(loop.min + (lanes - 1))
    ends = [simplify_index(substitute(condition, {loop.name: end})) for end in (loop.min, last)]
    bound = {x.name for x in st.walk(loop.body) if isinstance(x, st.For | st.LetStmt)}
    if bound.isdisjoint(variables(condition)):
        return ends
    if any(linear_in(wide(c), n) is None for c in ir.children(condition) for n in bound & variables(c)):
        return None
    ends = _corners(ends, [x for x in st.walk(loop.body) if isinstance(x, st.For)])
    return ends if all(bound.isdisjoint(variables(e)) for e in ends) else None


def _negated(comparison: Expr) -> Expr:
    opposite = _OPPOSITE.get(type(comparison))
    if opposite is None:  # a constant by now
        return simplify(ir.Not(Bool(), comparison))
    return opposite(Bool(), *ir.children(comparison))


__all__ = ["arms", "uniform_versions", "without_clamps"]
