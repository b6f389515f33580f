"""Functions of the corpus lifted for a device: one in sixty of the verified ones beside their originals on the emulated
device, and their text under the package `halide`.  `make corpus-gpu` runs them all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lifter.api import FileReport, lift_file
from tests.gpu import lifted, package
from tests.gpu.emulator.device import Emulator

pytestmark = pytest.mark.long

_SIZES = ((33, 9), (5, 3))
SOURCE = Path(__file__).with_name("lifted.cpp").read_text()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("file", sorted({e.file for e in lifted.chosen(60)}))
def test_equals_the_original(file: str) -> None:
    for o in lifted.outcomes([e for e in lifted.chosen(60) if e.file == file], _SIZES):
        assert not o.problem, (o.name, o.problem)
        assert o.is_scheduled, (o.name, o.notes)


def test_reductions_equal_the_original(tmp_path: Path) -> None:
    """Sums and extremes under conditions, in wrapping arithmetic, and such as go on from what the memory holds."""
    source = tmp_path / "reductions.cpp"
    source.write_text(SOURCE)
    wanted: dict[str, dict[str, tuple[int, int]]] = {n: {} for n in ("total", "counts", "above", "least", "count_on")}
    wanted["less"] = {"n": (4000, 6000)}
    for o in lifted.outcomes_of(source, wanted, ((67, 71), (5, 3))):
        assert not o.problem, (o.name, o.problem)
        assert o.launched == o.runs, (o.name, o.notes)
        assert not any(n.startswith("on the host") for n in o.notes), (o.name, o.notes)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileReport, Path]:
    folder = tmp_path_factory.mktemp("device")
    source = folder / "four.cpp"
    source.write_text(SOURCE)
    out = folder / "out"
    kinds = ("dsl", "halide-cpp")
    return lift_file(str(source), out=str(out), emit=kinds, target=lifted.TARGET, run=False), out


def test_the_report_says_what_stays_on_the_host(report: tuple[FileReport, Path]) -> None:
    notes = {f.name: f.notes for f in report[0].functions}
    assert notes["total"] == ["on the device: t_bits, t, result"]
    assert notes["counts"] == ["on the device: bins_bits, bins"]
    assert notes["blur"] == ["on the device: t, d"]
    (only,) = notes["product"]
    assert only.startswith("on the host, all of it: t: it is a sum of floats, whose order is part of its value")


def test_the_text_says_it_too(report: tuple[FileReport, Path]) -> None:
    text = (report[1] / "total.py").read_text()
    assert f'TARGET = "{lifted.TARGET}"' in text
    assert "def build(device=True):" in text
    assert "def build():" in (report[1] / "product.py").read_text()
    assert "if (get_target().has_gpu_feature()) {" in (report[1] / "total_generator.cpp").read_text()


def _built(folder: Path, name: str, module: str) -> Any:
    hidden = pytest.MonkeyPatch()
    with hidden.context() as patch:
        if module != "halide":
            patch.setitem(sys.modules, "halide", None)
        space: dict[str, Any] = {"__name__": name}
        exec((folder / f"{name}.py").read_text(), space)
    return space


@pytest.mark.parametrize("name", ["total", "counts", "blur"])
def test_the_package_takes_the_schedule(report: tuple[FileReport, Path], name: str) -> None:
    """The kernels that the package `halide` makes of the same text compute the same."""
    pytest.importorskip("halide")
    width, height = 300, 37
    data = np.random.default_rng(5).integers(0, 256, (height, width), np.uint8)
    space = _built(report[1], name, "halide")
    images, params, outputs = space["build"]()
    values = {"w": width, "h": height}
    device = Emulator()
    found = {}
    for o, f in outputs.items():
        shape, kind = {"result": ((), np.int32), "bins": ((256,), np.int32), "t": ((height, width), np.uint16)}.get(
            o, ((height, width), np.uint8)
        )
        if name == "blur":
            continue
        found[o] = np.zeros(shape, kind)
        package.run(f, [(images["s"], data)], found[o], device, scalars=[(p, values[n]) for n, p in params.items()])
    if name == "total":
        assert found["result"] == data.sum(dtype=np.int32) + 7
    elif name == "counts":
        assert np.array_equal(found["bins"], np.bincount(data.ravel(), minlength=256))
    else:
        text = package.assembly_of(space["hl"].Pipeline(list(outputs.values())), list(images.values()))
        assert "kernel_t" in package.ptx_of(text)
        return
    assert device.launches


def test_a_generator_with_a_schedule_compiles(report: tuple[FileReport, Path], tmp_path: Path) -> None:
    halide = pytest.importorskip("halide")
    root = Path(halide.__file__).parent
    program = tmp_path / "program"
    libraries = [f"{root}/lib64/libHalide_GenGen.a", f"-L{root}/lib64", "-lHalide", f"-Wl,-rpath,{root}/lib64"]
    source = str(report[1] / "total_generator.cpp")
    command = ["g++", "-std=c++17", "-O0", "-w", f"-I{root}/include", source, *libraries, "-ldl", "-lpthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    for target in (package.TARGET, "host"):
        made = [str(program), "-g", "total", "-o", str(tmp_path), "-e", "assembly", f"target={target}"]
        subprocess.run(made, check=True)
        assert ("kernel_t_bits" in (tmp_path / "total.s").read_text()) == (target != "host")


@pytest.mark.parametrize("name", ["total", "counts", "blur"])
def test_compiled_paths_take_the_schedule(report: tuple[FileReport, Path], name: str) -> None:
    """Pipelines over the caller's memory: what stays on the host gets the default schedule."""
    from codegen.device_schedule import scheduled_path
    from codegen.pipeline import BuiltPath, build_path
    from halide_core.autoschedule.rules.default import apply_default_schedule
    from halide_core.lower import lower
    from halide_core.target import Target

    lifted_function = next(f.lifted for f in report[0].functions if f.name == name)
    assert lifted_function is not None and lifted_function.summary is not None
    summary, target = lifted_function.summary, Target(lifted.TARGET)

    def make() -> BuiltPath:
        built = build_path(summary, 0, together=True)
        assert built is not None
        return built

    found = scheduled_path(make, target)
    assert found is not None
    built, schedule = found
    assert not schedule.on_host
    apply_default_schedule(built.pipeline, target, built.in_place, built.layouts())
    assert len(lower(built.pipeline.functions(), target).kernels) >= 2
