"""`lift bench`: a call that crashes costs its own function only."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from lifter.frontend import FunctionError, parse_file
from lifter.harness.own_process import ProcessDied, told_by
from lifter.harness.timing_arguments import arguments, contract_holds
from synth.lift import lift_function

pytestmark = pytest.mark.few(4)

SOURCE = Path(__file__).with_name("bench.cpp").read_text()


def test_what_is_told_before_the_end() -> None:
    def work(tell: Any) -> None:
        tell(1)
        tell(2)
        os.kill(os.getpid(), signal.SIGABRT)

    told = []
    with pytest.raises(ProcessDied, match="SIGABRT"):
        for x in told_by(work):
            told.append(x)
    assert told == [1, 2]


def test_exceptions_pass() -> None:
    def work(tell: Any) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(told_by(work))
    assert list(told_by(lambda tell: tell("all"))) == ["all"]


def test_a_crash_costs_one_function(lift: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The originals are compiled with BROKEN, which what is lifted does not see."""
    monkeypatch.setattr("lifter.commands.bench.O2", ("-O2", "-DBROKEN"))
    file = tmp_path / "some.cpp"
    file.write_text(SOURCE)
    out = tmp_path / "bench.json"
    result = lift("bench", str(file), "--sizes", "16", "--seconds", "0.01", "--sample", "0.1", "--json", str(out))
    found = json.loads(out.read_text())
    assert [r["function"] for r in found["results"]] == ["first", "second", "third"]
    (lost,) = found["not_timed"]
    assert lost["function"] == "broken"
    assert lost["reason"] == "ended by SIGABRT at 16x16, running the original"
    assert result.status == 0


def test_one_thread(lift: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_NUM_THREADS", "3")
    file = tmp_path / "some.c"
    file.write_text("void halve(unsigned char *p, int n) { for (int i = 0; i < n; i++) p[i] /= 2; }\n")
    out = tmp_path / "bench.json"
    options = "--sizes", "16,1024", "--seconds", "0.01", "--sample", "0.1", "--one-thread", "--json", str(out)
    result = lift("bench", str(file), *options)
    assert "over one thread" in result.out
    assert all(r["over_one_thread"] > 0 for r in json.loads(out.read_text())["results"])
    assert os.environ["HL_NUM_THREADS"] == "3"


CONTAINERS = Path(__file__).with_name("bench_containers.cpp").read_text()


def test_containers_are_large_enough(tmp_path: Path) -> None:
    file = tmp_path / "containers.cpp"
    file.write_text(CONTAINERS)
    (function,) = parse_file(str(file)).functions
    assert not isinstance(function, FunctionError)
    lifted = lift_function(function)
    assert lifted.summary is not None, lifted.reason
    args = arguments(lifted.summary, 64)
    assert contract_holds(lifted.summary, args)
    assert {len(m.bytes) for n, m in args.memory.items() if n in ("a", "b")} == {64 * 64 * 4}


def test_a_device_that_is_not_there(lift: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said at once, before anything is lifted."""
    from halide_core.errors import HalideError
    from halide_core.gpu import driver

    (tmp_path / "f.cpp").write_text(SOURCE)

    def without() -> None:
        raise HalideError(f"There is no CUDA driver ({driver.LIBRARY}) that this process could run kernels with: none")

    def no_device() -> None:
        raise HalideError("CUDA: cuDeviceGet failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)")

    said = {without: "there is no CUDA driver (libcuda.so.1)", no_device: "CUDA_ERROR_NO_DEVICE"}
    for found, words in said.items():
        monkeypatch.setattr(driver, "driver", found)
        run = lift("bench", "f.cpp", "--target", "host-cuda")
        assert run.status == 2
        assert run.err.startswith("error: --target host-cuda: nothing can be timed on a device here: ")
        assert words in run.err
        assert run.out == ""


def test_a_schedule_for_a_device_is_reported(lift: Any, tmp_path: Path) -> None:
    (tmp_path / "f.cpp").write_text(SOURCE)
    run = lift("f.cpp", "-f", "third", "--target", "host-cuda", "--no-run")
    assert run.status == 0
    assert "  note: on the device: d\n" in run.err
    text = (tmp_path / "lifted" / "third.py").read_text()
    assert 'TARGET = "host-cuda"' in text
    assert "d.gpu_tile(" in text
