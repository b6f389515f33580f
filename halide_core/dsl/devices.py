"""Directives for devices: loops whose iterations are blocks and threads of a GPU.

What they ask of a target, and which nests of loops are none of a device's, is found when code is made
(`halide_core.gpu.nests`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from halide_core.dsl.overloads import overloaded
from halide_core.errors import ArgumentError, HalideError
from halide_core.function import TailStrategy
from halide_core.ir.stmt import ForKind
from halide_core.vocabulary import DeviceAPI

# The devices that code is made for.
_KNOWN = (DeviceAPI.Default_GPU, DeviceAPI.CUDA)


class DeviceDirectives:
    """The directives of Func and Stage that run loops on a GPU or on a signal processor."""

    def _label(self) -> str:
        raise NotImplementedError

    def _mark(self, var: Any, kind: ForKind) -> Self:
        raise NotImplementedError

    def _once(self, name: str) -> Any:
        raise NotImplementedError

    def split(self, old: Any, outer: Any, inner: Any, factor: int, tail: TailStrategy = TailStrategy.Auto) -> Self:
        raise NotImplementedError

    def reorder(self, *variables: Any) -> Self:
        raise NotImplementedError

    def _device(self, what: str, args: tuple[Any, ...], counts: Sequence[int]) -> list[Any]:
        """`args` without the DeviceAPI at their end.  Raises HalideError for a device that no code is made for."""
        given = list(args)
        api = given.pop() if given and isinstance(given[-1], DeviceAPI) else DeviceAPI.Default_GPU
        if len(given) not in counts:
            wanted = " or ".join(map(str, counts))
            raise ArgumentError(
                f"{what}: incompatible function arguments; {self._label()} was given {len(given)}, not {wanted}"
            )
        if api not in _KNOWN:
            raise HalideError(
                f"{what}: {self._label()} cannot run on {api.name}; code is made for the host and for CUDA"
            )
        return given

    @overloaded("block_x, device_api?", "block_x, block_y, device_api?", "block_x, block_y, block_z, device_api?")
    def gpu_blocks(self, *args: Any) -> Self:
        """Makes the iterations of one to three loops the blocks of a GPU."""
        for var in self._device("gpu_blocks", args, (1, 2, 3)):
            self._mark(var, ForKind.GPU_BLOCK)
        return self

    @overloaded("thread_x, device_api?", "thread_x, thread_y, device_api?", "thread_x, thread_y, thread_z, device_api?")
    def gpu_threads(self, *args: Any) -> Self:
        """Makes the iterations of one to three loops the threads of a block; the innermost one is dimension x."""
        for var in self._device("gpu_threads", args, (1, 2, 3)):
            self._mark(var, ForKind.GPU_THREAD)
        return self

    @overloaded("thread_x, device_api?")
    def gpu_lanes(self, *args: Any) -> Self:
        """Makes the iterations of a loop, 32 at most, the threads of one warp."""
        (var,) = self._device("gpu_lanes", args, (1,))
        return self._mark(var, ForKind.GPU_LANE)

    @overloaded("device_api?")
    def gpu_single_thread(self, *args: Any) -> Self:
        """Runs all on one thread of a GPU."""
        self._device("gpu_single_thread", args, (0,))
        self._mark(self._once("thread$"), ForKind.GPU_THREAD)
        return self._mark(self._once("block$"), ForKind.GPU_BLOCK)

    @overloaded(
        "block_x, thread_x, device_api?",
        "block_x, block_y, thread_x, thread_y, device_api?",
        "block_x, block_y, block_z, thread_x, thread_y, thread_z, device_api?",
    )
    def gpu(self, *args: Any) -> Self:
        """gpu_blocks of the first half of the loops, gpu_threads of the second."""
        loops = self._device("gpu", args, (2, 4, 6))
        half = len(loops) // 2
        for k, var in enumerate(loops):
            self._mark(var, ForKind.GPU_BLOCK if k < half else ForKind.GPU_THREAD)
        return self

    @overloaded(
        "x, bx, tx, x_size, tail?, device_api?",
        "x, tx, x_size, tail?, device_api?",
        "x, y, bx, by, tx, ty, x_size, y_size, tail?, device_api?",
        "x, y, tx, ty, x_size, y_size, tail?, device_api?",
        "x, y, z, bx, by, bz, tx, ty, tz, x_size, y_size, z_size, tail?, device_api?",
        "x, y, z, tx, ty, tz, x_size, y_size, z_size, tail?, device_api?",
    )
    def gpu_tile(self, *args: Any) -> Self:
        """Splits one to three loops by sizes, and makes the outer loops blocks and the inner ones threads.

        Without names of their own the blocks keep those of the loops."""
        rest = list(args)
        api = [rest.pop()] if rest and isinstance(rest[-1], DeviceAPI) else []
        tail = rest.pop() if rest and isinstance(rest[-1], TailStrategy) else TailStrategy.Auto
        given = self._device("gpu_tile", (*rest, *api), (3, 4, 6, 8, 9, 12))
        sizes = [a for a in given if isinstance(a, int) and not isinstance(a, bool)]
        n = len(sizes)
        if given[len(given) - n :] != sizes or len(given) not in (3 * n, 4 * n) or not 1 <= n <= 3:
            raise ArgumentError(
                f"gpu_tile: incompatible function arguments; {self._label()} needs one to three loops, names for their "
                "blocks (or none) and threads, and as many sizes"
            )
        loops, threads = given[:n], given[len(given) - 2 * n : len(given) - n]
        blocks = given[n : 2 * n] if len(given) == 4 * n else loops
        for old, outer, inner, size in zip(loops, blocks, threads, sizes, strict=True):
            self.split(old, outer, inner, size, tail)
        self.reorder(*threads, *blocks)
        for var in blocks:
            self._mark(var, ForKind.GPU_BLOCK)
        for var in threads:
            self._mark(var, ForKind.GPU_THREAD)
        return self

    def hexagon(self, x: Any = None) -> Any:
        """Refused: there is no signal processor."""
        raise HalideError(f"hexagon: {self._label()} cannot run there; code is made for the host and for CUDA")
