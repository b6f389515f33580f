"""Sliding windows and folded storage, for Funcs stored outside the loop in which they are computed (the Halide paper,
section 4.3).

    realize f([-1, +n+1)):                     realize f([0, +4)):
      for y in [0, +n):                          for y in [0, +n):
        produce f over [y-1, y+1]          ->      produce f over [select(y <= 0, y-1, y+1), y+1] at c % 4
        use f(y-1), f(y), f(y+1)                   use f((y-1) % 4), f(y % 4), f((y+1) % 4)"""

from __future__ import annotations

from halide_core.errors import HalideError
from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box, Interval
from halide_core.ir.expr import I32, CallType, Expr, Variable, const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import nodes, post_order, substitute, transform, variables
from halide_core.passes.boxes import Promises, boxes_touched, spread
from halide_core.passes.levels import uses
from halide_core.passes.regions import overreaches

_SEQUENTIAL = (st.ForKind.SERIAL, st.ForKind.UNROLLED)


def direction(e: Expr, var: str) -> int | None:
    """1 where `e` never falls as `var` grows, -1 where it never rises, 0 where it does not depend on it, else None."""
    if var not in variables(e):
        return 0
    match e:
        case Variable():
            return 1
        case ir.Cast():
            return direction(e.value, var)
        case ir.Add() | ir.Min() | ir.Max():
            return _joint(direction(e.a, var), direction(e.b, var))
        case ir.Sub():
            other = direction(e.b, var)
            return _joint(direction(e.a, var), None if other is None else -other)
        case ir.Mul() | ir.Div():
            factor = const_value(e.b)
            inner = direction(e.a, var)
            if factor is None or inner is None:
                return None
            return inner if factor > 0 else -inner if factor < 0 and isinstance(e, ir.Mul) else None
        case ir.Call(name="likely"):
            return direction(e.args[0], var)
    return None


def _joint(a: int | None, b: int | None) -> int | None:
    if a is None or b is None or a * b < 0:
        return None
    return a or b


def slide(
    f: Function, definitions: list[Definition], box: Box, around: tuple[st.Stmt, ...]
) -> dict[int, Interval]:
    """What is left to compute of `box` along the dimensions that move, in one iteration of the loops among `around`:
    earlier iterations of each loop have computed theirs.  `around` are the statements from the storage of `f` to where
    it is computed, outermost first.

    A loop around others slides too where these run over the same in all of its iterations, for then what one of their
    iterations needs was computed in the same iteration of theirs.  With updates, `f` slides along what none of them
    leaves: all of its stages are computed for what is left."""
    if any(d.schedule.specializations for d in definitions):
        return {}
    out: dict[int, Interval] = {}
    for k, loop in enumerate(around):
        if not isinstance(loop, st.For) or loop.kind not in _SEQUENTIAL:
            continue
        inside = around[k + 1 :]
        if any(isinstance(s, st.IfThenElse) for s in inside):
            continue
        whole = Box([(_expanded(low, inside), _expanded(high, inside)) for low, high in box.dims])
        moved = _moved(f, definitions, whole, loop, [s for s in inside if isinstance(s, st.For)], inside)
        if moved is not None:
            out[moved[0]] = moved[1]
    return out


def _moved(
    f: Function,
    definitions: list[Definition],
    box: Box,
    loop: st.For,
    inner: list[st.For],
    inside: tuple[st.Stmt, ...],
) -> tuple[int, Interval] | None:
    """The dimension along which `box` moves with `loop`, and what is left of it; None where it does not slide."""
    moving = [k for k, (a, b) in enumerate(box.dims) if _depends(a, loop.name) or _depends(b, loop.name)]
    if len(moving) != 1:
        return None
    (k,) = moving
    low, high = box.dims[k]
    name = f.args[k]
    if low is None or high is None or any(overreaches(d, name) or not keeps_to(f, d, k) for d in definitions):
        return None
    if name in f.bounds or name in f.extents or name in f.alignments:
        return None
    for x in inner:
        ends = [_expanded(e, inside[: inside.index(x)]) for e in (x.min, x.extent)]
        if _depends(low, x.name) or _depends(high, x.name) or any(_depends(e, loop.name) for e in ends):
            return None
    low, high = (spread(e, {loop.name}) for e in (low, high))
    v = Variable(I32, loop.name)
    first = v <= loop.min
    ways = direction(low, loop.name), direction(high, loop.name)
    if ways[0] in (0, 1) and ways[1] in (0, 1):
        before = simplify_index(substitute(high, {loop.name: v - 1}) + 1)
        start = simplify_index(ir.Max(I32, low, before))
        return k, (ir.Select(I32, first, low, start), high)
    if ways[0] in (0, -1) and ways[1] in (0, -1):
        before = simplify_index(substitute(low, {loop.name: v - 1}) - 1)
        end = simplify_index(ir.Min(I32, high, before))
        return k, (low, ir.Select(I32, first, high, end))
    return None


def keeps_to(f: Function, d: Definition, dim: int) -> bool:
    """Whether a coordinate of `dim` is written from `f` at that coordinate alone, so that no stage for one coordinate
    needs another one of `f` as an earlier stage left it."""
    predicates = d.domain.predicates if d.domain is not None else ()
    own = [n for e in (*d.args, *d.values, *predicates) for n in nodes(e, ir.Call) if _is_own(f, n)]
    return all(isinstance(a, Variable) and a.name == f.args[dim] for a in (d.args[dim], *(n.args[dim] for n in own)))


def _is_own(f: Function, n: ir.Call) -> bool:
    return n.call_type is CallType.HALIDE and n.name == f.name


def _expanded(e: Expr | None, inside: tuple[st.Stmt, ...]) -> Expr | None:
    """`e` without the names that lets among the statements around it bind."""
    if e is None:
        return None
    for s in reversed(inside):
        if isinstance(s, st.LetStmt):
            e = substitute(e, {s.name: s.value})
    return simplify_index(e)


def _depends(e: Expr | None, var: str) -> bool:
    return e is not None and var in variables(e)


def fold(f: Function, body: st.Stmt, promises: Promises) -> tuple[st.Stmt, dict[int, Expr]]:
    """`body`, in which `f` is stored, with its folded dimensions wrapped around, and the extents of these.

    Raises HalideError for a fold_storage that cannot be done, or whose factor is too small."""
    folded: dict[int, Expr] = {}
    if f.store == f.compute and not f.folds:
        return body, folded
    external = next((x for x in st.walk(body) if isinstance(x, st.ExternCall) and _passes(x, f)), None)
    if external is not None:
        if f.folds:
            raise HalideError(
                f"fold_storage: Func {f.name} cannot be folded, for the external stage {external.name} uses its storage"
            )
        return body, folded
    loop = _only_loop(f, body)
    for d, name in enumerate(f.args):
        explicit = f.folds.get(name)
        if explicit is None and (d == f.args.index(f.storage_order[0]) or f.store == f.compute):
            continue
        window = None if loop is None else _window(f, d, loop, promises)
        if window is None:
            if explicit is not None and f.store != f.compute and loop is not None:
                raise HalideError(
                    f"fold_storage: dimension {name} of Func {f.name} does not move in one direction by a bounded "
                    f"amount in loop {loop.name}, so it cannot be folded"
                )
            continue
        assert loop is not None
        if explicit is not None:
            factor = explicit[0]
            given = const_value(factor)
            if given is None:
                # Whether it suffices is not known before the run.
                continue
            if given < window:
                raise HalideError(
                    f"The fold factor ({given}) of dimension {name} of {f.name} is too small to store the required "
                    f"region accessed by loop {loop.name} ({window})"
                )
        else:
            factor = const(1 << (window - 1).bit_length(), I32)
        folded[d] = factor
    return (_wrap(f, body, folded), folded) if folded else (body, {})


def _passes(s: st.ExternCall, f: Function) -> bool:
    """Whether the storage of `f` is an argument of the call."""
    return any(isinstance(n, ir.Call) and n.name == f.name for e in s.args for n in post_order(e))


def _only_loop(f: Function, body: st.Stmt) -> st.For | None:
    """The outermost sequential loop that holds all uses of `f` in `body`."""
    node = body
    while True:
        match node:
            case st.For():
                return node if node.kind in _SEQUENTIAL else None
            case st.Block():
                users = [x for x in node.stmts if uses(x, f.name)]
                if len(users) != 1:
                    return None
                node = users[0]
            case st.LetStmt() | st.Realize() | st.Produce():
                node = node.body
            case _:
                return None


def _window(f: Function, dim: int, loop: st.For, promises: Promises) -> int | None:
    """How many coordinates of `dim` one iteration touches at most, where they move in one direction."""
    box = boxes_touched(loop.body, promises).get(f.name)
    if box is None:
        return None
    low, high = box.dims[dim]
    if low is None or high is None or loop.name not in variables(low) | variables(high):
        return None
    low, high = (spread(e, {loop.name}) for e in (low, high))
    ways = direction(low, loop.name), direction(high, loop.name)
    if not (all(w in (0, 1) for w in ways) or all(w in (0, -1) for w in ways)):
        return None
    extent = simplify_index(high - low + 1)
    known = const_value(extent)
    if known is None:
        known = upper_bound(extent, {})
    return int(known) if known is not None and 0 < known <= 1 << 16 else None


def _wrap(f: Function, s: st.Stmt, folded: dict[int, Expr]) -> st.Stmt:
    def coordinates(args: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(ir.Mod(I32, a, folded[d]) if d in folded else a for d, a in enumerate(args))

    def call(n: Expr) -> Expr:
        if isinstance(n, ir.Call) and _is_own(f, n):
            return ir.with_children(n, coordinates(n.args))
        return n

    def visit(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, visit, lambda e: transform(e, call))
        if isinstance(out, st.Provide) and out.name == f.name:
            return st.Provide(out.name, out.values, coordinates(out.args))
        return out

    return visit(s)


