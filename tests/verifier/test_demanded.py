"""Bounds inference asks for no more of a stage than its region; a contract that cannot hold proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Expr, Min, Select, Variable, const
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function
from lifter.ir.summary import ContractItem, FuncSummary, PathSummary
from synth.lift import Lifted, lift_function
from verifier.decide import verify_path

BODY = (
    "void f(const uint8_t* a, uint8_t* d, int n) { uint16_t row[64]; if (n > 64) return; "
    "for (int x = 0; x < n; x++) row[x] = a[x] * 3; "
    "for (int x = 0; x < n; x++) d[x] = (row[x] + row[READ]) >> 3; }"
)


def lifted(tmp_path: Path, read: str) -> Lifted:
    source = tmp_path / "source.cpp"
    source.write_text("#include <cstdint>\n" + BODY.replace("READ", read))
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    found = lift_function(f)
    assert found.status == "verified" and found.summary is not None, found.reason
    return found


@pytest.mark.parametrize(
    ("read", "clamped"),
    [
        ("x + 1 < n ? x + 1 : x", "row(min(x + 1, n - 1))"),
        ("x > 0 ? x - 1 : 0", "row(max(x - 1, 0))"),
        ("n - 1 - x", "row((n - x) - 1)"),
        ("x + 1 < n ? x + 1 : 0", "row(max(min(select((x + 1) < n, x + 1, 0), n - 1), 0))"),
    ],
)
def test_reads_stay_in_the_region(tmp_path: Path, read: str, clamped: str) -> None:
    found = lifted(tmp_path, read)
    assert found.summary is not None
    values = [str(d.value) for p in found.summary.paths for f in p.funcs for d in f.definitions]
    assert any(clamped in v for v in values), values


def test_a_choice_does_not_bound_what_is_computed(tmp_path: Path) -> None:
    found = lifted(tmp_path, "x + 1 < n ? x + 1 : x")
    assert found.summary is not None
    number = next(k for k, p in enumerate(found.summary.paths) if p.funcs)
    x, n, one = Variable(I32, "x"), Variable(I32, "n"), const(1, I32)

    def choice(e: Expr) -> Expr:
        if not isinstance(e, Min) or e.type != I32:
            return e
        after = from_poly(to_poly(x) + to_poly(one), I32)
        return Select(I32, LT(BOOL, after, n), after, x)

    summary = _with_values(found.summary.paths[number], choice)
    verdict = verify_path(found.function, found.paths[number], summary)
    assert [d.condition.name for d in verdict.failures()] == ["demanded"]


def test_a_contract_that_cannot_hold(tmp_path: Path) -> None:
    found = lifted(tmp_path, "n - 1 - x")
    assert found.summary is not None
    number = next(k for k, p in enumerate(found.summary.paths) if p.funcs)
    path = found.summary.paths[number]
    n = Variable(I32, "n")
    never = [GE(BOOL, n, const(5, I32)), LT(BOOL, n, const(5, I32))]
    items = tuple(ContractItem("extent", str(c), c) for c in never)
    verdict = verify_path(found.function, found.paths[number], replace(path, contract=(*path.contract, *items)))
    assert [d.condition.name for d in verdict.failures()] == ["possible"]


def test_a_contract_that_leaves_a_loop_one_iteration(tmp_path: Path) -> None:
    found = lifted(tmp_path, "n - 1 - x")
    assert found.summary is not None
    number = next(k for k, p in enumerate(found.summary.paths) if p.funcs)
    path = found.summary.paths[number]
    single = LT(BOOL, Variable(I32, "n"), const(2, I32))
    for inferred in (True, False):  # the source itself may say so
        item = ContractItem("extent", str(single), single, inferred=inferred)
        verdict = verify_path(found.function, found.paths[number], replace(path, contract=(*path.contract, item)))
        assert ["more-than-once" in [d.condition.name for d in verdict.failures()]] == [inferred]


def test_numbers_beyond_64_bits_stay_what_they_are() -> None:
    for value in ((1 << 64) - 64, -(1 << 63) - 1):
        p = Poly.constant(value) + Poly.variable("n", I64)
        assert to_poly(from_poly(p)) == p


def _with_values(path: PathSummary, rewrite: Callable[[Expr], Expr]) -> PathSummary:
    def changed(f: FuncSummary) -> FuncSummary:
        values = (transform(d.value, rewrite) for d in f.definitions)
        found = zip(f.definitions, values, strict=True)
        return replace(f, definitions=tuple(replace(d, value=v, origin=None, steps=()) for d, v in found))

    return replace(path, funcs=tuple(map(changed, path.funcs)))
