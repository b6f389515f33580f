"""Values between their measured ends: with the ends that they have, what a function does stays what it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Function, Loop, walk
from lifter.transforms.loops.bound_measured_values import bounded
from tests.c_files import function_of, names_of

SOURCE = Path(__file__).with_name("measured") / "functions.cpp"


def _ends(f: Function, tables: dict[str, np.ndarray]) -> dict[str, int]:
    out = {}
    for m in f.measured:
        values = tables[m.array][m.first :: m.step]
        out |= {m.least: int(values.min()), m.most: int(values.max())}
    return out


@pytest.mark.parametrize("name", names_of(SOURCE))
def test_nothing_changes(name: str) -> None:
    before = function_of(SOURCE, name)
    after = bounded(before, {"a", "b"})
    assert after is not None and {m.array for m in after.measured} <= {"a", "b"}
    rng = np.random.default_rng(1)
    for n in range(9):
        for v in range(3):
            a, b = (rng.integers(0, 9, 10, np.int32) for _ in "ab")
            given = {"s": rng.integers(0, 99, 64, np.uint8), "a": a, "b": b, "n": n, "v": v}
            results = []
            for f, more in ((before, {}), (after, _ends(after, {"a": a, "b": b}))):
                d = np.full(256, 7, np.uint8)
                run(f, {**given, **more, "d": d})
                results.append(d)
            assert (results[0] == results[1]).all(), (n, v, a, b)


def test_ends_of_pairs() -> None:
    """Two numbers side by side have ends of their own; where arithmetic may wrap they have not."""
    pairs = bounded(function_of(SOURCE, "pairs"), {"a"})
    assert pairs is not None
    assert [(m.array, m.step, m.first, m.role) for m in pairs.measured] == [("a", 2, 0, ""), ("a", 2, 1, "end")]
    assert len([s for s in walk(pairs.body) if isinstance(s, Loop)]) == 2


def test_roles() -> None:
    spans = bounded(function_of(SOURCE, "spans"), {"a", "b"})
    assert spans is not None
    assert {m.array: m.role for m in spans.measured} == {"a": "begin", "b": "end"}


def test_what_cannot_be_measured(tmp_path: Path) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(
        "#include <cstdint>\n"
        "void f(uint8_t* d, const uint8_t* s, int* p, const float* q, int n) {"
        " for (int i = 0; i < n; i++) { d[i] = s[p[i] + (int)q[i]]; p[i] = 0; } }"
    )
    f = function_of(source, "f")
    assert bounded(f, {"p", "q", "d"}) is None
    assert bounded(f, {"s"}) is not None  # of what addresses nothing, too
