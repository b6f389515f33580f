"""Directives for devices, which are understood and refused: code is made for the host's processor only."""

from __future__ import annotations

from typing import Any

from halide_core.dsl.overloads import overloaded
from halide_core.errors import HalideError


class DeviceDirectives:
    """The directives of Func and Stage that run loops on a GPU or on a signal processor."""

    def _label(self) -> str:
        raise NotImplementedError

    def _refuse(self, what: str) -> HalideError:
        return HalideError(f"{what}: {self._label()} cannot run on a device; code is made for the host only")

    @overloaded("block_x, device_api?", "block_x, block_y, device_api?", "block_x, block_y, block_z, device_api?")
    def gpu_blocks(self, *args: Any) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu_blocks")

    @overloaded("thread_x, device_api?", "thread_x, thread_y, device_api?", "thread_x, thread_y, thread_z, device_api?")
    def gpu_threads(self, *args: Any) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu_threads")

    def gpu_lanes(self, thread_x: Any, device_api: Any = None) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu_lanes")

    def gpu_single_thread(self, device_api: Any = None) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu_single_thread")

    @overloaded(
        "block_x, thread_x, device_api?",
        "block_x, block_y, thread_x, thread_y, device_api?",
        "block_x, block_y, block_z, thread_x, thread_y, thread_z, device_api?",
    )
    def gpu(self, *args: Any) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu")

    @overloaded(
        "x, bx, tx, x_size, tail?, device_api?",
        "x, tx, x_size, tail?, device_api?",
        "x, y, bx, by, tx, ty, x_size, y_size, tail?, device_api?",
        "x, y, tx, ty, x_size, y_size, tail?, device_api?",
        "x, y, z, bx, by, bz, tx, ty, tz, x_size, y_size, z_size, tail?, device_api?",
        "x, y, z, tx, ty, tz, x_size, y_size, z_size, tail?, device_api?",
    )
    def gpu_tile(self, *args: Any) -> Any:
        """Refused: there is no GPU."""
        raise self._refuse("gpu_tile")

    def hexagon(self, x: Any = None) -> Any:
        """Refused: there is no signal processor."""
        raise self._refuse("hexagon")
