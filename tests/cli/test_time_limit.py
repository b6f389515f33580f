"""`--timeout` holds for reading and for symbolic execution too, one function at a time."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from lifter.api import lift_file
from lifter.commands.explain import explanation
from lifter.frontend import FunctionError, parse_file
from lifter.support import deadline
from lifter.support.deadline import TimedOut, until
from lifter.symexec import execute
from synth import lift as lift_module
from synth.failure import NotFound
from synth.lift import lift_function
from synth.options import Options

pytestmark = pytest.mark.few(4)

BRIGHTEN = """
void Brighten(unsigned char* dst, int cols) {
    for (int c = 0; c < cols; c++) dst[c] = dst[c] / 2 + 128;
}
"""


def _deep(levels: int) -> str:
    """A function that calls two that call two, and so on: inlined, it is 2**levels statements."""
    text = "static void F0(int* p, int i) { p[i] += 1; }\n"
    for n in range(1, levels + 1):
        text += f"static void F{n}(int* p, int i) {{ F{n - 1}(p, i); F{n - 1}(p, i + 1); }}\n"
    return text + f"void Deep(int* p, int n) {{ for (int i = 0; i < n; i++) F{levels}(p, i); }}\n"


def _write(folder: Path, text: str) -> str:
    path = folder / "source.cpp"
    path.write_text(text)
    return str(path)


def test_reading_ends_at_the_limit(tmp_path: Path) -> None:
    source = _write(tmp_path, _deep(24) + BRIGHTEN)
    start = time.perf_counter()
    report = lift_file(source, out=str(tmp_path), emit=(), options=Options(timeout=4.0))
    assert time.perf_counter() - start < 60
    deep, brighten = report.functions
    assert (deep.name, deep.status) == ("Deep", "timeout")
    assert deep.reason == "it could not be read within 4 s; raise it with --timeout"
    assert deep.seconds >= 4.0
    assert explanation(deep, source)["stage"] == "reading the function"
    assert (brighten.name, brighten.status) == ("Brighten", "verified")


def test_a_reason_that_came_when_time_was_over_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other ways would have been tried: `not_found` says that there was none."""

    def late(*_: object, **__: object) -> None:
        time.sleep(0.02)
        raise NotFound("roi", "does not hold: x < 3")

    monkeypatch.setattr(lift_module, "_lift", late)
    (function,) = parse_file(_write(tmp_path, BRIGHTEN)).functions
    assert not isinstance(function, FunctionError)
    lifted = lift_function(function, Options(timeout=0.01), allowed=3.0)
    assert lifted.status == "timeout"
    assert lifted.reason == "nothing found within 3 s; raise it with --timeout; so far: does not hold: x < 3"


def test_functions_that_are_not_wanted_are_not_read(tmp_path: Path) -> None:
    source = _write(tmp_path, _deep(24) + BRIGHTEN)
    report = lift_file(source, functions=["Brighten"], out=str(tmp_path), emit=())
    assert [(f.name, f.status) for f in report.functions] == [("Brighten", "verified")]


def test_symbolic_execution_ends_at_the_limit(tmp_path: Path) -> None:
    (function,) = parse_file(_write(tmp_path, BRIGHTEN)).functions
    assert not isinstance(function, FunctionError)
    with until(time.perf_counter()), pytest.raises(TimedOut):
        execute(function)
    assert execute(function)
    lifted = lift_function(function, Options(timeout=0.0))
    assert (lifted.status, lifted.stage) == ("timeout", "parse")
    assert lifted.reason == "nothing found within 0 s, which ended symbolic execution; raise it with --timeout"


def test_a_limit_inside_another_does_not_extend_it() -> None:
    assert deadline.left() == math.inf
    with until(time.perf_counter() - 1.0):
        with until(time.perf_counter() + 100.0), pytest.raises(TimedOut):
            deadline.check()
        assert deadline.left() < 0
    deadline.check()
