"""Recorded runs on a device: are their results the recorded ones, and how long do their kernels take.

    python3 tests/gpu/check/replay.py build/gpu-check [--json FILE] [--markdown FILE] [--seconds 300]

Needs Python, NumPy and CUDA's driver; from the project it takes the driver's binding alone.  Libraries with the run
time of objects are run, too, and --model FILE has the numbers that drop-ins choose by.  --emulated plays the recorded
runs on the tests' emulator, which takes no times.  Status 0: all is equal; 1: something is not, or failed; 2: there is
no device."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
_ROUNDS = 7
_GIGABYTE = 1 << 30
AUTO = "AutoGPU"
"""Whose schedules kernels of ours have, where that is not the one by hand."""


def _alone() -> None:
    """Has parts of the project be found without the packages that the whole of it imports."""
    sys.path.insert(0, str(ROOT))
    if "halide_core" not in sys.modules:
        package = types.ModuleType("halide_core")
        package.__path__ = [str(ROOT / "halide_core")]
        sys.modules["halide_core"] = package


class Timed:
    """Milliseconds of each kernel, by marks in the device's stream."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._marks: list[tuple[str, Any, Any]] = []

    def around(self, kernel: str, launch: Callable[[], None]) -> None:
        """Launches."""
        first = self.device.mark()
        launch()
        self._marks.append((kernel, first, self.device.mark()))

    def taken(self) -> dict[str, float]:
        """By kernel, all its launches together."""
        out: dict[str, float] = defaultdict(float)
        for kernel, first, last in self._marks:
            out[kernel] += self.device.milliseconds(first, last)
        self._marks = []
        return dict(out)


class Untimed:
    """No times."""

    def around(self, _kernel: str, launch: Callable[[], None]) -> None:
        """Launches."""
        launch()

    def taken(self) -> dict[str, float]:
        """Nothing."""
        return {}


def check(folder: Path, device: Any, clock: Timed | Untimed, seconds: float) -> list[dict[str, Any]]:
    """A row for each recording: name, by, what is wrong, milliseconds of its kernels, in all of one run, and which part
    of its results is not that of the first recording of its name."""
    from tests.gpu.check.recording import Recording, play

    stop = time.monotonic() + seconds
    rows: list[dict[str, Any]] = []
    pairs: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("*.run"), key=lambda p: (".ours." not in p.name, p.name)):
        # Of pipelines at the papers' sizes no results are known, and they are too large for an emulator.
        if isinstance(clock, Timed) or not path.name.startswith("pipeline_"):
            pairs[path.name.split(".")[0]].append(path)
    # What is timed against each other last, for it takes what time there is.
    for _, paths in sorted(pairs.items(), key=lambda p: len(p[1])):
        recordings = [Recording.load(p) for p in paths]
        times: list[list[dict[str, float]]] = [[] for _ in recordings]
        wrong = ["" for _ in recordings]
        results: list[list[Any]] = [[] for _ in recordings]
        rounds = _ROUNDS if len(paths) > 1 and isinstance(clock, Timed) else 1
        for k in range(rounds):
            if time.monotonic() > stop:
                wrong = [w or ("" if k else "no time was left") for w in wrong]
                break
            for n, r in enumerate(recordings):
                if wrong[n]:
                    continue
                try:
                    wrong[n], results[n] = play(r, device, clock.around)
                    taken = clock.taken()
                except Exception as problem:
                    wrong[n] = f"{type(problem).__name__}: {problem}"
                else:
                    times[n].append(taken)
        for r, own, found, w in zip(recordings, times, results, wrong, strict=True):
            # The first run finds the device's clock low and its caches cold.
            warm = own[1:] or own
            kernels = {k: statistics.median(t[k] for t in warm) for k in (warm[0] if warm else {})}
            row = {"name": r.name, "by": r.by, "wrong": w, "kernels": kernels, "ms": sum(kernels.values())}
            rows.append(row | {"apart": _apart(results[0], found)})
    return rows


def check_alone(folder: Path, model: Path | None, about: dict[str, str]) -> list[dict[str, Any]]:
    """The rows of what runs by the run time of objects; the numbers that drop-ins choose by go to `model`."""
    from codegen.device_timing import DeviceFailure, measured, model_text
    from tests.gpu.check.libraries import check_libraries

    rows = check_libraries(folder)
    made = folder / "libmeasure.so"
    if model is not None and made.exists():
        row: dict[str, Any] = {"name": "the model", "by": "an object", "wrong": "", "kernels": {}, "ms": 0.0}
        try:
            words = f"measured on {about['device']}, CUDA {about['cuda']}, {time.strftime('%Y-%m-%d')}"
            model.write_text(model_text(words, measured(made)))
        except DeviceFailure as problem:
            row["wrong"] = str(problem)
        rows.append(row | {"apart": 0.0})
    return rows


def _apart(mine: list[Any], theirs: list[Any]) -> float:
    """The part of the elements of two lists of results that lie further apart than a thousandth; 1 where these are of
    different shapes."""
    import numpy as np

    if [a.shape for a in mine] != [b.shape for b in theirs]:
        return 1.0
    far = count = 0
    for a, b in zip(mine, theirs, strict=True):
        x, y = a.astype(np.float64), b.astype(np.float64)
        close = np.isclose(x, y, rtol=1e-3, atol=1e-3 if a.dtype.kind == "f" else 1.0, equal_nan=True)
        far, count = far + int((~close).sum()), count + x.size
    return far / max(count, 1)


def copies(device: Any) -> dict[str, float]:
    """Bytes a second, in GB: copies of one GB to the device and from it."""
    import numpy as np

    host = np.zeros(_GIGABYTE, np.uint8)
    address = device.malloc(host.size)
    out: dict[str, float] = {}
    for name, copy in (
        ("to the device", lambda: device.copy_to_device(address, host.ctypes.data, host.size)),
        ("to the host", lambda: device.copy_to_host(host.ctypes.data, address, host.size)),
    ):
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            copy()
            device.synchronize()
            taken.append(time.perf_counter() - start)
        out[name] = host.size / min(taken) / 1e9
    device.free(address)
    return out


def markdown(about: dict[str, str], rates: dict[str, float], rows: list[dict[str, Any]]) -> str:
    """The page."""
    out = ["# Kernels on a device", "", ", ".join(f"{k} {v}" for k, v in about.items()) + ".", ""]
    single = [r for r in rows if not any(o["name"] == r["name"] and o is not r for o in rows)]
    bad = [r for r in rows if r["wrong"]]
    out += [f"{len(rows)} runs, {len(rows) - len(bad)} as recorded, {len(bad)} not.", ""]
    out += [f"- {r['name']} ({r['by']}): {r['wrong']}" for r in bad] + ([""] if bad else [])
    if rates:
        out += [", ".join(f"{k} {v:.1f} GB/s" for k, v in rates.items()) + ".", ""]
    names = sorted({r["name"] for r in rows if r not in single})
    for by, column in (("package", "the package's"), (AUTO, AUTO)):
        out += _compared([r for r in rows if r["name"] in names], by, column)
    return "\n".join(out).rstrip() + "\n"


def _compared(rows: list[dict[str, Any]], by: str, column: str) -> list[str]:
    """A table of runs beside those of our kernels under schedules by hand."""
    out: list[str] = []
    ratios: list[float] = []
    for n in sorted({r["name"] for r in rows if r["by"] == by}):
        found = {r["by"]: r for r in rows if r["name"] == n and not r["wrong"]}
        ours, theirs = (found.get(b, {"ms": 0.0})["ms"] for b in ("ours", by))
        if ours and theirs:
            ratios.append(theirs / ours)
            apart = 100 * found[by]["apart"]
            out.append(f"| {n} | {ours:.4f} | {theirs:.4f} | {theirs / ours:.2f} | {apart:.3g} % |")
    if not ratios:
        return []
    head = [f"| pipeline | ours by hand, ms | {column}, ms | the latter over the former | values apart |",
            "|---|---:|---:|---:|---:|"]
    return [*head, *out, "", f"Geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}.", ""]


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--model", type=Path, help="where what was measured of device and host goes")
    parser.add_argument("--emulated", action="store_true")
    given = parser.parse_args()
    if not list(given.folder.glob("*.run")):
        parser.error(f"{given.folder} has no recorded runs; `make gpu-record` makes them")
    about: dict[str, str]
    clock: Timed | Untimed
    if given.emulated:
        sys.path.insert(0, str(ROOT))
        from tests.gpu.emulator.device import Emulator

        device: Any = Emulator()
        about, clock, rates = {"device": "the emulator"}, Untimed(), {}
    else:
        _alone()
        from halide_core.errors import HalideError
        from halide_core.gpu.driver import driver

        try:
            device = driver()
        except HalideError as problem:
            print(f"error: {problem.text}", file=sys.stderr)
            sys.exit(2)
        about, clock, rates = device.about(), Timed(device), copies(device)
    rows = [] if given.emulated else check_alone(given.folder, given.model, about)
    rows += check(given.folder, device, clock, given.seconds)
    text = markdown(about, rates, rows)
    print(text)
    if given.json:
        given.json.write_text(json.dumps({"about": about, "copies": rates, "runs": rows}, indent=1) + "\n")
    if given.markdown:
        given.markdown.write_text(text)
    sys.exit(1 if any(r["wrong"] for r in rows) else 0)


if __name__ == "__main__":
    main()
