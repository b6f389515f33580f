"""Algorithms on ranges of elements that lie in memory of smaller units, beside their originals."""

from __future__ import annotations

from pathlib import Path

from lifter.api import lift_file


def test_ranges_of_words(tmp_path: Path) -> None:
    source = Path(__file__).with_name("ranges_of_words.cpp")
    report = lift_file(str(source), out=str(tmp_path), run=True)
    assert len(report.functions) == 6
    for f in report.functions:
        assert f.status == "verified", f"{f.name}: {f.reason}"
        assert f.run is not None and f.run.calls, f.name
