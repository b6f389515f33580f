"""Modules that say something else than the summary are refused, and nothing is written of such a function."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import codegen.halide_python as dsl
from codegen.printed import printed_paths
from codegen.reading import Misprint, check_module
from lifter.api import lift_file

SOURCE = Path(__file__).with_name("reading.cpp").read_text()
CHANGES = [
    ("Mixed", r"hl\.u32\(1\) <<", "1 <<"),
    ("Mixed", r"- 1, y\]", "- 2, y]"),
    ("Mixed", r"0\.5\)", "0.25)"),
    ("Mixed", r"weights\[x\] < ", "weights[x] > "),
    ("Mixed", r"hl\.UInt\(32\), \"gain\"", 'hl.Int(32), "gain"'),
    ("Mixed", r"hl\.ImageParam\(hl\.UInt\(8\), 2", "hl.ImageParam(hl.UInt(16), 2"),
    ("Mixed", r"-7, 300", "-7, 301"),
    ("Mixed", r"\(not above_is_null\)", "above_is_null"),
    ("Mixed", r"False\) < 12", "False) < 13"),
    ("Mixed", r"return build_0, regions_0", "return build_1, regions_0"),
    ("Mixed", r"\"out\": \(\"out\", 0", '"out": ("out", 1'),
    ("Count", r"\+ 2", "+ 3"),
    ("Count", r"\(0, n\)", "(0, n - 1)"),
    ("Count", r"!= 9", "== 9"),
    ("Count", r"hl\.u32\(2\)|\+ 2", "+ 1"),
]


@pytest.fixture(scope="module")
def lifted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    source = folder / "mixed.cpp"
    source.write_text(SOURCE)
    report = lift_file(str(source), out=str(folder), run=False)
    assert [f.status for f in report.functions] == ["verified"] * 2, [f.reason for f in report.functions]
    return {f.name: (f.lifted.summary, (folder / f"{f.name}.py").read_text()) for f in report.functions}


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_change_is_seen(name, old, new, lifted) -> None:
    summary, text = lifted[name]
    paths = printed_paths(summary)
    check_module(text, summary, paths)
    changed, count = re.subn(old, new, text, count=1)
    assert count == 1, text
    with pytest.raises(Misprint):
        check_module(changed, summary, paths)


def test_nothing_is_written_of_a_misprint(tmp_path, monkeypatch) -> None:
    source = tmp_path / "mixed.cpp"
    source.write_text(SOURCE)
    monkeypatch.delenv("LIFT_DEBUG", raising=False)
    real = dsl.PythonPrinter.literal
    monkeypatch.setattr(dsl.PythonPrinter, "literal", lambda self, value: "8" if value == 9 else real(self, value))
    report = lift_file(str(source), out=str(tmp_path), emit=("summary", "dsl"), run=False)
    status = {f.name: f.status for f in report.functions}
    assert status == {"Mixed": "verified", "Count": "error"}
    wrong = next(f for f in report.functions if f.name == "Count")
    assert "internal error while writing it: Misprint" in wrong.reason
    assert not wrong.outputs
    assert not list(tmp_path.glob("Count*"))
    assert (tmp_path / "Mixed.py").exists()
