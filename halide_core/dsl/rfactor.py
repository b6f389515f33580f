"""Stage.rfactor: an update becomes partial results for each value of some reduction variables, and their combination
(Suriana et al., Parallel associative reductions in Halide, CGO 2017).

    f(x) += g(x, r.x, r.y), rfactor(r.y, u)    becomes    f_intm(x, u) = 0
                                                          f_intm(x, u) += g(x, r.x, u)
                                                          f(x) += f_intm(x, r.y)"""

from __future__ import annotations

import itertools

from halide_core.dsl.variables import DOMAINS
from halide_core.errors import HalideError
from halide_core.function import Definition, Dim, Function, Fuse, Once, ReductionDomain, Rename, Split, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, Call, CallType, Expr, FloatImm, Variable, const
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.types import Type
from halide_core.passes.races import operation_and_operand

_COUNTER = itertools.count()


def factor_reduction(f: Function, stage: int, preserved: list[tuple[str, str]]) -> Function:
    """Rewrites update `stage` - 1 of `f` and returns the Function of partial results.

    `preserved`: (reduction loop, name of the new dimension).  Raises HalideError where the operation is not known
    to be associative, or a loop is not one of the reduction."""
    d = f.updates[stage - 1]
    label = f"Func {f.name}.update({stage - 1})"
    if d.domain is None:
        raise HalideError(f"rfactor: {label} has no reduction domain")
    initial = _identities(f, d)
    if initial is None:
        raise HalideError(f"rfactor: {label} is not known to be associative, so it cannot be split")
    loops = _Loops(d)
    for r, u in preserved:
        if r not in loops.leaves:
            raise HalideError(
                f"rfactor: {r} is no reduction loop of {label}; it has: {', '.join(loops.leaves) or 'none'}"
            )
        if u in f.args or u in {x.var for x in d.schedule.dims}:
            raise HalideError(f"rfactor: the name {u} is used in {label} already")
    names = dict(preserved)
    if len(names) != len(preserved) or len(set(names.values())) != len(preserved):
        raise HalideError(f"rfactor: {label} was given a loop or a name twice")
    partial = _partial(f, d, loops, names, initial)
    _combine(f, d, loops, names, partial)
    return partial


class _Loops:
    """The reduction loops that the domain's variables have been split into: their ranges, and the original variables
    and the conditions of the splits in terms of them."""

    def __init__(self, d: Definition) -> None:
        assert d.domain is not None
        self.ranges = {n: (low, extent) for n, low, extent in d.domain.variables}
        roots = list(self.ranges)
        self.values: dict[str, Expr] = {}
        self.conditions: list[Expr] = []
        for s in d.schedule.splits:
            self._apply(s)
        self.leaves = [x.var for x in d.schedule.dims if x.var in self.ranges]
        self.values = {n: self.values.get(n, Variable(I32, n)) for n in roots}

    def _apply(self, s: Split | Fuse | Rename | Once) -> None:
        match s:
            case Split() if s.old in self.ranges:
                low, extent = self.ranges.pop(s.old)
                whole = ir.const_value(extent)
                blocks = simplify_index(ir.Div(I32, extent + (s.factor - 1), const(s.factor, I32)))
                self.ranges[s.outer] = (const(0, I32), blocks)
                self.ranges[s.inner] = (const(0, I32), const(s.factor, I32))
                place = Variable(I32, s.outer) * s.factor + Variable(I32, s.inner)
                self._define(s.old, simplify_index(low + place))
                if whole is None or int(whole) % s.factor:
                    self.conditions.append(simplify_index(place < extent))
            case Rename() if s.old in self.ranges:
                self.ranges[s.new] = self.ranges.pop(s.old)
                self._define(s.old, Variable(I32, s.new))
            case Fuse() if s.inner in self.ranges:
                (low_i, extent_i), (low_o, extent_o) = self.ranges.pop(s.inner), self.ranges.pop(s.outer)
                self.ranges[s.fused] = (const(0, I32), simplify_index(extent_i * extent_o))
                v = Variable(I32, s.fused)
                self._define(s.inner, low_i + ir.Mod(I32, v, extent_i))
                self._define(s.outer, low_o + ir.Div(I32, v, extent_i))

    def _define(self, name: str, value: Expr) -> None:
        """From now on `name` stands for `value`."""
        self.values = {n: substitute(v, {name: value}) for n, v in self.values.items()}
        self.conditions = [substitute(c, {name: value}) for c in self.conditions]
        self.values.setdefault(name, value)


def _identities(f: Function, d: Definition) -> tuple[Expr, ...] | None:
    """The values that the update's operation leaves others unchanged by, or None where it is not known."""
    found = [operation_and_operand(f, d, k) for k in range(len(d.values))]
    if all(x is not None for x in found):
        out = [_neutral(x[0]) for x in found if x is not None]
        return None if any(e is None for e in out) else tuple(e for e in out if e is not None)
    return _identities_of_choice(f, d)


def _neutral(operation: Expr) -> Expr | None:
    t = operation.type
    match operation:
        case ir.Add() | ir.Sub() | Call(name="bitwise_or" | "bitwise_xor"):
            return const(0, t)
        case ir.Mul():
            return const(1, t)
        case ir.Min():
            return _greatest(t)
        case ir.Max():
            return _least(t)
        case ir.And() | ir.Or():
            return const(isinstance(operation, ir.And), BOOL)
        case Call(name="bitwise_and"):
            return const(-1, t)
    return None


def _greatest(t: Type) -> Expr:
    return FloatImm(t, float("inf")) if t.is_float() else const(t.max(), t)


def _least(t: Type) -> Expr:
    return FloatImm(t, float("-inf")) if t.is_float() else const(t.min(), t)


def _identities_of_choice(f: Function, d: Definition) -> tuple[Expr, ...] | None:
    """Identities of an update that keeps the Tuple with the least or greatest first value (argmin, argmax)."""
    choice = choice_of(f, d)
    if choice is None:
        return None
    least_wins, place, _ = choice
    return tuple(
        (_greatest(v.type) if least_wins else _least(v.type)) if k == place else const(0, v.type)
        for k, v in enumerate(d.values)
    )


def choice_of(f: Function, d: Definition) -> tuple[bool, int, tuple[Expr, ...]] | None:
    """(whether the least wins, which value decides, the candidates) of an update that chooses whole Tuples by
    comparing one of their values: f = select(e[k] < f[k], e, f) and its like."""
    chosen: list[Expr] = []
    condition: Expr | None = None
    place: int | None = None
    own = [Call(t, f.name, d.args, CallType.HALIDE, k, f) for k, t in enumerate(f.types)]
    if len(d.values) < 2:
        return None
    for k, v in enumerate(d.values):
        if isinstance(v, ir.Min | ir.Max):
            others = [b for a, b in ((v.a, v.b), (v.b, v.a)) if key(a) == key(own[k])]
            if len(others) != 1 or place is not None:
                return None
            place = k
            chosen.append(others[0])
            continue
        if not isinstance(v, ir.Select):
            return None
        flipped = key(v.true_value) == key(own[k])
        candidate = v.false_value if flipped else v.true_value
        if key(v.true_value if flipped else v.false_value) != key(own[k]):
            return None
        test: Expr = _negated(v.condition) if flipped else v.condition
        if condition is not None and key(test) != key(condition):
            return None
        condition = test
        chosen.append(candidate)
    if not isinstance(condition, ir.LT | ir.GT | ir.LE | ir.GE):
        return None
    for k, e in enumerate(chosen):
        for a, b, swapped in ((condition.a, condition.b, False), (condition.b, condition.a, True)):
            if key(a) == key(e) and key(b) == key(own[k]):
                least = isinstance(condition, ir.LT | ir.LE) != swapped
                if place not in (None, k) or (place == k and isinstance(d.values[k], ir.Min) != least):
                    return None
                free = all(not (isinstance(n, Call) and n.target is f) for c in chosen for n in post_order(c))
                return (least, k, tuple(chosen)) if free else None
    return None


def _negated(c: Expr) -> Expr:
    opposite: dict[type[Expr], type[ir._Binary]] = {ir.LT: ir.GE, ir.GE: ir.LT, ir.GT: ir.LE, ir.LE: ir.GT}
    if type(c) in opposite and isinstance(c, ir._Binary) and not c.a.type.is_float():
        return opposite[type(c)](c.type, c.a, c.b)
    return ir.Not(c.type, c)


def _calls(f: Function, new: Function, args: tuple[Expr, ...], e: Expr) -> Expr:
    """`e` with its calls of `f` made calls of `new` at `args`."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Call) and n.call_type is CallType.HALIDE and n.target is f:
            return Call(n.type, new.name, args, CallType.HALIDE, n.value_index, new)
        return n

    return transform(e, rewrite)


def _register(domain: ReductionDomain) -> ReductionDomain:
    for n, _, _ in domain.variables:
        DOMAINS.setdefault(n, domain)
    return domain


def _partial(
    f: Function, d: Definition, loops: _Loops, names: dict[str, str], initial: tuple[Expr, ...]
) -> Function:
    """The Function of partial results: `f`'s dimensions and one for each preserved loop."""
    assert d.domain is not None
    tag = next(_COUNTER)
    out = Function(f"{f.name}_intm", (*f.args, *names.values()))
    out.storage_order = list(out.args)
    out.pure = Definition(
        tuple(Variable(I32, n) for n in out.args), initial, StageSchedule([Dim(n) for n in out.args])
    )
    inner = [n for n in loops.leaves if n not in names]
    moved: dict[str, Expr] = {r: Variable(I32, u) for r, u in names.items()}
    place = {n: substitute(v, moved) for n, v in loops.values.items()}

    def here(e: Expr) -> Expr:
        return substitute(e, place)

    domain = None
    # What keeps to the domain comes first: its conditions may be true beyond it.
    predicates = [substitute(c, moved) for c in loops.conditions] + [here(p) for p in d.domain.predicates]
    ranges = [(n, *loops.ranges[n]) for n in inner]
    if not ranges and predicates:
        ranges = [(f"{f.name}_intm$one{tag}", const(0, I32), const(1, I32))]
    if ranges:
        domain = _register(ReductionDomain(f"{d.domain.name}$i{tag}", tuple(ranges), predicates))
    args = (*(here(a) for a in d.args), *(Variable(I32, u) for u in names.values()))
    values = tuple(_calls(f, out, args, here(v)) for v in d.values)
    dims: list[Dim] = []
    for x in d.schedule.dims:
        if x.var in inner:
            dims.append(Dim(x.var))
        elif x.var in names:
            dims.append(Dim(names[x.var], x.kind))
    dims += [Dim(n) for n, _, _ in ranges if n not in inner]
    pure = [n for a, n in zip(d.args, f.args, strict=True) if isinstance(a, Variable) and a.name == n]
    dims += [Dim(n) for n in pure]
    out.updates = [Definition(args, values, StageSchedule(dims), domain)]
    return out


def _combine(f: Function, d: Definition, loops: _Loops, names: dict[str, str], partial: Function) -> None:
    """The update becomes a reduction over the partial results."""
    assert d.domain is not None
    order = [n for n in loops.leaves if n in names]
    domain = _register(
        ReductionDomain(f"{d.domain.name}$o{next(_COUNTER)}", tuple((n, *loops.ranges[n]) for n in order), [])
    )
    args = tuple(Variable(I32, n) for n in f.args)
    where = (*args, *(Variable(I32, r) for r in names))
    own = [Call(t, f.name, args, CallType.HALIDE, k, f) for k, t in enumerate(f.types)]
    parts = [Call(t, partial.name, where, CallType.HALIDE, k, partial) for k, t in enumerate(f.types)]
    choice = choice_of(f, d)
    operations = [operation_and_operand(f, d, k) for k in range(len(d.values))]
    values: list[Expr] = []
    for k, (mine, other) in enumerate(zip(own, parts, strict=True)):
        if choice is not None and any(o is None for o in operations):
            values.append(_chosen(d, choice, own, parts, k))
            continue
        found = operations[k]
        assert found is not None
        values.append(_applied(found[0], mine, other))
    schedule = StageSchedule([Dim(n) for n in (*order, *f.args)])
    f.updates[next(i for i, u in enumerate(f.updates) if u is d)] = Definition(args, tuple(values), schedule, domain)


def _applied(operation: Expr, mine: Expr, other: Expr) -> Expr:
    if isinstance(operation, Call):
        return Call(operation.type, operation.name, (mine, other), CallType.INTRINSIC)
    assert isinstance(operation, ir._Binary)
    # Partial results of a subtraction are negative already.
    node = ir.Add if isinstance(operation, ir.Sub) else type(operation)
    return node(operation.type, mine, other)


def _chosen(
    d: Definition, choice: tuple[bool, int, tuple[Expr, ...]], own: list[Call], parts: list[Call], k: int
) -> Expr:
    """The update's choice, made between what there is and a partial result."""
    _, _, candidates = choice
    swap = {key(e): p for e, p in zip(candidates, parts, strict=True)}
    swap |= {key(Call(o.type, o.name, d.args, o.call_type, o.value_index, o.target)): o for o in own}

    def visit(e: Expr) -> Expr:
        if key(e) in swap:
            return swap[key(e)]
        return ir.with_children(e, tuple(visit(c) for c in ir.children(e)))

    return visit(d.values[k])
