"""Records what is played on a device: every case and random schedules, with the results that the emulator gives.

    python -m tests.gpu.check.record FOLDER [--random 300] [--seed 1] [--no-pipelines]"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import halide_core as hc
from codegen.measure_device import build
from corpus.pipelines.common import Built, PipelineFile, bind, pipelines
from halide_core.gpu.runtime import device_runtime
from tests.gpu import fuzz, package, papers, running
from tests.gpu.cases import CASES, data_of
from tests.gpu.check.recorder import Recorder
from tests.gpu.check.recording import Recording, drawn, settle
from tests.gpu.check.replay import AUTO
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import GlobalMemory
from tests.gpu.objects import linked
from tests.halide_core.fuzz.case import reference, result

_MORE_GARBAGE = 7
"""Memories that runs are made in again whose results depend on what is in them before."""


def record_cases(folder: Path) -> int:
    """Each case of the tests; how many."""
    for name, case in CASES.items():
        recorder = Recorder(f"case {name}", "ours", Emulator(), {})
        f, params = case.make(hc, True)
        for n, array in data_of(case).items():
            params[n].set(hc.Buffer(array))
        with device_runtime(recorder):
            running.realized(f, case.size, hc.Target(running.TARGET))
        _keep(recorder.recording, folder / f"case_{name}.ours.run")
    return len(CASES)


def _keep(r: Recording, file: Path) -> None:
    """Writes a run with results; bytes of them that nothing stores to do not count, nor what is made of such."""
    settle(r, (Emulator(GlobalMemory(seed, inverted=seed == 1)) for seed in range(1, 2 + _MORE_GARBAGE)))
    r.save(file)


# Code of the host that machines with a device run.
_MACHINE = "x86-64-linux-avx2-fma-f16c-cuda-cuda_capability_80"


def record_libraries(folder: Path, names: Sequence[str]) -> int:
    """Cases as libraries with the run time of objects, their inputs and results; how many."""
    for name in names:
        case = CASES[name]
        data = data_of(case)
        f, params = case.make(hc, True)
        linked(folder, f, list(params.values()), _MACHINE, f"object_{name}", redirected=False)
        inputs = {f"input{k}": data[n] for k, n in enumerate(params)}
        np.savez_compressed(folder / f"object_{name}.npz", wanted=running.on_host(hc, case, data), **inputs)
    return len(names)


def record_random(folder: Path, count: int, seed: int) -> int:
    """Random pipelines under random schedules, until `count` run something on the device; how many do."""
    done = 0
    while done < count:
        for number, case in enumerate(fuzz.cases(seed)):
            recorder = Recorder(f"random {seed}.{number}", "ours", Emulator(), {})
            try:
                with device_runtime(recorder):
                    found = result(case)
            except hc.HalideError:
                continue  # as the package does, or stricter: tests.gpu.fuzz counts these
            if any(e[0] == "launch" for e in recorder.recording.events):
                assert np.array_equal(found, reference(case), equal_nan=found.dtype.kind == "f"), case
                _keep(recorder.recording, folder / f"random_{seed}_{number}.ours.run")
                done += 1
        seed += 1
    return done


def record_pipelines(folder: Path, files: Sequence[PipelineFile]) -> int:
    """The pipelines at the papers' sizes by both compilers, under their schedules for a device, of inputs that are
    drawn, and by ours under AutoGPU's; nothing is computed.  How many runs that makes."""
    import halide as hl

    done = 0
    for p in files:
        shapes = [(a.shape, a.dtype.name) for a in p.arrays(p.size, np.random.default_rng(0))]
        drawn_ones = {(k, shape, kind): drawn(k, shape, kind) for k, (shape, kind) in enumerate(shapes)}
        for by, module in (("ours", hc), ("package", hl), (AUTO, hc)):
            built = papers.auto_scheduled(p, p.size, p.size) if by == AUTO else p.build(module, p.size)
            if built.device_schedule is None:
                continue
            if by != AUTO:
                built.device_schedule()
            recorder = Recorder(p.name, by, None, drawn_ones)
            kinds = [np.dtype(str(f.type())) for f in built.outputs]
            outs = [np.zeros(extents[::-1], t) for extents, t in zip(p.shapes(p.size), kinds, strict=True)]
            recorder.recording.kind = outs[0].dtype.name
            try:
                _run(module, built, list(drawn_ones.values()), outs, recorder)
            except (hc.HalideError, hl.HalideError, package.PackageError) as problem:
                print(f"{p.name} by {by} is left out: {problem}")
                continue
            recorder.recording.save(folder / f"pipeline_{p.name}.{by}.run")
            done += 1
    return done


def record_auto_gpu(folder: Path, files: Sequence[PipelineFile]) -> int:
    """The pipelines at an odd small size under the schedules that AutoGPU makes for the papers' sizes, with results,
    which are the host's; how many."""
    for p in files:
        size = p.small[1]
        recorder = Recorder(f"small {p.name}", AUTO, Emulator(), {})
        built = papers.auto_scheduled(p, size, p.size)
        with device_runtime(recorder):
            found = papers.realized(p, size, built, hc.Target(running.TARGET))
        for a, b in zip(found, papers.on_host(p, size), strict=True):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), p.name
        _keep(recorder.recording, folder / f"small_{p.name}.{AUTO}.run")
    return len(files)


def _run(module: Any, built: Built, arrays: list[Any], outs: list[Any], recorder: Recorder) -> None:
    if module is not hc:
        (f,), (out,) = built.outputs, outs
        package.run(f, list(zip(built.inputs, arrays, strict=True)), out, recorder, package.TARGET + "-strict_float")
        return
    kept = bind(hc, built, arrays)
    with device_runtime(recorder):
        buffers = [hc.Buffer(a) for a in outs]
        hc.Pipeline(built.outputs).realize(buffers, hc.Target(running.TARGET))
        for b in (*buffers, *kept):
            b.copy_to_host()
            b.device_free()


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-pipelines", action="store_true", help="nothing that is timed")
    parser.add_argument("--pipelines", nargs="*", default=[], help="of the pipelines these alone")
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    cases = record_cases(given.folder)
    random = record_random(given.folder, given.random, given.seed)
    libraries = record_libraries(given.folder, list(CASES))
    build(given.folder, hc.Target(_MACHINE))
    chosen = [] if given.no_pipelines else [p for p in pipelines() if p.name in given.pipelines or not given.pipelines]
    small, runs = record_auto_gpu(given.folder, chosen), record_pipelines(given.folder, chosen)
    size = sum(p.stat().st_size for p in given.folder.iterdir())
    counts = f"{cases} cases, {libraries} libraries, {random} random schedules, {small} pipelines at small sizes and "
    counts += f"{runs} at the papers'"
    print(f"{counts} in {given.folder}, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
