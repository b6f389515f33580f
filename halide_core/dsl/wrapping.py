"""Func.in_ and Func.clone_in: Funcs that stand between a Func and its consumers.

What is given here is recorded; `passes.wrap_calls` rewrites the consumers when the pipeline is lowered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.dsl.schedule import copied
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Extern, Function, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable
from halide_core.ir.structural import transform


def wrapper(func: Any, consumers: Sequence[Any] | None, clone: bool) -> Any:
    """The Func that `consumers` (None: all) use instead of `func`; the one made before for the same consumers."""
    from halide_core.dsl.func import Func

    f: Function = func._function
    what = "clone_in" if clone else "in_"
    if f.pure is None:
        raise HalideError(f"{what}: Func {f.name} has no definition")
    users: list[Function | None] = [None] if consumers is None else [c._function for c in consumers]
    if not users or len({id(u) for u in users}) != len(users):
        raise HalideError(f"{what}: Func {f.name} needs a list of distinct Funcs")
    found = [next((w for c, w in f.wrappers if c is u), None) for u in users]
    if all(w is None for w in found):
        names = [u.name for u in users if u is not None]
        made = _clone(f, names) if clone else _identity(f, names)
        f.wrappers += [(u, made) for u in users]
    else:
        first = found[0]
        if first is None or any(w is not first for w in found):
            names = [u.name for u, w in zip(users, found, strict=True) if u is not None and w is not None]
            raise HalideError(f"{what}: {', '.join(names)} already use another wrapper of Func {f.name}")
        made = first
    out = Func()
    out._function = made
    return out


def _name(f: Function, what: str, names: list[str]) -> str:
    if not names:
        return f"{f.name}_global_wrapper"
    return f"{f.name}_{what}_{names[0]}" if len(names) == 1 else f"{f.name}_{'clone' if 'clone' in what else 'wrapper'}"


def _identity(f: Function, names: list[str]) -> Function:
    args = tuple(Variable(I32, n) for n in f.args)
    values = tuple(Call(t, f.name, args, CallType.HALIDE, k, f) for k, t in enumerate(f.types))
    pure = Definition(args, values, StageSchedule([Dim(n) for n in f.args]))
    return Function(_name(f, "in", names), f.args, pure, storage_order=list(f.args))


def _clone(f: Function, names: list[str]) -> Function:
    """A copy of `f`, schedule included (Halide's deep copy), whose updates refer to the copy."""
    assert f.pure is not None
    new = Function(_name(f, "clone_in", names), f.args, compute=f.compute, store=f.store)
    new.storage_order, new.bounds, new.extents = list(f.storage_order), dict(f.bounds), dict(f.extents)
    new.alignments, new.folds = dict(f.alignments), dict(f.folds)
    new.traced, new.trace_tags = f.traced, f.trace_tags
    new.storage_bounds, new.storage_alignments = dict(f.storage_bounds), dict(f.storage_alignments)

    def renamed(e: Expr) -> Expr:
        if isinstance(e, ir.Call) and e.call_type is CallType.HALIDE and e.target is f:
            return Call(e.type, new.name, e.args, e.call_type, e.value_index, new)
        return e

    def copy(d: Definition) -> Definition:
        out = copied(d)
        return Definition(
            tuple(transform(a, renamed) for a in d.args),
            tuple(transform(v, renamed) for v in d.values),
            out.schedule,
            d.domain,
        )

    if f.extern is not None:
        new.extern = Extern(f.extern.symbol, f.extern.arguments)
    new.pure = copy(f.pure)
    new.updates = [copy(d) for d in f.updates]
    return new
