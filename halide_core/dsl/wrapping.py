"""Func.in_, Func.clone_in and ImageParam.in_: Funcs that stand between a Func or an image and its consumers.

What is given here is recorded; `passes.wrap_calls` rewrites the consumers when the pipeline is lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from halide_core.dsl.schedule import copied
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Extern, Function, Image, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable
from halide_core.ir.structural import transform
from halide_core.ir.types import Type


def wrapper(func: Any, consumers: Sequence[Any] | None, clone: bool) -> Any:
    """The Func that `consumers` (None: all) use instead of `func`; the one made before for the same consumers."""
    f: Function = func._function
    what = "clone_in" if clone else "in_"
    if f.pure is None:
        raise HalideError(f"{what}: Func {f.name} has no definition")
    call = Call(f.types[0], f.name, (), CallType.HALIDE, 0, f)

    def make(names: list[str]) -> Function:
        return _clone(f, names) if clone else _identity(f.name, f.args, f.types, call, names)

    return _wrapper(f, f.name, consumers, make, what)


def image_wrapper(image: Image, consumers: Sequence[Any] | None) -> Any:
    """The Func that `consumers` (None: all) use instead of `image`, as for a Func."""
    name, args = f"{image.name}_im", tuple(f"_{k}" for k in range(image.dimensions))
    call = Call(image.type, image.name, (), CallType.IMAGE, 0, image)
    return _wrapper(image, name, consumers, lambda names: _identity(name, args, (image.type,), call, names))


def _wrapper(
    source: Function | Image,
    name: str,
    consumers: Sequence[Any] | None,
    make: Callable[[list[str]], Function],
    what: str = "in_",
) -> Any:
    from halide_core.dsl.func import Func

    users: list[Function | None] = [None] if consumers is None else [c._function for c in consumers]
    if not users or len({id(u) for u in users}) != len(users):
        raise HalideError(f"{what}: {name} needs a list of distinct Funcs")
    found = [next((w for c, w in source.wrappers if c is u), None) for u in users]
    if all(w is None for w in found):
        made = make([u.name for u in users if u is not None])
        source.wrappers += [(u, made) for u in users]
    else:
        first = found[0]
        if first is None or any(w is not first for w in found):
            names = [u.name for u, w in zip(users, found, strict=True) if u is not None and w is not None]
            raise HalideError(f"{what}: {', '.join(names)} already use another wrapper of {name}")
        made = first
    out = Func()
    out._function = made
    return out


def _named(name: str, what: str, consumers: list[str]) -> str:
    if not consumers:
        return f"{name}_global_wrapper"
    if len(consumers) == 1:
        return f"{name}_{what}_{consumers[0]}"
    return f"{name}_{'clone' if 'clone' in what else 'wrapper'}"


def _identity(
    name: str, args: tuple[str, ...], types: tuple[Type, ...], call: Call, consumers: list[str]
) -> Function:
    """A copy of what `call`, which is without coordinates, reads: it and further values of `types`."""
    at = tuple(Variable(I32, n) for n in args)
    values = tuple(Call(t, call.name, at, call.call_type, k, call.target) for k, t in enumerate(types))
    pure = Definition(at, values, StageSchedule([Dim(n) for n in args]))
    return Function(_named(name, "in", consumers), args, pure, storage_order=list(args))


def _clone(f: Function, names: list[str]) -> Function:
    """A copy of `f`, schedule included (Halide's deep copy), whose updates refer to the copy."""
    assert f.pure is not None
    new = Function(_named(f.name, "clone_in", names), f.args, compute=f.compute, store=f.store)
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
