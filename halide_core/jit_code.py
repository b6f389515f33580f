"""A pipeline's machine code in this process, from the cache on disk where an earlier process left it."""

from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass
from typing import Any

from halide_core import disk_cache, jit_memory, jit_threads, reports
from halide_core.backend.llvm_module import load_object, provide_symbol
from halide_core.backend.llvm_profile import SYMBOL as PROFILE_SYMBOL
from halide_core.errors import HalideError
from halide_core.extern_calls import address_of
from halide_core.fingerprint import digest
from halide_core.function import Function, Image, schedule_key, schedule_state
from halide_core.gpu import runtime
from halide_core.interface import Array, Interface, metadata_variables, output_arrays, unit_strides
from halide_core.ir.expr import const_value
from halide_core.ir.structural import key
from halide_core.ir.types import Type
from halide_core.pass_log import is_watched
from halide_core.passes.realization_order import build_environment
from halide_core.passes.wrap_calls import wrap_calls
from halide_core.profile import Profile
from halide_core.schedule_warnings import print_warnings
from halide_core.target import Target, chosen, chosen_identity


@dataclass(frozen=True, slots=True)
class _Traits:
    """What code must be connected with when it is loaded."""

    reports: bool
    allocates: bool
    is_parallel: bool
    profiled: tuple[str, ...] = ()
    on_device: bool = False


class Compiled:
    """A pipeline's machine code and how to call it.

    `order` and `images` are all Functions and images that `functions` reach, callees first."""

    def __init__(
        self, functions: list[Function], order: list[Function], images: list[Image], target: Target, dense: bool
    ) -> None:
        self.functions = functions
        self.images = {i.name: i for i in images}
        self.target = target
        # Outputs have unit stride in dimension 0 unless it is stated, or a buffer shows, otherwise.
        given = [i for f in functions for i in f.buffers]
        self._known = unit_strides([a for f in functions for a in output_arrays(f)], given) if dense else {}
        # The strides that the code is made for, by the names of their Variables.
        self.strides: dict[str, int] = {n: 1 for n in self._known}
        for i in (*images, *given):
            stated = {f"{i.name}.{what}": const_value(e) for what, e in i.fixed.items() if what.startswith("stride")}
            self.strides |= {n: int(v) for n, v in stated.items() if v is not None}
        self._external = sorted({f.extern.symbol for f in order if f.extern is not None})
        self._lowered: Any = None
        machine = (target.to_string(), target.cpu, target.llvm_features, str(dense), *(f.name for f in functions))
        # Who watches the passes wants them to run.
        self._digest = "" if is_watched() else digest(order, images, machine)
        # Buffers that may share memory need code of their own, made when they come.
        self._calls: dict[bool, tuple[Any, _Traits]] = {}
        # The times that code made with the feature `profile` keeps.
        self.profiles: list[Profile] = []
        found = disk_cache.load(f"{self._digest} interface") if self._digest else None
        self.interface: Interface = found if found is not None else self._lower().interface()
        self.arrays: tuple[Array, ...] = self.interface.inputs + self.interface.outputs
        self.variables = {v.name: v for a in self.arrays for v in metadata_variables(a)} | self.interface.parameters
        self._loaded(True)
        if self._digest and found is None:
            disk_cache.store(f"{self._digest} interface", self.interface)
        # The metadata, parameters and constraints that the last run was checked with.
        self.checked: object = None
        # What the last run was given (see `jit._given`), whether its buffers were disjoint, and its arguments.
        self.last: tuple[list[object], bool, list[Any]] | None = None

    def _lower(self) -> Any:
        """The Lowered pipeline; not needed for code from the cache, so that the passes are not even imported."""
        from halide_core.lower import lower

        if self._lowered is None:
            self._lowered = lower(self.functions, self.target, self._known)
        return self._lowered

    @property
    def on_device(self) -> bool:
        """Whether it runs kernels: it takes halide_buffer_ts then, after the addresses of arrays."""
        return self._loaded(True)[1].on_device

    def call(self, disjoint: bool, arguments: list[Any]) -> None:
        """Runs the code on addresses of arrays and values of Variables.  `disjoint`: no output shares memory with
        another array.  Raises HalideError where the code reports an error."""
        function, traits = self._loaded(disjoint)
        if traits.on_device:
            runtime.check_device()
        function(*arguments)
        if traits.on_device:
            runtime.raise_failed()
        if traits.reports:
            reports.raise_reported()

    def _loaded(self, disjoint: bool) -> tuple[Any, _Traits]:
        """(Code as a callable, what it needs)."""
        if disjoint not in self._calls:
            name = f"{self._digest} {'disjoint' if disjoint else 'shared'}"
            record = disk_cache.load(name) if self._digest else None
            if record is None:
                record = self._compiled(disjoint)
                if self._digest:
                    disk_cache.store(name, record)
            for symbol in self._external:
                provide_symbol(symbol, address_of(symbol))
            content, traits = record[0], _Traits(*record[1:])
            if traits.on_device:
                for symbol, address in runtime.symbols().items():
                    provide_symbol(symbol, address)
            module = load_object(content, self.target)
            if traits.reports:
                reports.connect(module)
            if traits.allocates:
                jit_memory.connect(module)
            if traits.is_parallel:
                jit_threads.connect(module)
            if traits.profiled:
                self.profiles.append(Profile(traits.profiled, module.variable(PROFILE_SYMBOL)))
            pointers = len(self.arrays) * (2 if traits.on_device else 1)
            kinds = [ctypes.c_void_p] * pointers + [_ctype(v.type) for v in self.variables.values()]
            self._calls[disjoint] = module.function("pipeline", None, *kinds), traits
        return self._calls[disjoint]

    def _compiled(self, disjoint: bool) -> tuple[bytes, bool, bool, bool, tuple[str, ...], bool]:
        """The machine code, and what `_Traits` says of it."""
        from halide_core.jit_compile import compile_for_process

        code = compile_for_process(self._lower(), self.arrays, list(self.variables.values()), self.target, disjoint)
        traits = code.reports, code.allocates, code.is_parallel, tuple(code.profiled), code.on_device
        return (code.object_bytes(), *traits)


def _ctype(t: Type) -> Any:
    if t.is_float():
        if t.bits == 16:
            raise HalideError("float16 parameters are not supported by the JIT")
        return ctypes.c_float if t.bits == 32 else ctypes.c_double
    if t.is_bool():
        return ctypes.c_uint8
    names = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
    return getattr(ctypes, f"c_{'' if t.is_int() else 'u'}{names[t.bits]}")


class _Cache:
    """The compiled code of one pipeline, for as long as its definitions and schedules stay as they are."""

    __slots__ = ("codes", "functions", "images", "key", "state")

    def __init__(self, pipeline: Any) -> None:
        wrap_calls(pipeline.functions())
        environment = build_environment(pipeline.functions())
        self.functions, self.images = environment.order, environment.images
        self.key = self._present_key(pipeline)
        self.state: list[object] = []
        self.codes: dict[tuple[object, ...], Compiled] = {}

    def _present_key(self, pipeline: Any) -> tuple[object, ...]:
        parts: list[object] = [id(f) for f in pipeline.functions()]
        for f in self.functions:
            parts += [id(f), schedule_key(f)]
        for i in self.images:
            parts.append((i.name, i.traced, i.trace_tags, [(what, key(e)) for what, e in sorted(i.fixed.items())]))
            parts.append([(id(c), id(w)) for c, w in i.wrappers])
        return tuple(parts)

    def is_valid(self, pipeline: Any) -> bool:
        """Whether nothing changed.  What a pipeline reaches follows from the definitions of what it reached before."""
        state = [*pipeline.functions(), *schedule_state(self.functions, self.images)]
        if len(state) == len(self.state) and all(map(operator.is_, state, self.state)):
            return True
        if self._present_key(pipeline) != self.key:
            return False
        self.state = state
        for code in self.codes.values():
            code.last = None
        return True


def compiled(pipeline: Any, target: Target | None, dense: bool = True) -> Compiled:
    """The pipeline's code, compiled again only after a change of definitions or schedules."""
    cache: _Cache | None = getattr(pipeline, "_compiled", None)
    if cache is None or not cache.is_valid(pipeline):
        cache = pipeline._compiled = _Cache(pipeline)
    # A Target may change later.
    which = (*chosen_identity(target), dense)
    code = cache.codes.get(which)
    if code is None:
        if dense:
            print_warnings(cache.functions, pipeline.functions())
        code = Compiled(pipeline.functions(), cache.functions, cache.images, chosen(target), dense)
        cache.codes[which] = code
    return code
