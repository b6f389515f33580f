"""Summaries in the paper's notation: roi, terms, expression (paper, figure 2b)."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.shared_subexpressions import in_parts
from halide_core.ir.expr import Call, CallType, Expr, Select, Variable, const_value
from halide_core.ir.structural import key, replace, transform
from lifter.algebra.index_printer import index_text
from lifter.algebra.polynomial import Poly, poly_text
from lifter.ir.loop_ir import NULL_RESULT, Function
from lifter.ir.summary import Definition, FuncSummary, PathSummary, Summary
from verifier.contract import index_text_of


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


def returned_text(function: Function, path: PathSummary) -> str:
    """What a path returns of a function that returns a pointer or a reference, in words; "" for any other."""
    pointer = function.interface.pointer if function.interface is not None else None
    if pointer is None or path.result is None:
        return ""
    return _led_to(("a reference to " if pointer.reference else "") + pointer.base, path.result)


def returned_texts(summary: Summary) -> list[str]:
    """The same of each path, and where it is taken; those that return the same under all conditions, once."""
    paths = [(returned_text(summary.function, p), p.conditions) for p in summary.paths]
    found = [(text, conditions) for text, conditions in paths if text]
    if len({text for text, _ in paths}) == 1:
        return [text for text, _ in found[:1]]
    return [f"{text} where {' and '.join(index_text_of(c) for c in conditions)}" for text, conditions in found]


def _led_to(base: str, e: Expr) -> str:
    value = const_value(e)
    if value == NULL_RESULT:
        return "null"
    if isinstance(e, Select) and NULL_RESULT in (const_value(e.true_value), const_value(e.false_value)):
        condition = readable(transform(e.condition, _as_null))
        return f"{_led_to(base, e.true_value)} if {condition}, else {_led_to(base, e.false_value)}"
    if value is not None:
        return base if value == 0 else f"{base} {'-' if value < 0 else '+'} {abs(int(value))} bytes"
    return f"{base} + {index_text(transform(transform(e, _as_null), _as_name))} bytes"


def _as_null(n: Expr) -> Expr:
    return Variable(n.type, "null") if const_value(n) == NULL_RESULT else n


def result_lines(function: Function) -> list[str]:
    """For texts over the flat parameters: what the number stands for that a function returns for a pointer."""
    pointer = function.interface.pointer if function.interface is not None else None
    if pointer is None:
        return []
    null = "" if pointer.reference else "; the least number is null"
    return [f"The result says how many bytes the returned pointer lies behind {pointer.base or 'null'}{null}."]


def _with_terms(e: Expr, numbers: dict[int, int]) -> Expr:
    """`e` with its terminals replaced by `terms[i]`."""

    def visit(n: Expr) -> Expr | None:
        if key(n) in numbers:
            return Variable(n.type, f"terms[{numbers[key(n)]}]")
        return n if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE) else None

    return replace(e, visit)


def readable(e: Expr) -> str:
    """An expression for people: index arithmetic without casts, values as the IR prints them."""

    parts, value = in_parts(transform(e, _as_name))
    where = ", ".join(f"{name} = {part}" for name, part in parts)
    return f"{value} where {where}" if parts else str(value)


def _as_name(n: Expr) -> Expr:
    if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE):
        args = ", ".join(index_text(a) for a in n.args)
        return Variable(n.type, f"{n.name}({args})")
    return n


__all__ = ["StageText", "readable", "result_lines", "returned_text", "returned_texts", "stage_text", "stage_texts"]
