"""What our kernels and those of the package `halide` do under the same schedules, as tables.

    make bench-gpu > docs/figures/gpu-kernels.md

Counted by the emulator; registers and spills are told by ptxas, where the package nvidia-cuda-nvcc is installed."""

from __future__ import annotations

import argparse
import math
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import halide_core as hc
from corpus.pipelines.common import PipelineFile, named_pipelines
from halide_core.backend.ptx import to_ptx
from halide_core.lower import lower
from tests.gpu import papers, running
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.device import Launched
from tests.gpu.emulator.machine import Counts
from tests.gpu.test_ptxas import assembler, resources

_ARCH = 80
_TARGET = f"x86-64-linux-sse41-cuda-cuda_capability_{_ARCH}"
_HEAD = f"""Under the emulator of PTX (`make bench-gpu`): instructions of threads and 32-byte sectors of global memory,
ours over the package's under the same schedule; barriers of blocks, ours / theirs; turns of shared memory, ours /
theirs: accesses by warps and, in brackets, what bank conflicts add to them; registers of a thread and bytes spilled, by
ptxas for sm_{_ARCH}.  A multiplication and addition in one instruction, which the package makes and we do not (results
are the host's), counts as two; in brackets: as one."""
_Resources = dict[str, dict[str, int]]


def _total(launches: Iterable[Launched]) -> Counts:
    out = Counts()
    for x in launches:
        out.add(x.counts)
    return out


def _used(ptx: str) -> _Resources:
    """Registers and spills by kernel; nothing where there is no assembler."""
    path = assembler()
    if path is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        return resources(path, ptx, _ARCH, Path(folder))


def _ratio(a: int, b: int) -> float:
    return a / b if b else math.inf if a else 1.0


def _turns(c: Counts) -> int:
    """Turns that shared memory takes."""
    return c.shared_accesses + c.bank_conflicts


class _Table:
    """Rows and the ratios in them."""

    def __init__(self) -> None:
        self.instructions: list[float] = []
        self.fused: list[float] = []
        self.sectors: list[float] = []
        self.turns: list[tuple[int, int]] = []

    def row(self, names: list[str], a: Counts, b: Counts, rest: list[str]) -> None:
        self.instructions.append(_ratio(a.as_written(), b.as_written()))
        self.fused.append(_ratio(a.total(), b.total()))
        self.sectors.append(_ratio(a.sectors, b.sectors))
        one = f" ({self.fused[-1]:.2f})" if b.instructions.get("fused") else ""
        cells = [*names, f"{self.instructions[-1]:.2f}{one}", f"{self.sectors[-1]:.2f}"]
        self.turns.append((_turns(a), _turns(b)))
        cells.append(f"{a.barriers} / {b.barriers}")
        cells.append(" / ".join(f"{_turns(c)} ({c.bank_conflicts})" if _turns(c) else "0" for c in (a, b)))
        cells += rest
        print(f"| {' | '.join(cells)} |", flush=True)

    def end(self) -> None:
        means = [math.exp(sum(map(math.log, x)) / len(x)) for x in (self.instructions, self.fused, self.sectors)]
        above = sum(r > 1.15 for r in self.instructions), sum(r > 1.15 for r in self.sectors)
        print(
            f"\nGeometric means: instructions {means[0]:.2f} ({means[1]:.2f}), sectors {means[2]:.2f}. Above 1.15: "
            f"{above[0]} of {len(self.instructions)} by instructions, {above[1]} by sectors. Turns of shared memory: "
            f"{sum(a for a, _ in self.turns)} / {sum(b for _, b in self.turns)}, more than the package's in "
            f"{sum(a > b for a, b in self.turns)}.\n"
        )


def _cases() -> None:
    print("| case | instructions | sectors | barriers | turns of shared memory | registers | spills |")
    print("|---|---|---|---|---|---|---|")
    table = _Table()
    for name, case in ((n, c) for n, c in CASES.items() if c.package):
        data = data_of(case)
        found, ours = running.on_device(case, data)
        _, theirs = running.by_package(case, data, found)
        f, _ = case.make(hc, True)
        kernels = lower([f._function], hc.Target(_TARGET)).kernels
        used = _used(to_ptx(kernels, _ARCH))
        rest = [", ".join(str(used[k.name][what]) for k in kernels if used) for what in ("registers", "spills")]
        table.row([name], _total(ours.launches), _total(theirs.launches), rest)
    table.end()


def _kernel_key(name: str) -> tuple[str, int]:
    """The Func and the stage whose loops a kernel has: what is the same for both compilers' kernels.

    Numbers that tell Funcs of one name apart are left out."""
    m = re.match(r"_?kernel_(.*?)_s(\d+)_", re.sub(r"__\d+|_\d+(?=_s\d)", "", name))
    assert m, name
    return m[1], int(m[2])


def _by_key(launches: Iterable[Launched]) -> dict[tuple[str, int], list[Launched]]:
    out: dict[tuple[str, int], list[Launched]] = {}
    for x in launches:
        out.setdefault(_kernel_key(x.kernel), []).append(x)
    return out


def _papers(chosen: list[PipelineFile]) -> None:
    print("| pipeline | kernel | instructions | sectors | barriers | turns of shared memory | registers | spills |")
    print("|---|---|---|---|---|---|---|---|")
    table = _Table()
    for p in chosen:
        size = p.small[0]
        found, ours = papers.on_device(p, size)
        _, theirs = papers.by_package(p, size, found)
        a, b = _by_key(ours.launches), _by_key(theirs.launches)
        assert a.keys() == b.keys(), f"{p.name}: kernels differ: {sorted(a.keys() ^ b.keys())}"
        used = [_used("".join(d.texts())) for d in (ours, theirs)]
        for key in a:
            first = a[key][0].kernel, b[key][0].kernel
            rest = [
                " / ".join(str(u[k][what]) for u, k in zip(used, first, strict=True) if u)
                for what in ("registers", "spills")
            ]
            table.row([p.name, f"{key[0]}.s{key[1]}"], _total(a[key]), _total(b[key]), rest)
    table.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pipelines of corpus/pipelines, and nothing else")
    options = parser.parse_args()
    if not options.names:
        print(f"# Kernels beside the package's\n\n{_HEAD}\n\n## Small cases\n")
        _cases()
        print("## The papers' pipelines\n\nAt the first of their small sizes, under schedules after those of Halide's")
        print("apps; registers and spills: ours / theirs.\n")
    _papers(named_pipelines(options.names))


if __name__ == "__main__":
    main()
