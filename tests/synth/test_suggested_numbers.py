"""Parameters that code is written for some numbers of: which ones, and what becomes of others."""

from __future__ import annotations

from pathlib import Path

from halide_core.ir.expr import BOOL, EQ, I32, Expr, Variable, const
from halide_core.ir.structural import key
from lifter.algebra.fold import negate
from lifter.api import lift_file
from lifter.running.contract_texts import _resolved

SOURCE = Path(__file__).parents[2] / "corpus" / "filter" / "channel_counts.cpp"
ASKED = {"ordered": "first == 2 || first == 0", "run": "channels == 4 || channels == 3"}


def test_what_is_asked_of_callers(tmp_path: Path) -> None:
    report = lift_file(str(SOURCE), functions=list(ASKED), out=str(tmp_path), run=False)
    for f in report.functions:
        assert f.status == "verified", f.reason
        assert ASKED[f.name] in f.contract
        assert not [i for i in f.contract if "||" in i and i != ASKED[f.name]]


def _is(name: str, number: int) -> Expr:
    return EQ(BOOL, Variable(I32, name), const(number, I32))


def _clauses(*clauses: list[Expr]) -> set[frozenset[int]]:
    return {frozenset(c) for c in _resolved([{key(e): e for e in clause} for clause in clauses])}


def test_conditions_of_paths_together() -> None:
    """Of the paths for a 2 that is none, whatever b is, it is left that a is 2 or 0."""
    a0, a2, b3, b4 = _is("a", 0), _is("a", 2), _is("b", 3), _is("b", 4)
    found = _clauses([a0, a2, negate(b3)], [a0, a2, b3, negate(b4)], [a0, a2, b3, b4])
    assert found == {frozenset({key(a0), key(a2)})}
    others = [a0, b3], [a0, negate(b4)]
    assert _clauses(*others) == {frozenset(map(key, c)) for c in others}
