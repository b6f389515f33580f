"""Definitions of Funcs: references f[x, y], Tuples, pure and update definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from halide_core.dsl.image import PLACEHOLDER, coordinate, expand_placeholder
from halide_core.dsl.random import lower_random, next_tag
from halide_core.dsl.scatter import check_scatter
from halide_core.dsl.variables import DOMAINS, PARAMS, Symbol, Var
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Function, StageSchedule
from halide_core.ir.expr import I32, Call, CallType, Expr, ParamVariable, Variable, const
from halide_core.ir.operators import as_expr
from halide_core.ir.structural import key, post_order, substitute
from halide_core.ir.types import Type


class Tuple(tuple[Expr, ...]):
    """Several values of one Func."""

    def __new__(cls, *args: Any) -> Tuple:
        several = values_of(args[0]) if len(args) == 1 else None
        return super().__new__(cls, tuple(as_expr(a) for a in (args if several is None else several)))

    def size(self) -> int:
        return len(self)

    def __repr__(self) -> str:
        return f"<halide.Tuple of size {len(self)}>"


def values_of(value: Any) -> list[Any] | None:
    """The values that a tuple, a list, a reference to a Func with several, or any object with a length and elements by
    number stands for; None where it is a single one."""
    if isinstance(value, FuncRef):
        return list(value.elements()) if value._function.pure is not None and value.size() > 1 else None
    if isinstance(value, tuple | list):
        return list(value)
    kind = type(value)
    if isinstance(value, Expr | Symbol | str) or hasattr(value, "item") or not hasattr(kind, "__len__"):
        return None
    return [value[k] for k in range(len(value))] if hasattr(kind, "__getitem__") else None


class FuncRef(Symbol):
    """f[x, y]: the value of a Func at coordinates, or the left side of a definition."""

    def __init__(self, function: Function, args: Sequence[Any]) -> None:
        self._function = function
        self._args = tuple(args)

    def _coordinates(self) -> tuple[Expr, ...]:
        f = self._function
        args = expand_placeholder(self._args, len(f.args), f.name)
        if len(args) != len(f.args):
            raise HalideError(
                f'Func "{f.name}" was called with {len(args)} arguments, but was defined with {len(f.args)}'
            )
        return tuple(coordinate(a, f.name, k) for k, a in enumerate(args))

    def _check_defined(self) -> None:
        if self._function.pure is None:
            raise HalideError(f'Can\'t call Func "{self._function.name}" because it has not yet been defined.')

    def _call(self, index: int) -> Expr:
        self._check_defined()
        f = self._function
        return Call(f.types[index], f.name, self._coordinates(), CallType.HALIDE, index, f)

    def _as_expr(self) -> Expr:
        self._check_defined()
        if len(self._function.types) > 1:
            name = self._function.name
            raise HalideError(f'Can\'t convert a reference Func "{name}" to an Expr, because {name} returns a Tuple.')
        return self._call(0)

    def __getitem__(self, index: int) -> FuncTupleElementRef:
        self._check_defined()
        if not 0 <= index < self.size():
            raise TupleIndexError(f'Tuple index out of range in reference to Func "{self._function.name}".')
        return FuncTupleElementRef(self, index)

    def elements(self) -> list[Expr]:
        """All values."""
        self._check_defined()
        return [self._call(k) for k in range(self.size())]

    def __len__(self) -> int:
        return self.size()

    def size(self) -> int:
        """The number of values; 0 of a Func without a definition."""
        return len(self._function.types) if self._function.pure is not None else 0

    def _is_same(self, function: Function, args: Sequence[Any]) -> bool:
        """Whether this is what function[args] refers to."""
        mine, theirs = [as_expr(a) for a in self._args], [as_expr(a) for a in args]
        same_place = len(mine) == len(theirs) and all(key(a) == key(b) for a, b in zip(mine, theirs, strict=True))
        return self._function is function and same_place

    def _update(self, operation: Callable[[Any, Any], Any], initial: int, other: Any) -> Any:
        """f[...] op= other; gives an undefined Func its initial value first, as Halide does."""
        f = self._function
        several = values_of(other) is not None
        values = list(Tuple(other)) if several else [as_expr(other)]
        if f.pure is None:
            args = _with_implicit(self._args, values)
            names = [Var(a.name) if _is_pure(a) else Var() for a in args]  # type: ignore[attr-defined]
            define(f, [n._as_expr() for n in names], [const(initial, v.type) for v in values])
            self._args = tuple(args)
        if not several:
            return operation(self._as_expr(), other)
        if self.size() != len(values):
            raise HalideError(f"{len(values)} values for Func {f.name}, which has {self.size()}")
        return Tuple(*(operation(self._call(k), v) for k, v in enumerate(values)))

    def _in_place(self, operation: Callable[[Any, Any], Any], initial: int, other: Any) -> Any:
        if self._function.pure is None:
            return _UnevaluatedFuncRefExpr(self, operation, initial, other)
        return self._update(operation, initial, other)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(lambda a, b: a + b, 0, other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(lambda a, b: a - b, 0, other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(lambda a, b: a * b, 1, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(lambda a, b: a / b, 1, other)

    def _operate(self, name: str, *args: Any) -> Any:
        # f[x] = f[x] + e of a Func without a definition gives it one, as f[x] += e does.
        initial = {"__add__": 0, "__sub__": 0, "__mul__": 1, "__truediv__": 1}.get(name)
        if self._function.pure is None and initial is not None:
            return _UnevaluatedFuncRefExpr(self, lambda a, b: getattr(a, name)(b), initial, args[0])
        return super()._operate(name, *args)


class FuncTupleElementRef(Symbol):
    """f[x, y][k]: one of the values of a Func with several."""

    def __init__(self, ref: FuncRef, index: int) -> None:
        self._ref, self._index = ref, index

    def index(self) -> int:
        """Which of the values."""
        return self._index

    def _as_expr(self) -> Expr:
        return self._ref._call(self._index)


class TupleIndexError(HalideError, IndexError):
    """An element of a Tuple that is not there; ends Python's iteration over a reference."""


class _UnevaluatedFuncRefExpr:
    """f[x] + e of a Func that is not defined yet; only f[x] = f[x] + e gives it a meaning."""

    def __init__(self, ref: FuncRef, operation: Callable[[Any, Any], Any], initial: int, other: Any) -> None:
        self._ref, self._operation, self._initial, self._other = ref, operation, initial, other

    def evaluate(self, function: Function, args: Sequence[Any]) -> Any:
        """The value for the update function[args], where `function` gets its first definition."""
        mine = self._ref._function
        # Two Funcs of one name are told apart as they are in a pipeline.
        name = f"{mine.name}$1" if mine is not function and mine.name == function.name else mine.name
        what = f"Cannot use an unevaluated reference to '{name}' to define an update"
        if not self._ref._is_same(function, args):
            raise HalideError(f"{what} at a different location.")
        if function.pure is not None:
            raise HalideError(f"{what} when a pure definition already exists.")
        return self._ref._update(self._operation, self._initial, self._other)

    def _as_expr(self) -> Expr:
        self._ref._check_defined()
        raise HalideError(f"A sum with Func {self._ref._function.name} was made before it was defined")


# Python's own errors about it name it as they name the package's.
_UnevaluatedFuncRefExpr.__name__ = "halide.halide_._UnevaluatedFuncRefExpr"


def _is_pure(e: Any) -> bool:
    return isinstance(e, Variable) and not isinstance(e, ParamVariable) and e.name not in DOMAINS


def _find_domain(exprs: Sequence[Expr], name: str) -> Any:
    found: dict[int, Any] = {}
    for e in exprs:
        for node in post_order(e):
            if isinstance(node, Variable) and node.name in DOMAINS:
                domain = DOMAINS[node.name]
                found[id(domain)] = domain
    if len(found) > 1:
        names = ", ".join(d.name for d in found.values())
        raise HalideError(f'Multiple reduction domains found in definition of Func "{name}": {names}')
    return next(iter(found.values()), None)


def _with_implicit(args: Sequence[Any], values: Sequence[Expr]) -> list[Expr]:
    """The left side's coordinates, `_` replaced by the implicit variables that the right side uses."""
    used = [-1]
    for v in values:
        for n in post_order(v):
            if isinstance(n, Variable) and n.name[:1] == "_" and n.name[1:].isdigit():
                used.append(int(n.name[1:]))
    placeholders = sum(1 for a in args if getattr(a, "_name", None) == PLACEHOLDER)
    return [as_expr(a) for a in expand_placeholder(args, len(args) - placeholders + max(used) + 1, "A definition")]


def define(function: Function, args: Sequence[Any], value: Any, reads_anywhere: bool = False) -> None:
    """Adds the definition function(args) = value: pure the first time, an update after that.

    `value` is an Expr or Python number, or a Tuple, tuple or list of several.  `reads_anywhere`: an update may read its
    own Func at any point, and then runs over its points in order; Halide has no such updates."""
    if isinstance(value, _UnevaluatedFuncRefExpr):
        value = value.evaluate(function, args)
    several = values_of(value)
    values = (as_expr(value),) if several is None else tuple(as_expr(v) for v in several)
    if function.pure is None:
        _define_pure(function, _with_implicit(args, values), values)
    else:
        _define_update(function, expand_placeholder(args, len(function.args), function.name), values, reads_anywhere)
    _freeze_called(function)


def _freeze_called(function: Function) -> None:
    """What the last definition of `function` calls can be given no more definitions."""
    last = function.definitions()[-1]
    for e in (*last.values, *last.args):
        for n in post_order(e):
            if isinstance(n, Call) and n.target is not function and isinstance(n.target, Function):
                n.target.frozen = True


def _define_pure(function: Function, args: Sequence[Expr], values: tuple[Expr, ...]) -> None:
    name = function.name
    for k, a in enumerate(args):
        if not _is_pure(a):
            raise HalideError(f'Argument {k + 1} in initial definition of "{name}" is not a Var.')
    names = tuple(a.name for a in args if isinstance(a, Variable))
    for k, n in enumerate(names):
        if n in names[:k]:
            raise HalideError(
                f'In pure definition of Func "{name}":\nIn left-hand-side of definition, arguments '
                f'{names.index(n)} and {k} both have the name "{n}"'
            )
    values = tuple(lower_random(v, [Variable(I32, n) for n in names], tag) for tag in [next_tag()] for v in values)
    if _find_domain(values, name) is not None:
        raise HalideError(
            f'In pure definition of Func "{name}":\nReduction domain referenced in pure function definition.'
        )
    _check_variables(name, values, names)
    for v in values:
        check_scatter(name, v, False)
    _check_required(function, values, len(names))
    function.args = names
    function.storage_order = list(names)
    function.pure = Definition(tuple(args), values, StageSchedule([Dim(n) for n in names]))


def _check_required(function: Function, values: tuple[Expr, ...], dimensions: int) -> None:
    if function.required_types and function.required_types != tuple(v.type for v in values):
        wanted, found = (_listed(t) for t in (function.required_types, [v.type for v in values]))
        raise HalideError(
            f'Func "{function.name}" is constrained to only hold values of type {wanted} but is defined with values '
            f"of type {found}."
        )
    if function.required_dimensions is not None and function.required_dimensions != dimensions:
        raise HalideError(
            f'Func "{function.name}" is constrained to have exactly {function.required_dimensions} dimensions, but is '
            f"defined with {dimensions} dimensions."
        )


def _listed(types: Sequence[Type]) -> str:
    return str(types[0]) if len(types) == 1 else f"({', '.join(map(str, types))})"


def _define_update(
    function: Function, given: Sequence[Any], values: tuple[Expr, ...], reads_anywhere: bool = False
) -> None:
    name, number = function.name, len(function.updates)
    if function.frozen:
        raise HalideError(
            f"Func {name} cannot be given a new update definition, because it has already been realized or used in the "
            "definition of another Func."
        )
    if len(given) != len(function.args):
        raise HalideError(
            f'Func "{name}" was called with {len(given)} arguments, but was defined with {len(function.args)}'
        )
    args = tuple(coordinate(a, name, k) for k, a in enumerate(given))
    if len(values) != len(function.types):
        raise HalideError(
            f'In update definition {number} of Func "{name}":\nNumber of tuple elements for update definition must '
            "match number of tuple elements for pure definition."
        )
    for k, (v, t) in enumerate(zip(values, function.types, strict=True)):
        if v.type != t:
            raise HalideError(
                f'In update definition {number} of Func "{name}":\nTuple element {k} of update definition has type '
                f"{v.type}, but pure definition has type {t}"
            )
    pure = [n for a, n in zip(args, function.args, strict=True) if isinstance(a, Variable) and a.name == n]
    domain = _find_domain([*values, *args], name)
    loops = [Variable(I32, n) for n in pure]
    loops += [Variable(I32, n) for n, _, _ in domain.variables] if domain is not None else []
    tag = next_tag()
    values = tuple(lower_random(v, loops, tag) for v in values)
    args = tuple(lower_random(a, loops, tag) for a in args)
    if domain is not None:
        domain.predicates[:] = [lower_random(p, loops, tag) for p in domain.predicates]
    local = {*pure, *(n for n, _, _ in domain.variables)} if domain is not None else set(pure)
    used = {n.name for e in (*values, *args) for n in post_order(e) if isinstance(n, Variable)}
    for i, n in enumerate(function.args):
        if n in used and n not in pure:
            raise HalideError(f"Update of Func {name}: Var {n} must stand alone at position {i} on the left")
    _check_variables(name, (*values, *args), tuple(local))
    if not reads_anywhere:
        _check_recursion(function, (*values, *args), [n if n in pure else "" for n in function.args])
        if len(pure) == len(args) and domain is None and not _calls(function, (*values, *args)):
            _warn_hidden(function, number)
    for e in (*values, *args):
        check_scatter(name, e, True)
    dims = [Dim(n) for n, _, _ in domain.variables] if domain is not None else []
    dims += [Dim(n) for n in pure]
    function.updates.append(Definition(args, values, StageSchedule(dims), domain))


def _check_variables(name: str, values: tuple[Expr, ...], args: tuple[str, ...]) -> None:
    for v in values:
        for node in post_order(v):
            if isinstance(node, ParamVariable):
                if node.name in args:
                    raise HalideError(
                        f'In the definition of Func "{name}", a Param and a Var have the name "{node.name}"; give one '
                        "of them another"
                    )
            elif isinstance(node, Variable) and node.name not in args and node.name not in PARAMS:
                if "." in node.name or node.type != I32 or node.name in DOMAINS:
                    continue
                raise HalideError(f'Undefined variable "{node.name}" in definition of Func "{name}"')


def _calls(function: Function, exprs: tuple[Expr, ...]) -> bool:
    return any(isinstance(n, Call) and n.target is function for e in exprs for n in post_order(e))


def _warn_hidden(function: Function, number: int) -> None:
    """Says that an update leaves nothing of what was defined before, unless that is nothing."""
    before = function.definitions()[-1].values
    if not all(isinstance(v, Call) and v.name == "undef" for v in before):
        print(
            f'Warning: In update definition {number} of Func "{function.name}":\nUpdate definition completely hides '
            "earlier definitions,  because all the arguments are pure, it contains no self-references,  and no "
            "reduction domain. This may be an accidental re-definition of  an already-defined function."
        )


def _check_recursion(function: Function, exprs: tuple[Expr, ...], pure: list[str]) -> None:
    """An update may read its own Func only along the coordinates `pure` that it runs over in any order."""
    for e in exprs:
        for n in post_order(e):
            if not (isinstance(n, Call) and n.target is function and n.call_type is CallType.HALIDE):
                continue
            if any(v and not (isinstance(a, Variable) and a.name == v) for a, v in zip(n.args, pure, strict=True)):
                raise HalideError(
                    f'In definition of Func "{function.name}":\nAll of a function\'s recursive references to itself '
                    "must contain the same pure variables in the same places as on the left-hand-side."
                )


def renamed(e: Expr, names: dict[str, str]) -> Expr:
    """`e` with int32 Variables under other names."""
    return substitute(e, {old: Variable(I32, new) for old, new in names.items()})
