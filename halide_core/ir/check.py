"""Whether a statement is legal between two passes: names, types, lanes, and which nodes each level may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, CallType, Expr
from halide_core.ir.named_calls import is_scatter, is_target_query
from halide_core.ir.stmt import ForKind
from halide_core.ir.structural import cached
from halide_core.ir.types import Bool, Type
from halide_core.ir.well_typed import ALIGNED, ill_typed

_ALL_KINDS = frozenset(ForKind)


class IllegalIR(Exception):
    """A pass left a statement that its level does not allow; a defect of the compiler, not of its user."""


@dataclass(frozen=True, slots=True)
class Level:
    """What may stand in a statement after the passes up to some point.

    multi_dimensional   Provide, Realize, and Calls of Funcs and images
    queries             questions about the target
    flat                Load, Store and Allocate
    vectors             values of several lanes
    kinds               kinds of loops
    streaming           Stores past the cache, and questions whether an address is aligned"""

    multi_dimensional: bool = False
    queries: bool = False
    flat: bool = True
    vectors: bool = False
    kinds: frozenset[ForKind] = _ALL_KINDS
    streaming: bool = False


# In the order of the passes after which they hold.
SCHEDULED = Level(multi_dimensional=True, queries=True, flat=False)
ANSWERED = Level(multi_dimensional=True, flat=False)
FLAT = Level()
UNROLLED = Level(kinds=_ALL_KINDS - {ForKind.UNROLLED})
# Partial results of reductions are vectors while their loops are not yet.
ACCUMULATED = replace(UNROLLED, vectors=True)
_HOST_KINDS = frozenset((ForKind.SERIAL, ForKind.PARALLEL))
VECTORIZED = replace(ACCUMULATED, kinds=_HOST_KINDS | st.GPU_KINDS)
# Kernels stand apart from what the host does.
OFFLOADED = replace(VECTORIZED, kinds=_HOST_KINDS, streaming=True)
"""Once loops of a device are kernels."""


def streamed(level: Level) -> Level:
    """`level` once stores may go past the cache."""
    return replace(level, streaming=True)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of an expression: what is wrong with it by itself, and what it needs of its surroundings.

    `needs` holds ("variable", name, type), ("load", array, element type), ("call", Func or image, type, value,
    dimensions), and marks of nodes that not every level allows."""

    problem: str = ""
    needs: frozenset[tuple[object, ...]] = frozenset()


_FACTS: dict[int, _Facts] = {}


def check(s: st.Stmt, level: Level, arrays: Mapping[str, tuple[Type, ...]], names: Mapping[str, Type]) -> None:
    """Raises IllegalIR where `s` breaks a rule of `level`.

    `arrays` has the types of the values of every Func or image (before it is flat) or of every array (one type) that is
    an argument; `names` the types of the Variables that are bound outside."""
    _Checker(level).statement(s, dict(arrays), dict(names), ())


class _Checker:
    def __init__(self, level: Level) -> None:
        self.level = level

    def fail(self, path: tuple[str, ...], text: str) -> None:
        raise IllegalIR(" / ".join((*path, text)))

    def statement(
        self, s: st.Stmt, arrays: dict[str, tuple[Type, ...]], names: dict[str, Type], path: tuple[str, ...]
    ) -> None:
        for e in st.expressions(s):
            self.expression(e, arrays, names, (*path, _title(s)))
        problem = self.problem(s, arrays)
        if problem:
            self.fail((*path, _title(s)), problem)
        match s:
            case st.LetStmt() | st.For():
                type_ = s.value.type if isinstance(s, st.LetStmt) else I32
                if s.name in names:
                    self.fail((*path, _title(s)), f"{s.name} is bound already")
                self.statement(s.body, arrays, {**names, s.name: type_}, (*path, _title(s)))
            case st.ExternCall():
                if any(n in names for n in s.bound()):
                    self.fail((*path, _title(s)), f"{s.prefix} is bound already")
                inside = {**names, **dict.fromkeys(s.bound(), I32)}
                for inner in st.bodies(s):
                    self.statement(inner, arrays, inside, (*path, _title(s)))
            case st.Realize() | st.Allocate():
                if s.name in arrays:
                    self.fail((*path, _title(s)), f"{s.name} has storage already")
                types = s.types if isinstance(s, st.Realize) else (s.type,)
                self.statement(s.body, {**arrays, s.name: types}, names, (*path, _title(s)))
            case _:
                for inner in st.bodies(s):
                    self.statement(inner, arrays, names, (*path, _title(s)) if not isinstance(s, st.Block) else path)

    def problem(self, s: st.Stmt, arrays: Mapping[str, tuple[Type, ...]]) -> str:
        """What is wrong with `s` itself, its parts being legal."""
        level = self.level
        match s:
            case st.Provide() | st.Realize() if not level.multi_dimensional:
                return f"{type(s).__name__} after storage became flat"
            case st.Store() | st.Stores() | st.Allocate() if not level.flat:
                return f"{type(s).__name__} before storage becomes flat"
            case st.For():
                if s.kind not in level.kinds:
                    return f"a loop of kind {s.kind.value} after such loops were lowered"
                return "" if s.min.type == s.extent.type == I32 else "a loop whose min and extent are not int32"
            case st.IfThenElse():
                return "" if s.condition.type == Bool() else f"a condition of type {s.condition.type}"
            case st.Provide():
                return _provide_problem(s, arrays)
            case st.Realize():
                if any(e.type != I32 for pair in s.bounds for e in pair):
                    return "bounds that are not int32"
                if s.order and sorted(s.order) != list(range(len(s.bounds))):
                    return f"an order of storage {s.order} that is no permutation of the dimensions"
            case st.Store():
                return self.store_problem(s, arrays)
            case st.OnDevice() | st.HostAccess() | st.Launch():
                missing = next((n for n in st.device_arrays(s) if n not in arrays), None)
                return "" if missing is None else f"an array {missing} which is neither allocated here nor an argument"
            case st.Stores():
                return "" if len(s.stores) > 1 else f"{len(s.stores)} stores together"
            case st.Allocate():
                return "" if s.size.type == I64 and s.type.is_scalar() else "a size that is not int64"
        return ""

    def store_problem(self, s: st.Store, arrays: Mapping[str, tuple[Type, ...]]) -> str:
        value, index = s.value.type, s.index.type
        if s.name not in arrays:
            return f"a store to {s.name}, which is neither allocated here nor an argument"
        if (value.element_of(),) != arrays[s.name]:
            return f"a store of {value} to an array of {arrays[s.name][0]}"
        if index != I64.with_lanes(value.lanes):
            return f"a store of {value} at an index of type {index}"
        if s.predicate is not None and s.predicate.type != Bool(value.lanes):
            return f"a store of {value} under a predicate of type {s.predicate.type}"
        if s.streaming and not self.level.streaming:
            return "a streaming store before stores may be streaming"
        return "a streaming store under a predicate" if s.streaming and s.predicate is not None else ""

    def expression(
        self, e: Expr, arrays: Mapping[str, tuple[Type, ...]], names: Mapping[str, Type], path: tuple[str, ...]
    ) -> None:
        facts = cached(_FACTS, e, _facts)
        if facts.problem:
            self.fail(path, facts.problem)
        for need in facts.needs:
            problem = self.unmet(need, arrays, names)
            if problem:
                self.fail(path, problem)

    def unmet(self, need: tuple[object, ...], arrays: Mapping[str, tuple[Type, ...]], names: Mapping[str, Type]) -> str:
        """Why an expression with this need may not stand here."""
        what, name, *rest = need
        match what:
            case "variable":
                if name not in names:
                    return f"Variable {name} is not bound"
                bound = names[str(name)]
                return "" if bound == rest[0] else f"Variable {name} of {rest[0]} is bound as {bound}"
            case "load":
                if not self.level.flat:
                    return f"a Load of {name} before storage becomes flat"
                if name not in arrays:
                    return f"a Load of {name}, which is neither allocated here nor an argument"
                (held,) = arrays[str(name)]
                return "" if held == rest[0] else f"a Load of {rest[0]} from an array of {held}"
            case "call":
                if not self.level.multi_dimensional:
                    return f"a call of {name} after storage became flat"
                types = arrays.get(str(name), ())
                if not isinstance(rest[1], int) or rest[1] >= len(types) or types[rest[1]] != rest[0]:
                    return f"a call of value {rest[1]} of {name} with type {rest[0]}, which is not stored here"
            case "scatter" if not self.level.multi_dimensional:
                return "scatter or gather after storage became flat"
            case "query" if not self.level.queries:
                return f"{name} after questions about the target were answered"
            case "vector" if not self.level.vectors:
                return f"{name} before loops are vectorized"
            case "aligned" if not self.level.streaming:
                return "a question about an address before stores may be streaming"
        return ""


def _title(s: st.Stmt) -> str:
    match s:
        case st.For():
            return f"{s.kind.value} {s.name}"
        case st.LetStmt():
            return f"let {s.name}"
        case st.Produce() | st.Realize() | st.Allocate() | st.Store() | st.Provide() | st.ExternCall():
            return f"{type(s).__name__.lower()} {s.name}"
    return type(s).__name__.lower()


def _provide_problem(s: st.Provide, arrays: Mapping[str, tuple[Type, ...]]) -> str:
    if s.name not in arrays:
        return f"a Provide of {s.name}, which is neither realized here nor an output"
    types = tuple(v.type for v in s.values)
    if types != arrays[s.name]:
        held = ", ".join(map(str, arrays[s.name]))
        return f"values of types {', '.join(map(str, types))} where {s.name} holds {held}"
    wrong = next((a for a in s.args if a.type != I32), None)
    return "" if wrong is None else f"a coordinate {wrong} of type {wrong.type}"


def _facts(e: Expr, inner: list[_Facts]) -> _Facts:
    problem = next((f.problem for f in inner if f.problem), "")
    needs = frozenset().union(*(f.needs for f in inner))
    if isinstance(e, ir.Let):
        own = ("variable", e.name, e.value.type)
        if any(n[:2] == own[:2] and n != own for n in inner[1].needs):
            problem = problem or f"Variable {e.name} is bound as {e.value.type}"
        needs = inner[0].needs | {n for n in inner[1].needs if n[:2] != own[:2]}
    own_needs = _needs(e)
    own_problem = "" if problem else ill_typed(e)
    if own_problem:
        text = str(e)
        problem = f"{own_problem} in {text if len(text) < 200 else text[:200] + '...'}"
    return _Facts(problem, needs | own_needs if own_needs else needs)


def _needs(e: Expr) -> frozenset[tuple[object, ...]]:
    out: set[tuple[object, ...]] = set()
    if e.type.is_vector():
        out.add(("vector", "a value of several lanes"))
    match e:
        case ir.Variable():
            out.add(("variable", e.name, e.type))
        case ir.Load():
            out.add(("load", e.name, e.type.element_of()))
        case ir.Call(call_type=CallType.HALIDE | CallType.IMAGE):
            out.add(("call", e.name, e.type, e.value_index))
        case ir.Call() if is_target_query(e):
            out.add(("query", e.name))
        case ir.Call() if is_scatter(e):
            out.add(("scatter", e.name))
        case ir.Call(name=name) if name == ALIGNED:
            out.add(("aligned", e.name))
    return frozenset(out)
