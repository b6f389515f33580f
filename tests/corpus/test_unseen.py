"""Random pipelines and schedules: the same for a seed, accepted by both modules with the same results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import halide_core
from corpus.bench.timed_process import NotTimed
from corpus.unseen.measure import OURS, THEIRS, Finding, Result, measure
from corpus.unseen.pipeline import Pipeline, random_pipeline
from corpus.unseen.process import Contender, ContenderProcess
from corpus.unseen.report import distribution, worst, write
from corpus.unseen.schedule import random_schedule
from corpus.unseen.script import agree, bound_names, script

pytestmark = pytest.mark.few(3)

LIMIT = 120.0


def _result(p: Pipeline, directives: list[str], module: str) -> np.ndarray:
    process = ContenderProcess(Contender(module, module, "host", tuple(directives)), p)
    try:
        return process.ready(LIMIT).result
    finally:
        process.close()


@pytest.mark.parametrize("seed", range(12))
def test_a_seed_stands_for_one_pipeline_and_one_schedule(seed: int) -> None:
    p = random_pipeline(seed)
    assert random_pipeline(seed).lines == p.lines
    assert random_schedule(random_pipeline(seed), 1) == random_schedule(p, 1)
    assert random_pipeline(seed + 1000).lines != p.lines
    assert 2 <= len(p.stages) <= 20
    bound_names(p, random_schedule(p, 1), halide_core)


@pytest.mark.parametrize("seed", [pytest.param(n, marks=pytest.mark.few(3)) for n in (28, 7, 6, 9)])
def test_both_modules_accept_a_schedule_with_the_same_result(seed: int) -> None:
    pytest.importorskip("halide")
    p = random_pipeline(seed)
    for draw in range(6):
        directives = random_schedule(p, draw)
        try:
            ours, theirs = (_result(p, directives, m) for m in (OURS, THEIRS))
        except NotTimed:
            continue
        assert agree(p, ours, theirs) == ""
        return
    pytest.fail("no schedule is accepted by both")


def test_the_script_gives_the_same_result(tmp_path: Path) -> None:
    p = random_pipeline(28)
    directives = random_schedule(p, 0)
    path = tmp_path / "pair.py"
    path.write_text(script(p, directives, "A pair."))
    subprocess.run([sys.executable, str(path), "halide_core", str(tmp_path / "result.npy")], check=True)
    assert np.array_equal(np.load(tmp_path / "result.npy"), _result(p, directives, OURS))


def test_what_differs_is_told() -> None:
    p = random_pipeline(28)
    a = p.output.empty()
    b = a.copy()
    assert agree(p, a, b) == ""
    b[..., 2] = 7
    assert "first" in agree(p, a, b) and ", 0, 2)" in agree(p, a, b)


def test_the_report_has_the_worst_first_and_writes_scripts(tmp_path: Path) -> None:
    p = random_pipeline(28)
    pairs = [(1.5, 0.5), (0.5, 2.0), (1.0, 1.0)]
    results = [Result(28, 2, p.output.size, [], {}, {}, {}, ratio, compiled) for ratio, compiled in pairs]
    assert [r.ratio for r in worst(results)] == [0.5, 1.0, 1.5]
    assert distribution(results).row_count == 2
    write(tmp_path, results, [Finding(28, OURS, "refused: \"why\"", [])], {})
    assert {f.name for f in tmp_path.iterdir()} == {
        "unseen.json", "finding_01_seed_28.py", *(f"worst_0{n}_seed_28.py" for n in (1, 2, 3))
    }


@pytest.mark.few(1000)
def test_a_pair_is_timed() -> None:
    pytest.importorskip("halide")
    result, _ = measure(28, 0.1, LIMIT, False)
    assert result is not None and not result.differs
    assert result.ratio is not None and result.ratio > 0 and result.compile_ratio is not None
