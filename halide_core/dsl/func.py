"""Func: a named function over coordinates, defined by expressions and scheduled by loop transformations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import DOMAINS, RDom, Symbol, Var
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Function, LoopLevel, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable, const
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type

_COUNTER = itertools.count()


class Tuple(tuple[Expr, ...]):
    """Several values of one Func."""

    def __new__(cls, *args: Any) -> Tuple:
        items = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args
        return super().__new__(cls, tuple(as_expr(a) for a in items))


class FuncRef(Symbol):
    """f[x, y]: the value of a Func at coordinates, or the left side of a definition."""

    def __init__(self, function: Function, args: tuple[Expr, ...]) -> None:
        self._function = function
        self._args = args

    def _call(self, index: int) -> Expr:
        f = self._function
        if f.pure is None:
            raise HalideError(f"Func {f.name} is used before it is defined")
        return Call(f.types[index], f.name, self._args, CallType.HALIDE, index, f)

    def _as_expr(self) -> Expr:
        if self._function.pure is not None and len(self._function.types) > 1:
            raise HalideError(f"Func {self._function.name} has a Tuple of values; pick one with [i]")
        return self._call(0)

    def __getitem__(self, index: int) -> Expr:
        if not 0 <= index < len(self._function.types):
            raise IndexError(index)
        return self._call(index)

    def __len__(self) -> int:
        return len(self._function.types)

    def _update(self, operator: str, initial: int, other: Any) -> Any:
        """f[...] op= other; gives an undefined Func its initial value first, as Halide does."""
        f = self._function
        if f.pure is None:
            value = as_expr(other)
            names = [Var(a.name) if _is_pure(a) else Var(f"_{i}") for i, a in enumerate(self._args)]  # type: ignore[attr-defined]
            define(f, tuple(n._as_expr() for n in names), const(initial, value.type))
        current = self._as_expr()
        return getattr(current, operator)(cast_to(current.type, as_expr(other, current.type)))

    def __iadd__(self, other: Any) -> Any:
        return self._update("__add__", 0, other)

    def __isub__(self, other: Any) -> Any:
        return self._update("__sub__", 0, other)

    def __imul__(self, other: Any) -> Any:
        return self._update("__mul__", 1, other)


def _is_pure(e: Expr) -> bool:
    return isinstance(e, Variable) and e.name not in DOMAINS


def _find_domain(exprs: Sequence[Expr], name: str) -> Any:
    found: dict[int, Any] = {}
    for e in exprs:
        for node in post_order(e):
            if isinstance(node, Variable) and node.name in DOMAINS:
                domain = DOMAINS[node.name]
                found[id(domain)] = domain
    if len(found) > 1:
        raise HalideError(f"The update of Func {name} uses more than one RDom: {[d.name for d in found.values()]}")
    return next(iter(found.values()), None)


def define(function: Function, args: tuple[Expr, ...], value: Any) -> None:
    """Adds the definition function(args) = value: pure the first time, an update after that."""
    values = tuple(as_expr(v) for v in value) if isinstance(value, tuple | list) else (as_expr(value),)
    first = function.pure is None
    if not first:
        if len(values) != len(function.types):
            raise HalideError(
                f"The update of Func {function.name} has {len(values)} values, its definition {len(function.types)}"
            )
        values = tuple(_convert(function, v, t) for v, t in zip(values, function.types, strict=True))
        if len(args) != len(function.args):
            raise HalideError(
                f"The update of Func {function.name} has {len(args)} coordinates, its definition {len(function.args)}"
            )
    domain = _find_domain([*values, *args], function.name)
    if first:
        if domain is not None or not all(_is_pure(a) for a in args):
            raise HalideError(f"The first definition of Func {function.name} must be over distinct pure Vars")
        names = tuple(a.name for a in args if isinstance(a, Variable))
        if len(set(names)) != len(names):
            raise HalideError(f"A Var occurs twice on the left of the definition of Func {function.name}")
        _check_variables(function.name, values, names)
        function.args = names
        function.storage_order = list(names)
        function.pure = Definition(args, values, StageSchedule([Dim(n) for n in names]))
        return
    pure = [n for a, n in zip(args, function.args, strict=True) if isinstance(a, Variable) and a.name == n]
    used = {n.name for e in (*values, *args) for n in post_order(e) if isinstance(n, Variable)}
    for i, n in enumerate(function.args):
        if n in used and n not in pure:
            raise HalideError(f"Update of Func {function.name}: Var {n} must stand alone at position {i} on the left")
    dims = [Dim(n) for n, _, _ in domain.variables] if domain is not None else []
    dims += [Dim(n) for n in pure]
    function.updates.append(Definition(args, values, StageSchedule(dims), domain))


def _convert(function: Function, value: Expr, type_: Type) -> Expr:
    if value.type == type_:
        return value
    if isinstance(value, ir.IntImm | ir.UIntImm):
        return cast_to(type_, value)
    raise HalideError(f"Update of Func {function.name} has type {value.type} where its definition has {type_}")


def _check_variables(name: str, values: tuple[Expr, ...], args: tuple[str, ...]) -> None:
    from halide_core.dsl.variables import PARAMS

    for v in values:
        for node in post_order(v):
            if isinstance(node, Variable) and node.name not in args and node.name not in PARAMS:
                if "." in node.name or node.type != I32:
                    continue
                raise HalideError(f"Func {name}: Var {node.name} is used on the right but not among its coordinates")


class Func(Stage):
    """A function of integer coordinates.  See Halide's Func; names and behaviour are the same."""

    def __init__(self, *args: Any) -> None:
        name = next((a for a in args if isinstance(a, str)), None)
        self._function = Function(name if name is not None else f"f{next(_COUNTER)}")
        self._stage = 0
        value = next((a for a in args if isinstance(a, Expr | Symbol)), None)
        if value is not None:
            self[()] = value

    def name(self) -> str:
        return self._function.name

    def defined(self) -> bool:
        return self._function.pure is not None

    def dimensions(self) -> int:
        return len(self._function.args)

    def args(self) -> list[Var]:
        return [Var(a) for a in self._function.args]

    def types(self) -> list[Type]:
        return list(self._function.types)

    def type(self) -> Type:
        return self._function.types[0]

    def value(self) -> Expr:
        return self._definition(0).values[0]

    def values(self) -> Tuple:
        return Tuple(*self._definition(0).values)

    def outputs(self) -> int:
        return len(self._function.types)

    def has_update_definition(self) -> bool:
        return bool(self._function.updates)

    def num_update_definitions(self) -> int:
        return len(self._function.updates)

    def update_value(self, index: int = 0) -> Expr:
        return self._definition(index + 1).values[0]

    def update_args(self, index: int = 0) -> list[Expr]:
        return list(self._definition(index + 1).args)

    def update(self, index: int = 0) -> Stage:
        """The schedule of the update definition `index`."""
        if not 0 <= index < len(self._function.updates):
            raise HalideError(f"Func {self.name()} has no update definition {index}")
        return Stage(self._function, index + 1)

    def _coordinates(self, args: Any) -> tuple[Expr, ...]:
        items = args if isinstance(args, tuple) else (args,)
        if len(items) == 1 and isinstance(items[0], list | tuple):
            items = tuple(items[0])
        return tuple(cast_to(I32, as_expr(a)) for a in items)

    def __getitem__(self, args: Any) -> FuncRef:
        coordinates = self._coordinates(args)
        if self.defined() and len(coordinates) != self.dimensions():
            raise HalideError(
                f"Func {self.name()} has {self.dimensions()} dimensions and was given {len(coordinates)} coordinates"
            )
        return FuncRef(self._function, coordinates)

    def __call__(self, *args: Any) -> FuncRef:
        return self[args]

    def __setitem__(self, args: Any, value: Any) -> None:
        define(self._function, self._coordinates(args), value)

    def __str__(self) -> str:
        return f"Func {self.name()}"

    __repr__ = __str__

    # Where it is computed and stored.
    def compute_root(self) -> Func:
        self._function.compute = self._function.store = LoopLevel()
        return self

    def compute_inline(self) -> Func:
        self._function.compute = self._function.store = None
        return self

    def compute_at(self, func: Func | Stage, var: Any) -> Func:
        """Computed anew in every iteration of loop `var` of `func`."""
        level = LoopLevel(func._function.name, var.name(), func._function)
        if self._function.store is None or self._function.store == self._function.compute:
            self._function.store = level
        self._function.compute = level
        return self

    def store_at(self, func: Func | Stage, var: Any) -> Func:
        self._function.store = LoopLevel(func._function.name, var.name(), func._function)
        return self

    def store_root(self) -> Func:
        self._function.store = LoopLevel()
        return self

    def reorder_storage(self, *dims: Any) -> Func:
        """The dimensions from innermost in memory outwards."""
        items = list(dims[0]) if len(dims) == 1 and isinstance(dims[0], list | tuple) else list(dims)
        names = [d.name() for d in items]
        order = self._function.storage_order
        for n in names:
            if n not in order:
                raise HalideError(f"reorder_storage: Func {self.name()} has no dimension {n}")
        places = sorted(order.index(n) for n in names)
        for place, n in zip(places, names, strict=True):
            order[place] = n
        return self

    def bound(self, var: Any, low: Any, extent: Any) -> Func:
        """States the bounds of dimension `var`; a realization of others is an error."""
        if var.name() not in self._function.args:
            raise HalideError(f"bound: Func {self.name()} has no dimension {var.name()}")
        self._function.bounds[var.name()] = (cast_to(I32, as_expr(low)), cast_to(I32, as_expr(extent)))
        return self

    def set_estimate(self, var: Any, low: Any, extent: Any) -> Func:
        return self

    def set_estimates(self, ranges: Any) -> Func:
        return self

    # Running it.
    def _pipeline(self) -> Any:
        from halide_core.dsl.pipeline import Pipeline

        cached = getattr(self, "_cached", None)
        if cached is None:
            cached = self._cached = Pipeline([self])
        return cached

    def realize(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the Func over a box of the given sizes, or into the given Buffers."""
        return self._pipeline().realize(*args, **kwargs)

    def compile_jit(self, *args: Any) -> None:
        self._pipeline().compile_jit(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("compile_to_") or name == "print_loop_nest":
            return getattr(self._pipeline(), name)
        raise AttributeError(name)


def vars(names: str) -> list[Var]:
    """Vars of the names in a text, separated by spaces or commas."""
    return [Var(n) for n in names.replace(",", " ").split()]


def funcs(names: str) -> list[Func]:
    """Funcs of the names in a text, separated by spaces or commas."""
    return [Func(n) for n in names.replace(",", " ").split()]


__all__ = ["Func", "FuncRef", "RDom", "Tuple", "define", "funcs", "vars"]
