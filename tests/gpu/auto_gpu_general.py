"""AutoGPU on pipelines that it was not tuned to: valid, equal to the host, and as fast as its peers by the model?

    make bench-auto-gpu OPTIONS="--general --seed N"

Each pipeline has a schedule for its own size, which must be valid: threads and shared memory of blocks, no spills by
ptxas.  Under the schedule for that size an odd small size runs whole under the emulator, and must be what the host
computes, bit for bit.  Some blocks of each launch stand for the size itself, as in `auto_gpu_table`."""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import traceback
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import halide_core as hc
from halide_core.autoschedule.auto_gpu.devices import known_devices
from halide_core.gpu.runtime import device_runtime
from tests.gpu import papers, running
from tests.gpu.auto_gpu_table import MADE_FOR, PEERS, KernelRow, Row, measure
from tests.gpu.emulator.device import Emulator
from tests.gpu.general import pipeline_named, random_name, written_pipelines

OWN = "AutoGPU"
EQUAL = "equal"


@dataclass
class Finding:
    """A pipeline: what the small size came to (`EQUAL`, or what is wrong), and rows by schedule."""

    pipeline: str
    small: str
    rows: dict[str, Row] = field(default_factory=dict)

    def invalid(self) -> str:
        """Why the schedule is not valid; the empty string where it is."""
        row = self.rows[OWN]
        if row.problem:
            return row.problem
        most = known_devices()[MADE_FOR]
        for k in row.kernels:
            work = k.on(MADE_FOR)
            if work.threads > 1024 or work.shared > most.shared_block:
                return f"{k.name}: {work.threads} threads, {work.shared} bytes shared"
        return f"{row.spills} bytes are spilled" if row.spills else ""

    def ratio(self, other: str) -> float:
        """How much longer another schedule takes by the model; nan where one of them does not run."""
        theirs, own = self.rows.get(other), self.rows[OWN]
        if theirs is None or theirs.problem or own.problem or not own.kernels or not theirs.kernels:
            return math.nan
        return theirs.seconds(MADE_FOR) / own.seconds(MADE_FOR)

    def better(self) -> float:
        """The same of the better peer."""
        return min((r for r in map(self.ratio, PEERS) if math.isfinite(r)), default=math.nan)


def look(name: str, peers: list[str], limit: float, peer_limit: float) -> Finding:
    """All of one pipeline."""
    p = pipeline_named(name)
    found = Finding(name, _small(name, limit))
    for how in (OWN, *peers):
        found.rows[how] = measure(p, p.size, how, limit if how == OWN else peer_limit)
    return found


def _small(name: str, limit: float) -> str:
    """Whether the device's results are the host's at an odd size, found out in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_compare, args=(there, name), daemon=True)
    child.start()
    there.close()
    try:
        return str(here.recv()) if here.poll(limit) else f"no end within {limit:.0f} s"
    except EOFError:
        child.join(5)
        return f"it ends with status {child.exitcode}"
    finally:
        child.kill()
        child.join()


def _compare(there: Connection, name: str) -> None:
    try:
        there.send(compared(name))
    except Exception as e:  # told in the table
        print("".join(traceback.format_exc(limit=-4))[:2000], file=sys.stderr)
        there.send(f"{type(e).__name__}: {e}".splitlines()[0][:200])


def compared(name: str) -> str:
    """`EQUAL`, or what differs at a small size under the schedule that is made for the pipeline's own."""
    p = pipeline_named(name)
    small = p.small[0]
    # Of random ones the small pipeline may be another one.
    alike = all(len(a) == len(b) for a, b in zip(p.shapes(small), p.shapes(p.size), strict=True))
    wanted = papers.on_host(p, small)
    built, device = papers.auto_scheduled(p, small, p.size if alike else small), Emulator()
    # Tables that are part of a random pipeline stay on the device with it.
    with device_runtime(device):
        found = papers.realized(p, small, built, hc.Target(running.TARGET))
    for a, b in zip(found, wanted, strict=True):
        if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            return f"{int((a != b).sum())} of {a.size} elements differ"
    return EQUAL if device.launches else "nothing runs on the device"


def table(found: list[Finding], peers: list[str]) -> str:
    """The findings as Markdown, and what they come to."""
    heads = ["pipeline", "small size", "valid", "scheduled s", "kernels", "us", *(f"{p} / AutoGPU" for p in peers)]
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|" + "---:|" * (3 + len(peers))]
    for f in found:
        row = f.rows[OWN]
        cells = [f.pipeline, f.small, f.invalid() or "yes", f"{row.schedule_s:.1f}", str(len(row.kernels)),
                 f"{1e6 * row.seconds(MADE_FOR):.1f}" if row.kernels else "-"]
        for p in peers:
            r, theirs = f.ratio(p), f.rows.get(p)
            cells.append(f"{r:.2f}" if not math.isnan(r) else (theirs.problem if theirs else "") or "-")
        lines.append(f"| {' | '.join(c.replace('|', '/') for c in cells)} |")
    equal, valid = sum(f.small == EQUAL for f in found), sum(not f.invalid() for f in found)
    lines += ["", f"- {equal} of {len(found)} equal to the host; {valid} valid"]
    for name, of in (*((p, lambda f, p=p: f.ratio(p)) for p in peers), ("the better peer", Finding.better)):
        ratios = {f.pipeline: r for f in found if math.isfinite(r := of(f))}
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            share = sum(r >= 1 for r in ratios.values()) / len(ratios)
            worst = ", ".join(f"{n} {r:.2f}" for n, r in sorted(ratios.items(), key=lambda x: x[1])[:6] if r < 1)
            lines.append(f"- {name} / AutoGPU: geometric mean {mean:.2f} of {len(ratios)}, at least 1.0 in {share:.0%}"
                         + (f"; worst: {worst}" if worst else ""))
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="bench-auto-gpu --general", description=__doc__)
    parser.add_argument("names", nargs="*", help="pipelines, and no others")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of the random pipelines")
    parser.add_argument("--count", type=int, default=40, help="random pipelines")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--limit", type=float, default=150.0, help="seconds for each of our own steps")
    parser.add_argument("--peer-limit", type=float, default=60.0, help="seconds for each of a peer's")
    parser.add_argument("--json", help="findings, written after each pipeline, in a file of this name and the seed; "
                        "what it has is kept")
    options = parser.parse_args(arguments)
    if options.json:
        # The command's other tables have a file of the same name.
        options.json = str(Path(options.json).with_stem(f"{Path(options.json).stem}-general-{options.seed}"))
    peers = options.peers.split(",")
    found = _kept(options.json) if options.json else []
    random = [random_name(s) for s in range(options.seed, options.seed + options.count)]
    for name in options.names or [*(p.name for p in written_pipelines()), *random]:
        if any(f.pipeline == name for f in found):
            continue
        found.append(look(name, peers, options.limit, options.peer_limit))
        f = found[-1]
        print(name, f.small, f.invalid() or "valid", [round(f.ratio(p), 2) for p in peers], file=sys.stderr, flush=True)
        if options.json:
            Path(options.json).write_text(json.dumps([asdict(f) for f in found], indent=1) + "\n")
    print(table(found, peers), end="")


def _kept(path: str) -> list[Finding]:
    out: list[Finding] = []
    for entry in json.loads(Path(path).read_text()) if Path(path).exists() else []:
        rows = {}
        for how, r in entry["rows"].items():
            kernels = [KernelRow(**k) for k in r.pop("kernels")]
            rows[how] = Row(**{**r, "size": tuple(r["size"])}, kernels=kernels)
        out.append(Finding(entry["pipeline"], entry["small"], rows))
    return out


if __name__ == "__main__":
    main(sys.argv[1:])
