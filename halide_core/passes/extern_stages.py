"""External stages (define_extern): C functions that compute Funcs, and say beforehand over which boxes.

    query f.query0 = stage(g without memory, f over the box that is used)     the box that will be computed
    let f.query0.min.0 = ...                                                  moved into what is stored of f
    query f.query1 = stage(g without memory, f over that box)                 the box of g that is needed
    extern stage(g, f over that box)

What surrounds all this must know the boxes too, to store and compute f and g: it asks by itself, with all that it needs
of f, as Halide does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box
from halide_core.ir.expr import I32, CallType, Expr, Variable, const, intrinsic
from halide_core.ir.named_calls import buffer_of
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import substitute, variables
from halide_core.passes.boxes import queried
from halide_core.passes.regions import Context, metadata

Range = tuple[Expr, Expr]
# A let, or a query; both bind names in what follows.
Binder = tuple[str, Expr] | st.ExternCall


@dataclass(frozen=True, slots=True)
class Asked:
    """A stage after its queries: these, their last one's prefix, and the box (min, extent) that will be computed."""

    binders: tuple[Binder, ...]
    prefix: str
    box: tuple[Range, ...]


def check_extern_stages(order: Sequence[Function], inlined: set[int]) -> None:
    """Raises HalideError for an external stage with loops of its own, or with an argument that is not stored."""
    for f in order:
        if f.extern is None:
            continue
        schedule = f.definitions()[0].schedule
        for dim in schedule.dims:
            if dim.kind is not st.ForKind.SERIAL:
                raise HalideError(
                    f"Externally defined Func {f.name} cannot have loop type {dim.kind.value} ({dim.var})"
                )
        if schedule.splits or schedule.specializations:
            raise HalideError(f"Externally defined Func {f.name} has no loops that could be split or specialized")
        for e in f.extern.arguments:
            if isinstance(e, ir.Call) and id(e.target) in inlined:
                raise HalideError(
                    f"Func {e.name} cannot be scheduled to be computed inline, because it is used in the "
                    f"externally-computed function {f.name}; call {e.name}.compute_root()"
                )


def bind(binders: Sequence[Binder], body: st.Stmt) -> st.Stmt:
    """`body` where the names of `binders` are known."""
    for b in reversed(binders):
        body = st.LetStmt(*b, body) if isinstance(b, tuple) else replace(b, body=body)
    return body


def _query(f: Function, box: Sequence[Range], prefix: str) -> st.ExternCall:
    """Asks what `f` needs, and what it will compute, where `box` is used."""
    assert f.extern is not None
    zero = const(0, I32)
    args: list[Expr] = []
    for e in f.extern.arguments:
        if isinstance(e, ir.Call) and e.call_type is CallType.HALIDE:
            args.append(buffer_of(intrinsic("undef", e.type), (zero,) * 3 * len(e.args)))
        else:
            args.append(buffer_of(e) if _is_array(e) else e)
    bounds = tuple(x for low, extent in box for x in (low, extent, zero))
    args += [buffer_of(intrinsic("undef", t), bounds) for t in f.types]
    return st.ExternCall(f.name, f.extern.symbol, tuple(args), prefix, st.Block(()))


def _is_array(e: Expr) -> bool:
    return isinstance(e, ir.Call) and e.call_type in (CallType.HALIDE, CallType.IMAGE)


def ask(f: Function, box: Sequence[Range], context: Context, stored: bool) -> Asked:
    """Queries of `f` where `box` is used.  `stored`: the storage of `f` is around; what is computed stays inside."""
    assert f.extern is not None
    first, second = context.query_name(f.name), context.query_name(f.name)
    k = len(f.extern.arguments)
    binders: list[Binder] = [_query(f, box, first)]
    rounded: list[Range] = []
    for d in range(len(f.args)):
        low, high = (Variable(I32, f"{first}.{k}.{end}.{d}") for end in ("min", "max"))
        if not stored:
            rounded.append((low, simplify_index(high - low + 1)))
            continue
        least, extent = metadata(f.name, "min", d), metadata(f.name, "extent", d)
        most = simplify_index(least + extent - 1)
        end = ir.Min(I32, high, most)
        start = ir.Max(I32, simplify_index(low + end - high), least)
        names = metadata(first, "min", d), metadata(first, "extent", d)
        binders += [(names[0].name, start), (names[1].name, simplify_index(end - names[0] + 1))]
        rounded.append(names)
    binders.append(_query(f, rounded, second))
    return Asked(tuple(binders), second, tuple(rounded))


def call(f: Function, asked: Asked) -> st.Stmt:
    """The call that computes `f`."""
    assert f.extern is not None
    args: list[Expr] = [buffer_of(e) if _is_array(e) else e for e in f.extern.arguments]
    bounds = tuple(x for low, extent in asked.box for x in (low, extent, const(0, I32)))
    mins = tuple(low for low, _ in asked.box)
    for k, t in enumerate(f.types):
        args.append(buffer_of(ir.Call(t, f.name, mins, CallType.HALIDE, k, f), bounds))
    return st.ExternCall(f.name, f.extern.symbol, tuple(args), asked.prefix)


def computed_box(f: Function) -> Box:
    """What `f` computes where all that a statement uses of it is asked for, in terms of `bounds.queried`."""
    assert f.extern is not None
    return Box([queried(f.name, len(f.extern.arguments), d) for d in range(len(f.args))])


def answers(
    expressions: Sequence[Expr], requested: Callable[[Function], Sequence[Range] | st.ExternCall], context: Context
) -> tuple[list[st.ExternCall], dict[str, Expr]]:
    """The queries that give the Variables of `bounds.queried` in `expressions` values, and those.

    `requested` tells what is used of a Function, or gives its call, around which the answers are known."""
    queries: list[st.ExternCall] = []
    values: dict[str, Expr] = {}
    done: set[str] = set()

    def visit(e: Expr) -> None:
        for name in variables(e):
            owner, found, _ = name.rpartition(".query.")
            if found and owner in context.external and owner not in done:
                done.add(owner)
                answer(context.external[owner])

    def answer(f: Function) -> None:
        assert f.extern is not None
        wanted = requested(f)
        count = len(f.extern.arguments)
        if isinstance(wanted, st.ExternCall):
            prefix = wanted.prefix
        else:
            for e in (x for pair in wanted for x in pair):
                visit(e)
            box = [(substitute(low, values), substitute(extent, values)) for low, extent in wanted]
            asked = ask(f, box, context, False)
            prefix = asked.prefix
            queries.extend(b for b in asked.binders if isinstance(b, st.ExternCall))
            for d, (low, extent) in enumerate(asked.box):
                names = queried(f.name, count, d)
                values[_name(names[0])], values[_name(names[1])] = low, simplify_index(low + extent - 1)
        for k, a in enumerate(f.extern.arguments):
            for d in range(len(a.args) if isinstance(a, ir.Call) else 0):
                for end, v in zip(("min", "max"), queried(f.name, k, d), strict=True):
                    values[_name(v)] = Variable(I32, f"{prefix}.{k}.{end}.{d}")

    for e in expressions:
        visit(e)
    return queries, values


def _name(v: Expr) -> str:
    assert isinstance(v, Variable)
    return v.name


def with_answers(box: Box, values: Mapping[str, Expr]) -> Box:
    """`box` by the answers of queries."""
    if not values:
        return box
    known = dict(values)
    return Box([tuple(None if x is None else simplify_index(substitute(x, known)) for x in dim) for dim in box.dims])  # type: ignore[misc]


def call_of(s: st.Stmt, name: str) -> st.ExternCall | None:
    """The call in `s` that computes the external stage `name`."""
    return next((x for x in st.walk(s) if isinstance(x, st.ExternCall) and x.name == name and x.body is None), None)


