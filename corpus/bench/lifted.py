"""`lift bench` with what the corpus knows of its functions' arguments.

    python -m corpus.bench.lifted FILE_OR_DIR... [the options of lift bench] [-- flags for clang and g++]"""

from __future__ import annotations

import functools
import random
import sys
from functools import partial
from pathlib import Path

import click

from corpus.cases import CASES, Case
from corpus.manifest import entries
from lifter.commands import flags_apart
from lifter.commands.bench import bench_command
from lifter.harness.argument_extents import Scalars
from lifter.harness.draw_arguments import Ranges
from lifter.harness.timing_arguments import Known
from lifter.ir.loop_ir import Function


class _Typical(random.Random):
    """Always two thirds into a range."""

    def randint(self, a: int, b: int) -> int:
        return a + 2 * (b - a) // 3


def known(file: str, function: Function) -> Known:
    """What the cases and the manifests say of a function."""
    case = CASES.get(function.name)
    # Not another function of the same name.
    if case is None or not Path(file).match(case.file) or {p.name for p in function.params if p.pointer} != set(
        case.pointers
    ):
        return Known(_ranges(file, function.name))
    return Known(exactly=partial(_from_case, function, case))


@functools.cache
def _ranges(file: str, name: str) -> Ranges:
    return next((e.ranges for e in entries() if e.name == name and Path(file).match(e.file)), {})


def _from_case(function: Function, case: Case, size: int) -> tuple[Scalars, dict[str, tuple[int, int]]]:
    names = [p.name for p in function.params if not p.pointer]
    scalars = case.scalars(names, size, size, 0, _Typical())
    for p in function.params:
        if not p.pointer and p.type.is_float() and p.name in case.ranges:
            low, high = case.ranges[p.name]
            scalars[p.name] = low + 0.7 * (high - low)
    regions = {}
    for n, image in case.pointers.items():
        rows, width, stride = image.box(scalars)
        m = image.margin
        regions[n] = ((rows + 2 * m - 1) * stride + width + 2 * m, m * stride + m)
    return scalars, regions


def main() -> None:
    """Runs the command with what is known."""
    assert bench_command.callback is not None
    callback = partial(bench_command.callback, known=known)
    args, flags = flags_apart(sys.argv[1:])
    command = click.Command(bench_command.name, params=bench_command.params, callback=callback)
    command.main(args, prog_name="corpus.bench.lifted", obj=flags)


if __name__ == "__main__":
    main()
