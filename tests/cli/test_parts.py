"""Expressions that are small as graphs and large as trees are written in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codegen.notation import readable
from codegen.shared_subexpressions import DEEPEST, MOST_NODES, in_parts
from halide_core.ir.expr import I32, Add, Expr, Mul, Variable
from halide_core.ir.structural import same, substitute
from lifter.api import lift_file


def _doubled(times: int) -> Expr:
    e: Expr = Mul(I32, Variable(I32, "part0"), Variable(I32, "y"))
    for _ in range(times):
        e = Add(I32, e, Mul(I32, e, e))
    return e


def test_parts_together_are_the_expression() -> None:
    e = _doubled(12)
    parts, rest = in_parts(e, taken={"part1"})
    names = [name for name, _ in parts]
    assert names and "part0" not in names and "part1" not in names
    for name, part in reversed(parts):
        rest = substitute(rest, {name: part})
    assert same(rest, e)


def test_small_expressions_have_no_parts() -> None:
    e = _doubled(3)
    assert in_parts(e) == ([], e)


def test_deep_expressions_are_written_level_by_level() -> None:
    e: Expr = Variable(I32, "x")
    for k in range(100):
        e = Mul(I32, e, Variable(I32, f"y{k}"))
    parts, rest = in_parts(e)
    assert len(parts) == 2 and all(str(part).count("(") < DEEPEST + 2 for _, part in [*parts, ("", rest)])
    for name, part in reversed(parts):
        rest = substitute(rest, {name: part})
    assert same(rest, e)


def test_text_grows_with_the_graph() -> None:
    assert len(readable(_doubled(60))) < 60 * MOST_NODES
    assert " where part1 = " in readable(_doubled(60))


def test_a_sorting_network_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codegen.shared_subexpressions.MOST_NODES", 100)
    source = Path(__file__).with_name("median.cpp")
    report = lift_file(str(source), out=str(tmp_path), emit=("dsl", "halide-cpp", "summary"))
    (function,) = report.functions
    assert function.status == "verified", function.reason
    for path in function.outputs.values():
        assert "part0" in Path(path).read_text()
    module: dict[str, object] = {"__name__": "lifted"}
    exec(Path(function.outputs["dsl"]).read_text(), module)
    images, _, outputs = module["build"]()  # type: ignore[operator]
    src = np.random.default_rng(1).integers(0, 256, 38, dtype=np.uint8)
    hl = module["hl"]
    images["src"].set(hl.Buffer(src))  # type: ignore[attr-defined]
    found = np.asarray(outputs["dst"].realize([32]))
    assert np.array_equal(found, np.median(np.lib.stride_tricks.sliding_window_view(src, 7), axis=1))
