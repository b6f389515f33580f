"""Elements of arrays in the caller's objects at places that are fixed when the function is called:
`frame->data[frame->plane[1]]`, `frame->stride[k]`.

Each is a parameter of its own, read before the function's work as all of an object is.  What that takes is asked at
each call: that the place is within the array, beyond which the original has no meaning either, and that no other
parameter is the same element."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from halide_core.ir.expr import I64, Cast, Expr, Load, Variable, const, const_value
from halide_core.ir.structural import key, post_order, transform
from lifter.frontend.objects.parameters import Reached, Taken
from lifter.frontend.objects.scalar_replacement import rewritten
from lifter.frontend.objects.taken_fields import within
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again, Choice
from lifter.frontend.state.values import PointerPlace, Pointers
from lifter.ir.loop_ir import Assert, Param, Part, Stmt, Store, expressions, walk
from lifter.ir.names import is_address, pointer_of


class Chosen(Again):
    """A pointer of an array is told by what is fixed at the call."""

    def __init__(self, table: str, choice: Choice) -> None:
        super().__init__(table)
        self.table, self.choice = table, choice


@dataclass(frozen=True)
class _Said:
    """What is fixed at the call, in C++: `@` is the object of `owner`, `{k}` a parameter that is a number."""

    text: str
    owner: str = ""
    through: tuple[str, ...] = ()
    behind: int = 0
    """How many parts, one behind the other, it takes."""


def place(ctx: Context, table: Pointers, index: Expr) -> PointerPlace | None:
    """The pointer at an index that is fixed at the call; None at another one.  Raises Chosen where it is no parameter
    yet."""
    owner = next((ctx.part_of[p.name][0] for p in table.places if p.name in ctx.part_of), "")
    said = _said(ctx, index)
    if said is None:
        for n in post_order(index):
            if isinstance(n, Load) and n.name in ctx.followable:
                raise Reached(n.name)  # a structure of numbers, which would be memory
    if said is None or not owner or said.owner not in ("", owner):
        return None
    if any(p.name not in ctx.fixed for p in table.places):  # the function's own copies
        return None
    for choice, known in table.chosen:
        if key(choice.index) == key(index):
            return known
    if any(key(choice.index) == key(index) for choice in ctx.found.chosen.get(table.given, ())):
        return None  # it leads to what is no memory
    raise Chosen(table.given, Choice(index, said.text, said.through, _label(index), said.behind))


def _said(ctx: Context, e: Expr) -> _Said | None:
    """What is fixed at the call; None for anything else."""
    number = const_value(e)
    if number is not None:
        return _Said(str(int(number)))
    if isinstance(e, Cast) and e.type.is_int_or_uint() and e.type.bits >= 8 and e.value.type.is_int_or_uint():
        inner = _said(ctx, e.value)
        kind = f"{'' if e.type.is_int() else 'u'}int{e.type.bits}_t"
        return inner and replace(inner, text=f"({kind})({inner.text})")
    if isinstance(e, Variable) and e.name in ctx.parameters and (e.name in ctx.stable or e.name in ctx.fixed):
        owner, part = ctx.part_of.get(e.name, ("", None))
        if part is None or part.kind not in ("value", "bits"):
            return None
        if not owner:
            return _Said(f"{{{e.name}}}")
        return _Said(part.expression, owner, part.through, part.behind + 1)
    if isinstance(e, Load):
        owner, part = ctx.part_of.get(e.name, ("", None))
        index = _said(ctx, e.index)
        if part is None or part.kind != "array" or e.name in ctx.whole or index is None:
            return None
        if index.owner not in ("", owner):
            return None
        through = (*part.through, *(p for p in index.through if p not in part.through))
        text = within(part.expression, index.text, _count(ctx, e.name))
        return _Said(text, owner, through, index.behind + 1)
    return None


def _count(ctx: Context, array: str) -> int:
    (count,) = ctx.sizes[array]
    return int(count)


def _label(e: Expr) -> str:
    """What a fixed place is called in names."""
    if isinstance(e, Cast):
        return _label(e.value)
    if isinstance(e, Load):
        return f"{e.name}_{_label(e.index)}"
    number = const_value(e)
    return str(int(number)) if number is not None else str(e)


def asked(ctx: Context, statements: Iterable[Stmt]) -> list[Assert]:
    """What is asked of the pointers that are chosen.  Raises Unsupported where the function changes what chooses."""
    body = list(statements)
    stored = {s.array for s in walk(body) if isinstance(s, Store)}
    nodes = (n for s in walk(body) for e in expressions(s) for n in post_order(e))
    names = {n.name for n in nodes if isinstance(n, Load | Variable)}
    used = stored | names | {pointer_of(n) for n in names if is_address(n)}
    tables: dict[str, list[tuple[Expr, int]]] = {}
    for name, (table, place_, count) in ctx.chosen_pointers.items():
        if name in used:
            tables.setdefault(table, []).append((place_, count))
    within_: list[Expr] = []
    apart: list[Expr] = []
    for table, chosen in tables.items():
        read = {n.name for e, _ in chosen for n in post_order(e) if isinstance(n, Load)}
        if read & stored:
            ctx.fail(f"pointer of '{table}' at an index that the function changes")
        fixed = [const(k, I64) for k in range(chosen[0][1]) if f"{table}_{k}" in used]
        places = [op.cast(e, I64) for e, _ in chosen]
        within_ += _inside(places, chosen[0][1])
        apart += _apart(places, fixed)
    ctx.asserted_inside = len(within_)
    return [Assert(0, c) for c in (*within_, *apart)]


def _inside(places: list[Expr], count: int) -> list[Expr]:
    """That places are within an array: the original has no meaning where they are not."""
    out = []
    for e in places:
        out += [op.binary(">=", e, const(0, I64)), op.binary("<", e, const(count, I64))]
    return out


def _apart(places: list[Expr], others: list[Expr]) -> list[Expr]:
    """That no two of some places, or of others, are one."""
    pairs = [*itertools.combinations(places, 2), *itertools.product(places, others)]
    return [op.binary("!=", a, b) for a, b in pairs]


def inside(ctx: Context, body: Iterable[Stmt]) -> tuple[Expr, ...]:
    """The conditions by which all chosen places are within their arrays, of the statements as they are at last."""
    found = (s.condition for s in body if isinstance(s, Assert))
    return tuple(itertools.islice(found, ctx.asserted_inside))


def split(ctx: Context, body: list[Stmt], taken: list[Taken]) -> tuple[list[Stmt], list[Taken]]:
    """Arrays inside objects that are only read, and at places that are fixed at the call, as a scalar for each."""
    out = list(taken)
    kept = {s.array for s in walk(body) if isinstance(s, Store)} | ctx.whole | {ctx.returned_base}
    while True:
        reads: dict[str, dict[int, Expr]] = {}
        for s in walk(body):
            for e in expressions(s):
                for n in post_order(e):
                    if isinstance(n, Load):
                        reads.setdefault(n.name, {})[key(n.index)] = n.index
        arrays = ((k, p) for k, item in enumerate(out) for p in item.argument.parts if p.kind == "array")
        found = next(((k, p) for k, p in arrays if p.param not in kept and _is_fixed(ctx, p.param, reads)), None)
        if found is None:
            return body, out
        k, part = found
        body, out[k] = _split(ctx, body, out[k], part, reads[part.param])


def _is_fixed(ctx: Context, array: str, reads: Mapping[str, Mapping[int, Expr]]) -> bool:
    """Whether an array is read, and only at places that are fixed at the call and that other parameters say."""
    places = reads.get(array, {}).values()
    said = [_said(ctx, e) for e in places if not any(isinstance(n, Load) for n in post_order(e))]
    owners = ("", ctx.part_of[array][0])
    return 0 < len(said) == len(places) and all(s is not None and s.owner in owners for s in said)


def _split(
    ctx: Context, body: list[Stmt], item: Taken, part: Part, places: Mapping[int, Expr]
) -> tuple[list[Stmt], Taken]:
    array, type_ = part.param, ctx.arrays[part.param]
    owner = ctx.part_of[array][0]
    said = {k: _said(ctx, e) for k, e in places.items()}
    names: dict[int, str] = {}
    parts, params = [], []
    for k, s in said.items():
        assert s is not None
        name = names[k] = ctx.unique(f"{array}_at_{_label(places[k])}")
        text = within(part.expression, s.text, _count(ctx, array))
        through = (*part.through, *(p for p in s.through if p not in part.through))
        ctx.parameters[name] = type_
        element = replace(part, param=name, expression=text, kind="value", through=through, behind=s.behind)
        ctx.part_of[name] = owner, element
        ctx.stable.add(name)
        parts.append(element)
        params.append(Param(name, type_, c_type=str(type_)))
    fixed = [op.cast(e, I64) for e in places.values()]
    ranges = _inside(fixed, _count(ctx, array))
    asserts = [Assert(0, c) for c in ranges]
    before = 0
    for _ in range(ctx.asserted_inside):
        before = next(k + 1 for k, s in enumerate(body) if k >= before and isinstance(s, Assert))
    ctx.asserted_inside += len(ranges)
    apart = [Assert(0, c) for c in _apart(fixed, [])]

    def read(n: Expr) -> Expr:
        return Variable(n.type, names[key(n.index)]) if isinstance(n, Load) and n.name == array else n

    for known in (ctx.sizes, ctx.arrays):
        known.pop(array, None)
    ctx.pointer_parameters.discard(array)
    a = item.argument
    kept = (*(p for p in a.parts if p is not part), *parts)
    whole = replace(a, parts=kept)
    rest = [p for p in item.params if p.name != array]
    body = rewritten([*asserts, *body[:before], *apart, *body[before:]], lambda e: transform(e, read), {}, set())
    return body, Taken(whole, [*rest, *params], item.binding)
