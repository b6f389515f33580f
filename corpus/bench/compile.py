"""How long halide_core compiles the pipelines of corpus/pipelines: in a new process, and in a second one that finds the
code in the cache on disk; and a point-wise function."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass

import click
from rich.console import Console
from rich.table import Table

from corpus.pipelines.common import pipelines

POINTWISE = "(a point-wise function)"


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds of `compile_jit`: by the clock and of the processor, and by the clock with the cache filled."""

    pipeline: str
    compile_s: float
    cpu_s: float
    cached_s: float


def _compile(name: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor for compiling one pipeline in this process."""
    import halide_core as hl

    if name == POINTWISE:
        x, y, source, f = hl.Var("x"), hl.Var("y"), hl.ImageParam(hl.UInt(8), 2, "source"), hl.Func("f")
        f[x, y] = hl.u8(hl.min(hl.u16(source[x, y]) * 3 / 2 + 7, 255))
        f.vectorize(x, 32, hl.TailStrategy.GuardWithIf).parallel(y)
        pipeline = hl.Pipeline([f])
    else:
        p = next(p for p in pipelines() if p.name == name)
        built = p.build(hl, p.size)
        built.schedule()
        pipeline = hl.Pipeline(built.outputs)
    clock, cpu = time.perf_counter(), time.process_time()
    pipeline.compile_jit()
    return time.perf_counter() - clock, time.process_time() - cpu


def _in_a_process(name: str, cache: str) -> tuple[float, float]:
    command = [sys.executable, "-m", "corpus.bench.compile", "--child", name]
    done = subprocess.run(command, env={**os.environ, "HL_JIT_CACHE_DIR": cache}, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(f"{name}: {done.stderr.strip().splitlines()[-1:] or 'failed'}")
    clock, cpu = json.loads(done.stdout)
    return float(clock), float(cpu)


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON on standard output.")
@click.option("--child", hidden=True)
def main(names: tuple[str, ...], as_json: bool, child: str | None) -> None:
    if child is not None:
        # Warnings of schedules go to standard output, as the package's do.
        with contextlib.redirect_stdout(sys.stderr):
            found = _compile(child)
        print(json.dumps(found))
        return
    known = [POINTWISE, *(p.name for p in pipelines())]
    for name in names:
        if name not in known:
            raise click.UsageError(f"no pipeline '{name}'; there are {', '.join(known)}")
    table = Table("pipeline", "compile (s)", "processor (s)", "from the cache (s)")
    rows: list[Row] = []
    for name in names or known:
        with tempfile.TemporaryDirectory() as cache:
            clock, cpu = _in_a_process(name, cache)
            again, _ = _in_a_process(name, cache)
        rows.append(Row(name, clock, cpu, again))
        table.add_row(name, f"{clock:.2f}", f"{cpu:.2f}", f"{again:.3f}")
    Console(stderr=True).print(table)
    if as_json:
        print(json.dumps([asdict(r) for r in rows], indent=1))


if __name__ == "__main__":
    main()
