"""A pair of a pipeline and a schedule as a script that runs by itself under either module."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.unseen.pipeline import Array, Image, Pipeline
from corpus.unseen.values import NUMPY

VARIABLES = """\
x, y, c, i, xo, yo, xi, yi, t, u = (hl.Var(n) for n in ("x", "y", "c", "i", "xo", "yo", "xi", "yi", "t", "u"))
ro, ri = hl.RVar("ro"), hl.RVar("ri")"""


def bound_names(p: Pipeline, directives: Sequence[str], hl: object) -> dict[str, object]:
    """Builds the scheduled pipeline under the module `hl`; the names that the lines bind."""
    import numpy

    names: dict[str, object] = {"hl": hl, "np": numpy}
    exec("\n".join([VARIABLES, *p.lines, *directives]), names)
    return names


def estimates(p: Pipeline) -> list[str]:
    """Lines that tell autoschedulers the sizes."""
    return [
        f"{name}.set_estimates({[(0, n) for n in image.size] + [(0, 3)] * image.channels})"
        for name, image in (("source", p.source), ("output", p.output))
    ]


def by_autoschedulers(p: Pipeline, ours: str, theirs: str, threads: int) -> list[str]:
    """Lines that have each module schedule by an autoscheduler of its own."""
    return [
        *estimates(p),
        'if hl.__name__ == "halide":',
        '    hl.load_plugin(str(next(__import__("pathlib").Path(hl.__file__).parent.glob(',
        f'        "lib*/libautoschedule_{theirs.lower()}.so"))))',
        f'    chosen, options = "{theirs}", {{"parallelism": "{threads}"}}',
        "else:",
        f'    chosen, options = "{ours}", {{}}',
        'hl.Pipeline([output]).apply_autoscheduler(hl.Target("host"), hl.AutoschedulerParams(chosen, options))',
    ]


def source_lines(p: Pipeline) -> list[str]:
    """Lines that make the array of the source as `Pipeline.array` does."""
    lines = [f"pixels = {_empty(p.source)}", f"rng = np.random.default_rng({p.seed})"]
    if p.source.type == "f32":
        return [*lines, "pixels[...] = rng.random(pixels.shape, np.float32)"]
    return [*lines, f"pixels[...] = rng.integers({int(p.low)}, {int(p.high) + 1}, pixels.shape)"]


def _empty(image: Image) -> str:
    (width, height), dtype = image.size, NUMPY[image.type]
    if not image.channels:
        return f'np.zeros(({height}, {width}), "{dtype}")'
    if image.interleaved:
        return f'np.zeros(({height}, {width}, 3), "{dtype}").transpose(2, 0, 1)'
    return f'np.zeros((3, {height}, {width}), "{dtype}")'


def script(p: Pipeline, directives: Sequence[str], title: str) -> str:
    """The text of the script: `python FILE [halide_core|halide] [FILE.npy]` runs, times and saves the result."""
    return "\n".join([
        f'"""{title}"""', "", "import importlib", "import statistics", "import sys", "import time", "",
        "import numpy as np", "",
        'hl = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "halide_core")', VARIABLES, "",
        *p.lines, "", *directives, "", *source_lines(p), f"result = {_empty(p.output)}",
        "inputs, outputs = hl.Buffer(pixels), [hl.Buffer(result)]", "source.set(inputs)",
        'pipeline, target = hl.Pipeline([output]), hl.Target("host")', "start = time.perf_counter()",
        "pipeline.compile_jit(target)", 'print(f"compiled in {time.perf_counter() - start:.2f} s")',
        "times = []", "for _ in range(20):", "    start = time.perf_counter()",
        "    pipeline.realize(outputs, target)", "    times.append(time.perf_counter() - start)",
        'print(f"{1e3 * statistics.median(times):.3f} ms, sum {result.astype(np.float64).sum()!r}")',
        "if len(sys.argv) > 2:", "    np.save(sys.argv[2], result)", "",
    ])


def agree(p: Pipeline, a: Array, b: Array) -> str:
    """What differs between two modules' results; the empty string where nothing does.

    Integers are equal, but where they are rounded floats; floats are near, for Halide contracts and reorders them."""
    import numpy as np

    if a.dtype.kind != "f":
        apart = np.abs(a.astype(np.int64) - b.astype(np.int64))
        wrong = apart > (1 if p.rounds else 0)
    else:
        scale = float(np.nanmax(np.abs(b))) if b.size else 0.0
        wrong = ~np.isclose(a, b, rtol=1e-3, atol=1e-4 * max(scale, 1e-6), equal_nan=True)
        apart = np.abs(a - b)
    if not wrong.any():
        return ""
    at = tuple(int(n) for n in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} differ, first {a[at]!r} and {b[at]!r} at {at}, most by {apart.max()!r}"
