"""compute_with: stages of independent Funcs run inside one nest of loops.

    for g.y in [0, +n): g(y) = ...         for g.y in [0, +max(n, m)):
    for f.y in [0, +m): f(y) = ...    ->     if g.y < n: g(g.y) = ...
                                             if g.y < m: f(g.y) = ..."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.errors import HalideError
from halide_core.function import OUTERMOST, Definition, Function, LoopAlignStrategy
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, CallType, Expr, Variable, const
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import post_order, same, substitute

# A stage: its Function and number.
Stage = tuple[int, int]


@dataclass(slots=True, eq=False)
class Member:
    """A stage that is computed together with others: its loops, and where it joins its parent's."""

    function: Function
    stage: int
    nest: st.Stmt


def fused_groups(order: list[Function], outputs: list[Function]) -> list[list[Function]]:
    """`order` in groups of Functions that are computed together, each after all that it calls.

    Raises HalideError where stages depend on each other or are computed at different levels."""
    leader = {id(f): id(f) for f in order}
    by_id = {id(f): f for f in order}

    def find(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    for f in order:
        for k, d in enumerate(f.definitions()):
            parent = parent_of(f, k, d, order)
            if parent is None:
                continue
            g = parent[0]
            external = next((x for x in (f, g) if x.extern is not None), None)
            if external is not None:
                raise HalideError(f"Invalid compute_with: Func {external.name} is an external stage, without loops")
            if _level(f, outputs) != _level(g, outputs):
                raise HalideError(
                    f"Invalid compute_with: the compute levels of {g.name} and {f.name} do not match; "
                    "compute both at root or both at the same loop"
                )
            if g is f:
                raise HalideError(f"Invalid compute_with: stages of one Func, {f.name}, cannot be computed together")
            leader[find(id(f))] = find(id(g))
    members: dict[int, list[Function]] = {}
    for f in order:
        members.setdefault(find(id(f)), []).append(f)
    if len(members) == len(order):
        return [[f] for f in order]
    callees = {id(f): _callees(f) for f in order}
    groups: list[list[Function]] = []
    state: dict[int, int] = {}

    def visit(number: int) -> None:
        if state.get(number) == 2:
            return
        if state.get(number) == 1:
            names = " and ".join(f.name for f in members[number])
            raise HalideError(f"Invalid compute_with: there is dependency between {names}")
        state[number] = 1
        for f in members[number]:
            for c in callees[id(f)]:
                if c in by_id and c != id(f):
                    visit(find(c))
        state[number] = 2
        groups.append(members[number])

    for f in order:
        visit(find(id(f)))
    return groups


def _level(f: Function, outputs: list[Function]) -> object:
    if any(f is o for o in outputs):
        return ("", "")
    return None if f.compute is None else (f.compute.func, f.compute.var)


def _callees(f: Function) -> set[int]:
    found: set[int] = set()
    expressions = [*f.extern.arguments] if f.extern is not None else []
    for d in f.definitions():
        expressions += [*d.values, *d.args, *(d.domain.predicates if d.domain is not None else [])]
    for e in expressions:
        found |= {id(n.target) for n in post_order(e) if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE}
    return found


def parent_of(f: Function, stage: int, d: Definition, order: list[Function]) -> tuple[Function, int, str] | None:
    """(Function, stage, loop) that stage `stage` of `f` is computed with, or None."""
    fused = d.schedule.fused_with
    if fused is None:
        return None
    level = fused.level.level
    if level is None or level.is_root:
        raise HalideError(f"Invalid compute_with: Func {f.name} is given no loop to join")
    level = level.named()
    g = next((x for x in order if x.name == level.func), None)
    if g is None:
        raise HalideError(
            f"Invalid compute_with: Func {f.name} is computed with {level.func}, which the pipeline does not compute"
        )
    number = max(level.stage, 0)
    if number >= len(g.definitions()):
        raise HalideError(f"Invalid compute_with: Func {g.name} has no stage {number}")
    return g, number, level.var


def fuse_stages(members: list[Member], order: list[Function]) -> st.Stmt:
    """The nests of the stages of one group, those that are computed together in common loops."""
    stages: dict[Stage, Member] = {(id(m.function), m.stage): m for m in members}
    parent: dict[Stage, tuple[Stage, str]] = {}
    for key, m in stages.items():
        found = parent_of(m.function, m.stage, m.function.definitions()[m.stage], order)
        # Around all loops of both, they only come one after the other.
        if found is not None and found[2] != OUTERMOST:
            parent[key] = ((id(found[0]), found[1]), found[2])

    def root(key: Stage) -> Stage:
        seen = [key]
        while key in parent:
            key = parent[key][0]
            if key in seen:
                raise HalideError("Invalid compute_with: stages are computed with each other in a circle")
            seen.append(key)
        return key

    nodes: dict[Stage, list[Stage]] = {}
    for key in stages:
        nodes.setdefault(root(key), []).append(key)
    out: list[st.Stmt] = []
    done: set[Stage] = set()
    waiting = list(nodes)
    while waiting:
        ready = next((n for n in waiting if all(_earlier(k, nodes[n], done) for k in nodes[n])), None)
        if ready is None:
            names = ", ".join(stages[k].function.name for n in waiting for k in nodes[n])
            raise HalideError(f"Invalid compute_with: there is dependency between the stages of {names}")
        waiting.remove(ready)
        out.append(_joined(ready, nodes[ready], stages, parent))
        done |= set(nodes[ready])
    return st.block(*out)


def _earlier(key: Stage, together: list[Stage], done: set[Stage]) -> bool:
    """Whether the stages of the same Function before `key` are done."""
    return all((key[0], k) in done for k in range(key[1]))


def _joined(
    ready: Stage, keys: list[Stage], stages: dict[Stage, Member], parent: dict[Stage, tuple[Stage, str]]
) -> st.Stmt:
    """The nest of `ready` and all that join it: those first that share the most loops, of which fewer are left when
    others join."""
    nests = {k: stages[k].nest for k in keys}
    joins = {k: parent[k] for k in keys if k in parent}

    def shared(key: Stage) -> int:
        above, var = joins[key]
        names = [_var(x) for x in _loops(stages[above].nest)]
        return names.index(var) if var in names else -1

    while joins:
        key = max(joins, key=shared)
        above, var = joins.pop(key)
        nests[above] = _merge(stages[above], nests[above], stages[key], nests[key], var)
        joins = {k: (above if a == key else a, v) for k, (a, v) in joins.items()}
    return nests[ready]


def _loops(nest: st.Stmt) -> list[st.For]:
    out: list[st.For] = []
    while isinstance(nest, st.For):
        out.append(nest)
        nest = nest.body
    return out


def _var(loop: st.For) -> str:
    return loop.name.rsplit(".", 1)[1]


def _merge(first: Member, nest: st.Stmt, child: Member, joining: st.Stmt, var: str) -> st.Stmt:
    """The loops of `joining`, the nest of `child`, inside those of `nest`, that of `first`, down to loop `var`."""
    outer, inner = _loops(nest), _loops(joining)
    names = [_var(x) for x in outer]
    if var not in names:
        raise HalideError(f"Invalid compute_with: {first.function.name} has no loop {var}; it has {', '.join(names)}")
    depth = names.index(var) + 1
    if var in (own := [_var(x) for x in inner]) and own.index(var) + 1 != depth:
        raise HalideError(
            f"Invalid compute_with: # of fused dims of {first.function.name}.s{first.stage} and "
            f"{child.function.name}.s{child.stage} do not match"
        )
    if len(inner) < depth:
        raise HalideError(
            f"Invalid compute_with: # of fused dims of {first.function.name}.s{first.stage} and "
            f"{child.function.name}.s{child.stage} do not match"
        )
    for a, b in zip(outer[:depth], inner[:depth], strict=True):
        if _var(a) != _var(b):
            raise HalideError(
                f"Invalid compute_with: names of dim {_var(a)} of {first.function.name} and {_var(b)} of "
                f"{child.function.name} do not match"
            )
        if a.kind is not b.kind:
            raise HalideError(
                f"Invalid compute_with: for types of dim {_var(a)} of {first.function.name} ({a.kind.value}) and of "
                f"{child.function.name} ({b.kind.value}) do not match"
            )
    fused = child.function.definitions()[child.stage].schedule.fused_with
    assert fused is not None
    align = dict(fused.align)
    moved: dict[str, Expr] = {}
    guards: list[Expr] = []
    theirs: list[Expr] = []
    loops: list[st.For] = []
    for a, b in zip(outer[:depth], inner[:depth], strict=True):
        v = Variable(I32, a.name)
        low, extent = (substitute(e, moved) for e in (b.min, b.extent))
        how = align.get(_var(a), fused.otherwise)
        shift: Expr = const(0, I32)
        if how is LoopAlignStrategy.AlignStart:
            shift = simplify_index(low - a.min)
        elif how is LoopAlignStrategy.AlignEnd:
            shift = simplify_index((low + extent) - (a.min + a.extent))
        start, end = simplify_index(low - shift), simplify_index(low + extent - shift)
        own_end = simplify_index(a.min + a.extent)
        least, most = simplify_index(ir.Min(I32, a.min, start)), simplify_index(ir.Max(I32, own_end, end))
        moved[b.name] = simplify_index(v + shift)
        theirs += _conditions(v, (a.min, own_end), (least, most))
        guards += _conditions(v, (start, end), (least, most))
        loops.append(st.For(a.name, least, simplify_index(most - least), a.kind, st.Block(())))
    yours = st.map_expressions(inner[depth - 1].body, lambda e: substitute(e, moved))
    body = st.block(_guarded(theirs, outer[depth - 1].body), _guarded(guards, yours))
    for loop in reversed(loops):
        body = st.For(loop.name, loop.min, loop.extent, loop.kind, body)
    return body


def _conditions(v: Expr, own: tuple[Expr, Expr], both: tuple[Expr, Expr]) -> list[Expr]:
    """What keeps `v`, which runs over [both), to [own)."""
    (low, end), (least, most) = own, both
    out = [] if same(simplify_index(low), least) else [low <= v]
    return out if same(simplify_index(end), most) else [*out, v < end]


def _guarded(conditions: list[Expr], body: st.Stmt) -> st.Stmt:
    out: Expr | None = None
    for c in conditions:
        out = c if out is None else ir.And(BOOL, out, c)
    return body if out is None else st.IfThenElse(out, body)
