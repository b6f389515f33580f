"""Func.define_extern: Funcs that C functions compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halide_core.dsl.image import Shaped
from halide_core.dsl.variables import Symbol, Var
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Extern, Function, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, CallType, Expr, const, intrinsic
from halide_core.ir.operators import as_expr
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type
from halide_core.vocabulary import DeviceAPI, NameMangling


class ExternFuncArgument:
    """An argument of an external stage: a Func, an ImageParam, a Buffer, or a scalar."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def defined(self) -> bool:
        return self.value is not None

    def is_func(self) -> bool:
        return isinstance(getattr(self.value, "_function", None), Function)

    def is_buffer(self) -> bool:
        return isinstance(self.value, Shaped) and not self.value._shape.is_parameter

    def is_image_param(self) -> bool:
        return isinstance(self.value, Shaped) and self.value._shape.is_parameter

    def is_expr(self) -> bool:
        return self.defined() and not (self.is_func() or isinstance(self.value, Shaped))

    def expressions(self) -> tuple[Expr, ...]:
        """What `function.Extern` holds of it: several for a Func with several values."""
        v = self.value
        if v is None:
            raise HalideError("An ExternFuncArgument that was given nothing cannot be passed")
        function = getattr(v, "_function", None)
        if isinstance(function, Function):
            if function.pure is None:
                raise HalideError(f"Func {function.name}, passed to an external stage, has no definition")
            at = (const(0, I32),) * len(function.args)
            return tuple(
                ir.Call(t, function.name, at, CallType.HALIDE, k, function) for k, t in enumerate(function.types)
            )
        if isinstance(v, Shaped):
            image = v._called()
            return (ir.Call(image.type, image.name, (const(0, I32),) * image.dimensions, CallType.IMAGE, 0, image),)
        if not isinstance(v, Expr | Symbol | int | float):
            raise HalideError(f"An external stage takes Funcs, ImageParams, Buffers and scalars, not {v!r}")
        scalar = as_expr(v)
        if any(isinstance(n, ir.Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE) for n in post_order(scalar)):
            raise HalideError(f"The scalar {scalar} for an external stage reads a Func or an image; pass that itself")
        return (scalar,)


def define_extern(
    function: Function,
    symbol: str,
    params: Sequence[ExternFuncArgument],
    types: Type | Sequence[Type],
    arguments: Sequence[Var] | int,
    mangling: NameMangling,
    device_api: DeviceAPI,
) -> None:
    """Makes `function` what the C function `symbol` computes.  See Func.define_extern."""
    name = function.name
    if function.pure is not None:
        raise HalideError(
            f'In extern definition for Func "{name}":\nFunc with a pure definition cannot have an extern definition.'
        )
    if mangling is NameMangling.CPlusPlus:
        raise HalideError(f'In extern definition for Func "{name}":\nOnly names of C can be called, not those of C++')
    if device_api is not DeviceAPI.Host:
        raise HalideError(f'In extern definition for Func "{name}":\nExternal stages run on the host only')
    for p in params:
        if not isinstance(p, ExternFuncArgument):
            raise HalideError(f'In extern definition for Func "{name}":\n{p!r} is no ExternFuncArgument')
    kinds = (types,) if isinstance(types, Type) else tuple(types)
    if not kinds:
        raise HalideError(f'In extern definition for Func "{name}":\nThere is no type, so it would have no values')
    names = [f"_{k}" for k in range(arguments)] if isinstance(arguments, int) else [v.name() for v in arguments]
    if len(set(names)) != len(names):
        raise HalideError(f'In extern definition for Func "{name}":\nTwo dimensions have one name: {", ".join(names)}')
    function.args = tuple(names)
    function.storage_order = list(names)
    function.extern = Extern(symbol, tuple(e for p in params for e in p.expressions()))
    values = tuple(intrinsic("undef", t) for t in kinds)
    args: tuple[Expr, ...] = tuple(ir.Variable(I32, n) for n in names)
    function.pure = Definition(args, values, StageSchedule([Dim(n) for n in names]))
