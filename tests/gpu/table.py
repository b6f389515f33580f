"""What our kernels and those of the package `halide` do under the same schedules, as a table.

    python -m tests.gpu.table > docs/figures/gpu-kernels.md

Counted by the emulator; registers and spills are told by ptxas, where the package nvidia-cuda-nvcc is installed."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import halide_core as hc
from halide_core.backend.ptx import to_ptx
from halide_core.lower import lower
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.machine import Counts
from tests.gpu.test_ptxas import assembler, resources

_ARCH = 80
_HEAD = f"""Under the emulator of PTX (`python -m tests.gpu.table`): instructions of threads and 32-byte sectors of
global memory, ours over the package's under the same schedule; barriers of blocks and bank conflicts, ours / theirs;
registers of a thread and bytes spilled of each of our kernels, by ptxas for sm_{_ARCH}."""


def _total(launches: list[object]) -> Counts:
    out = Counts()
    for x in launches:
        out.add(x.counts)  # type: ignore[attr-defined]
    return out


def _resources(name: str) -> tuple[str, str]:
    path = assembler()
    if path is None:
        return "", ""
    f, _ = CASES[name].make(hc, True)
    kernels = lower([f._function], hc.Target(f"x86-64-linux-sse41-cuda-cuda_capability_{_ARCH}")).kernels
    with tempfile.TemporaryDirectory() as folder:
        found = resources(path, to_ptx(kernels, _ARCH), _ARCH, Path(folder))
    used = [found[k.name] for k in kernels]
    return ", ".join(str(r["registers"]) for r in used), ", ".join(str(r["spills"]) for r in used)


def main() -> None:
    print("# Kernels beside the package's\n")
    print(f"{_HEAD}\n")
    print("| case | instructions | sectors | barriers | bank conflicts | registers | spills |")
    print("|---|---|---|---|---|---|---|")
    ratios: list[tuple[float, float]] = []
    for name, case in ((n, c) for n, c in CASES.items() if c.package):
        data = data_of(case)
        found, ours = running.on_device(case, data)
        _, theirs = running.by_package(case, data, found)
        a, b = _total(list(ours.launches)), _total(list(theirs.launches))
        ratios.append((a.total() / b.total(), a.sectors / b.sectors))
        registers, spills = _resources(name)
        cells = [name, *(f"{r:.2f}" for r in ratios[-1])]
        cells += [f"{a.barriers} / {b.barriers}", f"{a.bank_conflicts} / {b.bank_conflicts}", registers, spills]
        print(f"| {' | '.join(cells)} |", flush=True)
    means = [math.exp(sum(math.log(r[k]) for r in ratios) / len(ratios)) for k in (0, 1)]
    print(f"\nGeometric means: instructions {means[0]:.2f}, sectors {means[1]:.2f}.")


if __name__ == "__main__":
    main()
