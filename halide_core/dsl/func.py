"""Func: a named function over coordinates, defined by expressions and scheduled by loop transformations."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halide_core.dsl.copies import CopyDirectives
from halide_core.dsl.definitions import FuncRef, Tuple, define
from halide_core.dsl.extern import ExternFuncArgument, define_extern
from halide_core.dsl.image import OutputImageParam, Shaped, coordinate
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.pipeline import Pipeline
from halide_core.dsl.placement import Placement
from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import RVar, Symbol, Var
from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Image
from halide_core.ir.expr import I32, Expr, const
from halide_core.ir.operators import as_expr
from halide_core.ir.types import Type
from halide_core.vocabulary import DeviceAPI, NameMangling

_COUNTER = itertools.count()


class Func(Placement, CopyDirectives):
    """A function of integer coordinates.  See Halide's Func; names and behaviour are the same."""

    @overloaded("required_type, required_dimensions, name", "required_types, required_dimensions, name")
    def __init__(self, *args: Any) -> None:
        """Func(), Func(name), Func(type or types, dimensions, name), or Func of an Expr, an ImageParam or a Buffer."""
        names = [a for a in args if isinstance(a, str)]
        self._function = Function(names[0] if names else f"f{next(_COUNTER)}")
        self._stage = 0
        first = args[0] if args else None
        if isinstance(first, Type | list | tuple):
            self._function.required_types = (first,) if isinstance(first, Type) else tuple(first)
            self._function.required_dimensions = int(args[1])
        elif isinstance(first, Shaped):
            if not names:
                self._function.name = f"{first.name()}_im"
            implicit = tuple(Var.implicit(k) for k in range(first.dimensions()))
            self[implicit] = first[implicit]  # type: ignore[index]
        elif isinstance(first, Expr | Symbol):
            self[(Var("_"),)] = first

    def name(self) -> str:
        return self._function.name

    def defined(self) -> bool:
        return self._function.pure is not None

    def is_extern(self) -> bool:
        return self._function.extern is not None

    def extern_function_name(self) -> str:
        return "" if self._function.extern is None else self._function.extern.symbol

    @overloaded(
        "function_name, params, types, arguments, mangling?, device_api?",
        "function_name, params, type, dimensionality, mangling?, device_api?",
        "function_name, params, types, dimensionality, mangling?, device_api?",
        "function_name, params, type, arguments, mangling?, device_api?",
    )
    def define_extern(
        self,
        function_name: str,
        params: Sequence[ExternFuncArgument],
        types: Type | Sequence[Type],
        arguments: Sequence[Var] | int,
        mangling: NameMangling = NameMangling.Default,
        device_api: DeviceAPI = DeviceAPI.Host,
    ) -> None:
        """Has the C function `function_name` compute the Func: int f(params..., halide_buffer_t *values...).

        It is called with buffers without memory first, and then sets their bounds.  See Halide's lesson 10."""
        define_extern(self._function, function_name, params, types, arguments, mangling, device_api)

    def dimensions(self) -> int:
        required = self._function.required_dimensions
        if not self.defined() and required is None:
            raise self._unknown("dimensions", "dimension")
        return len(self._function.args) if self.defined() or required is None else required

    def args(self) -> list[Var]:
        return [Var(a) for a in self._function.args]

    def _unknown(self, what: str, kind: str = "type") -> HalideError:
        return HalideError(
            f'Can\'t call Func::{what} on Func "{self.name()}" because it is undefined or has no {kind} requirements.'
        )

    def _types(self, what: str) -> list[Type]:
        found = list(self._function.types if self.defined() else self._function.required_types)
        if not found:
            raise self._unknown(what)
        return found

    def types(self) -> list[Type]:
        return self._types("types")

    def type(self) -> Type:
        if len(self._types("type")) != 1:
            raise HalideError(f'Can\'t call Func::type on Func "{self.name()}" because it returns a Tuple.')
        return self.types()[0]

    def outputs(self) -> int:
        return len(self._types("outputs"))

    def value(self) -> Expr:
        if len(self._defined("value").values) != 1:
            raise HalideError(f'Can\'t call Func::value() on Func "{self.name()}", because it has multiple values.')
        return self._definition(0).values[0]

    def values(self) -> tuple[Expr, ...]:
        return self._defined("values").values

    def _defined(self, what: str) -> Definition:
        if self._function.pure is None:
            raise HalideError(
                f"Can't call Func::{what}() on an undefined Func. To check if a Func is defined, call Func::defined()"
            )
        return self._definition(0)

    def has_update_definition(self) -> bool:
        return bool(self._function.updates)

    def num_update_definitions(self) -> int:
        return len(self._function.updates)

    def _update_definition(self, index: int) -> Any:
        if not 0 <= index < len(self._function.updates):
            raise HalideError(f'Func "{self.name()}" has no update definition {index}')
        return self._definition(index + 1)

    def update_value(self, idx: int = 0) -> Expr:
        if self.outputs() != 1:
            raise HalideError(
                f'Can\'t call Func::update_value() on Func "{self.name()}", because it has multiple values.'
            )
        value: Expr = self._update_definition(idx).values[0]
        return value

    def update_values(self, idx: int = 0) -> tuple[Expr, ...]:
        values: tuple[Expr, ...] = self._update_definition(idx).values
        return values

    def update_args(self, idx: int = 0) -> list[Expr]:
        return list(self._update_definition(idx).args)

    def rvars(self, idx: int = 0) -> list[RVar]:
        """The variables of the reduction domain of update definition `idx`."""
        domain = self._update_definition(idx).domain
        return [] if domain is None else [RVar(n, domain, k) for k, (n, _, _) in enumerate(domain.variables)]

    def update(self, idx: int = 0) -> Stage:
        """The schedule of the update definition `idx`."""
        self._update_definition(idx)
        return Stage(self._function, idx + 1)

    def output_buffer(self) -> OutputImageParam:
        """The buffer of an output, to state what is known of its shape."""
        if self.defined() and self.outputs() != 1:
            raise HalideError(f"Can't call Func::output_buffer on Func {self.name()}, because it has multiple outputs")
        return self.output_buffers()[0]

    def output_buffers(self) -> list[OutputImageParam]:
        """The buffers of the values of an output."""
        f = self._function
        if f.pure is None:
            raise HalideError(f'Can\'t access output buffer(s) of undefined Func "{f.name}".')
        if not f.buffers:
            several = len(f.types) > 1
            for k, t in enumerate(f.types):
                f.buffers.append(Image(f"{f.name}.{k}" if several else f.name, t, len(f.args)))
                if f.args:
                    f.buffers[k].fixed["stride.0"] = const(1, I32)
        return [OutputImageParam(i) for i in f.buffers]

    def __getitem__(self, args: Any) -> FuncRef:
        return FuncRef(self._function, self._items(args))

    def __call__(self, *args: Any) -> FuncRef:
        return self[args]

    def __setitem__(self, args: Any, value: Any) -> None:
        define(self._function, self._items(args), value)

    def _items(self, args: Any) -> list[Any]:
        if isinstance(args, FuncRef):
            # Halide's own f[f[x]] = ...: the reference stands for its coordinates.
            return list(args._args) if args._function is self._function else [args]
        items = list(args) if isinstance(args, tuple | list) else [args]
        if len(items) == 1 and isinstance(items[0], list | tuple):
            items = list(items[0])
        if (
            self.defined()
            and not any(getattr(a, "_name", None) == "_" for a in items)
            and len(items) != self.dimensions()
        ):
            raise HalideError(
                f'Func "{self.name()}" was called with {len(items)} arguments, but was defined with {self.dimensions()}'
            )
        return [a if isinstance(a, Var) else self._coordinate(a, k) for k, a in enumerate(items)]

    def _coordinate(self, value: Any, place: int) -> Expr:
        """`value` as it stands, where it may be a coordinate."""
        coordinate(value, self.name(), place)
        return as_expr(value)

    def __str__(self) -> str:
        return f"<halide.Func '{self.name()}'>"

    __repr__ = __str__

    if TYPE_CHECKING:  # of its pipeline, below

        def __getattr__(self, name: str) -> Any: ...

    # Running it.
    def _pipeline(self) -> Any:
        cached = getattr(self, "_cached", None)
        if cached is None:
            cached = self._cached = Pipeline([self])
        return cached

    @overloaded("dst, target?", "sizes?, target?")
    def realize(self, *args: Any) -> Any:
        """Computes the Func over a box of the given sizes, or into the given Buffers."""
        return self._pipeline().realize(*args)

    def infer_input_bounds(self, dst: Any, target: Any = None) -> None:
        """Gives every ImageParam without a Buffer one of the shape that a realization over `dst` reads."""
        self._pipeline().infer_input_bounds(dst, target)

    def compile_jit(self, target: Any = None) -> None:
        """Compiles the Func for this process, before it is realized."""
        self._pipeline().compile_jit(target)

    def debug_to_file(self, filename: str) -> None:
        """Refused: what a Func computed is in the Buffer that it is realized into."""
        raise HalideError(f"debug_to_file: Func {self.name()} is not written to files; realize it into a Buffer")


def _of_pipeline(name: str) -> Any:
    method = getattr(Pipeline, name)

    @functools.wraps(method)
    def forward(self: Func, *args: Any, **named: Any) -> Any:
        return getattr(self._pipeline(), name)(*args, **named)

    return forward


for _name in [n for n in dir(Pipeline) if n.startswith("compile_to")] + ["print_loop_nest", "infer_arguments"]:
    setattr(Func, _name, _of_pipeline(_name))


def vars(names: str) -> list[Var]:
    """Vars of the names in a text, separated by spaces or commas."""
    return [Var(n) for n in names.replace(",", " ").split()]


def funcs(names: str) -> list[Func]:
    """Funcs of the names in a text, separated by spaces or commas."""
    return [Func(n) for n in names.replace(",", " ").split()]


def lambda_func(*args: Any) -> Func:
    """lambda_func(x, y, e): a Func without a name with the value `e` at [x, y]."""
    f = Func()
    f[tuple(args[:-1]) or (Var("_"),)] = args[-1]
    return f


__all__ = ["Func", "FuncRef", "Tuple", "define", "funcs", "lambda_func", "vars"]
