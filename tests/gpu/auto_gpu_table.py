"""AutoGPU beside schedules by hand and those of the package's autoschedulers for CUDA, at the papers' sizes.

    make bench-auto-gpu

No device is needed: blocks of each launch run under the emulator (`sampled`), registers are told by ptxas, and the
model of time (halide_core/autoschedule/auto_gpu/time_model.py) says what that comes to on known devices.  Each schedule
is made, compiled and run in a process of its own."""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import halide_core as hc
from corpus.bench.scheduled_process import load_plugins
from corpus.pipelines.common import PipelineFile, Size, bind, estimate, named_pipelines, output_buffers
from halide_core.autoschedule.auto_gpu.devices import known_devices
from halide_core.autoschedule.auto_gpu.occupancy import occupancy
from halide_core.autoschedule.auto_gpu.scheduler import auto_gpu
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, copy_seconds, kernel_seconds, limit
from halide_core.autoschedule.auto_gpu.worth import seconds_on_host
from halide_core.gpu.runtime import device_runtime
from tests.gpu import package
from tests.gpu.general import pipeline_named
from tests.gpu.papers import inputs_of
from tests.gpu.sampled import SampledEmulator, registers_of, work_of

HAND = "by hand"
PEERS = ("Li2018", "Anderson2021")
OWN = {
    "no fusion": {"fusion": "none"}, "overlap": {"fusion": "overlap"}, "AutoGPU": {}, "forced": {"fusion": "forced"},
    "listing 1": {"model": "paper"}, "for RTX 2080 Ti": {"device": "RTX 2080 Ti"},
}
DEVICES = ("H100", "RTX 2080 Ti")
MADE_FOR = "H100"
"""The device that schedules are made for, but for those that name another."""
SIZES: dict[str, tuple[Size, Size] | None] = {
    "small": ((192, 320), (512, 512)), "paper": None, "large": ((3840, 2160), (4096, 4096)),
}
"""The paper's other sizes of images, and of products of matrices."""
_OURS = "host-cuda-cuda_capability_75"
_TARGET = "x86-64-linux-sse41-cuda-cuda_capability_70-no_runtime-strict_float"


@dataclass
class KernelRow:
    """One launch: its work by device, from which times follow."""

    name: str
    work: dict[str, dict[str, float]]

    def seconds(self, device: str) -> float:
        return float(kernel_seconds(known_devices()[device], self.on(device)))

    def on(self, device: str) -> KernelWork:
        return KernelWork(**self.work[device])


@dataclass
class Row:
    """A pipeline under one schedule.  `problem`: why there is no more; seconds are those of a processor."""

    pipeline: str
    size: Size
    schedule: str
    problem: str = ""
    schedule_s: float = 0.0
    compile_s: float = 0.0
    sectors: int = 0
    conflicts: int = 0
    spills: int = 0
    copied: int = 0
    host_s: float = 0.0
    kernels: list[KernelRow] = field(default_factory=list)
    text: str = ""

    def seconds(self, device: str) -> float:
        """Of all kernels one after the other, of stages on the host and of copies that other schedules do without."""
        copies = float(copy_seconds(int(self.copied > 0), self.copied))
        return sum(k.seconds(device) for k in self.kernels) + self.host_s + copies

    def instructions(self) -> float:
        return sum(k.work[MADE_FOR]["instructions"] for k in self.kernels)

    def occupancy(self) -> float:
        """The mean over the time of all kernels."""
        device, total = known_devices()[MADE_FOR], 0.0
        for k in self.kernels:
            work = k.on(MADE_FOR)
            total += k.seconds(MADE_FOR) * float(occupancy(device, work.threads, work.registers, work.shared))
        return total / sum(k.seconds(MADE_FOR) for k in self.kernels)


def measure(p: PipelineFile, size: Size, how: str, limit_s: float) -> Row:
    """Schedules and counts in a process of its own, which is ended after `limit_s` seconds."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(there, p.name, size, how), daemon=True)
    child.start()
    there.close()
    row = Row(p.name, size, how)
    try:
        if here.poll(limit_s):
            row = here.recv()
        else:
            row.problem = f"no end within {limit_s:.0f} s"
    except EOFError:
        child.join(5)
        row.problem = f"it ends with status {child.exitcode}"
    child.kill()
    child.join()
    return row


def _child(there: Connection, name: str, size: Size, how: str) -> None:
    p = pipeline_named(name)
    row = Row(name, size, how)
    try:
        device = SampledEmulator(lockstep=True, ask_ended=how in PEERS)
        (_package if how in PEERS else _ours)(p, size, how, row, device)
        _fill(row, device, p, size)
    except Exception as e:  # told in the table
        row.problem = f"{type(e).__name__}: {e}".splitlines()[0][:200]
        print("".join(traceback.format_exc(limit=-4))[:2000], file=sys.stderr)
    there.send(row)


def _ours(p: PipelineFile, size: Size, how: str, row: Row, device: SampledEmulator) -> None:
    built, arrays = p.build(hc, size), inputs_of(p, size)
    start = time.process_time()
    if how == HAND:
        assert built.device_schedule is not None
        built.device_schedule()
    else:
        estimate(built, p, size, arrays)
        options = {"device": MADE_FOR, **OWN[how]}
        outputs = [f._function for f in built.outputs]
        made, found = auto_gpu(outputs, hc.Target(_OURS), options)
        row.text = found.schedule.python()
        row.host_s = seconds_on_host(made.view, list(found.on_host))
        found.apply(outputs)
    row.schedule_s = time.process_time() - start
    start = time.process_time()
    with device_runtime(device):
        kept = bind(hc, built, arrays)
        outs = output_buffers(hc, built, p.shapes(size))
        hc.Pipeline(built.outputs).realize(outs, hc.Target(_OURS))
    row.compile_s = time.process_time() - start
    del kept


def _package(p: PipelineFile, size: Size, how: str, row: Row, device: SampledEmulator) -> None:
    import halide as hl

    load_plugins((how,))
    built, arrays = p.build(hl, size), inputs_of(p, size)
    estimate(built, p, size, arrays)
    start = time.process_time()
    options = {"parallelism": str(known_devices()[MADE_FOR].sms)}
    found = hl.Pipeline(built.outputs).apply_autoscheduler(hl.Target(_TARGET), hl.AutoschedulerParams(how, options))
    row.text = found.schedule_source
    row.schedule_s = time.process_time() - start
    start = time.process_time()
    (f,) = built.outputs
    (shape,) = p.shapes(size)
    kinds = {"f": "float", "i": "int", "u": "uint"}
    t = f.type()
    kind = {"float": "f", "int": "i", "uint": "u"}[kinds[str(t)[0]]] if str(t)[0] in kinds else "f"
    out = np.zeros(shape[::-1], np.dtype(f"{kind}{t.bits() // 8}"))
    package.run(f, list(zip(built.inputs, arrays, strict=True)), out, device, _TARGET)
    row.compile_s = time.process_time() - start


def _fill(row: Row, device: SampledEmulator, p: PipelineFile, size: Size) -> None:
    used = {name: registers_of(device, known_devices()[name].capability) for name in DEVICES}
    for launched, sizes in zip(device.launches, device.sizes, strict=True):
        work = {d: asdict(work_of(launched, sizes, used[d].get(launched.kernel, {}))) for d in DEVICES}
        row.sectors += launched.counts.sectors
        row.conflicts += launched.counts.bank_conflicts
        row.spills += used[MADE_FOR].get(launched.kernel, {}).get("spills", 0)
        row.kernels.append(KernelRow(launched.kernel, work))
    # Inputs and outputs are copied under any schedule; what else goes there and back costs this one.
    own = sum(a.nbytes for a in inputs_of(p, size))
    row.copied = max(device.copied_to_device - own, 0)


def main() -> None:
    if "--general" in sys.argv:
        from tests.gpu import auto_gpu_general  # which is made of this

        auto_gpu_general.main([a for a in sys.argv[1:] if a != "--general"])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="pipelines of corpus/pipelines, and no others")
    parser.add_argument("--schedules", default=",".join((HAND, *PEERS, *OWN)))
    parser.add_argument("--limit", type=float, default=240.0, help="seconds for each schedule")
    parser.add_argument("--json", help="figures, written after each schedule; what it has is kept")
    parser.add_argument("--size", choices=tuple(SIZES), default="paper", help="192 x 320, or 3840 x 2160")
    parser.add_argument("--title", default="# AutoGPU beside hands and peers")
    options = parser.parse_args()
    rows: list[Row] = []
    sizes: list[tuple[str, Size]] = []
    if options.json and Path(options.json).exists():
        for entry in json.loads(Path(options.json).read_text()):
            kernels = [KernelRow(**k) for k in entry.pop("kernels")]
            rows.append(Row(**{**entry, "size": tuple(entry["size"])}, kernels=kernels))
    for p in named_pipelines(options.names):
        size = sized(p.size, options.size)
        sizes.append((p.name, size))
        for how in options.schedules.split(","):
            if any((r.pipeline, r.size, r.schedule) == (p.name, size, how) for r in rows):
                continue
            rows.append(measure(p, size, how, options.limit))
            r = rows[-1]
            print(p.name, how, r.problem or [round(1e6 * r.seconds(d), 1) for d in DEVICES], file=sys.stderr,
                  flush=True)
            if options.json:
                Path(options.json).write_text(json.dumps([asdict(r) for r in rows], indent=1) + "\n")
    print(table([r for r in rows if (r.pipeline, r.size) in sizes], options.title), end="")


def sized(size: Size, kind: str) -> Size:
    """The size of a pipeline's images that is called small or large beside that of the papers."""
    if kind not in SIZES or len(size) != 2:
        return size
    image, product = SIZES[kind] or (size, size)
    return image if size[0] != size[1] else product


def table(rows: list[Row], title: str) -> str:
    """The rows as Markdown, with ratios of modelled times below."""
    heads = ["pipeline", "schedule", "scheduled s", "kernels", "instructions", "sectors", "conflicts", "occupancy",
             *(f"{d} us" for d in DEVICES), "most of it"]
    lines = [title, "", f"| {' | '.join(heads)} |", "|---|---|" + "---:|" * (6 + len(DEVICES)) + "---|"]
    for r in rows:
        if r.problem:
            lines.append(f"| {r.pipeline} | {r.schedule} | {r.problem} |" + " |" * (7 + len(DEVICES)))
            continue
        worst = max(r.kernels, key=lambda k: k.seconds(MADE_FOR), default=None)
        device = known_devices()[MADE_FOR]
        where = f"{_short(worst.name)}: {limit(device, worst.on(MADE_FOR))}" if worst else "no kernel"
        more = f"; {r.spills} B spilled" if r.spills else ""
        more += f"; {r.copied >> 10} KB copied" if r.copied else ""
        more += f"; {1e6 * r.host_s:.1f} us on the host" if r.host_s else ""
        cells = [r.pipeline, r.schedule, f"{r.schedule_s:.2f}", str(len(r.kernels)), f"{r.instructions() / 1e6:.2f} M",
                 f"{r.sectors / 1e6:.2f} M", f"{r.conflicts / 1e6:.2f} M", f"{r.occupancy():.2f}",
                 *(f"{1e6 * r.seconds(d):.1f}" for d in DEVICES), where + more]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_ratios(rows)]) + "\n"


def _short(name: str) -> str:
    return name.removeprefix("_").removeprefix("kernel_")[:30]


def _ratios(rows: list[Row]) -> list[str]:
    """How much longer others take than AutoGPU, by the model: geometric means and the least."""
    by = {(r.pipeline, r.schedule): r for r in rows if not r.problem and r.kernels}
    lines: list[str] = []
    names = list(dict.fromkeys(r.pipeline for r in rows))
    for device in DEVICES:
        for other in dict.fromkeys(r.schedule for r in rows if r.schedule != "AutoGPU"):
            both = [n for n in names if (n, other) in by and (n, "AutoGPU") in by]
            found = {n: by[n, other].seconds(device) / by[n, "AutoGPU"].seconds(device) for n in both}
            found = {n: v for n, v in found.items() if 0 < v < math.inf}
            lines += _line(device, f"{other} / AutoGPU", found)
        best: dict[str, float] = {}
        for n in names:
            peers = [by[n, q].seconds(device) for q in PEERS if (n, q) in by]
            if peers and (n, "AutoGPU") in by:
                best[n] = min(peers) / by[n, "AutoGPU"].seconds(device)
        lines += _line(device, "the better peer / AutoGPU", best)
    return lines


def _line(device: str, what: str, found: dict[str, float]) -> list[str]:
    if not found:
        return []
    mean = math.exp(sum(map(math.log, found.values())) / len(found))
    least = min(found, key=lambda n: found[n])
    below = ", ".join(f"{n} {v:.2f}" for n, v in sorted(found.items(), key=lambda x: x[1]) if v < 0.95)
    text = f"- {device}, {what}: geometric mean {mean:.2f} of {len(found)}, least {found[least]:.2f} ({least})"
    return [text + (f"; below 0.95: {below}" if below else "")]


if __name__ == "__main__":
    main()
