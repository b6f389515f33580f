"""Pipelines of lifted functions, scheduled and compiled as a whole (paper, section 6.5), and `lift compose`.

    from lifter.compose import Document

    document = Document()
    base, top = (document.image(n, "uint8", (1080, 1920)) for n in ("base", "top"))
    blend, blur = document.lift("blend.cpp", "Multiply"), document.lift("blur.cpp", "BoxBlur")
    mixed = blend(dst=base, src=top, rows=1080, cols=1920, rowBytes=1920)["dst"]
    soft = blur(src=mixed, dst=mixed, rows=1080, cols=1920, rowBytes=1920)["dst"]
    document.output("result", soft, (1080, 1920))
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

import halide_core as hl
from codegen.composed import call
from codegen.composed_memory import Box, ComposeError, Layer, Memory
from halide_core.errors import HalideError
from halide_core.interp.expr import type_of
from halide_core.ir.expr import Expr, const
from halide_core.ir.operators import as_expr
from halide_core.ir.types import Type
from lifter.api import SourceError, UsageError, lift_file
from lifter.ir.summary import Summary
from lifter.support.console import open_console

KINDS = ("object", "header", "assembly", "stmt", "schedule")


class LiftedFunction:
    """A verified function.  A call takes its parameters by name: numbers, a `Document.parameter` where no size depends
    on it, memory for pointers, None for memory whose contents do not matter, 0 for a null pointer; it returns the
    pointers' memory after the call, by name.  Each pointer has memory of its own: nothing given is changed."""

    def __init__(self, document: Document, summary: Summary) -> None:
        self._document = document
        self.summary = summary

    def __call__(self, **arguments: Any) -> dict[str, Memory]:
        function = self.summary.function
        names = [p.name for p in function.params]
        wrong = [n for n in arguments if n not in names] or [n for n in names if n not in arguments]
        if wrong:
            kind = "no parameter" if wrong[0] in arguments else "no value for its parameter"
            raise ComposeError(f"{function.name} has {kind} '{wrong[0]}'; it takes {', '.join(names)}")
        scalars: dict[str, Expr] = {}
        memories: dict[str, Memory | None] = {}
        for p in function.params:
            given = arguments[p.name]
            if p.pointer:
                if given is not None and given != 0 and not isinstance(given, Memory):
                    raise ComposeError(f"'{p.name}' of {function.name} is a pointer: give it an image, None or 0")
                if isinstance(given, Memory) and given.type != p.type:
                    raise ComposeError(f"'{p.name}' of {function.name} has elements of {p.type}, not of {given.type}")
                memories[p.name] = None if given == 0 else given or Memory(p.type, (), p.name)
            else:
                scalars[p.name] = _scalar(given, p.type, f"'{p.name}' of {function.name}")
        after = call(self.summary, scalars, memories)
        self._document.calls.append(function.name)
        return after


class Document:
    """Images, the calls that work on them, and the outputs."""

    def __init__(self) -> None:
        self.inputs: dict[str, Any] = {}
        self.parameters: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.calls: list[str] = []
        self.schedule: Any = None
        """What the autoscheduler chose, once there is a pipeline: an AutoSchedulerResults."""
        self._pipeline: Any = None
        self._autoscheduler = ""

    def image(self, name: str, type: str, shape: Sequence[int]) -> Memory:
        """An input: `shape` as NumPy has it, rows first; elements lie one after the other."""
        element = type_of(np.dtype(type))
        extents = [int(n) for n in reversed(shape)]
        param = hl.ImageParam(element, len(extents), name)
        for d, (_, extent, stride) in enumerate(_box(extents).dims):
            param.dim(d).set_bounds(0, extent)
            param.dim(d).set_stride(stride)
            param.dim(d).set_estimate(0, extent)
        self.inputs[name] = param
        self.shapes[name] = tuple(int(n) for n in shape)

        def at(coords: tuple[Expr, ...]) -> Expr:
            return as_expr(param[coords if len(coords) != 1 else coords[0]])

        return Memory(element, (Layer(_box(extents), at),), name)

    def parameter(self, name: str, type: str, value: Any = None) -> Any:
        """A number that is given when the pipeline runs."""
        param = hl.Param(type_of(np.dtype(type)), name) if value is None else hl.Param(
            type_of(np.dtype(type)), name, value
        )
        self.parameters[name] = param
        return param

    def lift(
        self, file: str, function: str, clang_args: Sequence[str] = (), models: Sequence[str] = ()
    ) -> LiftedFunction:
        """A function of a C or C++ file.  Raises ComposeError where it is not verified."""
        try:
            report = lift_file(file, functions=[function], emit=(), clang_args=clang_args, models=models)
        except (SourceError, UsageError) as problem:
            raise ComposeError(str(problem)) from None
        found = report.functions[0]
        if found.lifted is None or found.lifted.summary is None or found.status != "verified":
            raise ComposeError(
                f"{function} of {file} is not verified ({found.status}: {found.reason}); "
                f"lift explain {file} -f {function} says more"
            )
        return LiftedFunction(self, found.lifted.summary)

    def output(self, name: str, memory: Memory, shape: Sequence[int] | None = None) -> None:
        """The elements of `memory` from the first one on in NumPy's shape, or just what the last call has written."""
        if not isinstance(memory, Memory) or not memory.layers:
            raise ComposeError(f"output '{name}' has no values")
        box = memory.layers[-1].box if shape is None else _box([int(n) for n in reversed(shape)])
        values = memory.reader(box)
        func = hl.Func(name)
        variables = [hl.Var(f"{'xyzwvu'[d]}") for d in range(len(box.dims))]
        coords = tuple(as_expr(v) + low for v, (low, _, _) in zip(variables, box.dims, strict=True))
        func[tuple(variables) if len(variables) != 1 else variables[0]] = values(coords)
        for v, (_, extent, _) in zip(variables, box.dims, strict=True):
            func.set_estimate(v, 0, extent)
        self.outputs[name] = func
        self.shapes[name] = tuple(extent for _, extent, _ in reversed(box.dims))
        self._pipeline = None

    def pipeline(self, autoscheduler: str | None = None) -> Any:
        """The whole as one scheduled pipeline of `halide_core`; its schedule's text is in `schedule`.  It is scheduled
        once, by "default" where nothing else is said."""
        if not self.outputs:
            raise ComposeError("the document has no output; give it one by output(name, memory)")
        if self._pipeline is None:
            self._autoscheduler = autoscheduler or "default"
            self._pipeline = hl.Pipeline(list(self.outputs.values()))
            parameters = hl.AutoschedulerParams(self._autoscheduler, {})
            self.schedule = self._pipeline.apply_autoscheduler(hl.get_host_target(), parameters)
        elif autoscheduler not in (None, self._autoscheduler):
            raise ComposeError(f"the pipeline is scheduled by {self._autoscheduler} already, not by {autoscheduler}")
        return self._pipeline

    def realize(self, **arrays: Any) -> dict[str, np.ndarray[Any, Any]]:
        """The outputs by name, from the inputs and parameters by name."""
        pipeline = self.pipeline()
        for name, given in arrays.items():
            if name in self.inputs:
                array = np.ascontiguousarray(given)
                if array.shape != self.shapes[name]:
                    raise ComposeError(f"input '{name}' has the shape {self.shapes[name]}, not {array.shape}")
                self.inputs[name].set(hl.Buffer(array))
            elif name in self.parameters:
                self.parameters[name].set(given)
            else:
                raise ComposeError(f"the document has no input '{name}'; it has {', '.join(self.inputs)}")
        out = [hl.Buffer(f.type(), list(reversed(self.shapes[n]))) for n, f in self.outputs.items()]
        pipeline.realize(out)
        return {n: np.asarray(b) for n, b in zip(self.outputs, out, strict=True)}


def _box(extents: Sequence[int]) -> Box:
    """Elements one after the other; innermost extent first."""
    return Box(0, tuple((0, extent, int(np.prod(extents[:d]))) for d, extent in enumerate(extents)))


def _scalar(given: Any, t: Type, what: str) -> Expr:
    if isinstance(given, hl.Param):
        if given.type() != t:
            raise ComposeError(f"{what} has the type {t}, not {given.type()}")
        return as_expr(given)
    if isinstance(given, bool | int | float | np.number):
        number = given.item() if isinstance(given, np.number) else given
        if t.is_int_or_uint() and not (int(number) == number and t.min() <= number <= t.max()):
            raise ComposeError(f"{what} is {number}, which {t} does not hold")
        return const(int(number) if t.is_int_or_uint() else number, t)
    raise ComposeError(f"{what} is a number, not {type(given).__name__}")


def load(path: str) -> Document:
    """The Document that a Python file makes at its top level.  Raises ComposeError."""
    if not Path(path).is_file():
        raise ComposeError(f"cannot read {path}")
    here = str(Path(path).resolve().parent)
    sys.path.insert(0, here)
    try:
        names: Mapping[str, Any] = runpy.run_path(path)
    finally:
        sys.path.remove(here)
    found = [v for v in names.values() if isinstance(v, Document)]
    if len(found) != 1:
        raise ComposeError(f"{path} must make one Document at its top level, not {len(found)}")
    return found[0]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", metavar="DOC.py")
@click.option("-o", "--out", default="lifted", show_default=True, metavar="DIR", help="Folder for the outputs.")
@click.option("--emit", default="object,header", show_default=True, metavar="KIND,...", help=", ".join(KINDS))
@click.option("--autoscheduler", default="default", show_default=True, metavar="NAME", help="How it is scheduled.")
def compose_command(file: str, out: str, emit: str, autoscheduler: str) -> None:
    """Compile the pipeline of lifted functions that DOC.py describes (see `lifter.compose`)."""
    console = open_console()
    kinds = list(dict.fromkeys(k.strip() for k in emit.split(",") if k.strip()))
    unknown = [k for k in kinds if k not in KINDS]
    if unknown or not kinds:
        raise click.UsageError(f"unknown output kind '{''.join(unknown[:1])}'; the kinds are {', '.join(KINDS)}")
    if "schedule" in kinds and autoscheduler == "default":
        raise click.UsageError("the default schedule has no text; choose another by --autoscheduler Reuse2019")
    try:
        with console.status(f"{file}: lifting and composing"):
            document = load(file)
            pipeline = document.pipeline(autoscheduler)
            written = _write(document, pipeline, Path(out) / Path(file).stem, kinds)
    except (ComposeError, HalideError, OSError) as problem:
        console.print(f"error: {problem}", markup=False)
        sys.exit(2)
    console.print(f"{Path(file).stem}: {' -> '.join(document.calls)}", markup=False)
    for name in document.outputs:
        console.print(f"  {name}: {' x '.join(map(str, document.shapes[name]))}", markup=False)
    for kind, path in written.items():
        console.print(f"  {kind}: {path}", markup=False)


def _write(document: Document, pipeline: Any, stem: Path, kinds: Sequence[str]) -> dict[str, str]:
    stem.parent.mkdir(parents=True, exist_ok=True)
    arguments = [*document.inputs.values(), *document.parameters.values()]
    target = hl.get_host_target()
    written: dict[str, str] = {}
    for kind in kinds:
        suffix = {"object": ".o", "header": ".h", "assembly": ".s", "stmt": ".stmt", "schedule": "_schedule.py"}[kind]
        path = str(stem) + suffix
        if kind == "object":
            pipeline.compile_to_object(path, arguments, stem.name, target)
        elif kind == "header":
            pipeline.compile_to_header(path, arguments, stem.name, target)
        elif kind == "assembly":
            pipeline.compile_to_assembly(path, arguments, stem.name, target)
        elif kind == "stmt":
            pipeline.compile_to_lowered_stmt(path, arguments, hl.StmtOutputFormat.Text, target)
        else:
            Path(path).write_text(document.schedule.python_schedule_source)
        written[kind] = path
    return written
