"""Recorded runs, played again on the emulator and through the driver's binding."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from corpus.pipelines.common import pipelines
from halide_core.gpu.driver import CudaDriver
from halide_core.gpu.runtime import device_runtime
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.check import record, replay
from tests.gpu.check.libraries import check_libraries
from tests.gpu.check.recorder import Recorder
from tests.gpu.check.recording import Recording, drawn, play, settle
from tests.gpu.check.replay import Timed, Untimed, check, markdown
from tests.gpu.driver_library import needs_compiler, redirect, stand_in
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import GlobalMemory
from tests.gpu.test_driver import StandIn

pytestmark = pytest.mark.few(4)

SOME = ("blur_shared", "host_between", "threads_of_any_number", "wide_integers")


def _recorded(folder: Path, names: tuple[str, ...] = SOME) -> None:
    for name in names:
        recorder = Recorder(name, "ours", Emulator(), {})
        f, params = CASES[name].make(hc, True)
        for n, array in data_of(CASES[name]).items():
            params[n].set(hc.Buffer(array))
        with device_runtime(recorder):
            running.realized(f, CASES[name].size, hc.Target(running.TARGET))
        recorder.recording.save(folder / f"{name}.ours.run")


def test_what_is_recorded_is_played(tmp_path: Path) -> None:
    _recorded(tmp_path)
    device = Emulator()
    rows = check(tmp_path, device, Untimed(), 60)
    assert [r["wrong"] for r in rows] == [""] * len(SOME)
    assert device.launches
    assert running.left(device) == 0


def test_a_result_that_differs_is_told(tmp_path: Path) -> None:
    _recorded(tmp_path, SOME[:1])
    (path,) = tmp_path.iterdir()
    r = Recording.load(path)
    kept = next(e[3][1] for e in r.events if e[0] == "out")
    r.blobs[kept] = bytes([r.blobs[kept][0] ^ 1]) + r.blobs[kept][1:]
    r.save(path)
    (row,) = check(tmp_path, Emulator(), Untimed(), 60)
    assert row["wrong"].startswith("1 of ")
    assert "blur_shared (ours): 1 of " in markdown({}, {}, [row])


def test_bytes_that_nothing_stores_to_do_not_count() -> None:
    stored = bytes(range(8))
    events = [["malloc", 256, 16], ["in", 256, ["blob", 0]], ["out", 256, 16, ["blob", 1], None], ["free", 256]]
    memory = GlobalMemory()
    garbage = memory.areas[memory.malloc(16)][0].data[8:].tobytes()
    r = Recording("r", "ours", events=events, blobs=[stored, stored + garbage])

    def played(seed: int = 3) -> str:
        return play(r, Emulator(GlobalMemory(seed)), lambda _, launch: launch())[0]

    assert played(1) == ""
    assert "of 16 bytes" in played()
    settle(r, [Emulator(GlobalMemory(inverted=True))])
    assert r.blobs[-1] == bytes([0xFF, 0])
    assert played() == ""
    r.blobs[0] = bytes(8)
    assert played() == "7 of 16 bytes of a result differ"


def test_bytes_that_are_the_same_by_chance_do_not_count() -> None:
    """What the first other garbage leaves as it was the next ones change."""
    memory = GlobalMemory(inverted=True)
    garbage = memory.areas[memory.malloc(16)][0].data.copy()
    garbage[8:] ^= 0xFF
    events = [["malloc", 256, 16], ["out", 256, 16, ["blob", 0], None], ["free", 256]]
    r = Recording("r", "ours", events=events, blobs=[garbage.tobytes()])
    settle(r, [Emulator(GlobalMemory(inverted=True))])
    assert r.blobs[-1] == bytes([0xFF, 0])
    settle(r, (Emulator(GlobalMemory(seed, inverted=seed == 1)) for seed in range(1, 4)))
    assert r.blobs[-1] == bytes(2)


def test_inputs_that_are_drawn_are_not_kept(tmp_path: Path) -> None:
    """And without an emulator nothing is computed, and results are not compared."""
    f, image, x, xi = hc.Func("f"), hc.ImageParam(hc.Float(32), 1, "image"), hc.Var("x"), hc.Var("xi")
    f[x] = image[x] * 2
    f.gpu_tile(x, xi, 32)
    data = drawn(3, [4096], "float32")
    image.set(hc.Buffer(data))
    recorder = Recorder("doubled", "ours", None, {(3, (4096,), "float32"): data})
    out = hc.Buffer(hc.Float(32), [4096])
    with device_runtime(recorder):
        f.realize(out, hc.Target(running.TARGET))
        out.copy_to_host()
    assert not np.asarray(out).any()
    recorder.recording.kind = "float32"
    recorder.recording.save(tmp_path / "doubled.run")
    r = Recording.load(tmp_path / "doubled.run")
    assert r.blobs == []
    device = Emulator()
    wrong, (found,) = play(r, device, Untimed().around)
    assert wrong == ""
    assert np.array_equal(found, data * 2)
    assert len(device.launches) == 1


class Ticking(StandIn):
    """A driver with marks, one millisecond apart."""

    marks = 0

    def cuEventCreate(self, event: Any, flags: Any) -> int:
        self.marks += 1
        event._obj.value = self.marks
        return 0

    def cuEventRecord(self, event: Any, stream: Any) -> int:
        return 0

    def cuEventSynchronize(self, event: Any) -> int:
        return 0

    def cuEventElapsedTime(self, out: Any, first: Any, last: Any) -> int:
        out._obj.value = float(last.value - first.value)
        return 0

    def cuEventDestroy_v2(self, event: Any) -> int:
        return 0


def test_kernels_are_timed_against_each_other(tmp_path: Path) -> None:
    _recorded(tmp_path, SOME[:1])
    r = Recording.load(tmp_path / f"{SOME[0]}.ours.run")
    theirs = Recording(r.name, "package", r.kind, r.events, r.texts, r.blobs)
    theirs.save(tmp_path / f"{SOME[0]}.package.run")
    device = CudaDriver(Ticking())
    rows = check(tmp_path, device, Timed(device), 60)
    assert [(r["by"], r["wrong"]) for r in rows] == [("ours", ""), ("package", "")]
    assert rows[0]["ms"] == rows[1]["ms"] == len(rows[0]["kernels"]) > 0
    assert f"| {SOME[0]} | {rows[0]['ms']:.4f} |" in markdown({}, {}, rows)


def test_the_player_needs_numpy_alone(tmp_path: Path) -> None:
    """On a machine that has no driver it says so, whatever else is missing."""
    _recorded(tmp_path, SOME[:1])
    script = (
        "import runpy, sys\n"
        "for n in ('llvmlite', 'z3', 'clang', 'rich', 'click', 'halide', 'pytest'):\n    sys.modules[n] = None\n"
        f"sys.argv = ['replay', {str(tmp_path)!r}]\nrunpy.run_path({replay.__file__!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        pytest.skip("there is a device")
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(record, "CASES", {n: CASES[n] for n in SOME[:2]})
    monkeypatch.setattr(sys, "argv", ["record", str(tmp_path / "runs"), "--random", "2", "--no-pipelines"])
    record.main()
    assert "2 cases, " in capsys.readouterr().out
    page = tmp_path / "page.md"
    found = tmp_path / "found.json"
    monkeypatch.setattr(
        sys, "argv",
        ["replay", str(tmp_path / "runs"), "--emulated", "--json", str(found), "--markdown", str(page)],
    )  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        replay.main()
    assert ended.value.code == 0
    rows = json.loads(found.read_text())["runs"]
    assert len(rows) >= 4 and all(not r["wrong"] for r in rows)
    assert page.read_text().startswith("# Kernels on a device\n")


def test_pipelines_under_auto_gpu(tmp_path: Path) -> None:
    """At a small size with results, at the papers' beside the schedules by hand: the latter on a device alone."""
    blur = [p for p in pipelines() if p.name == "blur"]
    assert record.record_auto_gpu(tmp_path, blur) == 1
    recorded = Recording.load(tmp_path / "small_blur.AutoGPU.run")
    for by, name in (("ours", "ours"), ("AutoGPU", "AutoGPU")):
        copy = Recording("blur", name, recorded.kind, recorded.events, recorded.texts, recorded.blobs)
        copy.save(tmp_path / f"pipeline_blur.{by}.run")
    assert [(r["name"], r["by"], r["wrong"]) for r in check(tmp_path, Emulator(), Untimed(), 60)] == [
        ("small blur", "AutoGPU", "")
    ]
    device = CudaDriver(Ticking())
    rows = check(tmp_path, device, Timed(device), 60)
    assert [(r["name"], r["by"], r["wrong"]) for r in rows] == [
        ("small blur", "AutoGPU", ""), ("blur", "ours", ""), ("blur", "AutoGPU", ""),
    ]  # fmt: skip
    assert "| pipeline | ours by hand, ms | AutoGPU, ms |" in markdown({}, {}, rows)


@needs_compiler
def test_libraries(tmp_path: Path) -> None:
    """Cases as libraries: run by what is there on a machine with a device, and told where they differ."""
    names = ("blur_shared", "host_between", "halves")
    assert record.record_libraries(tmp_path, names) == len(names)
    for path in tmp_path.glob("*.so"):
        redirect(path)
    found = dict(np.load(tmp_path / "object_blur_shared.npz"))
    found["wanted"][3, 4] += 1
    np.savez(tmp_path / "object_changed.npz", **found)
    (tmp_path / "object_changed.so").write_bytes((tmp_path / "object_blur_shared.so").read_bytes())
    driver = stand_in(tmp_path)
    rows = {r["name"]: r["wrong"] for r in check_libraries(tmp_path)}
    assert rows == {f"object_{n}": "" for n in names} | {"object_changed": "1 of 1073 values differ"}
    assert not driver.problems
    driver.failing["cuLaunchKernel"] = (719, 0)
    assert all("CUDA: cuLaunchKernel failed" in r["wrong"] for r in check_libraries(tmp_path))


def test_libraries_need_nothing_else(tmp_path: Path) -> None:
    """No package but NumPy is imported where they are run and measured."""
    code = (
        "import sys\n"
        "from tests.gpu.check.replay import _alone\n"
        "_alone()\n"
        "import codegen.device_timing, tests.gpu.check.libraries\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'llvmlite', 'z3', 'clang', 'halide', 'pytest'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
