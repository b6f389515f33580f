"""Stencils whose neighbouring rows are computed together, for they share what they read."""

from __future__ import annotations

from collections.abc import Iterator

from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import Var
from halide_core.function import Definition, Function, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir.expr import I64, CallType, Expr, children, const
from halide_core.ir.structural import post_order
from halide_core.ir.sums import difference

# Rows computed together: of windows of up to three rows, of higher ones; and of the former where lines of all of them
# stay in the first cache and there are so few operations that what is read is what counts.
_LOW, _HIGH, _MANY, _CHEAP = 4, 2, 8, 16
# Bytes between rows whose multiples put the lines of all rows into few sets of the first cache.
_PERIOD = 2048


def shared_rows(f: Function, d: Definition, unit: int) -> int:
    """How many rows of `f` are computed together, for they share what they read: windows over rows and columns."""
    if unit or len(f.args) < 2 or f.updates or d.schedule.splits or len(d.values) > 1 or not _is_whole(d):
        return 0
    windows: dict[str, tuple[set[int], set[int]]] = {}
    for n in _reads(d):
        columns, rows = windows.setdefault(n.name, (set(), set()))
        for a, name, places in ((n.args[0], f.args[0], columns), (n.args[1], f.args[1], rows)):
            place = difference(a, ir.Variable(ir.I32, name))
            if place is None:
                return 0
            places.add(place)
    most = max((len(rows) for columns, rows in windows.values() if len(columns) > 1), default=1)
    return 0 if most < 2 else _LOW if most <= 3 else _HIGH


def share_rows(f: Function, d: Definition, rows: int, parallel: bool) -> None:
    """Computes blocks of `rows` rows, of which each vector is computed before the next; of more rows where what is read
    is what counts and the rows do not lie in the same sets of the cache."""
    apart = _lie_apart(d) if rows == _LOW else None
    if apart is not None:
        special = Stage(f, 0).specialize(apart)
        _unroll(f, special, _MANY, parallel)
    _unroll(f, Stage(f, 0), rows, parallel)


def vector_loop(d: Definition) -> str:
    """The loop that runs in vectors."""
    return next(v.var for v in d.schedule.dims if v.kind.value == "vectorized")


def _reads(d: Definition) -> Iterator[ir.Call]:
    for n in post_order(d.values[0]):
        if isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE) and len(n.args) >= 2:
            yield n


def _is_whole(d: Definition) -> bool:
    """Whether the definition computes whole numbers, of which a window's sums can be shared."""
    return not any(n.type.is_float() for n in post_order(d.values[0]))


def _lie_apart(d: Definition) -> Expr | None:
    """Whether the rows of the images that are read do not lie a multiple of _PERIOD apart; None where it is not known
    or does not matter."""
    if _operations(d.values[0]) > _CHEAP:
        return None
    images = {n.name: n for n in _reads(d)}
    if any(n.call_type is not CallType.IMAGE for n in images.values()):
        return None
    out: Expr | None = None
    for n in images.values():
        pitch = ir.Mul(I64, ir.Variable(I64, f"{n.name}.stride.1"), const(n.type.bytes(), I64))
        apart = ir.NE(ir.BOOL, ir.Mod(I64, pitch, const(_PERIOD, I64)), const(0, I64))
        out = apart if out is None else ir.And(ir.BOOL, out, apart)
    return out


def _operations(value: Expr) -> int:
    """How many operations make a value of what it reads."""
    count, work, seen = 0, [value], set()
    while work:
        n = work.pop()
        if id(n) in seen or (isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)):
            continue
        seen.add(id(n))
        below = children(n)
        count += bool(below) and not isinstance(n, ir.Cast)
        work += below
    return count


def _unroll(f: Function, stage: Stage, rows: int, parallel: bool) -> None:
    d = stage._definition(0)
    inner, outer = Var(f"{f.args[1]}$row"), Var(f"{f.args[1]}$rows")
    stage.split(Var(f.args[1]), outer, inner, rows, TailStrategy.GuardWithIf)
    lanes = vector_loop(d)
    others = [v.var for v in d.schedule.dims if v.var not in (lanes, inner.name())]
    stage.reorder(Var(lanes), inner, *(Var(n) for n in others))
    stage.unroll(inner)
    if parallel:
        stage.parallel(Var(d.schedule.dims[-1].var))
