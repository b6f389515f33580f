"""Pure scalar functions: a function from scalars to a scalar becomes one expression."""

from __future__ import annotations

from collections.abc import Sequence

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, Load, Variable, children
from halide_core.ir.structural import substitute
from halide_core.ir.types import Type
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import children as cursor_children
from lifter.frontend.clang.libclang import line
from lifter.frontend.clang.unit import Known
from lifter.frontend.lowering import cautions
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.values import VariablePlace
from lifter.ir.loop_ir import Assign, If, PureFunction, Return, Stmt, Unsupported

# Larger expressions are clearer inlined as statements.
_LARGEST = 600


class _NotPure(Exception):
    """The function reads memory, loops, or is too large."""


def function(ctx: Context, definition: Cursor, from_model: bool) -> PureFunction | None:
    """The pure function a definition is, added to the functions of `ctx`; None if it is not one."""
    cautions.check(ctx, definition, definition)
    key = queries.key(definition)
    unit = ctx.unit
    if key not in unit.pure:
        unit.pure[key] = _make(ctx, definition, from_model)
    known = unit.pure[key]
    if known is None:
        return None
    ctx.functions.update(known.needs)
    ctx.functions[known.function.name] = known.function
    return known.function


def _make(ctx: Context, definition: Cursor, from_model: bool) -> Known | None:
    result = types.scalar(definition.result_type)
    if result is None or types.is_reference(definition.result_type):
        return None
    for p in definition.get_arguments():
        if types.scalar(p.type) is None:
            return None
        if types.is_reference(p.type) and not types.is_const(types.canonical(p.type)):
            return None
    inner = Context(ctx.unit, definition, ctx.table)
    parameters: list[tuple[str, Type]] = []
    for p in definition.get_arguments():
        type_ = types.scalar(p.type)
        assert type_ is not None
        name = inner.unique(p.spelling or "unused")
        inner.parameters[name] = type_
        inner.bind(p, VariablePlace(name, type_))
        parameters.append((name, type_))
    body = next((k for k in cursor_children(definition) if k.kind is CursorKind.COMPOUND_STMT), None)
    if body is None:
        return None
    symbol = queries.key(definition)
    ctx.unit.active.append(symbol)
    try:
        with inner.collecting() as block:
            descent.statement(inner, body)
            inner.flush()
        value = symbolic(block, dict(parameters))
    except (_NotPure, Unsupported, Again):
        # Inlining says what is unsupported, if anything is, at the call.
        return None
    finally:
        ctx.unit.active.pop()
    known = Known(
        PureFunction(_name(ctx, definition), tuple(parameters), result, value, line(definition), from_model),
        dict(inner.functions),
    )
    return known


def _name(ctx: Context, definition: Cursor) -> str:
    taken = {k.function.name for k in ctx.unit.pure.values() if k is not None}
    name, n = str(definition.spelling), 0
    if not name.isidentifier():
        name = "function"
    base = name
    while name in taken:
        n += 1
        name = f"{base}_{n}"
    return name


def symbolic(block: Sequence[Stmt], parameters: dict[str, Type]) -> Expr:
    """The value returned by statements without loops and memory; raises _NotPure otherwise."""
    value = _returned(list(block), {name: Variable(t, name) for name, t in parameters.items()})
    if _size(value, _LARGEST) > _LARGEST:
        raise _NotPure
    return value


def _returned(block: list[Stmt], state: dict[str, Expr]) -> Expr:
    for position, s in enumerate(block):
        if isinstance(s, Assign):
            state[s.name] = _in(s.value, state)
        elif isinstance(s, Return) and s.value is not None:
            return _in(s.value, state)
        elif isinstance(s, If):
            condition = _in(s.condition, state)
            rest = block[position + 1 :]
            if _returns(s.then) or _returns(s.otherwise):
                a = _returned([*s.then, *rest], dict(state))
                b = _returned([*s.otherwise, *rest], dict(state))
                return op.select(condition, a, b)
            _merge(state, condition, _after(s.then, state), _after(s.otherwise, state))
        else:
            raise _NotPure
    raise _NotPure


def _after(block: Sequence[Stmt], state: dict[str, Expr]) -> dict[str, Expr]:
    state = dict(state)
    for s in block:
        if isinstance(s, Assign):
            state[s.name] = _in(s.value, state)
        elif isinstance(s, If):
            condition = _in(s.condition, state)
            _merge(state, condition, _after(s.then, state), _after(s.otherwise, state))
        else:
            raise _NotPure
    return state


def _merge(state: dict[str, Expr], condition: Expr, a: dict[str, Expr], b: dict[str, Expr]) -> None:
    for name in {**a, **b}:
        if name in a and name in b:
            state[name] = a[name] if a[name] is b[name] else op.select(condition, a[name], b[name])
        else:
            # Not assigned on the other path, where reading it would be undefined.
            state[name] = a[name] if name in a else b[name]


def _returns(block: Sequence[Stmt]) -> bool:
    return any(
        isinstance(s, Return) or (isinstance(s, If) and (_returns(s.then) or _returns(s.otherwise))) for s in block
    )


def _in(e: Expr, state: dict[str, Expr]) -> Expr:
    stack = [e]
    while stack:
        node = stack.pop()
        if isinstance(node, Load):
            raise _NotPure
        stack.extend(children(node))
    out = substitute(e, state)
    if _size(out, _LARGEST) > _LARGEST:
        raise _NotPure
    return out


def _size(e: Expr, limit: int) -> int:
    total, stack = 0, [e]
    while stack and total <= limit:
        total += 1
        stack.extend(children(stack.pop()))
    return total
