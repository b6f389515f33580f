"""A pipeline and a schedule as text: a script that runs under `halide_core` and under the package `halide`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

import halide_core
from halide_core.interp.expr import dtype_of
from halide_core.interp.pipeline import evaluate_function
from halide_core.jit_memory import custom_allocator
from tests.halide_core.guarded import GuardedHeap, at_end, at_start


@dataclass(frozen=True, slots=True)
class Case:
    """`definitions` bind the Func `output` over `x` and `y` from the ImageParam `source`; `directives` schedule it."""

    definitions: tuple[str, ...]
    directives: tuple[str, ...]
    # Of the source: columns, rows, NumPy's type; and of the result: columns, rows.
    source: tuple[int, int, str]
    sizes: tuple[int, int]
    # Which end of the source and of the result lies at an unmapped page; "" where Halide allocates the result.
    source_end: str = "end"
    result_end: str = ""
    target: str = ""
    seed: int = 0

    @property
    def is_autoscheduled(self) -> bool:
        """Whether an autoscheduler or what belongs to one makes the schedule."""
        return any("apply_autoscheduler" in d or "as_individual" in d for d in self.directives)

    def script(self) -> str:
        return "\n".join([*self.definitions, *self.directives])

    def text(self) -> str:
        """Python that constructs this case again."""
        rest = ("source", "sizes", "source_end", "result_end", "target", "seed")
        fields = [f"{k}={getattr(self, k)!r}" for k in rest]
        return "\n    ".join(
            ["Case(", f"definitions={_lines(self.definitions)},", f"directives={_lines(self.directives)},"]
            + [f"{x}," for x in fields]
        ) + "\n)"


def _lines(items: tuple[str, ...]) -> str:
    return "(" + "".join(f"\n        {item!r}," for item in items) + "\n    )"


def data(case: Case) -> np.ndarray[Any, Any]:
    """The pixels of the source: integers from 0 to 99."""
    width, height, dtype = case.source
    return np.random.default_rng(case.seed).integers(0, 100, (height, width)).astype(dtype)


def _namespace(case: Case, hl: Any, directives: bool) -> dict[str, Any]:
    dtype = np.dtype(case.source[2])
    type_ = (hl.UInt if dtype.kind == "u" else hl.Int)(dtype.itemsize * 8)
    names: dict[str, Any] = {
        "hl": hl,
        "source": hl.ImageParam(type_, 2, "source"),
        **{name: hl.Var(name) for name in ("x", "y", "c")},
    }
    exec("\n".join(case.definitions), names)
    if directives:
        exec("\n".join(case.directives), names)
    return names


def functions(case: Case) -> dict[str, Any]:
    """The scheduled pipeline of `halide_core`, by name: `source`, `output` and every Func."""
    return _namespace(case, halide_core, True)


def reference(case: Case) -> np.ndarray[Any, Any]:
    """What the definitions alone mean, by the interpreter; shape (rows, columns)."""
    names = _namespace(case, halide_core, False)
    box = tuple((0, n) for n in case.sizes)
    (values,) = evaluate_function(names["output"]._function, box, {"source": (data(case).T, (0, 0))})
    return values.T


def _guarded(values: np.ndarray[Any, Any], end: str) -> np.ndarray[Any, Any]:
    return {"end": at_end, "start": at_start, "": np.array}[end](values)


def result(case: Case) -> np.ndarray[Any, Any]:
    """What the compiled pipeline gives; shape (rows, columns)."""
    names = _namespace(case, halide_core, True)
    names["source"].set(halide_core.Buffer(_guarded(data(case), case.source_end)))
    target = [halide_core.Target(case.target)] if case.target else []
    if not case.result_end:
        return np.asarray(names["output"].realize(list(case.sizes), *target))
    blank = np.zeros(case.sizes[::-1], dtype_of(names["output"].type()))
    memory = _guarded(blank, case.result_end)
    out = halide_core.Buffer(memory)
    names["output"].realize(out, *target)
    out.copy_to_host()
    return memory


# What is refused here on purpose and not always by the package (docs/language.md).
STRICTER = ("is stored outside the parallel or vectorized loop",)


def outcome(case: Case, wanted: np.ndarray[Any, Any] | None = None) -> tuple[str, str]:
    """("equal", ""), ("refused", the reason) where the package refuses too
    (or an individual of Genetic2013 is refused), or ("wrong", what is)."""
    wanted = reference(case) if wanted is None else wanted
    heap = GuardedHeap()
    try:
        with custom_allocator(heap.malloc, heap.free):
            found = result(case)
    except halide_core.HalideError as error:
        if any("apply_autoscheduler" in d for d in case.directives):
            return "wrong", f"refused: {error}"  # an autoscheduler must know better
        if any("as_individual" in d for d in case.directives):
            return "refused", str(error)
        stricter = any(text in str(error) for text in STRICTER)
        return ("refused", str(error)) if stricter else _refused(case, str(error))
    if heap.damage:
        return "wrong", heap.damage[0]
    same = (found == wanted) | ((found != found) & (wanted != wanted))
    if same.all():
        return "equal", ""
    at = tuple(int(v) for v in np.argwhere(~same)[0])
    return "wrong", f"{found[at]} instead of {wanted[at]} at {at}, {int((~same).sum())} of {same.size} values"


_UNDER_THE_PACKAGE = """
import sys
from tests.halide_core.fuzz.case import Case, accepted
print("accepted" if accepted(eval(sys.stdin.read())) else "refused")
"""


def _refused(case: Case, reason: str) -> tuple[str, str]:
    """A refusal is wrong where the package, in a process of its own since it may fault, runs the pipeline."""
    command = [sys.executable, "-c", _UNDER_THE_PACKAGE]
    done = subprocess.run(command, input=case.text(), capture_output=True, text=True, timeout=120)
    if done.returncode > 0:
        raise RuntimeError(done.stderr)
    if done.stdout.endswith("accepted\n"):
        return "wrong", f"refused, not so by the package: {reason}"
    return "refused", reason


def accepted(case: Case) -> bool:
    """Whether the package `halide` compiles and runs the pipeline."""
    import halide

    where: Any = list(case.sizes)
    dtype = dtype_of(_namespace(case, halide_core, False)["output"].type())
    if case.result_end:
        if dtype.kind == "b" or dtype.str == "<f2":
            return False  # it takes no such arrays, so that it cannot be asked
        # Of the type that the package knows: it takes 'Q' for 64 bits, and no arrays of half floats or bools.
        where = halide.Buffer(np.zeros(case.sizes[::-1], "Q" if dtype.str == "<u8" else dtype))
    try:
        names = _namespace(case, halide, True)
        names["source"].set(halide.Buffer(data(case)))
        names["output"].realize(where)
    except (halide.HalideError, RuntimeError):
        return False
    return True
