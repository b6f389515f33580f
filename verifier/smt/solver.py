"""Asking Z3: three answers that are never confused."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from lifter.support import deadline
from verifier.smt.linear import linear, ordered, plainly


@dataclass(frozen=True, slots=True)
class Proved:
    """The goal follows from the assumptions."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Refuted:
    """The goal does not follow; `model` gives integer values to the named symbols (bit patterns for bit-vectors)."""

    model: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Unknown:
    """The solver gave up; `reason` is its own word or the time limit."""

    reason: str
    seconds: float = 0.0


Answer = Proved | Refuted | Unknown
_MOST_ANSWERS = 4096
_LINEAR_SECONDS = 1.0
_ANSWERS: dict[tuple[tuple[int, ...], int], tuple[Query, Answer]] = {}
"""By the numbers of the terms, which Z3 shares among equal ones; the query kept here keeps them from being reused."""

_CORES: dict[int, list[tuple[Any, frozenset[int], tuple[Any, ...]]]] = {}
"""By the number of a goal: the goal, with assumptions that it follows from, as numbers and as terms."""

_MARKS: dict[int, tuple[Any, Any]] = {}
"""By the number of an assumption: the name that it is tracked by, and the assumption."""

_MODELS: list[Any] = []
"""The last models of queries about integers that were refuted, the latest first."""
_MOST_MODELS = 12
_MARK = "assumed!"
_MOST_MARKS = 1 << 15


@dataclass(frozen=True, slots=True)
class Query:
    """assumptions => goal, quantifier-free."""

    assumptions: tuple[Any, ...]
    goal: Any

    def smt2(self) -> str:
        """SMT-LIB 2 text; `unsat` means that the condition holds."""
        solver = z3.Solver()
        solver.add(*self.assumptions)
        solver.add(z3.Not(self.goal))
        return str(solver.to_smt2())


def prove(query: Query, timeout: float = 10.0) -> Answer:
    """Decides `query` within `timeout` seconds; a question asked before is answered at once."""
    asked = (tuple(a.get_id() for a in query.assumptions), query.goal.get_id())
    known = _ANSWERS.get(asked)
    if known is not None:
        return known[1]
    if _follows_from_core(asked):
        return Proved()
    deadline.check()
    answer = _decide(query, min(timeout, max(deadline.left(), 0.001)))
    if not isinstance(answer, Unknown):
        if len(_ANSWERS) >= _MOST_ANSWERS:
            _ANSWERS.clear()
        _ANSWERS[asked] = (query, answer)
    return answer


def _decide(query: Query, timeout: float) -> Answer:
    start = time.perf_counter()
    goal = z3.simplify(query.goal)
    if z3.is_true(goal):
        return Proved(time.perf_counter() - start)
    if _refuted_before(query):
        return Refuted(_model(_MODELS[0]), time.perf_counter() - start)
    if _holds_of_products(query, goal, min(timeout / 4, _LINEAR_SECONDS)):
        return Proved(time.perf_counter() - start)
    answer: Answer = Unknown("not tried")
    remaining = timeout
    for attempt in _strategies(query):
        solver = attempt()
        solver.set("timeout", max(1, int(remaining * 500)))
        tracked = attempt is z3.SimpleSolver
        if tracked:
            _track(solver, query.assumptions, query.assumptions)
        else:
            solver.add(*query.assumptions)
        solver.add(z3.Not(goal))
        result = solver.check()
        spent = time.perf_counter() - start
        if result == z3.unsat:
            if tracked:
                _keep_core(solver, query)
            return Proved(spent)
        if result == z3.sat:
            model = solver.model()
            if _has_integers([query.goal]):
                _MODELS.insert(0, model)
                del _MODELS[_MOST_MODELS:]
            return Refuted(_model(model), spent)
        answer = Unknown(str(solver.reason_unknown()), spent)
        remaining = timeout - spent
        if remaining <= 0:
            break
    return answer


def _track(solver: Any, assumptions: Sequence[Any], formulas: Sequence[Any]) -> None:
    """Adds `formulas`, so that the solver can say which of the assumptions that they are readings of it needed."""
    for assumption, formula in {a.get_id(): (a, f) for a, f in zip(assumptions, formulas, strict=True)}.values():
        number = assumption.get_id()
        if number not in _MARKS:
            _MARKS[number] = z3.Bool(f"{_MARK}{number}"), assumption
        solver.assert_and_track(formula, _MARKS[number][0])


def _keep_core(solver: Any, query: Query) -> None:
    """Notes what a solver that found no counterexample made use of: the goal follows from that much whatever else is
    assumed, in a contract with fewer items or on another path."""
    if len(_MARKS) > _MOST_MARKS or len(_CORES) > _MOST_MARKS:
        _CORES.clear()
        _MARKS.clear()
        return
    used = frozenset(int(m.decl().name().removeprefix(_MARK)) for m in solver.unsat_core())
    kept = tuple(a for a in query.assumptions if a.get_id() in used)
    _CORES.setdefault(query.goal.get_id(), []).append((query.goal, used, kept))


def _follows_from_core(asked: tuple[tuple[int, ...], int]) -> bool:
    cores = _CORES.get(asked[1])
    return cores is not None and any(core.issubset(asked[0]) for _, core, _ in cores)


def _refuted_before(query: Query) -> bool:
    """Whether one of the last counterexamples refutes this query too, as questions about one iteration after the other
    often are; it is then the first of `_MODELS`."""
    for k, model in enumerate(_MODELS):
        refuted = z3.is_false(model.eval(query.goal, True))
        if refuted and all(z3.is_true(model.eval(a, True)) for a in query.assumptions):
            _MODELS.insert(0, _MODELS.pop(k))
            return True
    return False


def _holds_of_products(query: Query, goal: Any, timeout: float) -> bool:
    """Whether the goal follows whatever the products of unknowns are: linear, and mostly fast."""
    asked = [*query.assumptions, z3.Not(goal)]
    for reading in (plainly, linear, ordered):
        formulas = reading(asked)
        if formulas is None:
            continue
        aligned = reading is not linear  # a reading of each, and what is said of the products
        solver = z3.SimpleSolver() if aligned else z3.Solver()
        solver.set("timeout", max(1, int(timeout * 1000)))
        if aligned:
            _track(solver, query.assumptions, formulas[: len(query.assumptions)])
            formulas = formulas[len(query.assumptions) :]
        solver.add(*formulas)
        if solver.check() == z3.unsat:
            if aligned:
                _keep_core(solver, query)
            return True
    return False


def smaller(query: Query, found: Refuted, symbols: Sequence[str]) -> Refuted:
    """A counterexample with small values for the integer `symbols`, where there is one."""
    for limit in (4, 16, 64):
        bounds = []
        for name in symbols:
            s = z3.Int(name)
            bounds += [s >= 0, s <= limit]
        answer = prove(Query((*query.assumptions, *bounds), query.goal), 1.0)
        if isinstance(answer, Refuted):
            return answer
    return found


def _strategies(query: Query) -> Sequence[Any]:
    """Solvers to try in turn: where there are integers in the query Z3's plain core, then its default; bit-vector
    ones where there are none."""
    if _has_integers([*query.assumptions, query.goal]):
        return (z3.SimpleSolver, z3.Solver, lambda: z3.Then("simplify", "solve-eqs", "smt").solver())
    return (
        (lambda: z3.Then("simplify", "propagate-values", "solve-eqs", "bit-blast", "sat").solver(), z3.Solver)
        if (not _has_functions([*query.assumptions, query.goal]))
        else (z3.Solver, lambda: z3.SolverFor("QF_UFBV"))
    )


def _walk(roots: list[Any]) -> Any:
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        e = stack.pop()
        if e.get_id() in seen:
            continue
        seen.add(e.get_id())
        yield e
        stack.extend(e.children())


def _has_integers(roots: list[Any]) -> bool:
    return any(z3.is_int(e) for e in _walk(roots) if z3.is_expr(e) and not z3.is_bool(e))


def _has_functions(roots: list[Any]) -> bool:
    return any(z3.is_app(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED and e.num_args() > 0 for e in _walk(roots))


def _model(model: Any) -> dict[str, int]:
    values: dict[str, int] = {}
    for d in model.decls():
        if d.arity() == 0 and not d.name().startswith(_MARK):
            value = model[d]
            if z3.is_int_value(value) or z3.is_bv_value(value):
                values[d.name()] = value.as_long()
            elif z3.is_true(value) or z3.is_false(value):
                values[d.name()] = int(z3.is_true(value))
    return values
