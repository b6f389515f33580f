"""A batch of many files, here and on a cluster one of whose workers is killed; and again, when nothing has changed.

    python -m tests.cli.cluster_campaign --count 300 --seed 1

Fails where the reports differ in more than times and folders."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import psutil

from tests.soundness.kernels import kernel, source

ROOT = Path(__file__).parent.parent.parent
_BROKEN, _RANDOM = 25, 20
"""One file in so many does not compile, and holds a random kernel; the rest are as small as most of a code base."""
_SMALL = """\
#include <stdint.h>
void small{k}(uint8_t *dst, const uint8_t *src, int w, int h) {{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) dst[y * w + x] = (src[y * w + x] * {a} + {b}) >> {c};
}}
int other{k}(int n, ...) {{ return n; }}
"""


@click.command(help=__doc__)
@click.option("--count", default=300, show_default=True, help="files")
@click.option("--seed", default=0, show_default=True, help="of the first file's kernel")
@click.option("--timeout", default=60.0, show_default=True, help="seconds for one function")
def main(count: int, seed: int, timeout: float) -> None:
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        folder = Path(name)
        (folder / "tree").mkdir()
        for k in range(count):
            (folder / "tree" / f"file{k}.cpp").write_text(_text(k, seed))
        batch = ["batch", "tree", "-q", "--timeout", f"{timeout:g}"]
        here = _run(folder, [*batch, "-o", "here"])
        again = _run(folder, [*batch, "-o", "here"])
        there = _run(folder, [*batch, "-o", "there", "--force", "--dask", "local:3"], kill_after=10.0)
        totals = json.loads((folder / "here" / "report.json").read_text())["totals"]
        print(f"{totals}: {here:.0f} s here, {again:.1f} s when nothing had changed, {there:.0f} s on a cluster")
        one, other = reported(folder / "here"), reported(folder / "there")
        for a, b in zip(one["files"], other["files"], strict=True):
            for what in differences(a, b):
                print(f"differs: {a['name']}: {what}")
        raise SystemExit(one != other)


def _text(k: int, seed: int) -> str:
    if k % _BROKEN == 0:
        return "int f( {\n"
    if k % _RANDOM == 1:
        return source([kernel(seed + k)])
    return _SMALL.format(k=k, a=k % 7 + 1, b=k, c=k % 8)


def reported(folder: Path) -> dict[str, Any]:
    """What a report says but for times, numbers of calls, folders and the order of words in outputs."""
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    for file in found["files"]:
        file["out"] = Path(file["out"]).name
        for f in file["functions"]:
            f["seconds"] = 0
            f["run"] = f["run"] is not None
            texts = {k: v for k, v in f["outputs"].items() if k != "shared"}
            f["outputs"] = {k: _words((folder.parent / v).read_text()) for k, v in texts.items()}
    return {k: v for k, v in found.items() if k != "seconds"}


def _words(text: str) -> str:
    """A text's words and signs in alphabetical order: the order of a sum's terms goes by what a process has seen
    before, and what a worker has lifted is written by another one."""
    return " ".join(sorted(re.findall(r"\w+|\S", text)))


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Where two reports differ, and what stands there."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for k in one:
            yield from differences(one[k], other[k], f"{where}.{k}" if where else k)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{where}[{k}]")
    elif one != other:
        yield f"{where}: {str(one)[:300]!r} and {str(other)[:300]!r}"


def _run(folder: Path, arguments: list[str], kill_after: float = 0.0) -> float:
    """Seconds; a worker of a cluster is killed while it lifts, where that is wanted after so many seconds."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LIFT_CACHE_DIR": str(folder / "cache")}
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "lifter", *arguments], cwd=folder, env=environment)
    if kill_after:
        time.sleep(kill_after)
        while process.poll() is None and not kill_a_worker(psutil.Process(process.pid)):
            time.sleep(0.01)
        assert process.poll() is None, "it ended before a worker could be killed"
    status = process.wait()
    assert status in (1, 2), status
    return time.perf_counter() - start


def kill_a_worker(top: psutil.Process) -> int:
    """Kills a worker that is lifting a file; its number, or 0 where none is."""
    for p in top.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "lifter.commands.batch.remote" in " ".join(p.cmdline()) and p.children():
                worker = p.parent()
                assert worker is not None
                worker.kill()
                return int(worker.pid)
    return 0


if __name__ == "__main__":
    main()
