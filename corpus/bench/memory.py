"""A roofline: how near compiled code comes to the bandwidth of memcpy, on one thread.

    python -m corpus.bench.memory [--size BYTES]... [--seconds S]

Copy, add and a 3x3 box blur of bytes under the default schedule, interleaved with memcpy of blocks that move as many
bytes through memory as the kernel reads and writes."""

from __future__ import annotations

import ctypes
import math
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import halide_core as hl
from halide_core.aot.compile import RawBuffer, RawParam, Variant, compile_raw
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.expr import I32, I64, Variable, const
from halide_core.ir.operators import cast_to
from lifter.harness.timing import interleave, machine

SIZES = (64 << 10, 1 << 20, 8 << 20, 64 << 20, 256 << 20)
"""Bytes of an image: from what a core's own cache holds to what no cache does."""
GOAL = 0.9
WIDTH = 4096


@dataclass(frozen=True, slots=True)
class Kernel:
    """`value` over the coordinates and images; each image is `margin` larger than the output in each direction."""

    name: str
    inputs: int
    margin: int
    value: Callable[[Any, Any, list[Any]], Any]


def _box(x: Any, y: Any, images: list[Any]) -> Any:
    terms = [hl.u16(images[0][x + i, y + j]) for j in range(3) for i in range(3)]
    return hl.u8(sum(terms[1:], terms[0]) / 9)


KERNELS = (
    Kernel("copy", 1, 0, lambda x, y, images: images[0][x, y]),
    Kernel("add", 2, 0, lambda x, y, images: images[0][x, y] + images[1][x, y]),
    Kernel("blur 3x3", 1, 2, _box),
)


def build(kernel: Kernel) -> Any:
    """The kernel as a C function of its images, the output, width and height."""
    x, y = hl.Var("x"), hl.Var("y")
    u8, zero, one = hl.UInt(8), const(0, I64), const(1, I64)
    images = [hl.ImageParam(u8, 2, f"in{k}") for k in range(kernel.inputs)]
    f = hl.Func("out")
    f[x, y] = kernel.value(x, y, images)
    w, h = (cast_to(I64, Variable(I32, n)) for n in "wh")
    wider, higher = (e + const(kernel.margin, I64) for e in (w, h))
    buffers = {
        f"in{k}": RawBuffer(f"p{k}", zero, (zero, zero), (wider, higher), (one, wider)) for k in range(kernel.inputs)
    }
    buffers["out"] = RawBuffer("q", zero, (zero, zero), (w, h), (one, w))
    pipeline = hl.Pipeline([f])
    target = hl.get_host_target()
    apply_default_schedule(pipeline, target, set(), buffers)
    params = [RawParam(f"p{k}", u8, True) for k in range(kernel.inputs)]
    params += [RawParam("q", u8, True), RawParam("w", I32), RawParam("h", I32)]
    variant = Variant((Variable(I32, "w") > 0) & (Variable(I32, "h") > 0), pipeline, buffers)
    code = compile_raw("kernel", params, None, [variant], None, target).jit()
    kinds = [ctypes.c_void_p] * (kernel.inputs + 1) + [ctypes.c_int32] * 2
    return code.function("kernel", None, *kinds)


def _block(size: int) -> np.ndarray[Any, Any]:
    """Random bytes that start at a cache line."""
    whole = np.random.default_rng(size).integers(0, 256, size + 64, np.uint8)
    start = -whole.ctypes.data % 64
    return whole[start : start + size]


def measure(kernel: Kernel, size: int, seconds: float) -> tuple[float, float, float]:
    """(GB/s of the kernel, GB/s of memcpy, memcpy's time over the kernel's) on outputs of `size` bytes."""
    width = min(WIDTH, 1 << (int(math.log2(size)) // 2))
    height = size // width
    inputs = [_block((width + kernel.margin) * (height + kernel.margin)) for _ in range(kernel.inputs)]
    out = _block(size)
    function = build(kernel)
    arguments = [ctypes.c_void_p(a.ctypes.data) for a in (*inputs, out)]
    moved = (kernel.inputs + 1) * size
    source, target = _block(moved // 2), _block(moved // 2)
    memcpy = ctypes.CDLL(None).memcpy
    memcpy.restype, memcpy.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    a, b = source.ctypes.data, target.ctypes.data

    def run(count: int) -> None:
        for _ in range(count):
            function(*arguments, width, height)

    def copy(count: int) -> None:
        for _ in range(count):
            memcpy(b, a, moved // 2)

    t = interleave([run, copy], lambda: None, seconds)
    return moved / t.seconds[0] / 1e9, moved / t.seconds[1] / 1e9, t.ratios[1]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--size", "sizes", multiple=True, type=int, metavar="BYTES", help="Bytes of an image; several times.")
@click.option("--seconds", default=1.0, show_default=True, metavar="S", help="Time spent on one kernel and size.")
def main(sizes: tuple[int, ...], seconds: float) -> None:
    """Compare the bandwidth of compiled code with that of memcpy, on one thread."""
    os.environ["HL_NUM_THREADS"] = "1"
    table = Table(title="GB moved in a second, and memcpy's time over ours", title_justify="left")
    for head in ("kernel", "bytes", "ours", "memcpy", "ratio"):
        table.add_column(head, justify="left" if head == "kernel" else "right")
    ratios: list[float] = []
    for kernel in KERNELS:
        for size in sizes or SIZES:
            ours, theirs, ratio = measure(kernel, size, seconds)
            ratios.append(ratio)
            style = "red" if ratio < GOAL else None
            table.add_row(kernel.name, str(size), f"{ours:.1f}", f"{theirs:.1f}", f"{ratio:.2f}", style=style)
    out = Console(highlight=False)
    out.print(table)
    out.print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, minimum {min(ratios):.2f}")
    for what, text in machine().items():
        out.print(f"{what}: {text}", markup=False)


if __name__ == "__main__":
    main()
