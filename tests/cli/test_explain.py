"""`lift explain`: stage, line, closest candidate and counterexample of what is not lifted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lifter.cli import main

SOURCE = Path(__file__).with_name("explain.cpp").read_text()


def explain(tmp_path: Path, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    path = tmp_path / "legacy.cpp"
    path.write_text(SOURCE)
    with pytest.raises(SystemExit) as ended:
        main(["explain", str(path), *args])
    out = capsys.readouterr()
    return int(ended.value.code or 0), out.out + out.err


def record(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> dict[str, Any]:
    status, text = explain(tmp_path, capsys, "-f", name, "--json")
    assert status == 1
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_region_that_is_no_box(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = record(tmp_path, capsys, "Transpose")
    assert found["stage"].startswith("region of interest")
    assert found["text"] == SOURCE.splitlines()[found["line"] - 1].strip()
    assert "box" in found["reason"]


def test_a_summary_that_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = record(tmp_path, capsys, "Sparse")
    assert found["stage"].startswith("verification") and found["line"] == 11
    closest = found["closest"]
    assert closest["proved"] > 0 and closest["funcs"][0] == "b over x in [0, n)"
    refuted = closest["refuted"][0]
    # At this point the condition of the original is false, so that it does not read there.
    i, n = refuted["example"]["i"], refuted["example"]["n"]
    assert i * i % 7 != 4 and 0 <= i < n, refuted


def test_a_construct_outside_the_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = record(tmp_path, capsys, "Chase")
    assert found["stage"].startswith("parsing") and "pointer to pointer" in found["reason"]


def test_text_and_exit_statuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = explain(tmp_path, capsys, "-f", "Sparse")
    assert status == 1
    assert "  closest " in text and "  by " in text and "  next " in text
    assert explain(tmp_path, capsys, "-f", "Copy")[0] == 0
    status, text = explain(tmp_path, capsys, "-f", "Missing")
    assert status == 2 and "no function 'Missing'" in text
    assert explain(tmp_path, capsys)[0] == 2
