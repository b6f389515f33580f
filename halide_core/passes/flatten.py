"""Multi-dimensional calls, provides and realizations become loads, stores and allocations of flat arrays."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.errors import HalideError
from halide_core.interface import storage_name
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, CallType, Expr, Variable, const
from halide_core.ir.named_calls import buffer_of, is_buffer, is_scatter
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Type
from halide_core.passes.undefined import defined_part


def flat_index(name: str, coordinates: tuple[Expr, ...]) -> Expr:
    """offset + sum of coordinate * stride, int64, in terms of the metadata Variables of `name`."""
    index: Expr = Variable(I64, f"{name}.offset")
    for d, c in enumerate(coordinates):
        wide = simplify_index(ir.Cast(I64, c))
        index = ir.Add(I64, index, ir.Mul(I64, wide, Variable(I64, f"{name}.stride.{d}")))
    return simplify_index(index)


def flatten(s: st.Stmt, values: dict[str, int]) -> st.Stmt:
    """`s` without Call to Funcs or images, Provide and Realize.  `values` counts the values of each Func."""

    def expression(e: Expr) -> Expr:
        return transform(e, call)

    def call(node: Expr) -> Expr:
        if not isinstance(node, ir.Call) or node.call_type not in (CallType.HALIDE, CallType.IMAGE):
            return node
        name = storage_name(node.name, node.value_index, values.get(node.name, 1))
        return ir.Load(node.type, name, flat_index(name, node.args))

    def statement(x: st.Stmt) -> st.Stmt:
        match x:
            case st.Provide():
                return _provide(x, expression)
            case st.Realize():
                return _realize(x, statement(x.body))
            case st.ExternCall():
                return st.rebuild(x, statement, lambda e: _buffer(e, values) if is_buffer(e) else expression(e))
        return st.rebuild(x, statement, expression)

    return statement(s)


def _buffer(e: Expr, values: dict[str, int]) -> Expr:
    """A buffer argument of an external stage with all its bounds, those of whole arrays and strides from metadata."""
    assert isinstance(e, ir.Call)
    element = e.args[0]
    if not isinstance(element, ir.Call) or element.call_type not in (CallType.HALIDE, CallType.IMAGE):
        return e
    name = storage_name(element.name, element.value_index, values.get(element.name, 1))
    bounds: list[Expr] = []
    for d in range(len(element.args)):
        known = e.args[1 + 3 * d : 3 + 3 * d]
        bounds += known or [Variable(I32, f"{element.name}.{what}.{d}") for what in ("min", "extent")]
        bounds.append(ir.Cast(I32, Variable(I64, f"{name}.stride.{d}")))
    first = ir.Load(element.type, name, flat_index(name, tuple(bounds[::3])))
    return buffer_of(first, tuple(bounds))


def _provide(x: st.Provide, expression: Callable[[Expr], Expr]) -> st.Stmt:
    stores: list[st.Store] = []
    conditions: dict[int, Expr] = {}
    always = False
    for choice in range(_alternatives(x)):
        coordinates = tuple(expression(_alternative(a, choice)) for a in x.args)
        for k, v in enumerate(x.values):
            defined = defined_part(_alternative(v, choice))
            if defined is None:
                continue
            value, when = defined
            if when is None:
                always = True
            else:
                conditions[key(when)] = when
            name = storage_name(x.name, k, len(x.values))
            stores.append(st.Store(name, expression(value), flat_index(name, coordinates)))
    if len(conditions) + always > 1:
        raise HalideError(f"Values of Func {x.name} that are stored together are undefined under different conditions")
    out: st.Stmt = stores[0] if len(stores) == 1 else st.Stores(tuple(stores))
    for when in conditions.values():
        out = st.IfThenElse(expression(when), out)
    return out


def _alternatives(x: st.Provide) -> int:
    """How many places a Provide with gather and scatter stores to."""
    nodes = [n for e in (*x.args, *x.values) for n in post_order(e) if is_scatter(n)]
    counts = {len(ir.children(n)) for n in nodes}
    if len(counts) > 1:
        found = ", ".join(map(str, sorted(counts)))
        raise HalideError(f"The update of Func {x.name} scatters and gathers different numbers of values: {found}")
    return next(iter(counts), 1)


def _alternative(e: Expr, choice: int) -> Expr:
    return transform(e, lambda n: n.args[choice] if is_scatter(n) and isinstance(n, ir.Call) else n)


def _realize(x: st.Realize, body: st.Stmt) -> st.Stmt:
    for k, t in enumerate(x.types):
        body = _allocate(x, storage_name(x.name, k, len(x.types)), t, body)
    return body


def _allocate(x: st.Realize, name: str, type_: Type, body: st.Stmt) -> st.Stmt:
    stride: Expr = const(1, I64)
    lets: list[tuple[str, Expr]] = []
    offset: Expr = const(0, I64)
    for d in x.order or tuple(range(len(x.bounds))):
        low, extent = x.bounds[d]
        own = Variable(I64, f"{name}.stride.{d}")
        lets.append((own.name, stride))
        offset = ir.Sub(I64, offset, ir.Mul(I64, ir.Cast(I64, low), own))
        stride = simplify_index(ir.Mul(I64, own, ir.Cast(I64, ir.Max(I32, extent, const(0, I32)))))
    lets.append((f"{name}.offset", simplify_index(offset)))
    body = st.Allocate(name, type_, stride, body, x.memory)
    for let, value in reversed(lets):
        body = st.LetStmt(let, value, body)
    return body
