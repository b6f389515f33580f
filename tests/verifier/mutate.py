"""Wrong summaries: one small change each to a right one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Cast, Expr, Select, const, const_value
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Int, Type, UInt
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.summary import Definition, FuncSummary, PathSummary

OPERATORS = {
    E.Add: E.Sub,
    E.Sub: E.Add,
    E.Mul: E.Add,
    E.Min: E.Max,
    E.Max: E.Min,
    E.LT: E.LE,
    E.LE: E.LT,
    E.GT: E.GE,
    E.GE: E.GT,
    E.EQ: E.NE,
    E.NE: E.EQ,
    E.And: E.Or,
    E.Or: E.And,
    E.Div: E.Mul,
}
INTRINSICS = {
    "saturating_add": "saturating_sub",
    "saturating_sub": "saturating_add",
    "shift_right": "shift_left",
    "bitwise_and": "bitwise_or",
    "bitwise_xor": "bitwise_and",
    "halving_add": "rounding_halving_add",
    "rounding_halving_add": "halving_add",
    "absd": "saturating_sub",
}


def mutants(path: PathSummary, count: int, seed: int) -> list[tuple[str, PathSummary]]:
    """`count` different wrong summaries (fewer where there are not so many), each with what was done."""
    rng = random.Random(seed)
    everything = list(_all(path))
    rng.shuffle(everything)
    by_kind: dict[str, list[tuple[str, PathSummary]]] = {}
    for text, mutant in everything:
        by_kind.setdefault(text.split(":")[0], []).append((text, mutant))
    chosen: list[tuple[str, PathSummary]] = []
    while len(chosen) < count and by_kind:
        for kind in list(by_kind):
            chosen.append(by_kind[kind].pop())
            if not by_kind[kind]:
                del by_kind[kind]
    return chosen[:count]


def _all(path: PathSummary) -> Iterator[tuple[str, PathSummary]]:
    for i, f in enumerate(path.funcs):
        for text, wrong in _funcs(f):
            yield text, replace(path, funcs=(*path.funcs[:i], wrong, *path.funcs[i + 1 :]))


def _funcs(f: FuncSummary) -> Iterator[tuple[str, FuncSummary]]:
    for d_index, dim in enumerate(f.layout.dims):
        for what, step in (("min", 1), ("min", -1), ("extent", 1), ("extent", -1)):
            moved = replace(dim, **{what: getattr(dim, what) + Poly.constant(step)})
            dims = (*f.layout.dims[:d_index], moved, *f.layout.dims[d_index + 1 :])
            yield f"bound: {f.name} {dim.name}.{what} {step:+d}", replace(f, layout=replace(f.layout, dims=dims))
    for i, d in enumerate(f.definitions):
        for text, wrong in _definitions(d):
            plain = replace(wrong, origin=None, steps=())
            yield f"{text} [{f.name}]", replace(f, definitions=(*f.definitions[:i], plain, *f.definitions[i + 1 :]))
    for i, d in enumerate(f.definitions):
        before, after = f.definitions[:i], f.definitions[i + 1 :]
        if d.update:
            yield f"turn: update {i} left out [{f.name}]", replace(f, definitions=(*before, *after))
            yield f"turn: update {i} twice [{f.name}]", replace(f, definitions=(*before, d, d, *after))
        if d.update and after:
            turned = (*before, after[0], d, *after[1:])
            yield f"turn: updates {i} and {i + 1} exchanged [{f.name}]", replace(f, definitions=turned)


def _definitions(d: Definition) -> Iterator[tuple[str, Definition]]:
    for i, r in enumerate(d.rdom):
        for step in (1, -1):
            rdom = (*d.rdom[:i], replace(r, extent=r.extent + Poly.constant(step)), *d.rdom[i + 1 :])
            yield f"bound: {r.name} {step:+d}", replace(d, rdom=rdom)
    for i, a in enumerate(d.args if d.update else ()):
        for step in (1, -1):
            moved = from_poly(to_poly(a) + Poly.constant(step), E.I32)
            args = (*d.args[:i], moved, *d.args[i + 1 :])
            yield f"offset: updates at {moved} in place of {a}", replace(d, args=args)
    for text, changed in _changed(d.value):
        yield text, replace(d, value=changed)
    if d.where is not None:
        yield "where: left out", replace(d, where=None)
        yield "where: turned round", replace(d, where=E.Not(E.BOOL, d.where))
        for text, changed in _changed(d.where):
            yield text, replace(d, where=changed)


def _changed(e: Expr) -> Iterator[tuple[str, Expr]]:
    seen: set[int] = set()
    for n in post_order(e):
        if key(n) in seen:
            continue
        seen.add(key(n))
        for text, wrong in _nodes(n):
            wanted = key(n)
            changed = transform(e, lambda m, w=wanted, new=wrong: new if key(m) == w else m)
            if key(changed) != key(e):
                yield f"{text}: {n} -> {wrong}", changed


def _nodes(n: Expr) -> Iterator[tuple[str, Expr]]:
    value = const_value(n)
    if value is not None and not n.type.is_bool():
        yield "constant", const(value + 1, n.type)
        yield "constant", const(value - 1, n.type)
    if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
        for i, a in enumerate(n.args):
            for step in (1, -1):
                moved = from_poly(to_poly(a) + Poly.constant(step), E.I32)
                yield "offset", E.with_children(n, (*n.args[:i], moved, *n.args[i + 1 :]))
    if type(n) in OPERATORS and not (n.a.type.is_float() and type(n) in (E.Min, E.Max)):
        yield "operator", OPERATORS[type(n)](n.type, n.a, n.b)
    if isinstance(n, Call) and n.name in INTRINSICS:
        yield "operator", E.intrinsic(INTRINSICS[n.name], n.type, *n.args)
    if isinstance(n, E.Sub | E.Div | E.LT | E.LE | E.GT | E.GE):
        yield "swap", type(n)(n.type, n.b, n.a)
    if isinstance(n, Select):
        yield "swap", Select(n.type, n.condition, n.false_value, n.true_value)
    if isinstance(n, Cast) and n.type.is_int_or_uint() and n.value.type.is_int_or_uint() and not n.type.is_bool():
        for t in _other_widths(n.type):
            yield "width", Cast(n.type, Cast(t, n.value))


def _other_widths(t: Type) -> list[Type]:
    return [u for u in (UInt(8), Int(8), Int(16), UInt(16)) if u != t]
