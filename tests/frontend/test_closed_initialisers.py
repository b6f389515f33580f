"""Constants of functions whose initialisers are executed: those that always have one value, and others."""

from __future__ import annotations

from pathlib import Path

from lifter.api import lift_file


def test_closed_initialisers(tmp_path: Path) -> None:
    source = Path(__file__).with_name("closed_initialisers.cpp")
    report = lift_file(str(source), out=str(tmp_path))
    found = {f.name: f for f in report.functions}
    assert found.pop("numbers").status == "verified"
    assert len(found) == 10
    assert all(f.status == "unsupported" and "static variable 't'" in f.reason for f in found.values())
