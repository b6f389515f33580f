"""Loop levels: where in the loops of its consumers a Func is computed and stored, and where it could be."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.errors import HalideError
from halide_core.function import OUTERMOST, Function, LoopLevel
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.structural import nodes

# Wraps the body of the last of the statements around it that are its second argument.
Wrap = Callable[[st.Stmt, tuple[st.Stmt, ...]], st.Stmt]


def resolve_levels(f: Function) -> None:
    """Takes over what LoopLevel objects now say.  Raises HalideError for one that was never set."""
    for what, handle in f.handles.items():
        if not handle.known:
            raise HalideError(
                f"Func {f.name}: the LoopLevel of {what} was never set; use LoopLevel.inlined() for an inlined Func"
            )
        if what == "compute":
            f.compute = handle.level
        elif what == "store":
            f.store = handle.level
    if "compute" in f.handles and "store" not in f.handles and f.store is None:
        f.store = f.compute
    f.compute = None if f.compute is None else f.compute.named()
    f.store = None if f.store is None else f.store.named()
    if f.compute is None and f.store is not None:
        raise HalideError(
            f"Func {f.name} is scheduled store_at, but is inlined. Funcs that use store_at must also call compute_at"
        )
    if f.compute is None and "hoist" in f.handles:
        raise HalideError(
            f"Func {f.name} is scheduled hoist_storage, but is inlined. Funcs that use hoist_storage must also call "
            "compute_at"
        )
    if f.memoized and f.store != f.compute:
        raise HalideError(f"Func {f.name} cannot be memoized, for it is computed and stored at different loops")
    if f.compute is not None and f.ringed and _hoisted(f) in (None, f.store):
        raise HalideError(
            f"Func {f.name} is scheduled ring_buffer, but its storage is not hoisted out of where it is stored. Funcs "
            "that use ring_buffer must also call hoist_storage with a level further out"
        )


def _hoisted(f: Function) -> LoopLevel | None:
    """The level that hoist_storage gave."""
    level = f.handles["hoist"].level if "hoist" in f.handles else None
    return None if level is None else level.named()


def check_hoisted(f: Function, stmt: st.Stmt) -> None:
    """Raises HalideError where `f` is stored in `stmt` outside of the loop to which its storage is hoisted."""
    level = _hoisted(f)
    if level is None or level.is_root:
        return
    work = [stmt]
    while work:
        s = work.pop()
        if isinstance(s, st.Realize) and s.name == f.name:
            raise HalideError(
                f"Func {f.name} is scheduled{_spelled('hoist_storage', level)}, which is not around where it is stored"
            )
        work += [] if is_at(s, level) else st.bodies(s)


def calls(s: st.Stmt, name: str) -> int:
    """How many expressions of `s`, nested statements included, call the Func `name`."""
    return sum(_called(e, name) for x in st.walk(s) for e in st.expressions(x))


def _called(e: Expr, name: str) -> bool:
    return any(n.call_type is CallType.HALIDE and n.name == name for n in nodes(e, ir.Call))


def _calls_itself(s: st.Stmt, name: str) -> bool:
    """Whether an expression of `s` calls the Func `name`, and not only one of a statement within."""
    return any(_called(e, name) for e in st.expressions(s))


def uses(s: st.Stmt, name: str) -> bool:
    """Whether `s` calls or provides the Func `name`."""
    return calls(s, name) > 0 or any(
        isinstance(x, st.Provide | st.ExternCall) and x.name == name for x in st.walk(s)
    )


def loop_of(name: str) -> tuple[str, int, str]:
    """(Func, stage, variable) of a loop's name."""
    func, _, rest = name.rpartition(".s") if ".s" in name else (name, "", "")
    while rest and not rest.split(".", 1)[0].isdigit():
        func, _, more = func.rpartition(".s")
        rest = f"{more}.s{rest}"
    stage, _, var = rest.partition(".")
    return func, int(stage or 0), var


def is_at(s: st.Stmt, level: LoopLevel) -> bool:
    """Whether the body of `s` is the place `level`."""
    if level.var == OUTERMOST:
        return isinstance(s, st.Produce) and s.name == level.func
    if not isinstance(s, st.For):
        return False
    func, stage, var = loop_of(s.name)
    return func == level.func and var == level.var and level.stage in (-1, stage)


def at_level(f: Function, stmt: st.Stmt, level: LoopLevel, wrap: Wrap, stored_outside: bool) -> st.Stmt:
    """`stmt` with the bodies of the loops at `level` wrapped.

    Raises HalideError where `f`, stored outside `stmt`, would be computed in a parallel loop, or with updates in a
    vectorized one.  Without updates, lanes that meet in one element store the same there."""
    racing = st.UNORDERED_KINDS | {st.ForKind.VECTORIZED} if f.updates or f.extern else st.UNORDERED_KINDS

    def visit(s: st.Stmt, unordered: str, around: tuple[st.Stmt, ...]) -> st.Stmt:
        here = is_at(s, level)
        if isinstance(s, st.For) and s.kind in racing:
            unordered = s.name
        if here and stored_outside and unordered and calls(s, f.name):
            raise HalideError(
                f"Func {f.name} is stored outside the parallel or vectorized loop {unordered} but computed within it, "
                "so that iterations would overwrite each other's values; store it in that loop. "
                + describe(f, stmt)
            )
        inner = (*around, s)
        if here:
            (old,) = st.bodies(s)
            body = wrap(old, inner)
            return s if body is old else st.rebuild(s, lambda _: body, lambda e: e)
        return st.rebuild(s, lambda x: visit(x, unordered, inner), lambda e: e)

    return visit(stmt, "", ())


def used_outside(stmt: st.Stmt, level: LoopLevel, name: str) -> bool:
    """Whether `stmt` calls the Func `name` elsewhere than in the loops at `level`."""
    work = [stmt]
    while work:
        s = work.pop()
        if is_at(s, level):
            continue
        if _calls_itself(s, name):
            return True
        work += st.bodies(s)
    return False


def innermost(f: Function, stmt: st.Stmt, wrap: Wrap) -> st.Stmt:
    """`stmt` with each statement wrapped that uses `f` itself, not only in a statement within."""

    known: dict[int, bool] = {}

    def used(s: st.Stmt) -> bool:
        """Whether `s` or a statement within uses `f`."""
        if id(s) not in known:
            known[id(s)] = _calls_itself(s, f.name) or any(map(used, st.bodies(s)))
        return known[id(s)]

    def visit(s: st.Stmt) -> st.Stmt:
        if _calls_itself(s, f.name):
            return wrap(s, ())
        return st.rebuild(s, visit, lambda e: e) if used(s) else s

    return visit(stmt)


def describe(f: Function, stmt: st.Stmt) -> str:
    """Where `f` is computed, where it could be, and where it is used, for messages."""
    total = calls(stmt, f.name)
    legal = ["compute_root()"]
    lines: list[str] = []

    def visit(s: st.Stmt, depth: int) -> None:
        count = calls(s, f.name)
        if not count:
            return
        if isinstance(s, st.Produce) and count == total:
            legal.append(f"compute_at({s.name}, Var.outermost())")
        if isinstance(s, st.For):
            func, _, var = loop_of(s.name)
            if count == total:
                legal.append(f"compute_at({func}, {var})")
            lines.append(" " * depth + f"for {s.name}:")
            depth += 1
        if isinstance(s, st.Provide):
            lines.append(" " * depth + f"{s.name} uses {f.name}")
        for x in st.bodies(s):
            visit(x, depth)

    visit(stmt, 1)
    where = _spelled("store", f.store) if f.store != f.compute else ""
    place = f"{f.name}{where}{_spelled('compute', f.compute)}"
    return (
        f"Func {f.name} is computed at the following invalid location: {place}. "
        f"Legal locations for this function are: {'; '.join(f'{f.name}.{x}' for x in dict.fromkeys(legal))}. "
        f"It is used in the following places:\n" + "\n".join(lines)
    )


def _spelled(what: str, level: LoopLevel | None) -> str:
    if level is None:
        return f".{what}_inline()"
    at = "" if what == "hoist_storage" else "_at"
    return f".{what}_root()" if level.is_root else f".{what}{at}({level.func}, {level.var})"
