"""Timing functions against each other: interleaved in one process, called from compiled loops, medians of ratios."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from codegen.original import compile_original, run_tool, system_compiler
from lifter.harness.side_by_side import bind, load
from lifter.harness.stubs import make_stubs
from lifter.ir.loop_ir import Function
from lifter.toolchain.command import Command

O2, O3 = ("-O2",), ("-O3", "-march=native", "-ffp-contract=off")
SAMPLE = 3e-3
"""Seconds that one function runs before the next has its turn: long enough for idle threads to wake (some 0.1 ms),
short enough for a machine's noise, which comes in phases of 0.1 s and more, to hit all alike."""
COLD = 2e-3
"""Seconds of other work before each call that is to find idle threads asleep, as in a program that does more."""
_CLOCK = """\
#include <cstdint>
#include <ctime>
static double now() {{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}}
static void other_work() {{
    for (double end = now() + {seconds}; now() < end;) {{
    }}
}}"""
MIN_ROUNDS, MAX_ROUNDS = 5, 400
_PACKAGES = ("lifter", "llvmlite", "z3-solver", "libclang", "numpy")
_C_TYPES = {"bool": "bool", "float32": "float", "float64": "double"}


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians over the rounds: seconds of one call of each function, and each function's time over the first's."""

    seconds: tuple[float, ...]
    ratios: tuple[float, ...]
    rounds: int


def interleave(
    calls: Sequence[Callable[[int], Any]], reset: Callable[[], None], budget: float, sample: float = SAMPLE,
    between: float = 0.0,
) -> Timing:
    """Times `calls`, each of which takes how often to call and may return the seconds that it took; A B C A B C ...
    for about `budget` seconds.

    Each turn of each function takes about `sample` seconds, one call at least, with the `between` seconds that each
    call waits before it and that do not count.  `reset` runs, untimed, before a turn."""
    repeats = []
    for call in calls:
        reset()
        call(1)
        reset()
        repeats.append(max(1, int(sample / max(_timed(call, 1) + between, 1e-9))))
    samples: list[list[float]] = [[] for _ in calls]
    stop = time.perf_counter() + budget
    order = list(zip(samples, calls, repeats, strict=True))
    shuffle = random.Random(0).shuffle
    while len(samples[0]) < MIN_ROUNDS or (time.perf_counter() < stop and len(samples[0]) < MAX_ROUNDS):
        for times, call, repeat in order:
            reset()
            times.append(_timed(call, repeat) / repeat)
        # What one function leaves in the caches is not always found by the same one.
        shuffle(order)
    ratios = [statistics.median(t / own for t, own in zip(times, samples[0], strict=True)) for times in samples]
    return Timing(tuple(statistics.median(times) for times in samples), tuple(ratios), len(samples[0]))


def _timed(call: Callable[[int], Any], count: int) -> float:
    start = time.perf_counter()
    own = call(count)
    # What runs in another process tells its own time.
    return own if isinstance(own, float) else time.perf_counter() - start


class Loops:
    """Compiled loops that call a function of a given signature n times, so that Python's calls cost nothing."""

    def __init__(self, functions: Sequence[Function], folder: Path) -> None:
        source, library = folder / "loops.cpp", folder / "loops.so"
        text = [_CLOCK.format(seconds=COLD)]
        for number, f in enumerate(functions):
            types = ["void*"] if f.interface is not None else []  # the function itself, which a packer calls
            types += ["void*" if p.pointer else _c_type(p.type) for p in f.params]
            result = "void" if f.return_type is None else _c_type(f.return_type)
            params = "".join(f", {t} a{i}" for i, t in enumerate(types))
            call = f"f({', '.join(f'a{i}' for i in range(len(types)))})"
            keep = call if f.return_type is None else f"volatile {result} kept = {call}; (void)kept"
            head = f"{number}({result} (*f)({', '.join(types)}), int64_t n{params})"
            text.append(
                f'extern "C" double warm_{head} {{\n'
                f"    double start = now(); for (int64_t i = 0; i < n; i++) {{ {keep}; }} return now() - start; }}"
            )
            text.append(
                f'extern "C" double cold_{head} {{\n    double sum = 0; for (int64_t i = 0; i < n; i++) '
                f"{{ other_work(); double start = now(); {keep}; sum += now() - start; }} return sum; }}"
            )
        source.write_text("\n".join(text) + "\n")
        run_tool([compiler(), "-O2", "-fPIC", "-shared", "-o", str(library), str(source)])
        self._library = ctypes.CDLL(str(library))
        self._numbers = {f.symbol: i for i, f in enumerate(functions)}

    def call(
        self, library: ctypes.CDLL, function: Function, values: Sequence[Any], cold: bool = False
    ) -> Callable[[int], float]:
        """A callable of how often to call the library's `function` with `values`, each time after COLD seconds of other
        work if it is to be `cold`; the seconds that the calls took."""
        target = bind(library, function)
        first: list[Any] = []
        if isinstance(target, functools.partial):
            first = list(target.args)
            target = target.func
        loop = getattr(self._library, f"{'cold' if cold else 'warm'}_{self._numbers[function.symbol]}")
        loop.argtypes = [ctypes.c_void_p, ctypes.c_int64, *target.argtypes]
        loop.restype = ctypes.c_double
        address = ctypes.cast(target, ctypes.c_void_p)

        def run(count: int) -> float:
            return float(loop(address, count, *first, *values))

        return run


def _c_type(t: object) -> str:
    return _C_TYPES.get(str(t), f"{t}_t")


def compiler() -> str:
    """The compiler of the originals: g++, or what the system has.  Raises EmitError where it has none."""
    return shutil.which("g++") or system_compiler()


def build(source: str, given: Sequence[str] | Command, flags: Sequence[str], path: Path) -> ctypes.CDLL:
    """A source file as a shared library, compiled as its program compiles it but for `flags`, loaded.

    Raises EmitError with the compiler's first error."""
    compile_original(source, given, path, flags)
    make_stubs(path, compiler())
    return load(path)


def threads() -> int:
    """How many threads lifted code uses."""
    wanted = os.environ.get("HL_NUM_THREADS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) > 0 else len(os.sched_getaffinity(0))


def machine() -> dict[str, str]:
    """What a reader must know to compare times: the machine, the compiler, the versions."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    built_by = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False).stdout
    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, {cpu}",
        "compiler": (built_by.splitlines() or ["unknown"])[0],
        "versions": f"Python {sys.version.split()[0]}, " + ", ".join(f"{p} {_version(p)}" for p in _PACKAGES),
        "threads": f"{threads()} (HL_NUM_THREADS sets it)",
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"
