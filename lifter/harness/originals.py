"""A file's original code, compiled in the background while its functions are lifted."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from codegen.errors import EmitError
from codegen.original import compile_original, is_c
from lifter.harness.other_files import make_others
from lifter.harness.stubs import make_stubs
from lifter.ir.loop_ir import Function
from lifter.toolchain.command import Command, command_for
from lifter.toolchain.compiler import HOST

FLAGS = ("-O1", "-w", "-fwrapv", "-fno-strict-aliasing")
"""What the proof speaks of: arithmetic on data wraps, and memory is read at any type."""
# Overflow is one of them: index arithmetic is taken not to overflow.  That of data wraps in the proof; a fault of that
# shows on calls without overflow too.
_TRAPS = (
    "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bool,enum,bounds,return,unreachable,"
    "vla-bound"
)


_PACKERS = "packers"


def _flags_of(source: str) -> tuple[str, ...]:
    """The flags of packers, which see all of a class."""
    from codegen import flat_arguments  # which brings the compiler

    return () if is_c(source) else flat_arguments.FLAGS


def _is_of_packers(function: Function) -> bool:
    """Whether the original that is called is the one in the packers' library."""
    return function.reads_statics or (function.internal and bool(function.qualified))


class Background:
    """A compilation in a process of its own."""

    def __init__(self, compile_: Callable[[], object]) -> None:
        self._reading, writing = os.pipe()
        self._process = os.fork()
        if self._process:
            os.close(writing)
            return
        os.setsid()  # so that the compiler can be ended with it
        text = ""
        try:
            compile_()
        except EmitError as problem:
            text = f"{problem}"
        except BaseException as problem:
            text = f"{type(problem).__name__}: {problem}"
        finally:
            os.write(writing, text.encode()[:4096])
            os._exit(0)

    def failure(self) -> str:
        """Waits for the end; why it failed, or the empty string."""
        if self._process:
            with os.fdopen(self._reading, "rb") as f:
                self._text = f.read().decode(errors="replace")
            os.waitpid(self._process, 0)
            self._process = 0
        return self._text

    def stop(self) -> None:
        """Ends it, if it has not ended."""
        if self._process:
            try:
                os.killpg(self._process, signal.SIGKILL)
            except ProcessLookupError:  # it has no group of its own yet
                os.kill(self._process, signal.SIGKILL)
            self.failure()


class Originals:
    """The libraries of one file: its code, the packers of its functions of class type, and its code with traps."""

    def __init__(self, source: str, given: Sequence[str] | Command, others: Sequence[str] = ()) -> None:
        """`others`: folders with other files of the program, whose code is run where the original calls it."""
        self.source, self.command = source, command_for(source, given)
        self.others = others
        self._folder = Path(tempfile.mkdtemp(prefix="lift-original-"))
        self.reason = ""
        """Why nothing can be compared."""
        self._apart = False
        """Whether each function has packers of its own: those of one do not compile."""
        self._jobs: dict[str, Background] = {}
        if self.command.target != HOST:
            self.reason = f"it was read for another processor ({self.command.target})"
        else:
            self._jobs["original"] = Background(lambda: self._compile(source, "original"))

    def __enter__(self) -> Originals:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        for job in self._jobs.values():
            job.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def prepare(self, functions: Sequence[Function]) -> None:
        """Begins with what functions of class type need, but for those whose result has a size that lifting tells."""
        with_classes = [f for f in functions if self._packers_of(f) == _PACKERS]
        if with_classes and not self.reason:
            self._begin_packers(_PACKERS, with_classes)

    def _begin_packers(self, name: str, functions: Sequence[Function]) -> None:
        from codegen import packer  # which brings the compiler

        text = self._text(name)
        text.write_text(packer.packers(self.source, functions))
        self._jobs[name] = Background(lambda: self._compile(text, name, _flags_of(self.source)))

    def _text(self, packers: str) -> Path:
        return self._folder / f"{packers}{'.c' if is_c(self.source) else '.cpp'}"

    def library(self, function: Function) -> Path | None:
        """The original's library, once it is there; None where it cannot be made (`why`).  Packers that set variables
        of static storage set those of their own library, which has the original's code, too, and shows what its file
        does not."""
        if self.why(function):
            return None
        return self.packers(function) if _is_of_packers(function) else self._path("original")

    def why(self, function: Function) -> str:
        """Why a function cannot be compared; "" where it can."""
        if not self.reason:
            failure = self._jobs["original"].failure()
            if failure:
                what = "no compiler" if "was not found" in failure or "no C++ compiler" in failure else failure
                self.reason = what if what == "no compiler" else f"its original does not compile here: {what}"
        if self.reason or not self._packers_of(function):
            return self.reason
        if function.reads_constants:
            return "it reads a constant of its file, which nobody can set"
        if self._packers_fail(function) and not self._apart:
            self._apart = True
        failure = self._packers_fail(function)
        return f"the code that calls its original does not compile here: {failure}" if failure else ""

    def _packers_fail(self, function: Function) -> str:
        packers = self._packers_of(function)
        if packers not in self._jobs:
            self._begin_packers(packers, [function])
        return self._jobs[packers].failure()

    def packers(self, function: Function) -> Path | None:
        """The library of the packers, where the function needs one."""
        packers = self._packers_of(function)
        return self._path(packers) if packers else None

    def _packers_of(self, function: Function) -> str:
        """The library that a function's packer is in; "" for a function that needs none."""
        if function.interface is None and not (function.internal and function.qualified):
            return ""
        late = function.interface is not None and (function.interface.container is not None or bool(function.measured))
        alone = self._apart or late  # what lifting tells is not known when the others are compiled
        return f"{_PACKERS}-{hashlib.sha256(function.symbol.encode()).hexdigest()[:16]}" if alone else _PACKERS

    def trapping(self, function: Function, misaligned: bool = False) -> Path | None:
        """The original stopping at what C++ leaves undefined, or only at what is `misaligned`, where the compiler can
        do that; with packers, if these are what sets variables of static storage."""
        packers = self._packers_of(function) if _is_of_packers(function) else ""
        source = self._text(packers) if packers else self.source
        kind = "misaligned" if misaligned else "trapping"
        name = f"{kind}-{packers}" if packers else kind
        if name not in self._jobs:
            traps = "alignment" if misaligned else _TRAPS
            flags = ["-fno-wrapv", f"-fsanitize={traps}", "-fsanitize-undefined-trap-on-error"]
            flags += _flags_of(self.source) if packers else ()
            self._jobs[name] = Background(lambda: self._compile(source, name, flags))
        return None if self._jobs[name].failure() else self._path(name)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.so"

    def _compile(self, source: str | Path, name: str, flags: Sequence[str] = ()) -> None:
        os.environ["TMPDIR"] = str(self._folder)  # this process may be ended with the compiler's files half written
        library = compile_original(source, self.command, self._path(name), (*FLAGS, *flags))
        make_others(library, self.source, self.command, self.others)
        make_stubs(library, self.command.compiler)
