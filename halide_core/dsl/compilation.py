"""Compilation of pipelines to files, modules and callables."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halide_core.aot.archive import write_archive
from halide_core.dsl.buffer import Buffer
from halide_core.dsl.image import ImageParam, OutputImageParam
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.variables import PARAMS, Param
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.interface import output_arrays
from halide_core.ir.types import Type
from halide_core.target import Target, chosen
from halide_core.vocabulary import ArgumentKind, LinkageType, OutputFileType, StmtOutputFormat


class Argument:
    """What a compiled function takes: an image or a scalar."""

    name: str
    kind: ArgumentKind
    dimensions: int
    type: Type | None

    @overloaded("", "im", "param", "buffer")
    def __init__(self, source: Any = None) -> None:
        self.source = source
        self.name = source.name() if source is not None else ""
        self.kind = (
            ArgumentKind.InputScalar if source is None or isinstance(source, Param) else ArgumentKind.InputBuffer
        )
        if type(source) is OutputImageParam:
            self.kind = ArgumentKind.OutputBuffer
        self.dimensions = source.dimensions() if isinstance(source, OutputImageParam | Buffer) else 0
        self.type = source.type() if source is not None else None


def _sources(arguments: Sequence[Any] | None) -> list[Any] | None:
    return None if arguments is None else [a.source if isinstance(a, Argument) else a for a in arguments]


class Module:
    """Compiled code that is not written yet."""

    def __init__(self, name: str, target: Target, pipeline: Any = None, arguments: Any = None) -> None:
        self._name, self._target = name, target
        self._pipeline, self._arguments = pipeline, arguments

    def __repr__(self) -> str:
        return f"<halide.Module '{self._name}'>"

    def name(self) -> str:
        return self._name

    def target(self) -> Target:
        return self._target

    def compile(self, outputs: Mapping[OutputFileType, str]) -> None:
        """Writes the files asked for."""
        if self._pipeline is None:
            raise HalideError(f"Module {self._name} holds no function")
        self._pipeline.compile_to(outputs, self._arguments, self._name, self._target)


class Callable:
    """A pipeline as a function of its arguments, then its output Buffers; by position or by name."""

    def __init__(self, pipeline: Any, arguments: Sequence[Any], target: Target) -> None:
        from halide_core.jit_code import compiled

        self._code = compiled(pipeline, target)
        self._arguments = list(arguments)
        self._names = [a.name() for a in arguments] + [a.name for a in self._code.interface.outputs]
        images = {a._image.name for a in arguments if isinstance(a, ImageParam)}
        scalars = {a.name() for a in arguments if isinstance(a, Param)}
        missing = [a.name for a in self._code.interface.inputs if a.name not in images and _free(self._code, a.name)]
        missing += [n for n in self._code.interface.parameters if n in PARAMS and n not in scalars]
        if missing:
            raise HalideError(f"The pipeline uses {', '.join(missing)}, which is not among the Callable's arguments")

    def __call__(self, *args: Any, **named: Any) -> None:
        """Runs the pipeline.  Raises HalideError for what does not fit."""
        from halide_core.jit import run_with

        unknown = [n for n in named if n not in self._names]
        values = dict(zip(self._names, args, strict=False)) | named
        if len(args) > len(self._names) or unknown or len(values) != len(self._names):
            raise HalideError(
                f"Expected {len(self._names)} arguments ({', '.join(self._names)}), but got {len(args) + len(named)}"
            )
        buffers: dict[str, Buffer] = {}
        scalars: dict[str, Any] = {}
        for name, source in zip(self._names, [*self._arguments, *self._code.interface.outputs], strict=True):
            value = values[name]
            if isinstance(source, Param):
                if not isinstance(value, int | float) and not hasattr(value, "item"):
                    raise HalideError(f"Argument {name} is a scalar of type {source.type()}, not {value!r}")
                scalars[name] = source.converted(value)
            elif isinstance(value, int | float):
                raise HalideError(f"Argument {name} is a buffer, not {value!r}")
            else:
                buffers[name] = value if isinstance(value, Buffer) else Buffer(value)
        run_with(self._code, buffers, scalars)


def _free(code: Any, name: str) -> bool:
    """Whether the image is an ImageParam, and no Buffer that the pipeline holds."""
    return bool(code.images[name].is_parameter)


class Compilation:
    """The compile_to_... methods of Pipeline; those of Func are its pipeline's."""

    def functions(self) -> list[Function]:
        raise NotImplementedError

    def _name(self, name: str | None) -> str:
        return name if name else self.functions()[0].name

    def _code(self, arguments: Any, name: str | None, target: Target | None) -> Any:
        from halide_core.aot.compile import compile_pipeline

        return compile_pipeline(self, _sources(arguments), self._name(name), chosen(target))

    def compile_to(
        self,
        outputs: Mapping[OutputFileType, str],
        arguments: Sequence[Any] | None = None,
        fn_name: str | None = None,
        target: Target | None = None,
    ) -> None:
        """Writes each kind of file asked for to the path given with it."""
        writers = {
            OutputFileType.object: self.compile_to_object,
            OutputFileType.assembly: self.compile_to_assembly,
            OutputFileType.bitcode: self.compile_to_bitcode,
            OutputFileType.llvm_assembly: self.compile_to_llvm_assembly,
            OutputFileType.c_header: self.compile_to_header,
            OutputFileType.python_extension: self._python_extension,
        }
        for kind, path in outputs.items():
            if kind in writers:
                writers[kind](path, arguments, fn_name, target)
            elif kind is OutputFileType.static_library:
                self._static_library(path, arguments, fn_name, target)
            elif kind in (OutputFileType.stmt, OutputFileType.conceptual_stmt):
                self.compile_to_lowered_stmt(path, arguments, StmtOutputFormat.Text, target)
            elif kind in (OutputFileType.stmt_html, OutputFileType.conceptual_stmt_html):
                self.compile_to_lowered_stmt(path, arguments, StmtOutputFormat.HTML, target)
            else:
                legal = ", ".join(k.name for k in [*writers, OutputFileType.static_library, OutputFileType.stmt])
                raise HalideError(f"compile_to cannot write {kind.name}; it writes {legal} and stmt_html")

    def compile_to_object(self, filename: str, arguments: Any = None, fn_name: Any = None, target: Any = None) -> None:
        """Writes an object file with the function `fn_name` in Halide's calling convention."""
        name, machine = _options(fn_name, target)
        self._code(arguments, name, machine).write_object(filename)

    def compile_to_c(self, filename: str, arguments: Any, fn_name: str = "", target: Any = None) -> None:
        """Refused: code is made for machines, by way of LLVM."""
        raise HalideError(
            f"compile_to_c: {self._name(fn_name)} cannot be written as C; compile_to_object, compile_to_assembly and "
            "compile_to_llvm_assembly write machine code"
        )

    def compile_to_multitarget_static_library(self, filename_prefix: str, arguments: Any, targets: Any) -> None:
        """Refused: a library is made for one target."""
        raise HalideError(f"{filename_prefix}: a library for several targets is not made; compile each by itself")

    def compile_to_multitarget_object_files(
        self, filename_prefix: str, arguments: Any, targets: Any, suffixes: Any
    ) -> None:
        """Refused: an object is made for one target."""
        raise HalideError(f"{filename_prefix}: objects for several targets are not made; compile each by itself")

    def compile_to_llvm_assembly(
        self, filename: str, arguments: Any = None, fn_name: Any = None, target: Any = None
    ) -> None:
        """Writes the optimised LLVM IR."""
        name, machine = _options(fn_name, target)
        Path(filename).write_text(self._code(arguments, name, machine).llvm_ir())

    def compile_to_bitcode(self, filename: str, arguments: Any = None, fn_name: Any = None, target: Any = None) -> None:
        """Writes the optimised LLVM IR in its binary form."""
        name, machine = _options(fn_name, target)
        Path(filename).write_bytes(self._code(arguments, name, machine).bitcode())

    def compile_to_assembly(
        self, filename: str, arguments: Any = None, fn_name: Any = None, target: Any = None
    ) -> None:
        """Writes the machine code as assembly text."""
        name, machine = _options(fn_name, target)
        Path(filename).write_text(self._code(arguments, name, machine).assembly())

    def compile_to_header(self, filename: str, arguments: Any = None, fn_name: Any = None, target: Any = None) -> None:
        """Writes the C header that declares the function."""
        from halide_core.aot.compile import header

        name, _ = _options(fn_name, target)
        given = [a.source for a in self.infer_arguments()] if arguments is None else _sources(arguments)
        Path(filename).write_text(header(self, given or [], self._name(name)))

    def _python_extension(self, filename: str, arguments: Any, fn_name: Any, target: Any) -> None:
        """Writes the C++ source of a Python module around the function."""
        from halide_core.gpu.nests import runs_on_device
        from halide_core.passes.realization_order import build_environment
        from halide_core.python_extension import Parameter, python_extension

        name, _ = _options(fn_name, target)
        given = [a.source for a in self.infer_arguments()] if arguments is None else _sources(arguments)
        parameters: list[Parameter] = []
        for a in given or []:
            parameters.append((_c_name(a.name()), a.type(), None if isinstance(a, Param) else a.dimensions(), False))
        for f in self.functions():
            parameters += [(_c_name(a.name), a.type, a.dimensions, True) for a in output_arrays(f)]
        on_device = runs_on_device(build_environment(self.functions()).order) is not None
        Path(filename).write_text(python_extension(self._name(name), parameters, on_device))

    def compile_to_file(
        self, filename_prefix: str, arguments: Any = None, fn_name: Any = None, target: Any = None
    ) -> None:
        """Writes an object file and its header."""
        self.compile_to_object(f"{filename_prefix}.o", arguments, fn_name, target)
        self.compile_to_header(f"{filename_prefix}.h", arguments, fn_name, target)

    def compile_to_static_library(
        self, filename_prefix: str, arguments: Any = None, fn_name: Any = None, target: Any = None
    ) -> None:
        """Writes an archive of the object file, and its header."""
        name, machine = _options(fn_name, target)
        self._static_library(f"{filename_prefix}.a", arguments, name, machine)
        self.compile_to_header(f"{filename_prefix}.h", arguments, name, machine)

    def _static_library(self, path: str, arguments: Any, name: str | None, target: Target | None) -> None:
        symbol = self._name(name)
        write_archive(path, [(f"{symbol}.o", self._code(arguments, name, target).object_bytes(), [symbol])])

    def compile_to_lowered_stmt(
        self, filename: str, arguments: Any = None, fmt: Any = StmtOutputFormat.Text, target: Any = None
    ) -> None:
        """Writes the statement that the back end compiles, as text or as a web page."""
        from halide_core.lower import lower

        machine = chosen(target if isinstance(target, Target) else fmt if isinstance(fmt, Target) else None)
        text = str(lower(self.functions(), machine).stmt) + "\n"
        if fmt is StmtOutputFormat.HTML:
            title = html.escape(self._name(None))
            body = f"<pre>{html.escape(text)}</pre>"
            text = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>{body}</body></html>\n"
        Path(filename).write_text(text)

    compile_to_conceptual_stmt = compile_to_lowered_stmt

    def compile_to_module(
        self, arguments: Any, fn_name: str = "", target: Any = None, linkage: LinkageType | None = None
    ) -> Module:
        """The pipeline as a Module, which writes files."""
        return Module(self._name(fn_name), chosen(target), self, list(arguments))

    def compile_to_callable(self, arguments: Any, target: Target | None = None) -> Callable:
        """The pipeline as a function in this process."""
        return Callable(self, _sources(arguments) or [], chosen(target))

    def infer_arguments(self) -> list[Argument]:
        """The ImageParams and Params that the pipeline uses: images first, each by name."""
        from halide_core.passes.realization_order import build_environment

        environment = build_environment(self.functions())
        images = sorted((i for i in environment.images if i.owner is not None), key=lambda i: i.name)
        scalars = sorted(n for n in environment.parameters if n in PARAMS)
        return [Argument(i.owner) for i in images] + [Argument(PARAMS[n]) for n in scalars]


def _c_name(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def _options(fn_name: Any, target: Any) -> tuple[str | None, Target | None]:
    """A Target may stand where the function's name does."""
    return (None, fn_name) if isinstance(fn_name, Target) else (fn_name, target)
