"""Funcs that copy another Func or an image from the host to a device, or back."""

from __future__ import annotations

from typing import Any, Self

from halide_core.dsl.devices import DeviceDirectives
from halide_core.dsl.overloads import overloaded
from halide_core.dsl.variables import Var
from halide_core.errors import HalideError
from halide_core.function import Dim, Function, StageSchedule, TailStrategy

_THREADS = 256


class CopyDirectives(DeviceDirectives):
    """The directives of Func that make it a copy."""

    _function: Function

    @overloaded("device_api?")
    def copy_to_device(self, *args: Any) -> Self:
        """Has this Func, which is another Func or an image by the same coordinates, in a device's memory.

        It is computed by a kernel of its own, whatever its schedule was; what it copies is brought to the device where
        the host stored it last.  Raises HalideError for a Func of several values or with updates."""
        self._device("copy_to_device", args, (0,))
        self._begin_copy("copy_to_device")
        args_of = self._function.args
        if not args_of:
            return self.gpu_single_thread()
        block, thread = Var("copy$block"), Var("copy$thread")
        others = [Var(n) for n in args_of[1:]]
        self.split(Var(args_of[0]), block, thread, _THREADS, TailStrategy.GuardWithIf)
        self.reorder(*others[:-2], thread, block, *others[-2:])
        return self.gpu_threads(thread).gpu_blocks(block, *others[-2:])

    def copy_to_host(self) -> Self:
        """Has this Func, which is another Func or an image by the same coordinates, in the host's memory.

        Raises HalideError for a Func of several values or with updates."""
        self._begin_copy("copy_to_host")
        return self

    def _begin_copy(self, what: str) -> None:
        f = self._function
        if f.pure is None:
            raise HalideError(f"{what} on Func {f.name} with no definition")
        if f.extern is not None or f.copies:
            raise HalideError(f"{what} on Func {f.name} with extern definition")
        if f.updates:
            raise HalideError(f"{what} on Func {f.name} with update definition")
        if len(f.types) != 1:
            raise HalideError(f"{what} on a Tuple-valued Func {f.name} not yet supported")
        f.pure.schedule = StageSchedule([Dim(n) for n in f.args])
        f.copies = what
