"""Records what is played on a device: every case and random schedules, with the results that the emulator gives.

    python -m tests.gpu.check.record FOLDER [--random 300] [--seed 1]"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu import fuzz, running
from tests.gpu.cases import CASES, data_of
from tests.gpu.check.recorder import Recorder
from tests.gpu.emulator.device import Emulator
from tests.halide_core.fuzz.case import reference, result


def record_cases(folder: Path) -> int:
    """Each case of the tests; how many."""
    for name, case in CASES.items():
        recorder = Recorder(f"case {name}", "ours", Emulator(), {})
        f, params = case.make(hc, True)
        for n, array in data_of(case).items():
            params[n].set(hc.Buffer(array))
        with device_runtime(recorder):
            running.realized(f, case.size, hc.Target(running.TARGET))
        recorder.recording.save(folder / f"case_{name}.ours.run")
    return len(CASES)


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
                recorder.recording.save(folder / f"random_{seed}_{number}.ours.run")
                done += 1
        seed += 1
    return done


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    cases = record_cases(given.folder)
    random = record_random(given.folder, given.random, given.seed)
    size = sum(p.stat().st_size for p in given.folder.iterdir())
    print(f"{cases} cases and {random} random schedules in {given.folder}, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
