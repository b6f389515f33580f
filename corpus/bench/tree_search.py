"""TreeSearch against the default schedule (everything inlined, row-major), as its page measures it: the page's three
functions and ten others, with Reuse2019 beside.

All schedules of one pipeline run in turn in one process; their results are equal bit for bit before they are timed."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import halide_core as hl
from corpus.pipelines.common import estimate, named_pipelines
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.tree_search.scheduler import TreeSearch
from lifter.harness.timing import interleave, machine

_TARGET = "host-strict_float"
_SIZE = 2048
_SMALL = 96
METHODS = ("default", "TreeSearch", "Reuse2019")


@dataclass(slots=True)
class Case:
    """A pipeline with estimates, its input (None: it has none) and the extents of its output."""

    output: Any
    image: Any
    array: np.ndarray[Any, Any] | None
    extents: tuple[int, ...]


@dataclass(slots=True)
class Result:
    """Milliseconds of a run and seconds of scheduling, by method; `ratios`: the default's time over each method's."""

    pipeline: str
    ms: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    scheduling_s: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


Writer = Callable[[Any, Any, Any], Any]
"""From the input (a Func on which every coordinate is defined) and x and y to the output."""


def _func(name: str, x: Any, y: Any, value: Any) -> Any:
    f = hl.Func(name)
    f[x, y] = value
    return f


def _page_1(image: Any, x: Any, y: Any) -> Any:
    g = _func("g", x, y, hl.sqrt(hl.cos(hl.f32(x)) + hl.sin(hl.f32(y))))
    return _func("f", x, y, g[x + 1, y] + g[x, y] + g[x + 1, y + 1] + g[x, y + 1])


def _page_2(image: Any, x: Any, y: Any) -> Any:
    # Divided as the page writes it: the last term alone.
    rows = _func("blur_x", x, y, image[x - 1, y] + image[x, y] + image[x + 1, y] / 3)
    return _func("blur_y", x, y, rows[x, y - 1] + rows[x, y] + rows[x, y + 1] / 3)


def _page_3(image: Any, x: Any, y: Any) -> Any:
    return _func("f", x, y, x + y)


def _gauss(image: Any, x: Any, y: Any) -> Any:
    weights = (1, 4, 6, 4, 1)
    rows = _func("rows", x, y, sum((image[x + k - 2, y] * w for k, w in enumerate(weights)), hl.f32(0.0)))
    return _func("gauss", x, y, sum((rows[x, y + k - 2] * w for k, w in enumerate(weights)), hl.f32(0.0)) / 256.0)


def _sobel(image: Any, x: Any, y: Any) -> Any:
    across = _func("across", x, y, image[x + 1, y - 1] + 2.0 * image[x + 1, y] + image[x + 1, y + 1]
                   - image[x - 1, y - 1] - 2.0 * image[x - 1, y] - image[x - 1, y + 1])
    down = _func("down", x, y, image[x - 1, y + 1] + 2.0 * image[x, y + 1] + image[x + 1, y + 1]
                 - image[x - 1, y - 1] - 2.0 * image[x, y - 1] - image[x + 1, y - 1])
    return _func("sobel", x, y, hl.sqrt(across[x, y] * across[x, y] + down[x, y] * down[x, y]))


def _sharpen(image: Any, x: Any, y: Any) -> Any:
    blurred = _gauss(image, x, y)
    return _func("sharp", x, y, hl.clamp(2.0 * image[x, y] - blurred[x, y], 0.0, 255.0))


def _pyramid(image: Any, x: Any, y: Any) -> Any:
    down = _func("down", x, y, (image[2 * x, 2 * y] + image[2 * x + 1, 2 * y] + image[2 * x, 2 * y + 1]
                                + image[2 * x + 1, 2 * y + 1]) / 4.0)
    up = _func("up", x, y, (down[x / 2, y / 2] + down[(x + 1) / 2, (y + 1) / 2]) / 2.0)
    return _func("detail", x, y, image[x, y] - up[x, y])


def _tone(image: Any, x: Any, y: Any) -> Any:
    light = _func("light", x, y, hl.log(image[x, y] + 1.0))
    mean = _func("mean", x, y, (light[x - 1, y] + light[x + 1, y] + light[x, y - 1] + light[x, y + 1]) / 4.0)
    return _func("tone", x, y, hl.exp(light[x, y] * 0.8 - mean[x, y] * 0.2))


def _chain(image: Any, x: Any, y: Any) -> Any:
    f = image
    for k in range(4):
        f = _func(f"chain{k}", x, y, (f[x - 1, y] + f[x, y - 1] + f[x + 1, y] + f[x, y + 1] + f[x, y]) / 5.0)
    return f


def _difference(image: Any, x: Any, y: Any) -> Any:
    rows = _func("mean_x", x, y, sum((image[x + k, y] for k in range(-4, 5)), hl.f32(0.0)) / 9.0)
    mean = _func("mean", x, y, sum((rows[x, y + k] for k in range(-4, 5)), hl.f32(0.0)) / 9.0)
    return _func("difference", x, y, hl.abs(image[x, y] - mean[x, y]))


WRITTEN: dict[str, Writer] = {
    "page 1": _page_1, "page 2": _page_2, "page 3": _page_3, "gauss": _gauss, "sobel": _sobel, "sharpen": _sharpen,
    "pyramid": _pyramid, "tone": _tone, "chain": _chain, "difference": _difference,
}
PIPELINES = ("blur", "harris", "unsharp")
"""Of corpus/pipelines."""


def case(name: str, small: bool) -> Case:
    """The pipeline `name`, built anew."""
    if name in PIPELINES:
        (p,) = named_pipelines([name])
        size = p.small[0] if small else p.size
        built, arrays = p.build(hl, size), p.arrays(size, np.random.default_rng(0))
        estimate(built, p, size, arrays)
        return Case(built.outputs[0], built.inputs[0], arrays[0], p.shapes(size)[0])
    size_ = _SMALL if small else _SIZE
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32) if name == "page 2" else hl.Float(32), 2, "image")
    edge = hl.BoundaryConditions.repeat_edge(image, [(0, size_), (0, size_)])
    output = WRITTEN[name](edge, x, y)
    output.set_estimates([(0, size_), (0, size_)])
    if name in ("page 1", "page 3"):
        return Case(output, None, None, (size_, size_))
    image.set_estimates([(0, size_), (0, size_)])
    values = np.random.default_rng(0).integers(0, 255, (size_, size_))
    return Case(output, image, values.astype(np.int32 if name == "page 2" else np.float32), (size_, size_))


def measure(name: str, small: bool, seconds: float) -> Result:
    """Times one pipeline under every method."""
    result = Result(name)
    target = hl.Target(_TARGET)
    ready: list[tuple[str, Callable[[int], None], Any, list[object]]] = []
    for method in METHODS:
        c = case(name, small)
        pipeline = hl.Pipeline([c.output])
        kept: list[object] = []
        try:
            start = time.perf_counter()
            if method == "default":
                search = TreeSearch([c.output._function], target, this_machine(target, {}))
                search.schedule(search.default()).apply({f.name: f for f in search.description.environment.order})
            else:
                pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(method))
            result.scheduling_s[method] = time.perf_counter() - start
            if c.image is not None:
                kept = [hl.Buffer(c.array)]
                c.image.set(kept[0])
            out = hl.Buffer(c.output.type(), list(c.extents))
            pipeline.realize([out], target)
        except hl.HalideError as problem:  # one method's failure, named below, stops no other
            result.failed[method] = str(problem)
            continue
        values = np.array(out)
        if ready and not np.array_equal(values, np.array(ready[0][2]), equal_nan=values.dtype.kind == "f"):
            result.failed[method] = "the results differ"
            continue

        def run(count: int, pipeline: Any = pipeline, out: Any = out) -> None:
            for _ in range(count):
                pipeline.realize([out], target)

        ready.append((method, run, out, kept))
    timing = interleave([r[1] for r in ready], lambda: None, seconds)
    for (method, *_), s, ratio in zip(ready, timing.seconds, timing.ratios, strict=True):
        result.ms[method], result.ratios[method] = 1e3 * s, 1 / ratio
    return result


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=2.0, show_default=True, metavar="S", help="Time spent on one pipeline.")
@click.option("--small", is_flag=True, help="At a small size, to try that everything runs.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE.")
def main(names: tuple[str, ...], seconds: float, small: bool, json_file: str | None) -> None:
    """Compare TreeSearch with the default schedule and with Reuse2019."""
    console, out = Console(stderr=True, highlight=False), Console(highlight=False)
    known = (*WRITTEN, *PIPELINES)
    unknown = sorted(set(names) - set(known))
    if unknown:
        console.print(f"error: no pipeline '{unknown[0]}'; there are {', '.join(known)}", markup=False)
        sys.exit(2)
    results = []
    for name in names or known:
        with console.status(name):
            results.append(measure(name, small, seconds))
    table = Table(title="Milliseconds of a run, and how many times faster than the default", title_justify="left")
    table.add_column("pipeline", no_wrap=True)
    for head in (*METHODS, *(f"{m} ratio" for m in METHODS[1:]), "TreeSearch s"):
        table.add_column(head, justify="right")
    for r in results:
        cells = [f"{r.ms[m]:.2f}" if m in r.ms else "-" for m in METHODS]
        cells += [f"{r.ratios[m]:.2f}" if m in r.ratios else "-" for m in METHODS[1:]]
        table.add_row(r.pipeline, *cells, f"{r.scheduling_s.get('TreeSearch', 0.0):.2f}")
    out.print(table)
    for method in METHODS[1:]:
        found = [r.ratios[method] for r in results if method in r.ratios]
        if found:
            out.print(
                f"{method} over the default: geometric mean {statistics.geometric_mean(found):.2f}, minimum "
                f"{min(found):.2f}, of {len(found)} pipelines"
            )
    for r in results:
        for method, why in r.failed.items():
            out.print(f"{r.pipeline}: {method} failed: {why.splitlines()[0]}", markup=False)
    for what, text in machine().items():
        out.print(f"{what}: {text}", markup=False)
    if json_file is not None:
        figures = {"machine": machine(), "results": [asdict(r) for r in results]}
        Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
    sys.exit(1 if any(r.failed for r in results) else 0)


if __name__ == "__main__":
    main()
