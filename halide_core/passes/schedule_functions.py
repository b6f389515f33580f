"""From Functions and schedules to one statement: loops, storage and the bounds of every stage."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, LoopLevel
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, CallType, Expr, Variable
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type
from halide_core.passes.bounds import Box, Interval, boxes_touched, union
from halide_core.passes.inline import inlined_functions, make_inliner
from halide_core.passes.loop_nest import build_loop_nest

Promises = dict[str, tuple[Expr, Expr]]


def metadata(name: str, what: str, dim: int, type_: Type = I32) -> Variable:
    """The Variable for the min, extent (int32) or stride (int64) of dimension `dim` of array `name`."""
    return Variable(type_, f"{name}.{what}.{dim}")


def schedule_functions(order: list[Function], outputs: list[Function], promises: Promises) -> st.Stmt:
    """The loops of all Functions that are not inlined, each where its schedule says.

    Outputs run over their buffers' own bounds; another Function over the box that its consumers touch at the level
    where it is computed.  Raises HalideError for a level that does not exist or does not enclose every use."""
    inlined = inlined_functions(order, outputs)
    expand = make_inliner(inlined)
    stmt: st.Stmt = st.Block(())
    for f in reversed([f for f in order if id(f) not in inlined]):
        definitions = [_expanded(d, expand) for d in f.definitions()]
        if f in outputs:
            box = [(metadata(f.name, "min", i), metadata(f.name, "extent", i)) for i in range(len(f.args))]
            nest = _stages(f, definitions, [list(box)] * len(definitions), promises)
            stmt = st.block(st.Produce(f.name, nest), stmt)
            if f.compute is not None and not f.compute.is_root:
                raise HalideError(f"Func {f.name} is an output and is computed at root; drop its compute_at")
        else:
            assert f.compute is not None and f.store is not None
            stmt = _inject(f, definitions, stmt, promises)
    return stmt


def _expanded(d: Definition, expand: Callable[[Expr], Expr]) -> Definition:
    return Definition(tuple(map(expand, d.args)), tuple(map(expand, d.values)), d.schedule, d.domain)


def _stages(
    f: Function, definitions: list[Definition], boxes: list[list[tuple[Expr, Expr]]], promises: Promises
) -> st.Stmt:
    nests: list[st.Stmt] = []
    for stage, (d, box) in enumerate(zip(definitions, boxes, strict=True)):
        if all(isinstance(v, ir.Call) and v.name == "undef" and v.call_type is CallType.INTRINSIC for v in d.values):
            continue
        nests.append(build_loop_nest(f, stage, d, box, promises))
    return st.block(*nests)


def _inject(f: Function, definitions: list[Definition], stmt: st.Stmt, promises: Promises) -> st.Stmt:
    assert f.compute is not None and f.store is not None
    placed = [0]

    def at_compute(consumer: st.Stmt) -> st.Stmt:
        return _produce(f, definitions, consumer, promises)

    def at_store(consumer: st.Stmt) -> st.Stmt:
        touched = boxes_touched(consumer, promises).get(f.name)
        if touched is None:
            return consumer
        placed[0] += 1
        body = at_compute(consumer) if f.compute == f.store else _at_level(f, consumer, f.compute, at_compute, True)
        return _realize(f, definitions, touched, body, promises)

    result = at_store(stmt) if f.store.is_root else _at_level(f, stmt, f.store, at_store, False)
    if not placed[0]:
        raise HalideError(_bad_level(f, stmt))
    _check_enclosed(f, result)
    return result


def _bad_level(f: Function, stmt: st.Stmt) -> str:
    level = f.compute
    assert level is not None
    legal = [
        s.name.split(".s", 1)[0] + ", " + s.name.rsplit(".", 1)[1]
        for s in st.walk(stmt)
        if isinstance(s, st.For) and f.name in boxes_touched(s.body, {})
    ]
    where = "; ".join(dict.fromkeys(legal)) or "none"
    return (
        f"Func {f.name} is computed at loop {level.var} of Func {level.func}, which is no loop around its uses. "
        f"Legal locations are compute_root and compute_at of: {where}"
    )


def _at_level(
    f: Function, stmt: st.Stmt, level: LoopLevel | None, wrap: Callable[[st.Stmt], st.Stmt], inside_store: bool
) -> st.Stmt:
    assert level is not None

    def visit(s: st.Stmt, parallel: bool) -> st.Stmt:
        if isinstance(s, st.For):
            func, _, rest = s.name.partition(".s")
            here = func == level.func and rest.partition(".")[2] == level.var
            if here and inside_store and (parallel or s.kind is st.ForKind.PARALLEL):
                raise HalideError(
                    f"Func {f.name} is stored outside the parallel loop {level.var} of {level.func} in which it is "
                    "computed, so that iterations would overwrite each other's values; store it at that loop"
                )
            if here and s.kind in (st.ForKind.VECTORIZED,):
                raise HalideError(
                    f"Func {f.name} cannot be computed in the vectorized loop {level.var} of {level.func}"
                )
            inner = parallel or s.kind is st.ForKind.PARALLEL
            body = wrap(s.body) if here else visit(s.body, inner)
            return s if body is s.body else st.For(s.name, s.min, s.extent, s.kind, body)
        return st.rebuild(s, lambda x: visit(x, parallel), lambda e: e)

    return visit(stmt, False)


def _interval_bounds(f: Function, box: Box, dim: int) -> tuple[Expr, Expr]:
    low, high = box.dims[dim]
    declared = f.bounds.get(f.args[dim])
    if declared is not None:
        return declared
    if low is None or high is None:
        raise HalideError(f"Func {f.name} is read over an unbounded range of {f.args[dim]}; clamp the coordinate")
    return simplify_index(low), simplify_index(high - low + 1)


def _self_box(f: Function, nest: st.Stmt, promises: Promises) -> Box | None:
    return boxes_touched(nest, promises).get(f.name)


def _produce(f: Function, definitions: list[Definition], consumer: st.Stmt, promises: Promises) -> st.Stmt:
    touched = boxes_touched(consumer, promises).get(f.name)
    if touched is None:
        return consumer
    count = len(definitions)
    names = [
        [(metadata(f"{f.name}.s{k}", "min", i), metadata(f"{f.name}.s{k}", "extent", i)) for i in range(len(f.args))]
        for k in range(count)
    ]
    boxes = _stage_boxes(f, definitions, touched, promises)
    stages = _stages(f, definitions, [list(b) for b in names], promises)
    out = st.block(st.Produce(f.name, stages), consumer)
    for k in range(count):
        for i in reversed(range(len(f.args))):
            low, extent = _interval_bounds(f, boxes[k], i)
            out = st.LetStmt(names[k][i][1].name, extent, out)
            out = st.LetStmt(names[k][i][0].name, low, out)
    return out


def _stage_boxes(f: Function, definitions: list[Definition], touched: Box, promises: Promises) -> list[Box]:
    """What each stage must cover: what consumers touch, and what later updates read or write."""
    boxes = [touched] * len(definitions)
    for k in range(len(definitions) - 1, 0, -1):
        low_extent = [_interval_bounds(f, boxes[k], i) for i in range(len(f.args))]
        nest = build_loop_nest(f, k, definitions[k], low_extent, promises)
        own = boxes_touched(nest, promises).get(f.name)
        assert own is not None
        dims: list[Interval] = []
        for a, b in zip(boxes[k].dims, own.dims, strict=True):
            low, high = union(a, b)
            dims.append((None if low is None else simplify_index(low), None if high is None else simplify_index(high)))
        boxes[k - 1] = Box(dims)
    return boxes


def _realize(f: Function, definitions: list[Definition], touched: Box, body: st.Stmt, promises: Promises) -> st.Stmt:
    box = _stage_boxes(f, definitions, touched, promises)[0]
    names = [(metadata(f.name, "min", i), metadata(f.name, "extent", i)) for i in range(len(f.args))]
    order = tuple(f.args.index(n) for n in f.storage_order)
    out: st.Stmt = st.Realize(f.name, f.types, tuple(names), body, order)
    for i in reversed(range(len(f.args))):
        low, extent = _interval_bounds(f, box, i)
        out = st.LetStmt(names[i][1].name, extent, out)
        out = st.LetStmt(names[i][0].name, low, out)
    return out


def _check_enclosed(f: Function, stmt: st.Stmt) -> None:
    """Every call of `f` must stand inside its Realize."""

    def visit(s: st.Stmt) -> None:
        if isinstance(s, st.Realize) and s.name == f.name:
            return
        for e in st.expressions(s):
            for n in post_order(e):
                if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.name == f.name:
                    raise HalideError(_bad_level(f, stmt) + " (a use lies outside that loop)")
        for x in st.bodies(s):
            visit(x)

    visit(stmt)
