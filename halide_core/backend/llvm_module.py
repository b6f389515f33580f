"""From LLVM text to optimised code: verification, the optimiser, objects, assembly and the JIT."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding as llvm

from halide_core.backend.llvm_builder import ALIGNING_ADVICE, ModuleBuilder
from halide_core.backend.llvm_profile import CLOCK, CLOCK_DECLARATION
from halide_core.errors import HalideError
from halide_core.runtime import cuda
from halide_core.runtime.errors import ERRORS, PRINTING, PYTHON_REPORTS
from halide_core.runtime.half import conversions
from halide_core.runtime.memory import MEMORY, PYTHON_MEMORY
from halide_core.runtime.threads import POOL_ENTRY, pool_elsewhere, thread_pool
from halide_core.target import Target

_T = TypeVar("_T")
# Engines are never freed: worker threads of their pools may still stand in their code.
_ENGINES: list[Any] = []

# From this many lines of optimised LLVM IR in one function on, Loop Strength Reduction is left out: its time grows with
# the square of the addresses in a loop (nine tenths of code generation for a pyramid of 7,000 lines), and code as long
# as that was as fast without it or faster.
_LONG = 6000
# LLVM has this choice for the whole process: it is made for one module at a time, and taken back.
_CODE_GENERATION = threading.Lock()


@cache
def initialize() -> None:
    """Has LLVM know its targets."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()


def target_machine(target: Target, jit: bool = False) -> Any:
    """LLVM's description of `target`, position independent."""
    initialize()
    description = llvm.Target.from_triple(target.triple)
    return description.create_target_machine(
        cpu=target.cpu, features=target.llvm_features, opt=3, reloc="pic", codemodel="jitdefault" if jit else "default"
    )


def _generated(emit: Callable[[Any], _T], module: Any) -> _T:
    """What a target machine's `emit` makes of an optimised module."""
    longest = max((body.count("\n") for body in str(module).split("\ndefine ")[1:]), default=0)
    with _CODE_GENERATION:
        if longest < _LONG:
            return emit(module)
        llvm.set_option("halide_core", "-disable-lsr=true")
        try:
            return emit(module)
        finally:
            llvm.set_option("halide_core", "-disable-lsr=false")


def _declared_once(text: str) -> str:
    """`text` with one declaration of each function, and none of those that it defines."""
    known = set(re.findall(r"^define [^@]*@([\w.$]+)\(", text, re.M))
    lines = []
    for line in text.split("\n"):
        found = re.match(r"declare [^@]*@([\w.$]+)\(", line)
        if found is None or found[1] not in known:
            lines.append(line)
        if found is not None:
            known.add(found[1])
    return "\n".join(lines)


def module_builder(target: Target) -> ModuleBuilder:
    """An empty module for a target."""
    return ModuleBuilder(
        target.psad_bytes, target.permutes_bytes, target.slow_mask_bytes, target.fuses, target.gathers_words
    )


class CompiledModule:
    """One LLVM module: functions with C linkage, and the run time that they need."""

    def __init__(
        self, text: str, target: Target, optimize: bool = True, jit: bool = False, shows_runtime: bool = True
    ) -> None:
        """`shows_runtime`: other code of the program may call the functions for devices, and define them itself."""
        self.target = target
        self._jit = jit
        if "@halide_cuda_run(" in text:
            text += cuda.ELSEWHERE if jit else cuda.runtime(target.arch, shows_runtime, "@hl.device.mode(" in text)
        # Whether code prints or reports errors, and whether it allocates storage.
        self.reports = any(f"@{name}(" in text for name in ("halide_print", "halide_error", "hl.out_of_memory"))
        self.allocates = "@halide_malloc(" in text
        # Whether code needs a thread pool, which that of a process is itself.
        self.is_parallel = "@hl.par_for(" in text and f"@{POOL_ENTRY}(" not in text
        # The Funcs whose time the code keeps, as llvm_profile numbers them.
        self.profiled: tuple[str, ...] = ()
        # Whether code launches kernels, for which it needs a run time.
        self.on_device = False
        self._source = self._assemble(text)
        self._optimize = optimize
        self._parsed: Any = None
        self._loaded: JitModule | None = None

    def _assemble(self, text: str) -> str:
        target = self.target
        parts = [f'target triple = "{target.triple}"', text]
        if self.is_parallel:
            parts.append(pool_elsewhere(target.arch) if self._jit else thread_pool(target.arch))
        if "@hl.nanoseconds(" in text:
            # The thread pool has the declaration too.
            parts += [CLOCK] if self.is_parallel and not self._jit else [CLOCK_DECLARATION, CLOCK]
        if self.allocates:
            parts.append(PYTHON_MEMORY if self._jit else MEMORY)
        if re.search(r"\bhalf\b", text):
            parts.append(conversions(target.arch))
        if self._jit and self.reports:
            parts.append(PYTHON_REPORTS)
        if not self._jit and ("@hl.out_of_memory(" in text or "@halide_error(" in text):
            parts.append(ERRORS)
        if not self._jit and "@halide_print(" in text:
            parts.append(PRINTING)
        # Nothing may be contracted or reassociated; the whole vector width is used as written.
        parts.append('attributes #0 = { "no-trapping-math"="true" "prefer-vector-width"="512" }')
        parts.append('!0 = !{!"branch_weights", i32 2000, i32 1}')
        parts.append("!1 = !{i32 1}")
        parts.append(ALIGNING_ADVICE)
        return _declared_once("\n".join(parts))

    @property
    def source(self) -> str:
        """LLVM IR as emitted, before optimisation."""
        return self._source

    def _module(self) -> Any:
        if self._parsed is None:
            initialize()
            try:
                module = llvm.parse_assembly(self._source)
                module.verify()
            except RuntimeError as error:
                raise HalideError(f"The compiler made invalid LLVM IR: {error}") from error
            machine = target_machine(self.target)
            module.data_layout = str(machine.target_data)
            if self._optimize:
                options = llvm.create_pipeline_tuning_options(speed_level=3)
                options.loop_vectorization = True
                options.slp_vectorization = True
                options.loop_unrolling = True
                builder = llvm.create_pass_builder(machine, options)
                builder.getModulePassManager().run(module, builder)
            self._parsed = module
        return self._parsed

    def llvm_ir(self) -> str:
        """Optimised LLVM IR."""
        return str(self._module())

    def bitcode(self) -> bytes:
        return bytes(self._module().as_bitcode())

    def assembly(self) -> str:
        return str(_generated(target_machine(self.target).emit_assembly, self._module()))

    def object_bytes(self) -> bytes:
        """A relocatable, position-independent ELF object."""
        return bytes(_generated(target_machine(self.target, self._jit).emit_object, self._module()))

    def write_object(self, path: str | Path) -> None:
        Path(path).write_bytes(self.object_bytes())

    def jit(self) -> JitModule:
        """The module's functions in this process, where they are loaded once."""
        if self._loaded is None:
            machine = target_machine(self.target, jit=True)
            self._loaded = load_object(bytes(_generated(machine.emit_object, self._module())), self.target)
        return self._loaded


def load_object(content: bytes, target: Target) -> JitModule:
    """The functions of an object, made for the JIT, in this process."""
    machine = target_machine(target, jit=True)
    empty = llvm.parse_assembly(f'target triple = "{target.triple}"')
    empty.data_layout = str(machine.target_data)
    engine = llvm.create_mcjit_compiler(empty, machine)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(content))
    engine.finalize_object()
    _ENGINES.append(engine)
    return JitModule(engine)


def provide_symbol(name: str, address: int) -> None:
    """Has the code that is loaded from now on find the function `name` at `address`."""
    llvm.add_symbol(name, address)


class JitModule:
    """Addresses of compiled functions."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, symbol: str) -> int:
        """Where the function `symbol` starts.  Raises HalideError when there is none."""
        found = int(self._engine.get_function_address(symbol))
        if not found:
            raise HalideError(f"The compiled module has no function {symbol}")
        return found

    def variable(self, symbol: str) -> int:
        """Where the global variable `symbol` stands.  Raises HalideError when there is none."""
        found = int(self._engine.get_global_value_address(symbol))
        if not found:
            raise HalideError(f"The compiled module has no variable {symbol}")
        return found

    def function(self, symbol: str, result: Any, *arguments: Any) -> Any:
        """The function as a ctypes callable."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(symbol))
