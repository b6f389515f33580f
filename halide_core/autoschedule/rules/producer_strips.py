"""Producers computed for a strip of rows of the output, or for one row, while what they hold is in the cache."""

from __future__ import annotations

from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import Var
from halide_core.function import Function, LoopLevel, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.passes.races import self_calls
from halide_core.passes.realization_order import definition_expressions

# Rows of a strip that one task computes, with its producers.
_STRIP_ROWS = 32
# Columns of one that is as high as the image.
_STRIP_COLUMNS = 256


def calls_of(f: Function, consumers: list[Function]) -> list[tuple[Function, ir.Call]]:
    """(consumer, call) for each different call of `f` by others."""
    out: list[tuple[Function, ir.Call]] = []
    for c in consumers:
        if c is f:
            continue
        seen: set[int] = set()
        for d in c.definitions():
            for e in definition_expressions(d):
                for n in post_order(e):
                    is_call = isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.target is f
                    if is_call and key(n) not in seen:
                        assert isinstance(n, ir.Call)
                        seen.add(key(n))
                        out.append((c, n))
    return out


def place(stored: list[Function], outputs: list[Function], order: list[Function], by_rows: bool) -> None:
    """Computes the Funcs of `stored` that have no place yet: in the strips of a single output those that its rows, one
    by one, need a few rows of, the others at root.  `by_rows`: the output's last loop is one over rows, whose first
    dimension lies along memory, so that what each row needs of its own is computed row by row; and where all goes down
    columns, each in its own, that is done for strips of columns."""
    free = [f for f in stored if f.compute is None]
    for f in free:
        f.compute = f.store = LoopLevel()
    if len(outputs) != 1 or not _has_strips(outputs[0]) or any(f.extern is not None for f in order):
        return
    (output,) = outputs
    along, own = _along(output, len(output.args) - 1, order)
    within = [f for f in free if id(f) in along]
    if within:
        y = output.args[-1]
        level = y if by_rows and all(id(f) in own for f in within) else f"{y}$strip"
        for f in within:
            f.compute = f.store = LoopLevel(output.name, level)
        Stage(output, 0).split(Var(y), Var(f"{y}$strip"), Var(y), _STRIP_ROWS, TailStrategy.GuardWithIf)
    elif free and by_rows and len(output.args) == 2 and all(len(f.args) == 2 for f in free):
        _, own = _along(output, 0, order)
        if all(id(f) in own for f in free):
            x, y = output.args
            for f in free:
                f.compute = f.store = LoopLevel(output.name, f"{x}$strip")
            stage = Stage(output, 0)
            stage.split(Var(x), Var(f"{x}$strip"), Var(x), _STRIP_COLUMNS, TailStrategy.GuardWithIf)
            stage.reorder(Var(x), Var(y), Var(f"{x}$strip"))


def _has_strips(f: Function) -> bool:
    return not f.updates and len(f.args) >= 2 and f.pure is not None and not f.pure.schedule.splits


def _along(output: Function, dimension: int, order: list[Function]) -> tuple[dict[int, int], set[int]]:
    """Which dimension of a Func goes along with that one of the output, by its id, for those of which each row needs
    rows a constant away; and those of which it needs its own only."""
    along, own = {id(output): dimension}, {id(output)}
    for f in reversed(order):
        if f is output:
            continue
        found: set[int | None] = set()
        same = True
        for c, call in calls_of(f, order):
            if id(c) not in along:
                found.add(None)
                break
            row = c.args[along[id(c)]]
            places = [k for k, a in enumerate(call.args) if row in variables(a)]
            found.add(places[0] if len(places) == 1 and _is_near(call.args[places[0]], row) else None)
            same &= id(c) in own and len(places) == 1 and isinstance(call.args[places[0]], ir.Variable)
        if len(found) == 1 and (k := found.pop()) is not None and _keeps(f, k):
            along[id(f)] = k
            if same:
                own.add(id(f))
    return along, own


def _is_near(coordinate: ir.Expr, row: str) -> bool:
    """Whether a coordinate strays from `row` by constants only."""
    far = contains(coordinate, ir.Call, ir.Mul, ir.Mod)
    return not far and variables(coordinate) <= {row}


def _keeps(f: Function, k: int) -> bool:
    """Whether every update keeps to one coordinate of dimension `k`."""
    name = f.args[k]
    for d in f.updates:
        for args in (d.args, *(c.args for c in self_calls(f, d))):
            place = args[k]
            if not (isinstance(place, ir.Variable) and place.name == name):
                return False
    return True
