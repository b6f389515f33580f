"""What cannot be lifted is reported with its line and construct, and stops no other function of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.few(3)

FOLDER = Path(__file__).parent
EXPECTED = {
    "recursion": (5, "recursion (call to 'recursion')"),
    "jump": (10, "goto"),
    "changing": (13, "volatile"),
    "printing": (16, "input/output function 'printf'"),
    "streaming": (18, "input/output function 'operator<<'"),
    "assembly": (19, "inline assembly"),
    "pointer": (20, "function pointer"),
    "permute": (23, "perm"),
    "knowing": (27, "code that asks what the compiler knows"),
    "bodiless": (25, "external function 'external' has no body here; give the file that defines it, or a model"),
}


@pytest.fixture
def legacy(source):
    """legacy("darken.cpp") -> "legacy.cpp", a copy of that file in the folder that `lift` runs in."""
    return lambda name: source("legacy.cpp", (FOLDER / name).read_text())


@pytest.fixture
def reported(lift, legacy):
    """The report of the file of unsupported constructs: by name, and the whole run."""
    run = lift(legacy("unsupported.cpp"), "--json")
    assert run.status == 1
    return {f["name"]: f for f in json.loads(run.out)["functions"]}, run


def test_line_and_construct(reported):
    functions, run = reported
    assert set(functions) == {*EXPECTED, "invert"}
    for name, (line, construct) in EXPECTED.items():
        f = functions[name]
        assert f["status"] in ("unsupported", "not_found"), name
        assert f["line"] == line, name
        assert construct in f["reason"], name
        assert f"legacy.cpp:{line}:{f['column']}: {f['status']}: {name}: {f['reason']}" in run.err
        assert not f["outputs"]


def test_the_others_are_lifted(reported, tmp_path):
    functions, run = reported
    assert functions["invert"]["status"] == "verified"
    assert (tmp_path / functions["invert"]["outputs"]["dsl"]).exists()
    assert run.err.rstrip().endswith("1 verified")


def test_selected_function_alone_decides(lift, legacy):
    assert lift(legacy("unsupported.cpp"), "-f", "invert").status == 0


def test_inferred_contract_is_named(lift, legacy):
    run = lift(legacy("darken.cpp"))
    assert run.status == 0
    assert "    cols <= rowBytes  (not stated in the source)\n" in run.err


def test_models_of_external_functions(lift, legacy):
    file, models = legacy("external.cpp"), str(FOLDER / "models.cpp")
    without = lift(file)
    assert without.status == 1
    assert "call to external function 'UDIV255' has no body here" in without.err
    assert "call to external function 'HashFunction' has no body here" in without.err
    run = lift(file, "--model", models)
    assert run.status == 0
    assert "dst(x) = uint8(UDIV255(uint32(int32(terms[0]) * terms[1])))" in run.err
    assert "terms = [table(HashFunction(y, x))]" in run.err
