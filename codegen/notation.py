"""Summaries in the paper's notation: roi, terms, expression (paper, figure 2b)."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.shared_subexpressions import in_parts
from halide_core.ir.expr import Call, CallType, Expr, Variable
from halide_core.ir.structural import key, replace, transform
from lifter.algebra.index_printer import index_text
from lifter.algebra.polynomial import Poly, poly_text
from lifter.ir.summary import Definition, FuncSummary, PathSummary


@dataclass(frozen=True, slots=True)
class StageText:
    """One definition as text."""

    name: str
    roi: str
    terms: list[str]
    left: str
    expression: str
    update: bool
    where: str
    """The condition under which an update is made; empty where it always is."""


def stage_texts(path: PathSummary) -> list[StageText]:
    """Every definition of a path, in order."""
    return [stage_text(f, d) for f in path.funcs for d in f.definitions]


def stage_text(f: FuncSummary, d: Definition) -> StageText:
    """One definition."""
    bounds = [(x.min, x.min + x.extent) for x in f.layout.dims]
    if d.update:
        args = {a.name for a in d.args if isinstance(a, Variable)}
        bounds = [(x.min, x.min + x.extent) for x in f.layout.dims if x.name in args]
        bounds += [(Poly(), r.extent) for r in d.rdom]
    roi = ", ".join(f"({poly_text(low)}, {poly_text(high)})" for low, high in bounds)
    terms = d.terms()
    numbers = {key(t): i for i, t in enumerate(terms)}
    left = f"{f.name}({', '.join(readable(a) for a in d.args)})"
    value = readable(_with_terms(d.value, numbers))
    where = "" if d.where is None else readable(d.where)
    return StageText(f.name, f"[{roi}]", [readable(t) for t in terms], left, value, d.update, where)


def _with_terms(e: Expr, numbers: dict[int, int]) -> Expr:
    """`e` with its terminals replaced by `terms[i]`."""

    def visit(n: Expr) -> Expr | None:
        if key(n) in numbers:
            return Variable(n.type, f"terms[{numbers[key(n)]}]")
        return n if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE) else None

    return replace(e, visit)


def readable(e: Expr) -> str:
    """An expression for people: index arithmetic without casts, values as the IR prints them."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE):
            args = ", ".join(index_text(a) for a in n.args)
            return Variable(n.type, f"{n.name}({args})")
        return n

    parts, value = in_parts(transform(e, rewrite))
    where = ", ".join(f"{name} = {part}" for name, part in parts)
    return f"{value} where {where}" if parts else str(value)


__all__ = ["StageText", "readable", "stage_text", "stage_texts"]
